//! The table, by a resource made for it: its limit, the rule for changes without effect, conflicts, unknown outcomes,
//! concurrent changes and other organizations.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::clock::Clock;
use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use ledger::memory::UnknownOutcome::{TookEffect, WasLost};
use ledger::{Kind, Ledger, LedgerId, Range};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::Fixture;
use crate::table::{Collection, Resource, Table};
use crate::{Directory, DirectoryError};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    id: SourceId,
    text: String,
    updated_at: Timestamp,
}

impl Resource for Note {
    type Id = SourceId;
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection { prefix: b"note/", name: "note", plural: "notes", limit: 3 }
    }

    fn id(&self) -> SourceId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        let stored = before.is_some_and(|before| before.text == self.text);
        if self.text.len() > 4 && !stored { Err(DirectoryError::invalid("text", "too long")) } else { Ok(()) }
    }

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }
}

fn notes(directory: &Directory) -> Table<'_, Note> {
    directory.table(())
}

fn note(fixture: &Fixture, text: &str) -> Note {
    let (id, updated_at) = (SourceId(fixture.directory.new_id()), fixture.clock.now());
    Note { id, text: text.to_owned(), updated_at }
}

fn append(text: &str) -> impl Fn(&mut Note) -> Result<(), DirectoryError> {
    move |note| {
        note.text.push_str(text);
        Ok(())
    }
}

async fn count(fixture: &Fixture) -> usize {
    let counter = notes(&fixture.directory).counter(fixture.organization);
    counter.read(&fixture.directory).await.unwrap()
}

#[tokio::test]
async fn the_limit_holds_and_is_checked_without_reading_the_rows() {
    let fixture = Fixture::new().await;
    let (table, organization) = (notes(&fixture.directory), fixture.organization);
    let scans = fixture.ledger.scans.load(Ordering::SeqCst);
    let mut reads = Vec::new();
    let mut last = None;
    for _ in 0..3 {
        let before = fixture.gets();
        last = Some(table.create(organization, note(&fixture, "a")).await.unwrap());
        reads.push(fixture.gets() - before);
    }
    assert!(reads.iter().all(|count| *count == reads[0]), "{reads:?}");
    assert_eq!(fixture.ledger.scans.load(Ordering::SeqCst), scans);
    let refused = table.create(organization, note(&fixture, "a")).await;
    assert!(matches!(refused, Err(DirectoryError::Full { things: "notes", limit: 3 })));
    assert!(table.delete(organization, last.unwrap().id).await.unwrap());
    table.create(organization, note(&fixture, "a")).await.unwrap();
    assert_eq!((table.list(organization).await.unwrap().len(), count(&fixture).await), (3, 3));
}

#[tokio::test]
async fn a_change_without_effect_writes_nothing_and_a_refused_one_neither() {
    let fixture = Fixture::new().await;
    let (table, organization) = (notes(&fixture.directory), fixture.organization);
    let made = table.create(organization, note(&fixture, "a")).await.unwrap();
    let ledger = LedgerId::Organization(organization);
    let seq = fixture.ledger.seq(ledger).await.unwrap();
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(table.update(organization, made.id, append("")).await.unwrap(), made);
    let refused = table.update(organization, made.id, append("bcde")).await;
    assert!(matches!(refused, Err(DirectoryError::Invalid { field: "text", .. })));
    let refused = table.update(organization, made.id, |_| Err(DirectoryError::invalid("other", "no"))).await;
    assert!(matches!(refused, Err(DirectoryError::Invalid { field: "other", .. })));
    let refused = table.create(organization, note(&fixture, "abcde")).await;
    assert!(matches!(refused, Err(DirectoryError::Invalid { field: "text", .. })));
    assert_eq!(fixture.ledger.seq(ledger).await.unwrap(), seq);
    let changed = table.update(organization, made.id, append("b")).await.unwrap();
    assert_eq!((changed.text.as_str(), changed.updated_at), ("ab", fixture.clock.now()));
}

#[tokio::test(start_paused = true)]
async fn unknown_outcomes_and_conflicts_make_each_change_once() {
    for outcome in [TookEffect, WasLost] {
        for rivals in 0..4 {
            let fixture = Fixture::new().await;
            let (table, organization) = (notes(&fixture.directory), fixture.organization);
            let disturb = || {
                fixture.ledger.rivals.store(rivals, Ordering::SeqCst);
                fixture.ledger.memory.make_next_commit_unknown(outcome);
            };
            disturb();
            let new = note(&fixture, "a");
            let made = table.create(organization, new.clone()).await.unwrap();
            assert_eq!(table.create(organization, new).await.unwrap(), made, "a repeat finds it");
            assert_eq!((table.list(organization).await.unwrap().len(), count(&fixture).await), (1, 1));
            disturb();
            let updated = table.update(organization, made.id, append("b")).await.unwrap();
            assert_eq!(updated.text, "ab", "applied once: {outcome:?}, {rivals}");
            disturb();
            assert!(table.delete(organization, made.id).await.unwrap(), "it existed: {outcome:?}, {rivals}");
            assert!(!table.delete(organization, made.id).await.unwrap());
            assert_eq!((table.list(organization).await.unwrap().len(), count(&fixture).await), (0, 0));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_that_loses_every_attempt_is_a_conflict_and_changes_nothing() {
    let fixture = Fixture::new().await;
    let (table, organization) = (notes(&fixture.directory), fixture.organization);
    let made = table.create(organization, note(&fixture, "a")).await.unwrap();
    fixture.ledger.rivals.store(1_000, Ordering::SeqCst);
    assert!(matches!(table.create(organization, note(&fixture, "b")).await, Err(DirectoryError::Conflict)));
    assert!(matches!(table.update(organization, made.id, append("b")).await, Err(DirectoryError::Conflict)));
    assert!(matches!(table.delete(organization, made.id).await, Err(DirectoryError::Conflict)));
    fixture.ledger.rivals.store(0, Ordering::SeqCst);
    assert_eq!((table.list(organization).await.unwrap(), count(&fixture).await), (vec![made], 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_changes_are_all_applied() {
    let fixture = Arc::new(Fixture::new().await);
    let organization = fixture.organization;
    let made = notes(&fixture.directory).create(organization, note(&fixture, "")).await.unwrap();
    let mut changes = JoinSet::new();
    for letter in ["a", "b", "c", "d"] {
        let fixture = Arc::clone(&fixture);
        changes.spawn(async move {
            notes(&fixture.directory).update(organization, made.id, append(letter)).await.unwrap();
        });
    }
    changes.join_all().await;
    let read = notes(&fixture.directory).get(organization, made.id).await.unwrap().unwrap();
    let mut letters: Vec<char> = read.text.chars().collect();
    letters.sort_unstable();
    assert_eq!(letters, ['a', 'b', 'c', 'd']);
}

#[tokio::test]
async fn another_organization_has_none_of_it() {
    let fixture = Fixture::new().await;
    let (table, ours) = (notes(&fixture.directory), fixture.organization);
    let made = table.create(ours, note(&fixture, "a")).await.unwrap();
    let theirs = fixture.directory.create_organization("Beta").await.unwrap().id;
    assert_eq!(table.get(theirs, made.id).await.unwrap(), None);
    assert!(table.list(theirs).await.unwrap().is_empty());
    let changed = table.update(theirs, made.id, append("b")).await;
    assert!(matches!(changed, Err(DirectoryError::NotFound)));
    assert!(!table.delete(theirs, made.id).await.unwrap());
    let nowhere = OrganizationId::from_bytes([9; 16]);
    let created = table.create(nowhere, note(&fixture, "a")).await;
    assert!(matches!(created, Err(DirectoryError::NotFound)));
    let range = Range { prefix: b"", after: None, backwards: false };
    let written = fixture.ledger.scan(LedgerId::Organization(nowhere), Kind::Head, range, 10).await.unwrap();
    assert!(written.is_empty());
    assert_eq!(table.get(ours, made.id).await.unwrap(), Some(made));
}

#[tokio::test]
async fn ids_of_one_process_ascend_even_when_the_clock_stands_or_is_behind() {
    let fixture = Fixture::empty();
    let mut ids: Vec<_> = (0..10_000).map(|_| fixture.directory.new_id()).collect();
    assert!(ids.iter().all(|id| id.get_version_num() == 7));
    // Still behind the latest id, which has used up two milliseconds.
    fixture.clock.advance(Duration::from_millis(1));
    ids.push(fixture.directory.new_id());
    fixture.clock.advance(Duration::from_secs(1));
    ids.push(fixture.directory.new_id());
    assert!(ids.is_sorted_by(|one, next| one < next));
    let last = u128::from_be_bytes(ids[10_001].into_bytes()) >> 80;
    assert_eq!(last, u128::try_from(fixture.clock.now().as_millis()).unwrap());
}
