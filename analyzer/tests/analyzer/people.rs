//! People's reviews beside the analyzer's work: neither loses anything of the other's.

use std::sync::Arc;
use std::time::Duration;

use common::ids::KeyId;
use common::incident::{Actor, IncidentHead, ResolvedState, Review, Triage};
use common::row;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use ledger::{Commit, Kind, Ledger, LedgerId, Op};

use super::harness::ledger::{Ended, TestLedger};
use super::harness::{Delivery, Line, PARTITION, World, at, rules};

const ADDRESS: &str = "203.0.113.9";
const DAY: u64 = 24 * 3_600;

/// Reviews an incident the way the API does: head and review in one commit, repeated on conflict.
pub(super) async fn review(ledger: &TestLedger, head: &IncidentHead, status: TriageStatus, now: Timestamp) {
    let (id, key) = (LedgerId::Partition(PARTITION), row::incident_key(head.organization, head.id));
    loop {
        let seq = ledger.memory.seq(id).await.unwrap();
        let mut head: IncidentHead =
            row::decode(&ledger.memory.get(id, Kind::Head, &key).await.unwrap().unwrap()).unwrap();
        let progress = ledger.memory.get(id, Kind::State, &row::progress_key()).await.unwrap().unwrap();
        let position = row::decode::<row::Progress>(&progress).unwrap().position;
        let resolved = status == TriageStatus::Resolved;
        let resolution = resolved.then_some(TriageResolution::Fixed);
        let made = Review {
            triage_version: head.triage.version + 1,
            actor: Actor { key_id: KeyId::from_bytes([1; 16]), key_name: "ann".to_owned() },
            created_at: now,
            from_status: head.triage.status,
            from_resolution: head.triage.resolution,
            to_status: status,
            to_resolution: resolution,
            comment: None,
            position,
            request_id: "request".to_owned(),
        };
        let (severity, event_count) = (head.analysis.severity, head.analysis.event_count);
        head.triage = Triage {
            version: made.triage_version,
            status,
            resolution,
            updated_at: Some(now),
            resolved: resolved.then_some(ResolvedState { position, severity, event_count }),
        };
        let review_key = row::review_key(head.organization, head.id, made.triage_version);
        let put = |kind, key: Vec<u8>, body: Vec<u8>| Op::Put { kind, key: key.into(), body: body.into() };
        let ops = vec![
            put(Kind::Head, key.clone(), row::encode(&head).unwrap()),
            put(Kind::History, review_key, row::encode(&made).unwrap()),
        ];
        if let Commit::Done(_) = ledger.memory.commit(id, seq, ops).await.unwrap() {
            return;
        }
    }
}

fn reviews(world: &World, head: &IncidentHead) -> usize {
    world.bodies(Kind::History, &row::reviews_prefix(head.organization, head.id)).len()
}

fn loud(second: u64) -> Delivery {
    Delivery::new(second, [Line::sign("loud", ADDRESS).at(second)])
}

#[tokio::test(start_paused = true)]
async fn a_hundred_reviews_a_second_lose_nothing_and_delay_no_flush() {
    let world = World::new(&rules::all());
    world.take(&[loud(0)]).await;
    let head = world.head();
    world.ledger.set_latency(Duration::from_millis(4));
    let running = world.start();
    let mut tasks = tokio::task::JoinSet::new();
    let ledger = Arc::clone(&world.ledger);
    let reviewed = head.clone();
    tasks.spawn(async move {
        for number in 0..500_u32 {
            let status = if number % 2 == 0 { TriageStatus::InProgress } else { TriageStatus::Triaged };
            review(&ledger, &reviewed, status, at(1)).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    let started = tokio::time::Instant::now();
    for second in 1..=50 {
        let sent = started.elapsed();
        world.send(&loud(second)).await;
        world.caught_up().await;
        let took = started.elapsed().saturating_sub(sent);
        assert!(took < Duration::from_secs(2), "a flush took {took:?}");
        tokio::time::sleep(Duration::from_millis(70)).await;
    }
    tasks.join_next().await.unwrap().unwrap();
    running.stop().await;
    let after = world.head();
    assert_eq!((after.triage.version, reviews(&world, &head)), (501, 500));
    assert_eq!((after.triage.status, after.analysis.event_count), (TriageStatus::Triaged, 51));
    let book = world.ledger.book();
    let conflicts = book.iter().filter(|commit| commit.outcome == Ended::Conflict).count();
    assert!(conflicts > 0, "the test met none");
    assert!(conflicts < 10 * 51, "{conflicts} conflicts for {} commits", book.len());
}

#[tokio::test(start_paused = true)]
async fn after_a_resolution_findings_join_quietly_and_tell_when_it_grew_worse() {
    let more = "level: critical\nincident_family: loud";
    let world = World::new(&(rules::all() + &rules::sign(9, "worse", more)));
    world.take(&[loud(0)]).await;
    let before = world.head();
    // Through an analyzer that has the incident in memory already.
    let running = world.start();
    world.send(&loud(1)).await;
    world.caught_up().await;
    review(&world.ledger, &before, TriageStatus::Resolved, at(2)).await;
    world.send(&loud(3)).await;
    world.caught_up().await;
    let head = world.head();
    assert_eq!((head.analysis.event_count, head.events_since_resolved()), (3, 1));
    assert!(head.triage.resolved.is_some() && !head.recurred_worse());

    world.send(&Delivery::new(4, [Line::sign("worse", ADDRESS).at(4)])).await;
    world.caught_up().await;
    running.stop().await;
    let head = world.head();
    assert_eq!((head.id, head.analysis.severity), (before.id, Severity::Critical));
    assert!(head.recurred_worse());
    let after: Vec<bool> = world.revisions(&head).iter().map(|revision| revision.after_resolution).collect();
    assert_eq!(after, [false, true]);

    review(&world.ledger, &head, TriageStatus::InProgress, at(5)).await;
    let lines = (0..20).map(|number| Line::sign("loud", ADDRESS).at(10 + number));
    world.take(&[Delivery::new(40, lines)]).await;
    assert!(!world.revisions(&head).last().unwrap().after_resolution, "reopened");
}

#[tokio::test(start_paused = true)]
async fn a_resolved_incident_takes_findings_in_until_its_retention_ends() {
    let world = World::new(&rules::all());
    let running = world.start();
    world.send(&loud(0)).await;
    world.caught_up().await;
    review(&world.ledger, &world.head(), TriageStatus::Resolved, at(10)).await;
    // Long past the lifetime of an unresolved one: the analyzer must have received the review.
    world.send(&loud(29 * DAY)).await;
    world.caught_up().await;
    assert_eq!(world.head().analysis.event_count, 2);
    world.send(&loud(31 * DAY)).await;
    world.caught_up().await;
    running.stop().await;
    let episodes: Vec<(u32, u64)> =
        world.heads().iter().map(|head| (head.episode, head.analysis.event_count)).collect();
    assert_eq!(episodes, [(1, 2), (2, 1)]);
    assert_ne!(world.heads()[0].id, world.heads()[1].id);
}

#[tokio::test(start_paused = true)]
async fn an_unresolved_incident_takes_findings_in_for_seven_days() {
    let world = World::new(&rules::all());
    for second in [0, 6 * DAY, 7 * DAY, 7 * DAY + 1, 8 * DAY] {
        world.take(&[loud(second)]).await;
    }
    let episodes: Vec<(u32, u64)> =
        world.heads().iter().map(|head| (head.episode, head.analysis.event_count)).collect();
    assert_eq!(episodes, [(1, 3), (2, 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_review_between_fold_and_commit_is_kept_and_marks_the_revisions_after_it() {
    let world = World::new(&rules::all());
    world.take(&[loud(0)]).await;
    let head = world.head();
    world.ledger.set_latency(Duration::from_millis(100));
    world.send(&Delivery::new(5, (1..20).map(|second| Line::sign("loud", ADDRESS).at(second)))).await;
    let running = world.start();
    // The take-over has its 100 ms, then the flush: in the middle of that one comes the review.
    tokio::time::sleep(Duration::from_millis(150)).await;
    review(&world.ledger, &head, TriageStatus::Resolved, at(6)).await;
    world.caught_up().await;
    running.stop().await;
    let after = world.head();
    assert_eq!((after.triage.version, after.triage.status), (2, TriageStatus::Resolved));
    assert_eq!((after.analysis.event_count, after.events_since_resolved()), (20, 19));
    let after: Vec<bool> = world.revisions(&after).iter().map(|revision| revision.after_resolution).collect();
    assert_eq!(after, [false, true]);
}
