//! Incidents counted instead of listed: over time, and by the values that a list can be narrowed to.

use std::cmp::Reverse;
use std::sync::Arc;

use common::ids::SourceId;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};

use super::filter::{Filter, SourceNames, each};
use super::incidents::OrganizationIndex;

/// Incidents by severity, mildest first.
pub(crate) type BySeverity = [u64; Severity::ALL.len()];

/// Incidents by last activity in spans of equal length.
#[derive(Debug)]
pub(crate) struct Histogram {
    /// The beginning of each span and of what follows the last one, in milliseconds.
    pub(crate) bounds: Vec<i64>,
    pub(crate) counts: Vec<BySeverity>,
}

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
    (from, to): (Timestamp, Timestamp),
    spans: usize,
) -> Histogram {
    let (first, end) = (from.as_millis(), to.as_millis());
    let length = i128::from(end) - i128::from(first);
    let bound = |number: usize| {
        let part = length * number as i128 / spans as i128;
        i64::try_from(i128::from(first) + part).unwrap_or(end)
    };
    let bounds: Vec<i64> = (0..=spans).map(bound).collect();
    let mut counts = vec![BySeverity::default(); spans];
    let within = Filter { from: Some(from), to: Some(to), ..filter.clone() };
    // Incidents come newest first, so that their spans only go back.
    let mut span = spans.saturating_sub(1);
    each(index, &within, names, |item| {
        let activity = item.place.activity_millis();
        while span > 0 && bounds.get(span).is_some_and(|bound| activity < *bound) {
            span -= 1;
        }
        let count = counts.get_mut(span).and_then(|counts| counts.get_mut(item.facets.severity as usize));
        if let Some(count) = count {
            *count += 1;
        }
    });
    Histogram { bounds, counts }
}

/// Counts the incidents that match by each value.
pub(super) fn facets(index: &OrganizationIndex, filter: &Filter, names: &SourceNames) -> FacetCounts {
    let (values, mut counted) = (index.values(), Columns::default());
    each(index, filter, names, |item| {
        let facets = item.facets;
        counted.total += 1;
        count(&mut counted.severity, facets.severity as usize);
        count(&mut counted.status, facets.status as usize);
        if let Some(resolution) = facets.resolution {
            count(&mut counted.resolution, resolution as usize);
        }
        count(&mut counted.sources, facets.source as usize);
        count(&mut counted.groups, facets.application_group as usize);
        count(&mut counted.environments, facets.environment as usize);
    });
    FacetCounts {
        total: counted.total,
        severity: ranked(
            &counted.severity,
            |code| Severity::ALL.into_iter().find(|one| *one as usize == code),
            |severity| Reverse(*severity),
        ),
        triage_status: ranked(
            &counted.status,
            |code| TriageStatus::ALL.into_iter().find(|one| *one as usize == code),
            |status| *status as usize,
        ),
        triage_resolution: ranked(
            &counted.resolution,
            |code| TriageResolution::ALL.into_iter().find(|one| *one as usize == code),
            |resolution| *resolution as usize,
        ),
        sources: ranked(&counted.sources, |code| values.sources.value(code).copied(), |id| *id),
        application_groups: ranked(&counted.groups, |code| values.groups.value(code).cloned(), Arc::clone),
        environments: ranked(
            &counted.environments,
            |code| values.environments.value(code).cloned(),
            Arc::clone,
        ),
    }
}

/// Counts by code of each column.
#[derive(Default)]
struct Columns {
    total: u64,
    severity: Vec<u64>,
    status: Vec<u64>,
    resolution: Vec<u64>,
    sources: Vec<u64>,
    groups: Vec<u64>,
    environments: Vec<u64>,
}

fn count(counts: &mut Vec<u64>, code: usize) {
    if counts.len() <= code {
        counts.resize(code + 1, 0);
    }
    if let Some(count) = counts.get_mut(code) {
        *count += 1;
    }
}

/// The values that occur, most frequent first, and equally frequent ones by `order`.
fn ranked<T, O: Ord>(
    counts: &[u64],
    value: impl Fn(usize) -> Option<T>,
    order: impl Fn(&T) -> O,
) -> Vec<(T, u64)> {
    let counted = counts.iter().copied().enumerate().filter(|(_, count)| *count > 0);
    let mut ranked: Vec<(T, u64)> = counted.filter_map(|(code, count)| Some((value(code)?, count))).collect();
    ranked.sort_by_key(|(value, count)| (Reverse(*count), order(value)));
    ranked
}
