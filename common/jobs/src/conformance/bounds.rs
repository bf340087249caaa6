//! Bounds on an organization's running and waiting jobs, and the order of organizations.

use std::time::Duration;

use common::ids::{OrganizationId, RecordId};
use serde_json::Value;

use super::endings::finished;
use super::stage::{End, Stage, Target, all};
use crate::{EnqueueError, Exclusive, Listed, MAX_PAYLOAD_BYTES, NewJob, Scope};

pub(super) async fn a_queue_has_room_for_so_many(stage: Stage) {
    let mut targets = Vec::new();
    for number in 0..102_u8 {
        let target = stage.target_at(stage.organization, u16::from(number % 2), number);
        stage.queue(&target, stage.new_job(&target, 0, End::Finish)).await.expect("there is room");
        targets.push(target);
    }
    let target = stage.target_at(stage.organization, 1, 200);
    let refused = stage.queue(&target, stage.new_job(&target, 0, End::Finish)).await;
    assert!(matches!(refused, Err(EnqueueError::Full { limit: 102 })), "{refused:?}");
    let mut other = stage.new_job(&target, 0, End::Finish);
    other.kind = stage.heavy().to_owned();
    stage.queue(&target, other).await.expect("another kind has room of its own");
    stage.worker().settle(&all()).await;
    for target in &targets {
        assert_eq!(stage.read(target).await.finished, 1);
    }
    stage.queue(&target, stage.new_job(&target, 0, End::Finish)).await.expect("there is room again");
}

pub(super) async fn organizations_take_turns(stage: Stage) {
    let other = OrganizationId::from_bytes([0xa1; 16]);
    for number in 0..6_u8 {
        let target = stage.target_at(stage.organization, 0, number);
        stage.queue(&target, stage.new_job(&target, 0, End::Hold)).await.expect("there is room");
    }
    let late = stage.target_at(other, 1, 9);
    stage.queue(&late, stage.new_job(&late, 0, End::Hold)).await.expect("there is room");
    let mut worker = stage.worker();
    stage.held(&mut worker, 3).await;
    for _ in 0..3 {
        worker.round(&all(), Duration::ZERO).await;
    }
    assert_eq!(worker.running(), 3, "two of the first organization, and the other's in its turn");
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    assert_eq!(stage.read(&late).await.finished, 1);
    assert_eq!(finished(&stage).await.len(), 6);
}

pub(super) async fn heavy_jobs_have_slots_of_their_own(stage: Stage) {
    for number in 0..3_u8 {
        let organization = OrganizationId::from_bytes([0xb0 + number; 16]);
        let target = stage.target_at(organization, 0, number);
        let mut heavy = stage.new_job(&target, 0, End::Hold);
        heavy.kind = stage.heavy().to_owned();
        stage.queue(&target, heavy).await.expect("there is room");
    }
    let (light, _) = stage.queued(9, 0, End::Hold).await;
    let mut worker = stage.worker();
    stage.held(&mut worker, 2).await;
    for _ in 0..3 {
        worker.round(&all(), Duration::ZERO).await;
    }
    assert_eq!(worker.running(), 2, "one slot is for heavy jobs, and the light one does not need it");
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    assert_eq!(stage.read(&light).await.finished, 1);
}

fn claiming(mut new: NewJob, scope: Scope) -> NewJob {
    new.exclusive = Some(Exclusive { key: "repository".to_owned(), scope });
    new
}

pub(super) async fn an_unfinished_claim_refuses_a_second_job(stage: Stage) {
    let (first, second) =
        (stage.target_at(stage.organization, 0, 1), stage.target_at(stage.organization, 0, 2));
    let job = |target: &Target, end| claiming(stage.new_job(target, 0, end), Scope::Unfinished);
    let id = stage.queue(&first, job(&first, End::Hold)).await.expect("nobody has the claim");
    let refused = stage.queue(&second, job(&second, End::Finish)).await;
    assert!(matches!(refused, Err(EnqueueError::Busy { job }) if job == id), "{refused:?}");
    let mut worker = stage.worker();
    stage.held(&mut worker, 1).await;
    let refused = stage.queue(&second, job(&second, End::Finish)).await;
    assert!(matches!(refused, Err(EnqueueError::Busy { .. })), "while it runs, too: {refused:?}");
    stage.gate.send_replace(true);
    worker.settle(&all()).await;
    stage.queue(&second, job(&second, End::Finish)).await.expect("the claim is free again");
    worker.settle(&all()).await;
    assert_eq!(stage.read(&second).await.finished, 1);
}

pub(super) async fn a_running_claim_lets_others_wait(stage: Stage) {
    let (first, second) =
        (stage.target_at(stage.organization, 0, 1), stage.target_at(stage.organization, 1, 2));
    let job = |target: &Target, end| claiming(stage.new_job(target, 0, end), Scope::Running);
    stage.queue(&first, job(&first, End::Hold)).await.expect("it may wait");
    let mut worker = stage.worker();
    let (one, other) = ([common::partition::Partition(0)].into(), [common::partition::Partition(1)].into());
    worker.round(&one, Duration::ZERO).await;
    while stage.scripted.held.load(std::sync::atomic::Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    stage.queue(&second, job(&second, End::Finish)).await.expect("it may wait");
    // A process of the other shard knows of the claim by its row alone.
    let mut elsewhere = stage.other_worker(1);
    for _ in 0..3 {
        elsewhere.settle(&other).await;
        assert_eq!(stage.read(&second).await.finished, 0);
        stage.advance(2);
    }
    stage.gate.send_replace(true);
    worker.settle(&one).await;
    assert_eq!(stage.read(&first).await.finished, 1);
    elsewhere.settle(&other).await;
    assert_eq!(stage.read(&second).await.finished, 1);
    let waited = finished(&stage).await;
    assert!(waited.iter().all(|one| one.job.failures == 0), "waiting is no failure");
}

pub(super) async fn a_refused_claim_is_not_asked_for_again_at_once(stage: Stage) {
    let job = |target: &Target, end| claiming(stage.new_job(target, 0, end), Scope::Running);
    let holder = stage.target_at(stage.organization, 0, 1);
    stage.queue(&holder, job(&holder, End::Hold)).await.expect("there is room");
    let mut worker = stage.worker();
    let (one, other) = ([common::partition::Partition(0)].into(), [common::partition::Partition(1)].into());
    worker.round(&one, Duration::ZERO).await;
    while stage.scripted.held.load(std::sync::atomic::Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for number in 2..8 {
        let target = stage.target_at(stage.organization, 1, number);
        stage.queue(&target, job(&target, End::Finish)).await.expect("there is room");
    }
    let mut elsewhere = stage.other_worker(1);
    for expected in [1, 2] {
        for _ in 0..3 {
            elsewhere.settle(&other).await;
        }
        let listed = stage.jobs.list(Some(stage.organization), 10).await.expect("it can be read");
        let attempts = listed.iter().map(|one| match one {
            Listed::Unfinished(job) if job.id.shard().0 == 1 => job.attempt,
            _ => 0,
        });
        assert_eq!(attempts.sum::<u32>(), expected, "one of the six asks for all");
        stage.advance(2);
    }
    stage.gate.send_replace(true);
    worker.settle(&one).await;
    for _ in 0..6 {
        elsewhere.settle(&other).await;
        stage.advance(2);
    }
    assert_eq!(finished(&stage).await.len(), 7);
}

pub(super) async fn too_large_is_refused(stage: Stage) {
    let target = stage.target_at(stage.organization, 0, 1);
    let mut large = stage.new_job(&target, 0, End::Finish);
    large.payload = Value::String("x".repeat(MAX_PAYLOAD_BYTES - 1));
    let refused = stage.queue(&target, large).await;
    assert!(matches!(refused, Err(EnqueueError::TooLarge { .. })), "{refused:?}");
    let mut unknown = stage.new_job(&target, 0, End::Finish);
    unknown.kind = "unheard-of".to_owned();
    let refused = stage.queue(&target, unknown).await;
    assert!(matches!(refused, Err(EnqueueError::UnknownKind(_))), "{refused:?}");
    let mut elsewhere = stage.new_job(&target, 0, End::Finish);
    elsewhere.resource = RecordId::new(common::partition::Shard(1), &[1; 32]);
    let refused = stage.queue(&target, elsewhere).await;
    assert!(matches!(refused, Err(EnqueueError::Record(_))), "{refused:?}");
    let listed: Vec<Listed> = stage.jobs.list(Some(stage.organization), 10).await.expect("it can be read");
    assert_eq!(listed, []);
}
