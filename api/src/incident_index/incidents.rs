//! Incidents as a resource that is listed.

use std::sync::Arc;

use common::ids::{IncidentId, OrganizationId, SourceId};
use common::incident::{Entity, IncidentHead, Triage};
use common::partition::Partition;
use common::row;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use index::{Dictionary, Listed};
use ledger::LedgerId;

use super::source_names::NamesCache;

/// The index of one organization's incidents.
pub(super) type OrganizationIndex = index::OrganizationIndex<Incidents>;
/// An incident in it.
pub(super) type Item<'i> = index::Item<'i, Incidents>;

/// Incidents.
#[derive(Debug)]
pub(super) enum Incidents {}

/// Texts and ids that many incidents share.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) sources: Dictionary<SourceId>,
    pub(super) groups: Dictionary<Arc<str>>,
    pub(super) environments: Dictionary<Arc<str>>,
}

/// Columns that filters compare. Texts are numbers in the organization's dictionaries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facets {
    pub(super) severity: Severity,
    pub(super) status: TriageStatus,
    pub(super) resolution: Option<TriageResolution>,
    pub(super) source: u32,
    pub(super) application_group: u32,
    pub(super) environment: u32,
}

/// The part of an incident that a list shows, without the name of its source, which may change.
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
}

impl Row {
    fn new(head: &IncidentHead, application_group: Arc<str>, environment: Arc<str>) -> Self {
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
        }
    }
}

impl Listed for Incidents {
    const NAME: &'static str = "incidents";
    type Id = IncidentId;
    type Head = IncidentHead;
    type Facets = Facets;
    type Values = Values;
    type Row = Row;
    type Beside = NamesCache;

    fn ledger(shard: u16) -> LedgerId {
        LedgerId::Partition(Partition(shard))
    }

    fn shard(id: IncidentId) -> u16 {
        id.partition().0
    }

    fn prefix(organization: OrganizationId) -> Vec<u8> {
        organization.as_bytes().to_vec()
    }

    fn key(organization: OrganizationId, id: IncidentId) -> Vec<u8> {
        row::incident_key(organization, id).to_vec()
    }

    fn parse_key(key: &[u8]) -> Option<(OrganizationId, IncidentId)> {
        let (organization, incident) = key.split_at_checked(16)?;
        let organization = OrganizationId::from_bytes(organization.try_into().ok()?);
        Some((organization, IncidentId::from_bytes(incident.try_into().ok()?)))
    }

    fn identity(head: &IncidentHead) -> (OrganizationId, IncidentId) {
        (head.organization, head.id)
    }

    fn is_listed(head: &IncidentHead) -> bool {
        // A superseded incident that a person has worked on stays in lists.
        !head.analysis.superseded || head.triage.version != Triage::default().version
    }

    fn activity_millis(head: &IncidentHead) -> i64 {
        head.analysis.last_activity_at.as_millis()
    }

    fn created_millis(head: &IncidentHead) -> i64 {
        head.created_at.as_millis()
    }

    fn facets(head: &IncidentHead, values: &mut Values) -> (Facets, Row) {
        let (source, _) = values.sources.intern(&head.source);
        let (application_group, group) = values.groups.intern(head.application_group.as_str());
        let (environment, environment_text) = values.environments.intern(head.environment.as_str());
        let facets = Facets {
            severity: head.analysis.severity,
            status: head.triage.status,
            resolution: head.triage.resolution,
            source,
            application_group,
            environment,
        };
        (facets, Row::new(head, group, environment_text))
    }

    fn texts(head: &IncidentHead) -> Vec<&str> {
        vec![&head.analysis.title, &head.entity.value]
    }

    fn values_count(values: &Values) -> usize {
        values.sources.len() + values.groups.len() + values.environments.len()
    }

    fn row_bytes(row: &Row) -> usize {
        row.title.len() + row.entity.kind.capacity() + row.entity.value.capacity()
    }
}
