//! What a list is narrowed to, and how an organization's index answers it.

use std::collections::HashMap;
use std::sync::Arc;

use common::ids::SourceId;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};

use super::ordered::Item;
use super::organization::OrganizationIndex;
use super::row::{Facets, Row};
use super::text::Needle;

/// What a list is narrowed to; `None` does not narrow.
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

/// Whether an incident still needs somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is not resolved.
    Open,
    /// It is.
    Resolved,
}

impl State {
    /// The words of the API.
    pub(crate) const WORDS: [&str; 2] = ["open", "resolved"];

    pub(crate) fn parse(word: &str) -> Option<Self> {
        match word {
            "open" => Some(Self::Open),
            "resolved" => Some(Self::Resolved),
            _ => None,
        }
    }

    fn has(self, status: TriageStatus) -> bool {
        (status == TriageStatus::Resolved) == (self == Self::Resolved)
    }
}

/// The names of an organization's sources.
pub(crate) type SourceNames = HashMap<SourceId, Arc<str>>;

/// A filter in the terms of one organization's dictionaries.
struct Compiled {
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
    fn compile(&self, index: &OrganizationIndex, names: &SourceNames) -> Option<Compiled> {
        // The outer option says whether the value is known, the inner one whether it is asked for.
        let known = |asked: bool, code: Option<u32>| if asked { code.map(Some) } else { Some(None) };
        let group = self.application_group.as_deref();
        let environment = self.environment.as_deref();
        Some(Compiled {
            from: self.from.map(Timestamp::as_millis),
            to: self.to.map(Timestamp::as_millis),
            state: self.state,
            severity: self.severity,
            status: self.triage_status,
            resolution: self.triage_resolution,
            source: known(self.source.is_some(), self.source.and_then(|id| index.sources.code(&id)))?,
            application_group: known(group.is_some(), group.and_then(|text| index.groups.code(text)))?,
            environment: known(
                environment.is_some(),
                environment.and_then(|text| index.environments.code(text)),
            )?,
            text: self.text.as_ref().map(|text| {
                let needle = Needle::new(text);
                Text {
                    sources: index.sources.select(|id| names.get(id).is_some_and(|name| needle.is_in(name))),
                    application_groups: index.groups.select(|group| needle.is_in(group)),
                    environments: index.environments.select(|environment| needle.is_in(environment)),
                    needle,
                }
            }),
        })
    }
}

impl Compiled {
    fn matches(&self, item: &Item<'_>) -> bool {
        let (facets, activity) = (item.facets, item.place.activity_millis());
        self.from.is_none_or(|from| activity >= from)
            && self.to.is_none_or(|to| activity < to)
            && self.state.is_none_or(|state| state.has(facets.status))
            && self.severity.is_none_or(|severity| severity == facets.severity)
            && self.status.is_none_or(|status| status == facets.status)
            && self.resolution.is_none_or(|resolution| Some(resolution) == facets.resolution)
            && self.source.is_none_or(|source| source == facets.source)
            && self.application_group.is_none_or(|group| group == facets.application_group)
            && self.environment.is_none_or(|environment| environment == facets.environment)
            && self.text.as_ref().is_none_or(|text| text.matches(facets, item.row))
    }
}

impl Text {
    fn matches(&self, facets: &Facets, row: &Row) -> bool {
        let selected = |values: &[bool], code: u32| values.get(code as usize).copied().unwrap_or(false);
        selected(&self.sources, facets.source)
            || selected(&self.application_groups, facets.application_group)
            || selected(&self.environments, facets.environment)
            || self.needle.is_in_haystack(&row.haystack)
    }
}

/// Calls `found` with each incident of `index` that matches, newest activity first, and the number of its block. Blocks
/// outside of the asked time are skipped.
pub(super) fn each<'i>(
    index: &'i OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    mut found: impl FnMut(usize, Item<'i>),
) {
    let Some(compiled) = filter.compile(index, names) else { return };
    for (number, block) in index.order.blocks().iter().enumerate() {
        let (latest, earliest) = block.activity();
        if compiled.to.is_some_and(|to| earliest >= to) {
            continue;
        }
        if compiled.from.is_some_and(|from| latest < from) {
            return;
        }
        for item in block.iter().filter(|item| compiled.matches(item)) {
            found(number, item);
        }
    }
}
