//! Incidents counted instead of listed: over time, and by the values that a list can be narrowed to.

use std::cmp::Reverse;
use std::sync::Arc;

use common::ids::SourceId;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use index::Tally;

use super::filter::{Filter, SourceNames, each};
use super::incidents::{Item, OrganizationIndex};

/// Incidents by last activity in spans of equal length, by severity, mildest first.
pub(crate) type Histogram = index::Histogram<{ Severity::ALL.len() }>;

/// Number of incidents with each value, most frequent first.
#[derive(Debug, Default)]
pub(crate) struct FacetCounts {
    pub(crate) total: u64,
    pub(crate) severity: Vec<(Severity, u64)>,
    pub(crate) triage_status: Vec<(TriageStatus, u64)>,
    pub(crate) triage_resolution: Vec<(TriageResolution, u64)>,
    pub(crate) sources: Vec<(SourceId, u64)>,
    pub(crate) application_groups: Vec<(Arc<str>, u64)>,
    pub(crate) environments: Vec<(Arc<str>, u64)>,
}

/// Counts the incidents that match between two times, in `spans` spans (at least one).
pub(super) fn histogram(
    index: &OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    times: (Timestamp, Timestamp),
    spans: usize,
) -> Histogram {
    let compiled = filter.compile(index, names);
    let scan = compiled.as_ref().map(super::filter::Compiled::scan).unwrap_or_default();
    let matches =
        |item: &Item<'_>| compiled.as_ref().map_or(index::Match::No, |compiled| compiled.matches(item));
    index::histogram(index, &scan, matches, (times, spans), |item| item.facets.severity as usize)
}

/// Counts the incidents that match by each value.
pub(super) fn facets(index: &OrganizationIndex, filter: &Filter, names: &SourceNames) -> FacetCounts {
    let (values, mut counted) = (index.values(), Columns::default());
    each(index, filter, names, |item| {
        let facets = item.facets;
        counted.total += 1;
        counted.severity.add(facets.severity as usize);
        counted.status.add(facets.status as usize);
        if let Some(resolution) = facets.resolution {
            counted.resolution.add(resolution as usize);
        }
        counted.sources.add(facets.source as usize);
        counted.groups.add(facets.application_group as usize);
        counted.environments.add(facets.environment as usize);
    });
    FacetCounts {
        total: counted.total,
        severity: counted
            .severity
            .ranked(|code| Severity::ALL.get(code).copied(), |severity| Reverse(*severity)),
        triage_status: counted.status.words(),
        triage_resolution: counted.resolution.words(),
        sources: counted.sources.ranked(|code| values.sources.value(code).copied(), |id| *id),
        application_groups: counted.groups.ranked(|code| values.groups.value(code).cloned(), Arc::clone),
        environments: counted
            .environments
            .ranked(|code| values.environments.value(code).cloned(), Arc::clone),
    }
}

/// Counts by code of each column.
#[derive(Default)]
struct Columns {
    total: u64,
    severity: Tally,
    status: Tally,
    resolution: Tally,
    sources: Tally,
    groups: Tally,
    environments: Tally,
}
