//! Events that were committed with a record arrive as those of incidents do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::clock::Clock;
use common::event::{Event, EventId, EventKind, EventSource, SourceGroup};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use deliver::DeliveryStatus;
use ledger::memory::UnknownOutcome;
use ledger::{Kind, Ledger, LedgerId, Range};
use records::{Change, Home, Record, Records};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::house::{House, PARTITION, quick};

#[derive(Clone, Serialize, Deserialize)]
struct Finding {
    id: RecordId,
    organization: OrganizationId,
}

impl Record for Finding {
    const NAME: &'static str = "finding";
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// Writes a record with its event, in one commit.
pub(crate) async fn publish_record(house: &House, number: u16) -> Event {
    let records = Records::new(house.ledger.clone(), 1, Uuid::from_u128(number.into()));
    let name = number.to_be_bytes();
    let event = Event {
        id: EventId::of_cause(&[b"finding", &name]),
        kind: EventKind::FindingCreated,
        organization: house.organization,
        source: Some(EventSource { group: SourceGroup::Repositories, id: None }),
        created_at: house.clock.now(),
        object: serde_json::json!({ "object": "finding", "number": number }),
        incident: None,
    };
    let mut hash = [0; 32];
    hash[..2].copy_from_slice(&name);
    let id = RecordId::new(Shard(PARTITION.0), &hash);
    let mut attempts = records.attempts(Home::Records, id.shard());
    while let Some(mut draft) = attempts.next().await.unwrap() {
        let finding = Finding { id, organization: house.organization };
        draft.add(Change::put(finding).event(event.clone())).unwrap();
        if attempts.commit(draft).await.unwrap() {
            return event;
        }
    }
    panic!("other commits came first in every attempt");
}

/// Number of arrivals of each event at a path.
fn copies(house: &House, path: &str) -> BTreeMap<String, usize> {
    let mut copies = BTreeMap::new();
    for one in house.receiver.received(path) {
        *copies.entry(one.event_id().to_owned()).or_default() += 1;
    }
    copies
}

#[tokio::test]
async fn an_event_that_was_committed_with_a_record_arrives_once() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    house.ledger.memory.make_next_commit_unknown(UnknownOutcome::TookEffect);
    let mut events = vec![publish_record(&house, 0).await, house.publish().await];
    let running = house.run(quick());
    house.receiver.wait_for("/status/200", 2).await;
    events.push(publish_record(&house, 1).await);
    house.receiver.wait_for("/status/200", 3).await;
    house.when(async || (house.deliveries(target.id).await.len() == 3).then_some(())).await;
    running.stop().await;
    // The next owner goes on where this one was, in both outboxes.
    let running = house.run(quick());
    events.extend([publish_record(&house, 2).await, house.publish().await]);
    house.receiver.wait_for("/status/200", 5).await;
    house
        .when(async || {
            let all = house.deliveries(target.id).await;
            let is_done = |one: &deliver::LoggedDelivery| one.delivery.status == DeliveryStatus::Succeeded;
            (all.len() == 5 && all.iter().all(is_done)).then_some(())
        })
        .await;
    running.stop().await;
    let expected = events.iter().map(|event| (event.id.to_string(), 1)).collect();
    assert_eq!(copies(&house, "/status/200"), expected);
}

#[tokio::test]
async fn a_long_outbox_does_not_hold_up_another() {
    let house = House::new().await;
    house.target("/status/200").await;
    let mut expected = BTreeMap::new();
    for _ in 0..500 {
        expected.insert(house.publish().await.id.to_string(), 1);
    }
    let finding = publish_record(&house, 0).await.id.to_string();
    expected.insert(finding.clone(), 1);
    let running = house.run(quick());
    house.receiver.wait_for("/status/200", 501).await;
    let received = house.receiver.received("/status/200");
    let place = received.iter().position(|one| one.event_id() == finding).unwrap();
    assert!(place < 250, "the outbox of records is read in its turn, not after 500 others: {place}");
    house.clock.advance(Duration::from_secs(60));
    for outbox in [LedgerId::Partition(PARTITION), LedgerId::Records(Shard(PARTITION.0))] {
        let ledger: Arc<dyn Ledger> = house.ledger.clone();
        house
            .when(async || {
                let rows = ledger.scan(outbox, Kind::Outbox, Range::default(), 1).await.unwrap();
                rows.is_empty().then_some(())
            })
            .await;
    }
    running.stop().await;
    assert_eq!(copies(&house, "/status/200"), expected);
}

#[tokio::test]
async fn an_outbox_that_cannot_be_read_does_not_hold_up_another() {
    let house = House::new().await;
    house.target("/status/200").await;
    publish_record(&house, 0).await;
    house.ledger.is_records_outbox_damaged.store(true, Ordering::SeqCst);
    let running = house.run(quick());
    for number in 1..=3 {
        house.publish().await;
        house.receiver.wait_for("/status/200", number).await;
        house.clock.advance(Duration::from_secs(60));
    }
    house.ledger.is_records_outbox_damaged.store(false, Ordering::SeqCst);
    house.receiver.wait_for("/status/200", 4).await;
    running.stop().await;
    assert!(copies(&house, "/status/200").values().all(|count| *count == 1));
}
