//! The suite in memory and in SQLite; outcomes that were lost; and random histories against a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use ledger::memory::{MemoryLedger, UnknownOutcome};
use ledger::wrapped::{Fate, FatedLedger};
use ledger::{Kind, Ledger, Range, embedded};
use proptest::prelude::*;
use uuid::Uuid;

use crate::conformance::{Note, event, run};
use crate::{Change, Home, Record, RecordError, RecordKey, Records, Removing};

const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_bytes([7; 16]));

fn id(number: u8) -> RecordId {
    RecordId::new(Shard(0), &[number; 32])
}

fn records(ledger: &Arc<MemoryLedger>, nonce: u8) -> Records {
    Records::new(Arc::clone(ledger) as Arc<dyn Ledger>, 1, Uuid::from_bytes([nonce; 16]))
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_in_memory() {
    run(Arc::new(MemoryLedger::new())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    run(Arc::new(embedded::open(directory.path(), &embedded::Config::default()).unwrap())).await;
}

#[test]
fn keys_name_their_record() {
    let key = crate::rows::record_key::<Note>(ORGANIZATION, id(3));
    let expected = RecordKey { organization: ORGANIZATION, name: "note", id: id(3) };
    assert_eq!(RecordKey::parse(&key), Some(expected));
    assert_eq!(RecordKey::parse(&key[..40.min(key.len() - 1)]), None);
    assert_eq!(RecordKey::parse(b""), None);
}

/// Adds one to the count, with an entry and an event of that number.
async fn count(records: &Records, number: u8) -> Result<bool, RecordError> {
    let mut attempts = records.attempts(Home::Records, Shard(0));
    while let Some(mut draft) = attempts.next().await? {
        let found = records.get::<Note>(ORGANIZATION, id(number)).await?;
        let count = found.map_or(0, |note| note.count) + 1;
        let note = Note { id: id(number), organization: ORGANIZATION, count };
        let name = format!("{number}/{count}");
        draft.add(Change::put(note).history(name.clone()).event(event(ORGANIZATION, &name)))?;
        if attempts.commit(draft).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_made_up_for() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let ledger = Arc::new(MemoryLedger::new());
        let records = records(&ledger, 1);
        ledger.make_next_commit_unknown(outcome);
        assert!(count(&records, 1).await.unwrap());
        assert_eq!(records.get::<Note>(ORGANIZATION, id(1)).await.unwrap().unwrap().count, 1, "{outcome:?}");
        assert_eq!(records.history::<Note>(ORGANIZATION, id(1), None, 10).await.unwrap().len(), 1);
    }
}

/// Others commit between a commit whose answer was lost and the look for it.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_found_behind_commits_of_others() {
    for (outcome, others) in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost]
        .into_iter()
        .flat_map(|one| [(one, 3), (one, 80)])
    {
        let ledger = Arc::new(MemoryLedger::new());
        let (mine, theirs) = (records(&ledger, 1), records(&ledger, 2));
        ledger.make_next_commit_unknown(outcome);
        let meddling = async {
            for _ in 0..others {
                assert!(count(&theirs, 2).await.unwrap());
            }
        };
        let (counted, ()) = tokio::join!(biased; count(&mine, 1), meddling);
        let found = mine.get::<Note>(ORGANIZATION, id(1)).await.unwrap().map_or(0, |note| note.count);
        match counted {
            Ok(counted) => assert_eq!((counted, found, others), (true, 1, 3), "{outcome:?}"),
            Err(RecordError::OutcomeUnknown) => assert_eq!(others, 80, "tokens are kept for 64 commits"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_stays_away_leaves_the_outcome_unknown() {
    let ledger = Arc::new(MemoryLedger::new());
    let records = records(&ledger, 1);
    ledger.make_next_commit_unknown(UnknownOutcome::TookEffect);
    let leaving = async { ledger.set_unavailable(true) };
    let (counted, ()) = tokio::join!(biased; count(&records, 1), leaving);
    assert!(matches!(counted, Err(RecordError::OutcomeUnknown)), "{counted:?}");
    assert!(matches!(count(&records, 1).await, Err(RecordError::Ledger(_))));
}

#[tokio::test(start_paused = true)]
async fn an_error_after_a_lost_answer_leaves_the_outcome_unknown() {
    let ledger = Arc::new(MemoryLedger::new());
    let fates = [Fate::AnswerLost, Fate::Damaged, Fate::Damaged];
    let damaged = Arc::new(FatedLedger::new(Arc::clone(&ledger), fates));
    let counted = count(&Records::new(damaged, 1, Uuid::from_bytes([1; 16])), 1).await;
    assert!(matches!(counted, Err(RecordError::OutcomeUnknown)), "{counted:?}");
    assert!(records(&ledger, 2).get::<Note>(ORGANIZATION, id(1)).await.unwrap().is_some(), "it took effect");
}

#[derive(Clone, Debug)]
enum Step {
    Count(u8),
    Delete(u8),
    Lose(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..4_u8).prop_map(Step::Count),
        1 => (0..4_u8).prop_map(Step::Delete),
        2 => any::<bool>().prop_map(Step::Lose),
    ];
    proptest::collection::vec(step, 1..40)
}

async fn delete(records: &Records, number: u8) -> Result<(), RecordError> {
    let mut attempts = records.attempts(Home::Records, Shard(0));
    while let Some(mut draft) = attempts.next().await? {
        let removing = records.removal::<Note>(&mut draft, ORGANIZATION, id(number)).await?;
        let Some(Removing::Whole(removal)) = removing else { return Ok(()) };
        let last = removal.head.count;
        draft.add(Change::delete(removal).state(&[number], &last)?)?;
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict)
}

/// Whatever is done, and whichever answers are lost: records, histories, tombstones and the outbox are as in a model in which
/// every change takes effect once.
async fn agrees_with_a_model(steps: Vec<Step>) {
    let ledger = Arc::new(MemoryLedger::new());
    let records = records(&ledger, 1);
    let (mut counts, mut tombstones) = (BTreeMap::<u8, u64>::new(), BTreeMap::<u8, u64>::new());
    let mut told = Vec::new();
    for step in steps {
        match step {
            Step::Count(number) => {
                assert!(count(&records, number).await.unwrap());
                let count = counts.entry(number).or_default();
                *count += 1;
                told.push(format!("{number}/{count}"));
            }
            Step::Delete(number) => {
                delete(&records, number).await.unwrap();
                tombstones.extend(counts.remove(&number).map(|count| (number, count)));
            }
            Step::Lose(true) => ledger.make_next_commit_unknown(UnknownOutcome::TookEffect),
            Step::Lose(false) => ledger.make_next_commit_unknown(UnknownOutcome::WasLost),
        }
    }
    let found = records.scan::<Note>(ORGANIZATION, Shard(0), None, 100).await.unwrap();
    let found: BTreeMap<_, _> = found.into_iter().map(|note| (note.id(), note.count)).collect();
    assert_eq!(found, counts.iter().map(|(number, count)| (id(*number), *count)).collect());
    for number in 0..4_u8 {
        let history = records.history::<Note>(ORGANIZATION, id(number), None, 100).await.unwrap();
        assert_eq!(history.len() as u64, counts.get(&number).copied().unwrap_or(0));
        let tombstone = records.state::<Note, u64>(ORGANIZATION, Shard(0), &[number]).await.unwrap();
        assert_eq!(tombstone, tombstones.get(&number).copied());
    }
    let outbox =
        ledger.scan(Home::Records.ledger(Shard(0)), Kind::Outbox, Range::default(), 1_000).await.unwrap();
    let outbox: Vec<common::event::Event> =
        outbox.iter().map(|row| common::row::decode(&row.body).unwrap()).collect();
    assert_eq!(outbox, told.iter().map(|name| event(ORGANIZATION, name)).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_change_takes_effect_once(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(agrees_with_a_model(steps));
    }
}
