//! Whose turn it is, and what does not fit.

use std::time::Duration;

use super::*;

const NOW: Timestamp = Timestamp(1_000_000_000);

fn target(number: u8) -> WebhookTargetId {
    WebhookTargetId::from_bytes([number; 16])
}

fn job(number: u64, to: u8) -> Job {
    Job::fresh(EventNumber(number), OrganizationId::from_bytes([1; 16]), target(to), NOW)
}

fn later(job: Job, seconds: u64) -> Job {
    Job { waiting: Waiting { due: NOW.plus(Duration::from_secs(seconds)), ..job.waiting }, ..job }
}

fn queue(concurrency: usize, target_backlog: usize, backlog: usize) -> Queue {
    Queue::new(Bounds { concurrency, target_backlog, backlog })
}

#[test]
fn targets_take_turns_and_none_gets_more_than_its_share() {
    let mut queue = queue(2, 100, 100);
    for number in 0..10 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    assert!(queue.admit(job(10, 2), NOW));
    let started: Vec<_> =
        std::iter::from_fn(|| queue.start(false)).map(|job| (job.target, job.number.0)).collect();
    assert_eq!(started, [(target(1), 0), (target(2), 10), (target(1), 1)]);
    queue.end(target(1), Turn::Acknowledged, None, NOW);
    assert_eq!(queue.start(false).map(|job| job.number.0), Some(2));
    assert_eq!(queue.len(), 10);
}

#[test]
fn a_target_that_fails_gets_one_at_a_time_until_it_answers() {
    let mut queue = queue(8, 100, 100);
    for number in 0..20 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    for _ in 0..3 {
        let failed = queue.start(false).unwrap();
        queue.end(target(1), Turn::Failed, Some(later(failed, 5)), NOW);
    }
    assert_eq!(queue.start(false), None, "no room among those that work");
    assert!(queue.start(true).is_some());
    assert_eq!(queue.start(true), None, "one at a time");
    queue.end(target(1), Turn::Acknowledged, None, NOW);
    assert_eq!(std::iter::from_fn(|| queue.start(false)).count(), 2, "and then more and more");
}

#[test]
fn what_is_due_later_waits_and_counts() {
    let mut queue = queue(8, 2, 100);
    queue.restore(later(job(1, 1), 5), NOW);
    queue.restore(later(job(2, 1), 3), NOW);
    assert!(!queue.admit(job(3, 1), NOW), "two wait already");
    assert_eq!((queue.start(false), queue.next_due()), (None, Some(NOW.plus(Duration::from_secs(3)))));
    queue.release(NOW.plus(Duration::from_secs(4)));
    assert_eq!(queue.start(false).map(|job| job.number.0), Some(2));
    assert_eq!(queue.start(false), None);
}

#[test]
fn a_full_partition_still_serves_targets_that_have_little() {
    let mut queue = queue(8, 1_000, 50);
    for number in 0..50 {
        assert!(queue.admit(later(job(number, 1), 60), NOW));
    }
    assert!(!queue.admit(job(50, 1), NOW));
    assert!(queue.admit(job(51, 2), NOW));
    assert_eq!(queue.start(false).map(|job| job.target), Some(target(2)));
}

#[test]
fn a_target_that_answers_gets_more_at_once_up_to_the_bound() {
    let mut queue = queue(8, 100, 100);
    for number in 0..60 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    let mut at_once = Vec::new();
    let mut under_way = 0;
    for turn in [Turn::Acknowledged, Turn::Acknowledged, Turn::Acknowledged, Turn::Failed] {
        under_way += std::iter::from_fn(|| queue.start(false)).count();
        at_once.push(under_way);
        queue.end(target(1), turn, None, NOW);
        under_way -= 1;
    }
    assert_eq!(at_once, [2, 4, 8, 8]);
    assert_eq!(queue.start(false), None, "a failure halves it");
}

#[test]
fn a_burst_waits_for_a_target_that_works_and_for_no_other() {
    let mut queue = queue(8, 200, 1_000);
    for number in 0..101 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    assert!(queue.is_congested(NOW));
    assert!(!queue.is_congested(NOW.plus(Duration::from_secs(10))), "it is too slow");
    let started = queue.start(false).unwrap();
    queue.end(started.target, Turn::Acknowledged, None, NOW);
    assert!(!queue.is_congested(NOW), "there is room again");
    assert!(queue.admit(job(101, 1), NOW));
    for _ in 0..3 {
        let failed = queue.start(false).unwrap();
        queue.end(failed.target, Turn::Failed, Some(later(failed, 5)), NOW);
    }
    assert!(!queue.is_congested(NOW), "it fails");
}
