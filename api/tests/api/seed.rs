//! Incidents as an analyzer would commit them.

use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::{IncidentId, OrganizationId};
use common::incident::{
    Analysis, Assessment, Confidence, Entity, Evidence, Fact, IncidentDetail, IncidentHead, MatchedRule,
    Qualification, Revision, Triage,
};
use common::partition::{Offset, Partition, Position};
use common::row;
use common::severity::Severity;
use common::timestamp::Timestamp;
use directory::Source;
use ledger::{Commit, Kind, Ledger, LedgerId, Op};
use serde::Serialize;

use crate::harness::{PARTITIONS, start};

/// An incident to be: a head, and how many revisions.
#[derive(Clone)]
pub(crate) struct Seed {
    pub(crate) head: IncidentHead,
    pub(crate) revisions: u32,
}

impl Seed {
    /// The `number`-th incident of a source; later ones are more recently active.
    pub(crate) fn new(source: &Source, number: u32) -> Self {
        let partition = Partition::of_source(source.id, PARTITIONS);
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        hash[4..14].copy_from_slice(&source.id.as_bytes()[6..]);
        let at = start().plus(Duration::from_secs(u64::from(number)));
        let head = IncidentHead {
            id: IncidentId::new(partition, &hash),
            organization: source.organization,
            source: source.id,
            application_group: source.application_group.clone(),
            environment: source.environment.clone(),
            family: "authentication_force".to_owned(),
            entity: Entity { kind: "client.address".to_owned(), value: format!("203.0.113.{number}") },
            episode: 1,
            created_at: at,
            analysis: Analysis {
                title: format!("Failed logins number {number}"),
                severity: Severity::Medium,
                event_count: 10,
                first_seen_at: at,
                last_activity_at: at,
                updated_at: at,
                revision: 1,
                superseded: false,
            },
            triage: Triage::default(),
        };
        Self { head, revisions: 1 }
    }

    pub(crate) fn id(&self) -> IncidentId {
        self.head.id
    }

    /// Its path below the base path.
    pub(crate) fn path(&self) -> String {
        format!("/incidents/{}", self.head.id)
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut IncidentHead)) -> Self {
        change(&mut self.head);
        self
    }

    pub(crate) fn active_at(self, at: Timestamp) -> Self {
        self.with(|head| head.analysis.last_activity_at = at)
    }

    /// Rows that an analyzer writes for it.
    pub(crate) fn ops(&self) -> Vec<Op> {
        let key = row::incident_key(self.head.organization, self.id());
        let mut ops = vec![put(Kind::Head, key.clone(), &self.head), put(Kind::Detail, key, &self.detail())];
        for revision in 1..=self.revisions {
            let key = row::revision_key(self.head.organization, self.id(), revision);
            ops.push(put(Kind::History, key, &self.revision(revision)));
        }
        ops
    }

    /// Commits it.
    pub(crate) async fn write(self, ledger: &dyn Ledger) -> Self {
        commit(ledger, self.id().partition(), self.ops()).await;
        self
    }

    fn detail(&self) -> IncidentDetail {
        IncidentDetail { assessment: self.assessment(), evidence: vec![self.evidence()] }
    }

    fn assessment(&self) -> Assessment {
        let fact = Fact { value: "root".to_owned(), count: 10 };
        Assessment {
            severity: self.head.analysis.severity,
            confidence: Confidence::High,
            summary: "Ten logins failed.".to_owned(),
            qualified_by: Qualification::Threshold,
            rules: vec![MatchedRule {
                id: "6f1d6a2e-0001-4000-8000-000000000001".to_owned(),
                title: "Many failed logins".to_owned(),
                severity: Severity::Medium,
                correlation: true,
            }],
            tactics: vec!["credential-access".to_owned()],
            techniques: vec!["T1110".to_owned()],
            withdrawn_rules: Vec::new(),
            peak_severity: self.head.analysis.severity,
            facts: BTreeMap::from([("user.name".to_owned(), vec![fact])]),
            next_steps: vec!["Look for a success after the failures.".to_owned()],
        }
    }

    fn evidence(&self) -> Evidence {
        Evidence {
            record_id: "00ff".to_owned(),
            event_time: self.head.analysis.first_seen_at,
            time_inferred: false,
            received_at: self.head.created_at,
            severity: Severity::Medium,
            rules: vec!["6f1d6a2e-0001-4000-8000-000000000001".to_owned()],
            message: "Failed password for root".to_owned(),
            fields: BTreeMap::from([
                ("user.name".to_owned(), "root".to_owned()),
                ("client.address".to_owned(), self.head.entity.value.clone()),
            ]),
        }
    }

    fn revision(&self, revision: u32) -> Revision {
        Revision {
            revision,
            created_at: self.head.created_at,
            reasons: vec![if revision == 1 { "opened" } else { "count_reached" }.to_owned()],
            content_hash: format!("{revision:064x}"),
            position: Position { offset: Offset(u64::from(revision)), record: 0 },
            rules_version: "1".to_owned(),
            policies_version: 0,
            event_count: u64::from(revision),
            assessment: self.assessment(),
            after_resolution: false,
        }
    }
}

/// The operation that removes an incident's head.
pub(crate) fn delete_head(organization: OrganizationId, id: IncidentId) -> Op {
    Op::Delete { kind: Kind::Head, key: row::incident_key(organization, id).into() }
}

pub(crate) fn put<T: Serialize>(kind: Kind, key: Vec<u8>, value: &T) -> Op {
    Op::Put { kind, key: key.into(), body: row::encode(value).unwrap().into() }
}

/// Commits to a partition's ledger, whatever its sequence number is.
pub(crate) async fn commit(ledger: &dyn Ledger, partition: Partition, ops: Vec<Op>) {
    let id = LedgerId::Partition(partition);
    let seq = ledger.seq(id).await.unwrap();
    assert!(matches!(ledger.commit(id, seq, ops).await.unwrap(), Commit::Done(_)));
}
