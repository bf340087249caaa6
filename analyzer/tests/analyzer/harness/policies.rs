//! Monitoring policies of these worlds, and the escalations under them.

use std::collections::BTreeSet;

use common::event::Event;
use common::ids::{OrganizationId, PolicyId};
use common::row;
use common::severity::Severity;
use common::timestamp::Timestamp;
use directory::{EscalationTrigger, MonitoringPolicy};
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Range};

use super::{START, World};

/// The organization of the deliveries.
pub(crate) const ORGANIZATION: [u8; 16] = [9; 16];

/// Prefix of policies in their organization's ledger.
const POLICIES: &[u8] = b"monitoring-policy/";

fn put_version(body: Vec<u8>) -> Op {
    Op::Put { kind: Kind::Head, key: b"monitoring-policies".as_slice().into(), body: body.into() }
}

/// An enabled policy that escalates everything that is so severe or worse.
pub(crate) fn policy(minimum_severity: Severity) -> MonitoringPolicy {
    MonitoringPolicy {
        id: PolicyId::from_bytes([1; 16]),
        name: "on call".to_owned(),
        enabled: true,
        source_ids: None,
        application_groups: None,
        environments: None,
        minimum_severity,
        escalate_on: EscalationTrigger::ALL.to_vec(),
        in_force_since: Timestamp(0),
        created_at: START,
        updated_at: START,
    }
}

impl World {
    /// Puts policies in the place of those that our organization has.
    pub(crate) async fn set_policies(&self, policies: Vec<MonitoringPolicy>) {
        self.set_policies_of(ORGANIZATION, policies).await;
    }

    /// As the directory writes them: ids of its organizations are not for us to choose.
    pub(crate) async fn set_policies_of(&self, organization: [u8; 16], policies: Vec<MonitoringPolicy>) {
        let (memory, ledger) = (&self.ledger.memory, ledger_of(organization));
        let range = Range { prefix: POLICIES, after: None, backwards: false };
        let before = memory.scan(ledger, Kind::Head, range, 1_000).await.unwrap();
        let mut ops: Vec<_> =
            before.into_iter().map(|row| Op::Delete { kind: Kind::Head, key: row.key }).collect();
        for policy in policies {
            let key = [POLICIES, policy.id.as_bytes()].concat().into();
            ops.push(Op::Put { kind: Kind::Head, key, body: row::encode(&policy).unwrap().into() });
        }
        let version = 1 + memory.seq(ledger).await.unwrap().0;
        ops.push(put_version(row::encode(&version).unwrap()));
        self.commit_policies(organization, ops).await;
    }

    /// Any bytes where the version of policies should be.
    pub(crate) async fn write_policies(&self, organization: [u8; 16], body: Vec<u8>) {
        self.commit_policies(organization, vec![put_version(body)]).await;
    }

    async fn commit_policies(&self, organization: [u8; 16], ops: Vec<Op>) {
        let ledger = ledger_of(organization);
        let seq = self.ledger.memory.seq(ledger).await.unwrap();
        let done = self.ledger.memory.commit(ledger, seq, ops).await.unwrap();
        assert!(matches!(done, Commit::Done(_)));
    }

    /// The events in the outbox, in the order in which they were written.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.bodies(Kind::Outbox, b"").iter().map(|body| row::decode(body).unwrap()).collect()
    }

    /// Events as bytes, in the order of their ids, of which there must not be two the same.
    pub(crate) fn told(&self) -> BTreeSet<(String, Vec<u8>)> {
        let bodies = self.bodies(Kind::Outbox, b"");
        let id = |body: &[u8]| row::decode::<Event>(body).unwrap().id.to_string();
        let ids: BTreeSet<String> = bodies.iter().map(|body| id(body)).collect();
        assert_eq!(ids.len(), bodies.len(), "an event was written twice");
        bodies.into_iter().map(|body| (id(&body), body)).collect()
    }
}

fn ledger_of(organization: [u8; 16]) -> LedgerId {
    LedgerId::Organization(OrganizationId::from_bytes(organization))
}
