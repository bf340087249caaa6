//! Ledgers that fail, rows that cannot be read, and more schedules than one round takes.

use std::sync::Arc;
use std::time::Duration;

use common::ids::RecordId;
use common::partition::Shard;
use ledger::memory::MemoryLedger;
use ledger::wrapped::{Fate, FatedLedger};
use ledger::{Commit, Kind, Ledger, Op};
use records::{Home, RecordError, Records};

use crate::conformance::stage::{End, SHARDS, Stage, Target, all};
use crate::owner::take_over;
use crate::{Cadence, Jobs};

fn stage() -> (Arc<MemoryLedger>, Stage) {
    let memory = Arc::new(MemoryLedger::new());
    let stage = Stage::new(&(Arc::clone(&memory) as Arc<dyn Ledger>), 1);
    (memory, stage)
}

async fn write(memory: &MemoryLedger, key: &[u8], body: &[u8]) {
    let ledger = Home::Records.ledger(Shard(0));
    let at = memory.seq(ledger).await.unwrap();
    let op = Op::Put { kind: Kind::State, key: key.to_vec().into(), body: body.to_vec().into() };
    assert!(matches!(memory.commit(ledger, at, vec![op]).await, Ok(Commit::Done(_))));
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_left_out() {
    let (memory, stage) = stage();
    let mut worker = stage.worker();
    for (number, prefix) in [(1, "job/"), (2, "job-schedule/"), (3, "job-finished/")] {
        let key = [prefix.as_bytes(), &[number; 16]].concat();
        write(&memory, &key, b"no row").await;
        // Once it is met on the first look, the other times by the change feed.
        let (target, _) = stage.queued(number, 0, End::Finish).await;
        worker.settle(&all()).await;
        assert_eq!(stage.read(&target).await.finished, 1, "{prefix}");
    }
    let mut next = stage.other_worker(1);
    let (target, _) = stage.queued(9, 0, End::Finish).await;
    next.settle(&all()).await;
    assert_eq!(stage.read(&target).await.finished, 1);
    assert_eq!(stage.jobs.list(None, 10).await.unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_fails_is_left_alone_for_longer_and_longer() {
    let (memory, stage) = stage();
    let mut worker = stage.worker();
    worker.settle(&all()).await;
    let (target, _) = stage.queued(1, 0, End::Finish).await;
    let looks = async |worker: &mut crate::Worker, milliseconds| {
        stage.clock.advance(Duration::from_millis(milliseconds));
        worker.settle(&all()).await;
    };
    memory.set_unavailable(true);
    looks(&mut worker, 1).await;
    looks(&mut worker, 250).await;
    memory.set_unavailable(false);
    looks(&mut worker, 499).await;
    assert_eq!(stage.read(&target).await.finished, 0, "the second pause is twice as long");
    looks(&mut worker, 1).await;
    assert_eq!(stage.read(&target).await, Target { finished: 1, ..target.clone() });
    // Success begins anew.
    let (target, _) = stage.queued(2, 0, End::Finish).await;
    memory.set_unavailable(true);
    looks(&mut worker, 1).await;
    memory.set_unavailable(false);
    looks(&mut worker, 250).await;
    assert_eq!(stage.read(&target).await.finished, 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_that_loses_against_others_in_every_attempt_is_a_conflict() {
    let (memory, stage) = stage();
    let (_, id) = stage.queued(1, 0, End::Finish).await;
    let busy = FatedLedger::new(memory, [Fate::Conflict; 100]);
    let records = Records::new(Arc::new(busy), SHARDS, RecordId::from_bytes([9; 16]).0);
    let busy = Jobs::new(Arc::new(records), Vec::new(), stage.clock.clone());
    let answer = busy.cancel(id).await;
    assert!(matches!(answer, Err(RecordError::Conflict)), "{answer:?}");
}

#[tokio::test]
async fn due_schedules_leave_room_for_jobs_in_between() {
    let (_, stage) = stage();
    for number in 0..100_u8 {
        let target = stage.target_at(stage.organization, 0, number);
        let mut attempts = stage.records.attempts(Home::Records, Shard(0));
        let mut draft = attempts.next().await.unwrap().unwrap();
        draft.add(records::Change::put(target.clone())).unwrap();
        let (id, new) = (RecordId::new(Shard(0), &[number; 32]), stage.new_job(&target, 0, End::Finish));
        stage.jobs.schedule(&mut draft, id, Cadence::Daily, new).await.unwrap();
        assert!(attempts.commit(draft).await.unwrap());
    }
    stage.advance(86_400);
    let mut worker = stage.worker();
    worker.round(&all(), Duration::ZERO).await;
    assert_eq!(stage.jobs.list(None, 1_000).await.unwrap().len(), 64);
    worker.settle(&all()).await;
    worker.settle(&all()).await;
    assert_eq!(stage.jobs.list(None, 1_000).await.unwrap().len(), 100);
}

#[tokio::test]
async fn a_job_that_turns_out_to_be_due_later_goes_on_waiting() {
    let (_, stage) = stage();
    let target = stage.target_at(stage.organization, 0, 1);
    let new = stage.new_job(&target, 0, End::Finish);
    let id = stage.queue(&target, new).await.unwrap();
    let owned = take_over(&stage.records, (Home::Records, Shard(0))).await.unwrap();
    // Of a clock that was set back between two looks at it.
    let before = stage.now().minus(Duration::from_secs(1));
    let taken = owned.take(&stage.jobs, &[id], before).await.unwrap().unwrap();
    assert_eq!((taken.jobs.len(), taken.later.len()), (0, 1));
    assert_eq!((taken.later[0].id, taken.later[0].due), (id, stage.now()));
    let taken = owned.take(&stage.jobs, &[id], stage.now()).await.unwrap().unwrap();
    assert_eq!((taken.jobs.len(), taken.later.len()), (1, 0));
}
