//! Filters of lists of incidents.

use std::collections::HashMap;
use std::sync::Arc;

use common::ids::SourceId;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};

use index::{Match, Needle, Scan};

use super::incidents::{Facets, Item, OrganizationIndex};

/// Filter of a list; `None` does not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) severity: Option<Severity>,
    pub(crate) state: Option<State>,
    pub(crate) triage_status: Option<TriageStatus>,
    pub(crate) triage_resolution: Option<TriageResolution>,
    pub(crate) source: Option<SourceId>,
    pub(crate) application_group: Option<String>,
    pub(crate) environment: Option<String>,
    /// Last activity at or after this, by whole milliseconds.
    pub(crate) from: Option<Timestamp>,
    /// Last activity before this.
    pub(crate) to: Option<Timestamp>,
    /// Literal text, in any case, of title, entity value, source name, application group or environment.
    pub(crate) text: Option<String>,
}

common::words!(
    /// Whether an incident is open.
    State {
        /// It is not resolved.
        Open = "open",
        /// It is.
        Resolved = "resolved",
    }
);

impl State {
    fn has(self, status: TriageStatus) -> bool {
        (status == TriageStatus::Resolved) == (self == Self::Resolved)
    }
}

/// The names of an organization's sources.
pub(crate) type SourceNames = HashMap<SourceId, Arc<str>>;

/// A filter in the terms of one organization's dictionaries.
pub(super) struct Compiled {
    from: Option<i64>,
    to: Option<i64>,
    state: Option<State>,
    severity: Option<Severity>,
    status: Option<TriageStatus>,
    resolution: Option<TriageResolution>,
    source: Option<u32>,
    application_group: Option<u32>,
    environment: Option<u32>,
    text: Option<Text>,
}

/// A searched text: values of the dictionaries that contain it are found once, not per incident.
struct Text {
    needle: Needle,
    sources: Vec<bool>,
    application_groups: Vec<bool>,
    environments: Vec<bool>,
}

impl Filter {
    pub(super) fn narrows(&self) -> bool {
        *self != Self::default()
    }

    /// `None` when no incident can match, because a value was never seen.
    pub(super) fn compile(&self, index: &OrganizationIndex, names: &SourceNames) -> Option<Compiled> {
        // The outer option says whether the value is known, the inner one whether it is asked for.
        let known = |asked: bool, code: Option<u32>| if asked { code.map(Some) } else { Some(None) };
        let values = index.values();
        let group = self.application_group.as_deref();
        let environment = self.environment.as_deref();
        Some(Compiled {
            from: self.from.map(Timestamp::as_millis),
            to: self.to.map(Timestamp::as_millis),
            state: self.state,
            severity: self.severity,
            status: self.triage_status,
            resolution: self.triage_resolution,
            source: known(self.source.is_some(), self.source.and_then(|id| values.sources.code(&id)))?,
            application_group: known(group.is_some(), group.and_then(|text| values.groups.code(text)))?,
            environment: known(
                environment.is_some(),
                environment.and_then(|text| values.environments.code(text)),
            )?,
            text: self.text.as_ref().map(|text| {
                let needle = Needle::new(text);
                Text {
                    sources: values.sources.select(|id| names.get(id).is_some_and(|name| needle.is_in(name))),
                    application_groups: values.groups.select(|group| needle.is_in(group)),
                    environments: values.environments.select(|environment| needle.is_in(environment)),
                    needle,
                }
            }),
        })
    }
}

impl Compiled {
    /// The parts of the filter that the index applies itself.
    pub(super) fn scan(&self) -> Scan<'_> {
        Scan { from: self.from, to: self.to, needle: self.text.as_ref().map(|text| &text.needle) }
    }

    pub(super) fn matches(&self, item: &Item<'_>) -> Match {
        let facets = item.facets;
        let is_asked_for = self.state.is_none_or(|state| state.has(facets.status))
            && self.severity.is_none_or(|severity| severity == facets.severity)
            && self.status.is_none_or(|status| status == facets.status)
            && self.resolution.is_none_or(|resolution| Some(resolution) == facets.resolution)
            && self.source.is_none_or(|source| source == facets.source)
            && self.application_group.is_none_or(|group| group == facets.application_group)
            && self.environment.is_none_or(|environment| environment == facets.environment);
        match &self.text {
            _ if !is_asked_for => Match::No,
            Some(text) if !text.is_in_values(facets) => Match::IfText,
            _ => Match::Yes,
        }
    }
}

impl Text {
    fn is_in_values(&self, facets: &Facets) -> bool {
        let selected = |values: &[bool], code: u32| values.get(code as usize).copied().unwrap_or(false);
        selected(&self.sources, facets.source)
            || selected(&self.application_groups, facets.application_group)
            || selected(&self.environments, facets.environment)
    }
}

/// Calls `found` with each incident of `index` that matches, newest activity first.
pub(super) fn each<'i>(
    index: &'i OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    mut found: impl FnMut(Item<'i>),
) {
    if let Some(compiled) = filter.compile(index, names) {
        index.each(&compiled.scan(), |item| compiled.matches(item), |_, item| found(item));
    }
}
