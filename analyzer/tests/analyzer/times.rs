//! Records from the past, from the future, and without a time.

use super::harness::{Delivery, Line, World, at, rules};

const ADDRESS: &str = "203.0.113.9";

fn failed(seconds: impl IntoIterator<Item = u64>) -> Vec<Line> {
    seconds.into_iter().map(|second| Line::failed("root", ADDRESS).at(second)).collect()
}

#[tokio::test(start_paused = true)]
async fn the_future_ends_five_minutes_after_acceptance() {
    let world = World::new(&rules::all());
    world.take(&[Delivery::new(100, [Line::sign("loud", ADDRESS).at(1_000_000)])]).await;
    let head = world.head();
    assert_eq!((head.analysis.first_seen_at, head.analysis.last_activity_at), (at(400), at(400)));
    let evidence = &world.detail(&head).evidence[0];
    assert!(!evidence.time_inferred);
    assert_eq!(evidence.received_at, at(100));
}

#[tokio::test(start_paused = true)]
async fn a_record_without_a_time_happened_when_it_was_accepted_and_says_so() {
    let world = World::new(&rules::all());
    world.take(&[Delivery::new(100, [Line::sign("loud", ADDRESS)])]).await;
    let evidence = world.detail(&world.head()).evidence;
    assert_eq!((evidence[0].event_time, evidence[0].time_inferred), (at(100), true));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_was_away_for_an_hour_still_counts() {
    let world = World::new(rules::LOGINS);
    let other = (0..5).map(|second| Line::failed("root", "198.51.100.1").at(3_600 + second));
    world.take(&[Delivery::new(3_610, other), Delivery::new(3_620, failed(0..5))]).await;
    let head = world.heads().into_iter().find(|head| head.entity.value == ADDRESS).unwrap();
    assert_eq!((head.analysis.event_count, head.analysis.first_seen_at), (5, at(0)));
}

#[tokio::test(start_paused = true)]
async fn late_is_what_is_older_than_the_groups_own_newest_by_more_than_its_state() {
    // Five minutes of window and ten of patience.
    for (late_by, counted) in [(890, true), (901, false)] {
        let world = World::new(rules::LOGINS);
        let (first, rest) = (failed([2_000]), failed((0..5).map(|_| 2_000 - late_by)));
        world.take(&[Delivery::new(2_000, first), Delivery::new(2_001, rest)]).await;
        assert_eq!(world.heads().len(), usize::from(counted), "{late_by} s");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_window_has_seen_is_forgotten_by_the_logs_time_alone() {
    let world = World::new(rules::LOGINS);
    world.take(&[Delivery::new(0, failed(0..4))]).await;
    // Nothing happens for an hour; then the fifth of the same minutes arrives.
    world.take(&[Delivery::tick(3_600), Delivery::new(3_601, failed([4]))]).await;
    assert!(world.heads().is_empty());
}
