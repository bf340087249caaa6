//! Operations of users on jobs.

use super::endings::finished;
use super::stage::{End, Stage, Target, all};
use crate::{Ending, EnqueueError, Exclusive, Jobs, Listed, Outcome, Scope};

pub(super) async fn a_cancelled_job_ends_once(stage: Stage) {
    let (held, held_id) = stage.queued(1, 0, End::Hold).await;
    let mut worker = stage.worker();
    stage.held(&mut worker, 1).await;
    let mut waiting = stage.new_job(&stage.target_at(stage.organization, 0, 2), 0, End::Finish);
    waiting.due = Some(stage.now().plus(std::time::Duration::from_secs(900)));
    let target = stage.target_at(stage.organization, 0, 2);
    let waiting_id = stage.queue(&target, waiting).await.expect("there is room");
    for id in [held_id, waiting_id] {
        assert!(stage.jobs.cancel(id).await.expect("it can be changed"));
    }
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    worker.settle(&all()).await;
    for one in [&held, &target] {
        assert_eq!(stage.read(one).await, Target { failed: 1, ..one.clone() });
        assert_eq!(stage.events(one).await, ["started", "cancelled"]);
    }
    let finished = finished(&stage).await;
    assert!(finished.iter().all(|one| one.outcome == Outcome::Ended(Ending::Cancelled)));
    assert!(!stage.jobs.cancel(held_id).await.expect("it can be read"), "it has ended");
}

pub(super) async fn a_finished_job_is_listed_and_queued_again(stage: Stage) {
    let (target, id) = stage.queued(1, 0, End::Fatal).await;
    let mut worker = stage.worker();
    worker.settle(&all()).await;
    let again = stage.jobs.retry(id).await.expect("there is room").expect("it is known");
    assert_ne!(again, id);
    let listed = stage.jobs.list(Some(stage.organization), 10).await.expect("it can be read");
    let is_both = matches!(&listed[..], [Listed::Unfinished(job), Listed::Finished(_)] if job.id == again);
    assert!(is_both, "{again}: {listed:?}");
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { failed: 2, ..target.clone() });
    stage.advance(86_401);
    worker.settle(&all()).await;
    assert_eq!(finished(&stage).await, [], "they are kept for a day");
    assert_eq!(stage.jobs.retry(id).await.expect("it can be read"), None);
}

pub(super) async fn a_cancelled_job_waits_for_no_bound_and_no_key(stage: Stage) {
    let mut worker = stage.worker();
    let claiming = |target: &Target, scope, end| {
        let mut new = stage.new_job(target, 0, end);
        new.kind = stage.heavy().to_owned();
        new.exclusive = Some(Exclusive { key: format!("{scope:?}"), scope });
        new
    };
    let target = |number| stage.target_at(stage.organization, 0, number);
    let (holder, waits, queued) = (target(1), target(2), target(3));
    stage.queue(&holder, claiming(&holder, Scope::Running, End::Hold)).await.expect("there is room");
    stage.held(&mut worker, 1).await;
    // The slot for heavy jobs and the key are taken.
    let one = stage.queue(&waits, claiming(&waits, Scope::Running, End::Finish)).await;
    let two = stage.queue(&queued, claiming(&queued, Scope::Unfinished, End::Finish)).await;
    worker.round(&all(), std::time::Duration::ZERO).await;
    for id in [one, two] {
        assert!(stage.jobs.cancel(id.expect("there is room")).await.expect("it can be changed"));
    }
    while finished(&stage).await.len() < 2 {
        worker.round(&all(), std::time::Duration::ZERO).await;
        tokio::task::yield_now().await;
    }
    assert_eq!((stage.read(&waits).await.failed, stage.read(&queued).await.failed), (1, 1));
    let again = stage.queue(&queued, claiming(&queued, Scope::Unfinished, End::Finish)).await;
    assert!(!matches!(again, Err(EnqueueError::Busy { .. })), "the claim is free: {again:?}");
}

pub(super) async fn a_cancelled_job_of_an_unknown_kind_is_abandoned(stage: Stage) {
    let (target, id) = stage.queued(1, 0, End::Finish).await;
    let others = Jobs::new(std::sync::Arc::clone(&stage.records), Vec::new(), stage.clock.clone());
    assert!(others.cancel(id).await.expect("it can be changed"));
    assert_eq!(finished(&stage).await[0].outcome, Outcome::Abandoned(Ending::Cancelled));
    stage.worker().settle(&all()).await;
    assert_eq!(stage.read(&target).await, target);
    assert!(!others.cancel(id).await.expect("it can be read"));
}
