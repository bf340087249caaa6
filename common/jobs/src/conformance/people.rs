//! What people do about jobs.

use super::endings::finished;
use super::stage::{End, Stage, Target, all};
use crate::{Ending, Listed, Outcome};

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
    assert!(matches!(&listed[..], [Listed::Unfinished(job), Listed::Finished(_)] if job.id == again));
    worker.settle(&all()).await;
    assert_eq!(stage.read(&target).await, Target { failed: 2, ..target.clone() });
    stage.advance(86_401);
    worker.settle(&all()).await;
    assert_eq!(finished(&stage).await, [], "they are kept for a day");
    assert_eq!(stage.jobs.retry(id).await.expect("it can be read"), None);
}
