//! The suite that passes over every ledger: the contract, clause by clause. It panics where a clause is broken.

mod changes;
mod refusals;
mod removals;

use std::sync::Arc;

use common::event::{Event, EventId, EventKind};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row::decode;
use common::timestamp::Timestamp;
use ledger::{Kind, Ledger, Range};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Attempts, Change, Draft, Home, Record, RecordError, Records};

/// Shards of the store under test.
const SHARDS: u16 = 4;

/// Runs all of it, on a store in which nobody has written. Needs a runtime with several threads.
pub async fn run(ledger: Arc<dyn Ledger>) {
    changes::one_commit_writes_everything(Stage::new(&ledger, 1)).await;
    changes::a_history_is_read_from_its_end(Stage::new(&ledger, 2)).await;
    changes::events_keep_their_order(Stage::new(&ledger, 3)).await;
    changes::a_late_draft_changes_nothing(Stage::new(&ledger, 4)).await;
    changes::updates_at_once_all_count(Stage::new(&ledger, 5)).await;
    changes::scans_page_by_type_and_organization(Stage::new(&ledger, 6)).await;
    changes::rows_of_tables_are_followed(Stage::new(&ledger, 7)).await;
    removals::a_removal_leaves_a_tombstone(Stage::new(&ledger, 8)).await;
    removals::a_long_history_is_removed(Stage::new(&ledger, 9)).await;
    refusals::bodies_are_bounded(Stage::new(&ledger, 10)).await;
    refusals::a_draft_is_of_one_ledger(Stage::new(&ledger, 11)).await;
    refusals::others_find_nothing(Stage::new(&ledger, 12)).await;
    changes::a_record_of_any_type_exists(Stage::new(&ledger, 13)).await;
    changes::a_repeated_creation_returns_the_first_record(Stage::new(&ledger, 14)).await;
}

/// Records with an organization for each clause.
struct Stage {
    ledger: Arc<dyn Ledger>,
    records: Arc<Records>,
    organization: OrganizationId,
}

impl Stage {
    fn new(ledger: &Arc<dyn Ledger>, number: u8) -> Self {
        let records = Records::new(Arc::clone(ledger), SHARDS, Uuid::from_bytes([number; 16]));
        let organization = OrganizationId::from_bytes([number; 16]);
        Self { ledger: Arc::clone(ledger), records: Arc::new(records), organization }
    }

    fn id(&self, anchor: &str, number: u8) -> RecordId {
        RecordId::new(self.records.shard(self.organization, anchor.as_bytes()), &[number; 32])
    }

    fn note(&self, id: RecordId, count: u64) -> Note {
        Note { id, organization: self.organization, count }
    }

    fn event(&self, name: &str) -> Event {
        event(self.organization, name)
    }

    async fn get(&self, id: RecordId) -> Option<Note> {
        self.records.get(self.organization, id).await.expect("a head can be read")
    }

    /// Commits what `fill` adds; there are no other writers.
    async fn commit(&self, shard: Shard, fill: impl FnOnce(&mut Draft)) {
        let (mut attempts, mut draft) = self.begin(shard).await;
        fill(&mut draft);
        assert!(attempts.commit(draft).await.expect("the commit is allowed"), "nobody else commits");
    }

    async fn begin(&self, shard: Shard) -> (Attempts<'_>, Draft) {
        let mut attempts = self.records.attempts(Home::Records, shard);
        let draft = attempts.next().await.expect("the ledger can be asked").expect("it is the first attempt");
        (attempts, draft)
    }

    async fn put(&self, change: Change<Note>) {
        let id = change.head().expect("it is no removal").id;
        self.commit(id.shard(), |draft| draft.add(change).expect("the change is allowed")).await;
    }

    /// This organization's events in the outbox of a shard, in its order.
    async fn outbox(&self, shard: Shard) -> Vec<Event> {
        let id = Home::Records.ledger(shard);
        let rows =
            self.ledger.scan(id, Kind::Outbox, Range::default(), 10_000).await.expect("rows can be read");
        let events = rows.iter().map(|row| decode::<Event>(&row.body).expect("it is an event"));
        events.filter(|event| event.organization == self.organization).collect()
    }
}

/// A record for tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) id: RecordId,
    pub(crate) organization: OrganizationId,
    pub(crate) count: u64,
}

impl Record for Note {
    const NAME: &'static str = "note";
    type Detail = String;
    type History = String;

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// One whose name begins like that of the other type, in the other home.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NoteResult(Note);

impl Record for NoteResult {
    const NAME: &'static str = "note-result";
    const HOME: Home = Home::Shared;
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.0.id
    }

    fn organization(&self) -> OrganizationId {
        self.0.organization
    }
}

pub(crate) fn event(organization: OrganizationId, name: &str) -> Event {
    Event {
        id: EventId::of_cause(&[organization.as_bytes(), name.as_bytes()]),
        kind: EventKind::FindingCreated,
        organization,
        source: None,
        created_at: Timestamp::from_millis(1_800_000_000_000),
        object: serde_json::Value::String(name.to_owned()),
        incident: None,
    }
}

/// The error of something that must be refused.
fn refused<T: std::fmt::Debug>(answer: Result<T, RecordError>) -> RecordError {
    answer.expect_err("it must be refused")
}
