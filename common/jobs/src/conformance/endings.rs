//! Ends of jobs.

use super::stage::{End, Stage, Target, all};
use crate::{Ending, FinishedJob, Listed, Outcome};

/// The finished jobs of the clause's organization.
pub(super) async fn finished(stage: &Stage) -> Vec<FinishedJob> {
    let listed = stage.jobs.list(Some(stage.organization), 1_000).await.expect("it can be read");
    let finished = listed.into_iter().filter_map(|one| match one {
        Listed::Finished(finished) => Some(finished),
        Listed::Unfinished(_) => None,
    });
    finished.collect()
}

pub(super) async fn record_job_and_event_are_one_commit(stage: Stage) {
    let (target, id) = stage.queued(1, 2, End::Finish).await;
    let (returning, _) = stage.queued(2, 1, End::Return).await;
    assert_eq!(stage.events(&target).await, ["started"]);
    let mut worker = stage.worker();
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { steps: 2, finished: 1, ..target.clone() });
    assert_eq!(stage.events(&target).await, ["started", "step 0", "step 1", "finished"]);
    assert_eq!(stage.read(&returning).await, Target { steps: 1, ..returning.clone() });
    let finished = finished(&stage).await;
    assert_eq!(finished.len(), 2);
    assert!(finished.iter().all(|one| one.outcome == Outcome::Succeeded && one.job.attempt == 1));
    assert!(finished.iter().any(|one| one.job.id == id));
    worker.settle(&all()).await;
    assert_eq!(stage.events(&target).await.len(), 4, "it does not run again");
}

pub(super) async fn attempts_go_on_from_the_checkpoint_and_end_after_three(stage: Stage) {
    let (target, _) = stage.queued(1, 3, End::Retry).await;
    let mut worker = stage.worker();
    let mut listed = Vec::new();
    for seconds in [0, 9, 1, 119, 1] {
        stage.advance(seconds);
        worker.settle(&all()).await;
        let unfinished = stage.jobs.list(Some(stage.organization), 10).await.expect("it can be read");
        listed.push(match unfinished.as_slice() {
            [Listed::Unfinished(job)] => job.failures,
            _ => 0,
        });
    }
    assert_eq!(listed, [1, 1, 2, 2, 0], "after 10 s, then 2 min");
    assert_eq!(stage.read(&target).await, Target { steps: 3, failed: 1, ..target.clone() }, "no step twice");
    assert_eq!(stage.events(&target).await, ["started", "step 0", "step 1", "step 2", "failed"]);
    let finished = finished(&stage).await;
    assert_eq!(finished[0].outcome, Outcome::Ended(Ending::failed("again")));
}

pub(super) async fn what_cannot_succeed_ends_at_once(stage: Stage) {
    let (target, _) = stage.queued(1, 0, End::Fatal).await;
    stage.worker().settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { failed: 1, ..target.clone() });
    assert_eq!(finished(&stage).await[0].outcome, Outcome::Ended(Ending::failed("never")));
}

pub(super) async fn a_panic_is_a_failure(stage: Stage) {
    let (target, _) = stage.queued(1, 1, End::Panic).await;
    let mut worker = stage.worker();
    for _ in 0..4 {
        worker.settle(&all()).await;
        stage.advance(120);
    }
    assert_eq!(stage.read(&target).await, Target { steps: 1, failed: 1, ..target.clone() });
}

pub(super) async fn a_failure_handler_that_fails_is_given_up(stage: Stage) {
    let (target, _) = stage.queued(1, 0, End::FatalTwice).await;
    let mut worker = stage.worker();
    for _ in 0..24 {
        worker.settle(&all()).await;
        stage.advance(120);
    }
    assert_eq!(stage.read(&target).await, target);
    let finished = finished(&stage).await;
    assert_eq!(finished[0].outcome, Outcome::Abandoned(Ending::failed("never")));
}
