//! Findings in the index: columns that filters compare. A list reads the rows of its page from the ledger, so that the index
//! holds no descriptions.

use std::sync::Arc;

use common::ids::RecordId;
use common::triage::{TriageResolution, TriageStatus};
use engine::Level;
use index::{Dictionary, ListedRecord};

use crate::finding::{Finding, FindingKind, FindingSource};
use crate::target::Target;

/// The index of one organization's findings.
pub(crate) type OrganizationIndex = index::OrganizationIndex<Finding>;
/// A finding in it.
pub(crate) type Item<'i> = index::Item<'i, Finding>;

/// Values that many findings share.
#[derive(Debug, Default)]
pub struct Values {
    pub(crate) targets: Dictionary<Target>,
    pub(crate) reports: Dictionary<Option<RecordId>>,
    pub(crate) assignees: Dictionary<Option<Arc<str>>>,
    pub(crate) cwes: Dictionary<Arc<[u32]>>,
}

/// Columns of a finding. Values of dictionaries are numbers.
#[derive(Clone, Copy, Debug)]
pub struct Facets {
    pub(crate) board_position: u64,
    pub(crate) target: u32,
    pub(crate) report: u32,
    pub(crate) assignee: u32,
    pub(crate) cwes: u32,
    pub(crate) kind: FindingKind,
    pub(crate) source: FindingSource,
    pub(crate) status: TriageStatus,
    pub(crate) resolution: Option<TriageResolution>,
    pub(crate) severity: Option<Level>,
    pub(crate) risk: Level,
}

impl ListedRecord for Finding {
    const PLURAL: &'static str = "findings";
    type Facets = Facets;
    type Values = Values;
    /// The id.
    type Row = RecordId;

    /// Lists show the newest findings first.
    fn activity_millis(&self) -> i64 {
        self.created_at.as_millis()
    }

    fn created_millis(&self) -> i64 {
        self.created_at.as_millis()
    }

    fn facets(&self, values: &mut Values) -> (Facets, RecordId) {
        let assignee: Option<Arc<str>> = self.triage.assignee.as_deref().map(Arc::from);
        let facets = Facets {
            board_position: self.triage.board_position,
            target: values.targets.intern(&self.target).0,
            report: values.reports.intern(&self.report).0,
            assignee: values.assignees.intern(&assignee).0,
            cwes: values.cwes.intern(self.cwes.as_slice()).0,
            kind: self.kind,
            source: self.source,
            status: self.triage.status,
            resolution: self.triage.resolution,
            severity: self.severity,
            risk: self.risk,
        };
        (facets, self.id)
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.title]
    }

    fn values_count(values: &Values) -> usize {
        values.targets.len() + values.reports.len() + values.assignees.len() + values.cwes.len()
    }

    fn row_bytes(_row: &RecordId) -> usize {
        0
    }
}
