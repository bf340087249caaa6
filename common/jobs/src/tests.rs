//! The suite in memory and in SQLite, and what needs a clock of the runtime.

mod histories;
mod load;
mod shares;
mod trouble;

use std::sync::Arc;
use std::time::Duration;

use ledger::memory::MemoryLedger;
use ledger::{Ledger, embedded};
use ownership::Share;
use tokio::sync::watch;

use crate::conformance::run;
use crate::conformance::stage::{DEADLINE, End, SHARDS, Stage, Target, all};
use crate::{Ending, JobState, Listed, Outcome};

#[tokio::test]
async fn conforms_in_memory() {
    run(Arc::new(MemoryLedger::new())).await;
}

#[tokio::test]
async fn conforms_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    run(Arc::new(embedded::open(directory.path(), &embedded::Config::default()).unwrap())).await;
}

fn stage() -> Stage {
    let ledger: Arc<dyn Ledger> = Arc::new(MemoryLedger::new());
    Stage::new(&ledger, 1)
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_returns_is_ended_at_its_deadline() {
    let stage = stage();
    let (target, _) = stage.queued(1, 0, End::Hold).await;
    let mut worker = stage.worker();
    let began = tokio::time::Instant::now();
    worker.settle(&all()).await;
    assert!(began.elapsed() >= DEADLINE);
    assert_eq!(stage.read(&target).await, Target { failed: 1, ..target.clone() });
}

#[tokio::test(start_paused = true)]
async fn a_failure_handler_that_never_returns_is_ended_at_its_deadline() {
    let stage = stage();
    let (target, id) = stage.queued(1, 0, End::FatalHang).await;
    let mut worker = stage.worker();
    let began = tokio::time::Instant::now();
    worker.settle(&all()).await;
    assert!(began.elapsed() >= DEADLINE);
    let listed = stage.jobs.list(None, 10).await.unwrap();
    let [Listed::Unfinished(job)] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!((job.id, job.state, job.failures), (id, JobState::Queued, 1));
    assert_eq!(job.ending, Some(Ending::failed("never")));
    for _ in 0..24 {
        stage.advance(120);
        worker.settle(&all()).await;
    }
    let listed = stage.jobs.list(None, 10).await.unwrap();
    let [Listed::Finished(one)] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!(one.outcome, Outcome::Abandoned(Ending::failed("never")));
    assert_eq!(stage.read(&target).await, target);
}

#[tokio::test]
async fn finished_jobs_are_removed_after_a_day_however_many_there_are() {
    let stage = stage();
    let mut worker = stage.worker();
    for _ in 0..5 {
        for number in 0..100 {
            stage.queued(number, 0, End::Return).await;
        }
        worker.settle(&all()).await;
    }
    assert_eq!(stage.jobs.list(None, 1_000).await.unwrap().len(), 500);
    stage.advance(86_401);
    worker.settle(&all()).await;
    assert_eq!(stage.jobs.list(None, 1_000).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_worker_follows_its_share_until_it_is_stopped() {
    let stage = stage();
    let (stop, stopped) = watch::channel(false);
    let working = tokio::task::LocalSet::new();
    let (done, _) = stage.queued(1, 1, End::Finish).await;
    let (held, _) = stage.queued(2, 1, End::Hold).await;
    working
        .run_until(async {
            let worker = tokio::task::spawn_local(stage.worker().run(Share::all(SHARDS), stopped));
            while stage.read(&done).await.finished == 0 || stage.read(&held).await.steps == 0 {
                stage.clock.advance(Duration::from_millis(1));
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            stop.send_replace(true);
            worker.await.unwrap();
        })
        .await;
    stage.gate.send_replace(true);
    stage.other_worker(1).settle(&all()).await;
    assert_eq!(stage.read(&held).await, Target { steps: 1, finished: 1, ..held.clone() });
}
