//! Slots of schedules.

use std::collections::BTreeSet;
use std::time::Duration;

use common::partition::Shard;
use proptest::prelude::*;

use super::*;

/// No two slots of a cadence are farther apart.
fn longest(cadence: Cadence) -> Duration {
    let days = match cadence {
        Cadence::Minutes(minutes) => return Duration::from_secs(u64::from(minutes) * 60),
        Cadence::Daily => 1,
        Cadence::Weekly => 7,
        Cadence::Monthly => 31,
    };
    Duration::from_secs(days * 86_400)
}

fn windows() -> impl Strategy<Value = Option<Window>> {
    proptest::option::of((0..1_440_u16, 1..=1_440_u16).prop_map(|(start, minutes)| Window { start, minutes }))
}

proptest! {
    #[test]
    fn slots_are_after_the_moment_follow_from_the_id_and_lie_a_period_apart(
        hash in any::<[u8; 32]>(),
        seconds in 0..4_000_000_000_i64,
        window in windows(),
    ) {
        let id = RecordId::new(Shard(1), &hash);
        let now = Timestamp(seconds * NANOS);
        for cadence in [Cadence::Minutes(10), Cadence::Daily, Cadence::Weekly, Cadence::Monthly] {
            let timing = Timing { cadence, window };
            let first = timing.next(id, now);
            let second = timing.next(id, first);
            prop_assert!(first > now && first.since(now) <= longest(cadence));
            let apart = second.since(first);
            prop_assert!(apart <= longest(cadence) && apart * 10 >= longest(cadence) * 9, "{apart:?}");
            prop_assert_eq!(timing.next(id, Timestamp(first.0 - 1)), first, "a slot is where it is");
        }
    }

    #[test]
    fn slots_lie_in_the_window(
        hash in any::<[u8; 32]>(),
        seconds in 0..4_000_000_000_i64,
        start in 0..1_440_u16,
        minutes in 1..=1_440_u16,
    ) {
        let id = RecordId::new(Shard(1), &hash);
        for cadence in [Cadence::Daily, Cadence::Weekly, Cadence::Monthly] {
            let timing = Timing { cadence, window: Some(Window { start, minutes }) };
            let slot = timing.next(id, Timestamp(seconds * NANOS)).0 / NANOS;
            let into = (slot - i64::from(start) * 60).rem_euclid(DAY);
            prop_assert!(into < i64::from(minutes) * 60, "{into} s after the beginning");
        }
    }
}

#[test]
fn slots_of_many_ids_spread_over_the_day() {
    let midnight = Timestamp(20_000 * DAY * NANOS);
    let daily = Timing::from(Cadence::Daily);
    let hours: BTreeSet<_> = (0..200_u8)
        .map(|number| daily.next(RecordId::new(Shard(0), &[number; 32]), midnight))
        .map(|slot| slot.since(midnight).as_secs() / 3_600)
        .collect();
    assert!(hours.len() >= 20, "{hours:?}");
}

#[test]
fn a_schedule_of_a_version_without_windows_and_skipped_slots_is_read() {
    let id = RecordId::new(Shard(0), &[1; 32]);
    let schedule = Schedule {
        id,
        cadence: Cadence::Daily,
        window: None,
        kind: "kind".to_owned(),
        organization: OrganizationId::NONE,
        resource: id,
        payload: Value::Null,
        priority: 0,
        exclusive: None,
        next_due: Timestamp(1),
        job: None,
        last_run_at: None,
        skipped: 0,
        last_skip: None,
    };
    let mut earlier = serde_json::to_value(&schedule).unwrap();
    for added in ["window", "last_skip"] {
        assert!(earlier.as_object_mut().unwrap().remove(added).is_some(), "{added}");
    }
    assert_eq!(serde_json::from_value::<Schedule>(earlier).unwrap(), schedule);
}
