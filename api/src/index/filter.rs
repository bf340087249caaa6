//! What a list is narrowed to, and how an organization's index answers it.

use std::collections::HashMap;
use std::sync::Arc;

use common::ids::SourceId;
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};

use super::organization::OrganizationIndex;
use super::row::{Facets, Row};
use super::text::Needle;

/// What a list is narrowed to; `None` does not narrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) severity: Option<Severity>,
    pub(crate) triage_status: Option<TriageStatus>,
    pub(crate) triage_resolution: Option<TriageResolution>,
    pub(crate) source: Option<SourceId>,
    pub(crate) application_group: Option<String>,
    pub(crate) environment: Option<String>,
    /// Literal text, in any case, of title, entity value, source name, application group or environment.
    pub(crate) text: Option<String>,
}

/// The names of an organization's sources.
pub(crate) type SourceNames = HashMap<SourceId, Arc<str>>;

/// A filter in the terms of one organization's dictionaries.
struct Compiled {
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
    fn narrows(&self) -> bool {
        *self != Self::default()
    }

    /// `None` when no incident can match, because a value was never seen.
    fn compile(&self, index: &OrganizationIndex, names: &SourceNames) -> Option<Compiled> {
        // The outer option says whether the value is known, the inner one whether it is asked for.
        let known = |asked: bool, code: Option<u32>| if asked { code.map(Some) } else { Some(None) };
        let group = self.application_group.as_deref();
        let environment = self.environment.as_deref();
        Some(Compiled {
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
    fn matches(&self, facets: &Facets, row: &Row) -> bool {
        self.severity.is_none_or(|severity| severity == facets.severity)
            && self.status.is_none_or(|status| status == facets.status)
            && self.resolution.is_none_or(|resolution| Some(resolution) == facets.resolution)
            && self.source.is_none_or(|source| source == facets.source)
            && self.application_group.is_none_or(|group| group == facets.application_group)
            && self.environment.is_none_or(|environment| environment == facets.environment)
            && self.text.as_ref().is_none_or(|text| text.matches(facets, row))
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

/// The incidents of `index` that match, from the `offset`-th on, at most `limit`; and how many match in all.
pub(super) fn list(
    index: &OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    offset: usize,
    limit: usize,
) -> (Vec<Arc<Row>>, usize) {
    if !filter.narrows() {
        return (slice(index, offset, limit), index.order.len());
    }
    let Some(filter) = filter.compile(index, names) else { return (Vec::new(), 0) };
    let mut rows = Vec::with_capacity(limit);
    let mut total = 0;
    for block in index.order.blocks() {
        for (facets, row) in block.iter() {
            if !filter.matches(facets, row) {
                continue;
            }
            if total >= offset && rows.len() < limit {
                rows.push(Arc::clone(row));
            }
            total += 1;
        }
    }
    (rows, total)
}

/// A part of the whole list: blocks in front of it are skipped by their lengths.
fn slice(index: &OrganizationIndex, offset: usize, limit: usize) -> Vec<Arc<Row>> {
    let mut rows = Vec::with_capacity(limit);
    let mut skip = offset;
    for block in index.order.blocks() {
        if skip >= block.len() {
            skip -= block.len();
            continue;
        }
        rows.extend(block.rows().iter().skip(skip).take(limit - rows.len()).cloned());
        skip = 0;
        if rows.len() == limit {
            break;
        }
    }
    rows
}
