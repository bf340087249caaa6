//! Jobs that wait for a time: deferred, too long, scheduled.

use common::ids::RecordId;
use records::{Home, Record};

use super::endings::finished;
use super::stage::{DEADLINE, End, Stage, Target, all};
use crate::{Cadence, Ending, Exclusive, NewJob, Outcome, Schedule, Scope, SkipReason, SkippedSlot};

pub(super) async fn a_deferred_job_waits_without_a_failure(stage: Stage) {
    let (target, _) = stage.queued(1, 1, End::Defer(60)).await;
    let mut worker = stage.worker();
    worker.settle(&all()).await;
    assert_eq!(worker.running(), 0, "it has given its slot back");
    stage.advance(59);
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { steps: 1, ..target.clone() });
    stage.advance(1);
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { steps: 1, finished: 1, ..target.clone() });
    let finished = finished(&stage).await;
    assert_eq!((finished[0].job.attempt, finished[0].job.failures), (2, 0));
}

pub(super) async fn a_deadline_ends_a_job(stage: Stage) {
    let (target, _) = stage.queued(1, 0, End::Hold).await;
    let mut worker = stage.worker();
    stage.held(&mut worker, 1).await;
    stage.advance(DEADLINE.as_secs());
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { failed: 1, ..target.clone() });
    assert_eq!(finished(&stage).await[0].outcome, Outcome::Ended(Ending::DeadlineExceeded));
}

async fn schedule(stage: &Stage, target: &Target, id: RecordId, end: End) -> Schedule {
    schedule_job(stage, id, Cadence::Daily, target, stage.new_job(target, 0, end)).await
}

async fn schedule_job(
    stage: &Stage,
    id: RecordId,
    cadence: Cadence,
    target: &Target,
    new: NewJob,
) -> Schedule {
    let mut attempts = stage.records.attempts(Home::Records, id.shard());
    while let Some(mut draft) = attempts.next().await.expect("it can be asked") {
        draft.add(records::Change::put(target.clone())).expect("it is allowed");
        let scheduled =
            stage.jobs.schedule(&mut draft, id, cadence, new.clone()).await.expect("it is allowed");
        if attempts.commit(draft).await.expect("it is allowed") {
            return scheduled;
        }
    }
    panic!("other commits came first in every attempt");
}

async fn read(stage: &Stage, id: RecordId) -> Schedule {
    let place = (Home::Records, id.shard());
    stage.jobs.scheduled(place, id).await.expect("it can be read").expect("it is there")
}

pub(super) async fn missed_slots_of_a_schedule_are_one_job(stage: Stage) {
    let target = stage.target_at(stage.organization, 1, 1);
    let id = RecordId::new(common::partition::Shard(1), &[8; 32]);
    let made = schedule(&stage, &target, id, End::Finish).await;
    assert!(made.next_due > stage.now());
    let mut worker = stage.worker();
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await.finished, 0, "not before it is due");
    stage.clock.advance(made.next_due.since(stage.now()));
    worker.settle(&all()).await;
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await.finished, 1);
    let after = read(&stage, id).await;
    assert_eq!(after.next_due.since(made.next_due).as_secs(), 86_400, "a day later, at the same time");
    assert_eq!((after.last_run_at, after.skipped), (Some(made.next_due), 0));
    // Nobody works for five days.
    stage.advance(5 * 86_400 + 7);
    let mut next = stage.other_worker(1);
    next.settle(&all()).await;
    next.settle(&all()).await;
    assert_eq!(stage.read(&target).await.finished, 2);
    let due = read(&stage, id).await.next_due;
    assert!(due > stage.now() && due.since(stage.now()).as_secs() < 86_400);
    // A changed schedule keeps its slot; a removed one is not run.
    let changed = schedule(&stage, &target, id, End::Finish).await;
    assert_eq!(changed.next_due, due);
    let (mut attempts, place) =
        (stage.records.attempts(Home::Records, id.shard()), (Home::Records, id.shard()));
    let mut draft = attempts.next().await.expect("it can be asked").expect("it is the first attempt");
    stage.jobs.unschedule(&mut draft, id);
    assert!(attempts.commit(draft).await.expect("it is allowed"));
    assert_eq!(stage.jobs.scheduled(place, id).await.expect("it can be read"), None);
    stage.advance(2 * 86_400);
    next.settle(&all()).await;
    assert_eq!(stage.read(&target).await.finished, 0, "the change above wrote the target anew");
}

pub(super) async fn a_schedule_never_has_two_jobs(stage: Stage) {
    let target = stage.target_at(stage.organization, 0, 1);
    let id = RecordId::new(common::partition::Shard(0), &[9; 32]);
    let made = schedule(&stage, &target, id, End::Hold).await;
    let mut worker = stage.worker();
    stage.clock.advance(made.next_due.since(stage.now()));
    stage.held(&mut worker, 1).await;
    stage.advance(2 * 86_400);
    for _ in 0..3 {
        worker.round(&all(), std::time::Duration::ZERO).await;
    }
    assert_eq!(worker.running(), 1);
    let skipped = read(&stage, id).await;
    assert_eq!(skipped.skipped, 1, "two missed slots are one, and it is skipped");
    let unfinished = SkippedSlot { at: stage.now(), reason: SkipReason::Unfinished };
    assert_eq!(skipped.last_skip, Some(unfinished));
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    stage.advance(86_400);
    worker.settle(&all()).await;
    worker.settle(&all()).await;
    let after = read(&stage, id).await;
    assert_eq!(
        (after.skipped, after.last_skip),
        (0, Some(unfinished)),
        "the next one runs, and the skipped one is still known"
    );
    let finished = finished(&stage).await;
    assert_eq!(finished.len(), 2);
}

pub(super) async fn a_schedule_passes_on_priority_and_claim(stage: Stage) {
    let (target, other) =
        (stage.target_at(stage.organization, 0, 1), stage.target_at(stage.organization, 0, 2));
    let claiming = |target: &Target, end| NewJob {
        exclusive: Some(Exclusive { key: "repository".to_owned(), scope: Scope::Unfinished }),
        priority: 7,
        ..stage.new_job(target, 0, end)
    };
    let id = RecordId::new(common::partition::Shard(0), &[8; 32]);
    let made = schedule_job(&stage, id, Cadence::Daily, &target, claiming(&target, End::Finish)).await;
    stage.queue(&other, claiming(&other, End::Hold)).await.expect("nobody has the claim");
    let mut worker = stage.worker();
    stage.clock.advance(made.next_due.since(stage.now()));
    stage.held(&mut worker, 1).await;
    worker.round(&all(), std::time::Duration::ZERO).await;
    assert_eq!((worker.running(), read(&stage, id).await.skipped), (1, 1), "the other job has the claim");
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    stage.advance(86_400);
    worker.settle(&all()).await;
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await.finished, 1);
    assert!(
        finished(&stage).await.iter().any(|one| one.job.priority == 7 && one.job.resource == target.id())
    );
}

pub(super) async fn a_schedule_of_another_cadence_still_has_one_job(stage: Stage) {
    let target = stage.target_at(stage.organization, 0, 1);
    let id = RecordId::new(common::partition::Shard(0), &[9; 32]);
    let made = schedule(&stage, &target, id, End::Hold).await;
    let mut worker = stage.worker();
    stage.clock.advance(made.next_due.since(stage.now()));
    stage.held(&mut worker, 1).await;
    let before = read(&stage, id).await;
    let new = stage.new_job(&target, 0, End::Hold);
    let changed = schedule_job(&stage, id, Cadence::Weekly, &target, new).await;
    assert_eq!((changed.job, changed.last_run_at), (before.job, before.last_run_at));
    stage.clock.advance(changed.next_due.since(stage.now()));
    for _ in 0..3 {
        worker.round(&all(), std::time::Duration::ZERO).await;
    }
    assert_eq!((worker.running(), read(&stage, id).await.skipped), (1, 1));
}
