//! Whose turn it is, and what does not fit.

use std::time::Duration;

use common::ids::ReceiverId;

use super::*;

const NOW: Timestamp = Timestamp(1_000_000_000);

fn target(number: u8) -> TargetId {
    TargetId::Webhook(ReceiverId::from_bytes([number; 16]))
}

/// The one delivery whose turn it is.
fn start(queue: &mut Queue, failing: bool) -> Option<Job> {
    let started = queue.start(failing)?;
    assert_eq!(started.len(), 1, "webhooks go one by one");
    started.first().copied()
}

/// Ends what [`start`] has started.
fn end(queue: &mut Queue, target: TargetId, turn: Turn, again: Option<Job>) {
    queue.end(target, turn, 1, again.into_iter().collect(), NOW);
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
        std::iter::from_fn(|| start(&mut queue, false)).map(|job| (job.target, job.number.0)).collect();
    assert_eq!(started, [(target(1), 0), (target(2), 10), (target(1), 1)]);
    end(&mut queue, target(1), Turn::Acknowledged, None);
    assert_eq!(start(&mut queue, false).map(|job| job.number.0), Some(2));
    assert_eq!(queue.depths().0, 10);
}

#[test]
fn a_target_that_fails_gets_one_at_a_time_until_it_answers() {
    let mut queue = queue(8, 100, 100);
    for number in 0..20 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    for _ in 0..3 {
        let failed = start(&mut queue, false).unwrap();
        end(&mut queue, target(1), Turn::Failed, Some(later(failed, 5)));
    }
    assert_eq!(start(&mut queue, false), None, "no room among those that work");
    assert!(start(&mut queue, true).is_some());
    assert_eq!(start(&mut queue, true), None, "one at a time");
    end(&mut queue, target(1), Turn::Acknowledged, None);
    assert_eq!(std::iter::from_fn(|| start(&mut queue, false)).count(), 2, "and then more and more");
}

#[test]
fn what_is_due_later_waits_and_counts() {
    let mut queue = queue(8, 2, 100);
    queue.restore(later(job(1, 1), 5), NOW);
    queue.restore(later(job(2, 1), 3), NOW);
    assert!(!queue.admit(job(3, 1), NOW), "two wait already");
    assert_eq!((start(&mut queue, false), queue.next_due()), (None, Some(NOW.plus(Duration::from_secs(3)))));
    queue.release(NOW.plus(Duration::from_secs(4)));
    assert_eq!(start(&mut queue, false).map(|job| job.number.0), Some(2));
    assert_eq!(start(&mut queue, false), None);
}

#[test]
fn a_full_partition_still_serves_targets_that_have_little() {
    let mut queue = queue(8, 1_000, 50);
    for number in 0..50 {
        assert!(queue.admit(later(job(number, 1), 60), NOW));
    }
    assert!(!queue.admit(job(50, 1), NOW));
    assert!(queue.admit(job(51, 2), NOW));
    assert_eq!(start(&mut queue, false).map(|job| job.target), Some(target(2)));
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
        under_way += std::iter::from_fn(|| start(&mut queue, false)).count();
        at_once.push(under_way);
        end(&mut queue, target(1), turn, None);
        under_way -= 1;
    }
    assert_eq!(at_once, [2, 4, 8, 8]);
    assert_eq!(start(&mut queue, false), None, "a failure halves it");
}

#[test]
fn a_burst_waits_for_a_target_that_works_and_for_no_other() {
    let mut queue = queue(8, 200, 1_000);
    for number in 0..101 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    assert!(queue.is_congested(NOW));
    assert!(!queue.is_congested(NOW.plus(Duration::from_secs(10))), "it is too slow");
    let started = start(&mut queue, false).unwrap();
    end(&mut queue, started.target, Turn::Acknowledged, None);
    assert!(!queue.is_congested(NOW), "there is room again");
    assert!(queue.admit(job(101, 1), NOW));
    for _ in 0..3 {
        let failed = start(&mut queue, false).unwrap();
        end(&mut queue, failed.target, Turn::Failed, Some(later(failed, 5)));
    }
    assert!(!queue.is_congested(NOW), "it fails");
}

#[test]
fn a_telemetry_endpoint_is_told_of_what_is_there_in_one_request_up_to_the_bound() {
    let collector = TargetId::Telemetry(ReceiverId::from_bytes([1; 16]));
    let mut queue = queue(2, 1_000, 1_000);
    for number in 0..130 {
        let job = Job::fresh(EventNumber(number), OrganizationId::from_bytes([1; 16]), collector, NOW);
        assert!(queue.admit(job, NOW));
    }
    assert!(queue.admit(job(200, 1), NOW), "a webhook target of the same number");
    assert_eq!(queue.depths(), (1, 130));
    let first = queue.start(false).unwrap();
    assert_eq!((first.len(), first.first().map(|job| job.number.0)), (MOST_TOGETHER, Some(0)));
    assert_eq!(start(&mut queue, false).map(|job| job.target), Some(target(1)), "it has its turn between");
    assert_eq!(queue.start(false).map(|jobs| jobs.len()), Some(30), "nobody waits for a request to be full");
    assert_eq!(queue.start(false), None);
    let again: Vec<Job> = first.iter().take(2).map(|job| later(*job, 5)).collect();
    queue.end(collector, Turn::Acknowledged, first.len(), again, NOW);
    assert_eq!(queue.depths(), (1, 32), "two come back");
    queue.release(NOW.plus(Duration::from_secs(5)));
    assert_eq!(queue.start(false).map(|jobs| jobs.len()), Some(2), "together");
}

#[test]
fn a_target_that_was_put_off_rests_until_its_delivery_is_due_and_holds_up_no_other() {
    let mut queue = queue(8, 100, 100);
    for number in 0..5 {
        assert!(queue.admit(job(number, 1), NOW));
    }
    let first = start(&mut queue, false).unwrap();
    end(&mut queue, target(1), Turn::PutOff, Some(later(first, 2)));
    assert_eq!(start(&mut queue, false), None, "none of the others of the target is tried meanwhile");
    assert!(queue.admit(job(5, 1), NOW) && queue.admit(job(6, 2), NOW));
    assert_eq!(start(&mut queue, false).map(|job| job.number.0), Some(6), "another target is not affected");
    assert_eq!(start(&mut queue, false), None);
    queue.release(NOW.plus(Duration::from_secs(2)));
    let started: Vec<u64> = std::iter::from_fn(|| start(&mut queue, false)).map(|job| job.number.0).collect();
    assert_eq!(started, [1, 2], "it goes on with the room it had");
    assert_eq!(queue.depths().0, 7, "nothing is lost");
}
