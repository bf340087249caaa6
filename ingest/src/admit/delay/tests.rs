//! The bound against senders that want more, slow bodies, hiccups and standstill, over moments made up.

use std::collections::VecDeque;

use super::*;

const TARGET: Duration = Duration::from_millis(100);
const MIB: usize = 1 << 20;
const LEAST: usize = 8 * MIB / LEAST_PART;

fn limit() -> DelayLimit {
    DelayLimit::new(TARGET, 8 * MIB, 256 * MIB)
}

fn done(waited: Duration, ahead: usize) -> Done {
    Done { room: Room::Common, waited, took: waited, ahead }
}

/// Senders that always want more, at a service with this rate in bytes a second, in pieces of a quarter of a
/// mebibyte; the delay of the last request and the greatest after two seconds, in milliseconds.
fn flood(limit: &mut DelayLimit, from: Duration, seconds: u32, mebibytes_a_second: u32) -> (u128, u128) {
    let (piece, steps) = (MIB / 4, seconds * mebibytes_a_second * 4);
    let each = Duration::from_secs(1) / (mebibytes_a_second * 4);
    let mut queue = VecDeque::new();
    let (mut last, mut worst) = (Duration::ZERO, Duration::ZERO);
    for step in 1..=steps {
        let now = from + each * step;
        while (queue.len() + 1) * piece <= limit.bytes() {
            queue.push_back((now, (queue.len() + 1) * piece));
            limit.note_asked(now, true);
            limit.note_arrived(now, Room::Common);
        }
        limit.note_asked(now, false);
        let (arrived, ahead) = queue.pop_front().unwrap();
        last = now - arrived;
        limit.note_done(now, done(last, ahead));
        if now - from > Duration::from_secs(2) {
            worst = worst.max(last);
        }
    }
    for (_, ahead) in queue {
        limit.note_done(from + each * steps, done(last, ahead));
    }
    (last.as_millis(), worst.as_millis())
}

#[test]
fn the_delay_comes_to_the_target_whatever_the_speed() {
    for (mebibytes_a_second, most) in [(60, 140), (200, 140), (500, 140), (2_000, 140)] {
        let (last, worst) = flood(&mut limit(), Duration::ZERO, 20, mebibytes_a_second);
        assert!((40..=140).contains(&last), "{mebibytes_a_second} MiB/s: {last} ms");
        assert!(worst <= most, "{mebibytes_a_second} MiB/s: {worst} ms");
    }
}

#[test]
fn a_machine_that_becomes_slower_is_given_less() {
    let mut limit = limit();
    flood(&mut limit, Duration::ZERO, 10, 800);
    let (last, worst) = flood(&mut limit, Duration::from_secs(10), 5, 100);
    assert!(last <= 140 && worst <= 200, "{last} ms, {worst} ms");
}

#[test]
fn bodies_that_arrive_slowly_neither_raise_nor_lower_it() {
    let mut limit = limit();
    for step in 1..50 {
        let now = WINDOW * step;
        limit.note_asked(now, true);
        limit.note_asked(now, false);
        limit.note_arrived(now, Room::Common);
        limit.note_done(
            now,
            Done { room: Room::Common, waited: TARGET / 50, took: TARGET * 3, ahead: 8 * MIB },
        );
    }
    assert_eq!(limit.bytes(), 8 * MIB);
}

#[test]
fn what_was_let_in_too_much_is_taken_back_and_nothing_is_let_in_for_nothing_done() {
    let mut limit = limit();
    flood(&mut limit, Duration::ZERO, 5, 800);
    assert!(limit.bytes() > 16 * MIB, "{limit:?}");
    for step in 1..5 {
        let now = Duration::from_secs(5) + WINDOW * step;
        limit.note_arrived(now, Room::Common);
        limit.note_done(
            now,
            Done { room: Room::Common, waited: TARGET / 50, took: TARGET * 3, ahead: 16 * MIB },
        );
        limit.note_asked(now, false);
    }
    assert_eq!(limit.bytes(), 8 * MIB);
    for step in 1..5 {
        limit.note_asked(Duration::from_secs(6) + WINDOW * step, false);
    }
    assert_eq!(limit.bytes(), 8 * MIB);
}

#[test]
fn one_hiccup_is_no_standing_queue() {
    let mut limit = limit();
    for second in 0..10 {
        let now = Duration::from_secs(second);
        limit.note_asked(now, true);
        limit.note_arrived(now, Room::Common);
        let waited = if second == 5 { TARGET * 9 } else { TARGET / 50 };
        limit.note_done(now + waited, done(waited, MIB));
    }
    assert_eq!(limit.bytes(), 8 * MIB);
}

#[test]
fn a_queue_that_stands_is_told_where_few_large_ones_are_done() {
    let mut limit = limit();
    for step in 1..=10 {
        // One in three windows; the next is at work by then.
        let now = WINDOW * 3 * step;
        limit.note_arrived(now, Room::Common);
        limit.note_asked(now + WINDOW, true);
        if step > 1 {
            limit.note_done(now + WINDOW * 2, done(TARGET * 5, 8 * MIB));
        }
    }
    assert_eq!(limit.bytes(), LEAST);
}

#[test]
fn calm_brings_the_usual_back_and_nothing_more() {
    let mut limit = limit();
    flood(&mut limit, Duration::ZERO, 10, 10);
    assert!(limit.bytes() == LEAST && limit.pressure() > 1.5, "{limit:?}");
    for step in 0..100 {
        limit.note_asked(Duration::from_secs(10) + WINDOW * step, true);
    }
    assert_eq!(limit.bytes(), 8 * MIB);
    assert!(limit.pressure() < 1.01);
}

#[test]
fn what_is_stuck_is_seen_though_nothing_is_done() {
    let mut limit = limit();
    limit.note_arrived(Duration::ZERO, Room::Common);
    for step in 0..10 {
        limit.note_asked(WINDOW * step, true);
    }
    assert_eq!(limit.bytes(), 8 * MIB);
    limit.note_asked(STUCK + WINDOW, true);
    assert_eq!(limit.bytes(), LEAST);
}

#[test]
fn a_runtime_that_comes_round_late_counts_as_delay() {
    let mut limit = limit();
    for step in 1..10 {
        limit.note_round(TARGET * 2);
        limit.note_asked(WINDOW * step, true);
    }
    assert_eq!(limit.bytes(), LEAST);
}

/// A second and a half with a refusal in each window and small requests finished all the time; and a large one, if
/// there is one, in each of them after this time.
fn large_ones_beside_little_ones(large_waits: Option<Duration>) -> DelayLimit {
    let mut limit = limit();
    limit.note_arrived(Duration::ZERO, Room::Common);
    for step in 1..=30 {
        let now = WINDOW * step;
        for part in 0..10 {
            let little = Done { room: Room::Little, waited: TARGET / 50, took: TARGET / 50, ahead: 4096 };
            limit.note_arrived(now + WINDOW * part / 20, Room::Little);
            limit.note_done(now + WINDOW * part / 20, little);
        }
        limit.note_asked(now + WINDOW / 2, false);
        if let Some(waited) = large_waits {
            limit.note_arrived(now, Room::Common);
            limit.note_done(now + WINDOW / 2, done(waited, 8 * MIB));
        }
    }
    limit
}

#[test]
fn little_ones_do_not_vouch_for_a_queue_that_stands() {
    let limit = large_ones_beside_little_ones(Some(TARGET * 5));
    assert_eq!(limit.bytes(), LEAST);
    let seen = limit.seen().wait;
    assert!(TARGET / 50 < seen && seen < TARGET, "{seen:?} on the average of all");
}

#[test]
fn little_ones_do_not_hide_that_large_ones_are_stuck() {
    assert_eq!(large_ones_beside_little_ones(None).bytes(), LEAST);
}

#[test]
fn little_ones_do_not_make_the_queue_look_fast() {
    // As many as are processed in the target time, so that it keeps its length.
    assert_eq!(large_ones_beside_little_ones(Some(TARGET)).bytes(), 8 * MIB);
}
