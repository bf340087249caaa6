//! Shards that go from one process to another.

use std::collections::BTreeSet;
use std::time::Duration;

use super::endings::finished;
use super::stage::{End, Stage, Target, all};

pub(super) async fn a_replaced_worker_cannot_commit(stage: Stage) {
    let (target, _) = stage.queued(1, 1, End::Hold).await;
    let mut first = stage.worker();
    stage.held(&mut first, 1).await;
    // It is paused, and taken for dead.
    let mut second = stage.other_worker(1);
    second.settle(&all()).await;
    stage.gate.send_replace(true);
    first.drain().await;
    assert_eq!(stage.read(&target).await, Target { steps: 1, ..target.clone() }, "it is too late");
    first.settle(&all()).await;
    assert_eq!(first.running(), 0);
    let (later, _) = stage.queued(2, 0, End::Finish).await;
    first.settle(&all()).await;
    assert_eq!(stage.read(&later).await.finished, 0, "it takes nothing any more");
    stage.advance(10);
    second.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { steps: 1, finished: 1, ..target.clone() });
    assert_eq!(stage.events(&target).await, ["started", "step 0", "finished"]);
    assert_eq!(stage.read(&later).await.finished, 1);
    let finished = finished(&stage).await;
    let failures: Vec<_> = finished.iter().map(|one| one.job.failures).collect();
    assert_eq!(failures.iter().sum::<u32>(), 1, "the take-over is a failure of the first attempt");
}

pub(super) async fn a_job_that_is_given_back_counts_no_failure(stage: Stage) {
    let (target, _) = stage.queued(1, 1, End::Hold).await;
    let mut first = stage.worker();
    stage.held(&mut first, 1).await;
    first.round(&BTreeSet::new(), Duration::ZERO).await;
    assert_eq!(first.running(), 0);
    stage.gate.send_replace(true);
    let mut second = stage.other_worker(1);
    second.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { steps: 1, finished: 1, ..target.clone() });
    let finished = finished(&stage).await;
    assert_eq!((finished[0].job.attempt, finished[0].job.failures), (2, 0));
}
