//! One incident as the index holds it: its place in the list, the columns that filters look at, and the row a list
//! shows.

use std::cmp::Reverse;
use std::sync::Arc;

use common::ids::{IncidentId, SourceId};
use common::incident::{Entity, IncidentHead};
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};

use super::text::haystack;

/// Where an incident stands: newest activity first, then id descending (specification, Incidents). By whole
/// milliseconds, since those are what a reader sees and could compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    activity_millis: Reverse<i64>,
    pub(super) id: Reverse<IncidentId>,
}

impl Place {
    pub(super) fn activity_millis(self) -> i64 {
        self.activity_millis.0
    }

    pub(super) fn of(head: &IncidentHead) -> Self {
        let activity_millis = Reverse(head.analysis.last_activity_at.as_millis());
        Self { activity_millis, id: Reverse(head.id) }
    }
}

/// What filters compare: small, and apart from the row, so that a scan reads little memory. Texts are numbers in the
/// organization's dictionaries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facets {
    pub(super) severity: Severity,
    pub(super) status: TriageStatus,
    pub(super) resolution: Option<TriageResolution>,
    pub(super) source: u32,
    pub(super) application_group: u32,
    pub(super) environment: u32,
}

/// What a list shows of an incident, without the name of its source, which may change.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: IncidentId,
    pub(crate) title: Box<str>,
    pub(crate) severity: Severity,
    pub(crate) triage_status: TriageStatus,
    pub(crate) triage_resolution: Option<TriageResolution>,
    pub(crate) triage_version: u64,
    pub(crate) source: SourceId,
    pub(crate) application_group: Arc<str>,
    pub(crate) environment: Arc<str>,
    pub(crate) entity: Entity,
    pub(crate) event_count: u64,
    pub(crate) first_seen_at: Timestamp,
    pub(crate) last_activity_at: Timestamp,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// Title and entity value, folded: what `q` is looked for in.
    pub(super) haystack: Box<str>,
}

impl Row {
    pub(super) fn new(head: &IncidentHead, application_group: Arc<str>, environment: Arc<str>) -> Self {
        Self {
            id: head.id,
            title: head.analysis.title.as_str().into(),
            severity: head.analysis.severity,
            triage_status: head.triage.status,
            triage_resolution: head.triage.resolution,
            triage_version: head.triage.version,
            source: head.source,
            application_group,
            environment,
            entity: head.entity.clone(),
            event_count: head.analysis.event_count,
            first_seen_at: head.analysis.first_seen_at,
            last_activity_at: head.analysis.last_activity_at,
            created_at: head.created_at,
            updated_at: head.updated_at(),
            haystack: haystack(&head.analysis.title, &head.entity.value),
        }
    }

    /// Memory this incident takes in the index, in bytes: itself, its texts, its columns, and its entry among the
    /// known places with some slack for the tables' spare room.
    pub(super) fn bytes(&self) -> usize {
        const FIXED: usize = size_of::<Row>()
            + 2 * size_of::<usize>()
            + 2 * (size_of::<Place>() + size_of::<Facets>() + size_of::<i64>() + 64);
        let entity = self.entity.kind.capacity() + self.entity.value.capacity();
        FIXED + self.title.len() + self.haystack.len() + entity
    }
}
