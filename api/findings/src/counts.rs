//! Findings counted instead of listed: over time, and by the values that a list can be narrowed to.

use std::cmp::Reverse;
use std::sync::Arc;

use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use engine::Level;
use index::{Histogram, Match, Tally};

use crate::filter::Filter;
use crate::finding::{FindingKind, FindingSource};
use crate::listed::{Item, OrganizationIndex};
use crate::target::Target;

/// Levels of a histogram; findings are counted by risk level, which each one has.
pub(crate) const LEVELS: usize = Level::ALL.len();

/// Number of findings with each value, most frequent first.
#[derive(Debug, Default)]
pub(crate) struct FacetCounts {
    pub(crate) total: u64,
    pub(crate) kind: Vec<(FindingKind, u64)>,
    pub(crate) source: Vec<(FindingSource, u64)>,
    pub(crate) severity: Vec<(Level, u64)>,
    pub(crate) risk: Vec<(Level, u64)>,
    pub(crate) status: Vec<(TriageStatus, u64)>,
    pub(crate) resolution: Vec<(TriageResolution, u64)>,
    pub(crate) targets: Vec<(Target, u64)>,
    pub(crate) assignees: Vec<(Arc<str>, u64)>,
    pub(crate) cwes: Vec<(u32, u64)>,
}

/// Counts the findings that match between two times of creation, in `spans` spans (at least one).
pub(crate) fn histogram(
    index: &OrganizationIndex,
    filter: &Filter,
    times: (Timestamp, Timestamp),
    spans: usize,
) -> Histogram<LEVELS> {
    let compiled = filter.compile(index);
    let matches = |item: &Item<'_>| compiled.matches(item);
    index::histogram(index, &compiled.scan(), matches, (times, spans), |item| item.facets.risk as usize)
}

/// Counts the findings that match by each value.
pub(crate) fn facets(index: &OrganizationIndex, filter: &Filter) -> FacetCounts {
    let (values, compiled) = (index.values(), filter.compile(index));
    let (mut total, mut counted) = (0, Columns::default());
    let matches = |item: &Item<'_>| -> Match { compiled.matches(item) };
    index.each(&compiled.scan(), matches, |_, item| {
        total += 1;
        counted.add(&item);
    });
    let is_one = |target: &Target| !matches!(target, Target::Package { .. });
    let mut by_cwe = std::collections::BTreeMap::<u32, u64>::new();
    for (cwes, count) in counted.cwes.ranked(|code| values.cwes.value(code).cloned(), |_| 0) {
        cwes.iter().for_each(|cwe| *by_cwe.entry(*cwe).or_default() += count);
    }
    let mut cwes: Vec<(u32, u64)> = by_cwe.into_iter().collect();
    cwes.sort_by_key(|(cwe, count)| (Reverse(*count), *cwe));
    let level = |tally: &Tally| tally.ranked(|code| Level::ALL.get(code).copied(), |level| Reverse(*level));
    FacetCounts {
        total,
        kind: counted.kind.words(),
        source: counted.source.words(),
        severity: level(&counted.severity),
        risk: level(&counted.risk),
        status: counted.status.words(),
        resolution: counted.resolution.words(),
        targets: counted
            .targets
            .ranked(|code| values.targets.value(code).filter(|target| is_one(target)).cloned(), Clone::clone),
        assignees: counted
            .assignees
            .ranked(|code| values.assignees.value(code).cloned().flatten(), Arc::clone),
        cwes,
    }
}

/// Counts by code of each column.
#[derive(Default)]
struct Columns {
    kind: Tally,
    source: Tally,
    severity: Tally,
    risk: Tally,
    status: Tally,
    resolution: Tally,
    targets: Tally,
    assignees: Tally,
    cwes: Tally,
}

impl Columns {
    fn add(&mut self, item: &Item<'_>) {
        let facets = item.facets;
        self.kind.add(facets.kind as usize);
        self.source.add(facets.source as usize);
        self.risk.add(facets.risk as usize);
        self.status.add(facets.status as usize);
        self.targets.add(facets.target as usize);
        self.assignees.add(facets.assignee as usize);
        self.cwes.add(facets.cwes as usize);
        if let Some(severity) = facets.severity {
            self.severity.add(severity as usize);
        }
        if let Some(resolution) = facets.resolution {
            self.resolution.add(resolution as usize);
        }
    }
}
