//! Each record counts once, however it is delivered.

use proptest::prelude::*;

use super::harness::{Delivery, Line, Outcome, World, difference, in_paused_time, rules};

const ADDRESS: &str = "203.0.113.9";

/// One activity: kind, origin, actor and time.
#[derive(Clone, Debug)]
pub(super) struct Happening {
    kind: u8,
    address: u8,
    user: u8,
    second: u64,
}

impl Happening {
    fn line(&self) -> Line {
        let address = format!("203.0.113.{}", self.address);
        let user = format!("user{}", self.user);
        let line = match self.kind {
            0..=5 => Line::failed(&user, &address),
            6 => Line::accepted(&user, &address),
            7 => Line::sign("loud", &address),
            8 => Line::sign("odd", &address),
            9 => Line::sign("strange", &address),
            _ => Line::sign("queer", &address),
        };
        line.at(self.second)
    }
}

pub(super) fn happenings(most: usize) -> impl Strategy<Value = Vec<Line>> {
    let one = (0_u8..11, 0_u8..3, 0_u8..5, 0_u64..900).prop_map(|(kind, address, user, second)| Happening {
        kind,
        address,
        user,
        second,
    });
    proptest::collection::vec(one, 1..most).prop_map(|happened| {
        let numbered = happened.iter().enumerate();
        numbered.map(|(number, happening)| happening.line().uid(number.to_string())).collect()
    })
}

/// Lines in deliveries of at most `most` lines, all accepted at once.
pub(super) fn deliveries(lines: &[Line], most: usize) -> Vec<Delivery> {
    lines.chunks(most).map(|chunk| Delivery::new(900, chunk.iter().cloned())).collect()
}

async fn outcomes_of(deliveries: &[Delivery]) -> Vec<Outcome> {
    let world = World::new(&rules::all());
    world.take(deliveries).await;
    world.outcomes()
}

fn assert_same(found: &[Outcome], expected: &[Outcome], how: &str) {
    assert!(found == expected, "{how}\n{}", difference(&found, &expected));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_repetition_and_batches_change_nothing(
        (lines, shuffled, per_batch, other_per_batch) in happenings(80).prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle(), 1_usize..30, 1_usize..30)
        }),
        seed in any::<prop::sample::Index>(),
    ) {
        in_paused_time(async {
            let plain = deliveries(&lines, per_batch);
            let expected = outcomes_of(&plain).await;
            let mut again = plain.clone();
            again.extend(plain.iter().cloned());
            let start = seed.index(again.len());
            again.rotate_left(start);
            assert_same(&outcomes_of(&again).await, &expected, "sent twice");
            let other = deliveries(&shuffled, other_per_batch);
            assert_same(&outcomes_of(&other).await, &expected, "split otherwise");
            let both: Vec<Delivery> = other.iter().chain(&plain).cloned().collect();
            assert_same(&outcomes_of(&both).await, &expected, "split otherwise and sent again");
        });
    }
}

#[tokio::test(start_paused = true)]
async fn ten_lines_without_times_are_ten_events() {
    let world = World::new(&rules::all());
    let line = Line::failed("root", ADDRESS);
    world.take(&[Delivery::new(0, vec![line; 10])]).await;
    assert_eq!(world.head().analysis.event_count, 10);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_without_times_or_key_is_counted_as_new() {
    let world = World::new(&rules::all());
    let delivery = Delivery::new(0, vec![Line::failed("root", ADDRESS); 10]);
    world.take(&[delivery.clone(), delivery]).await;
    assert_eq!(world.head().analysis.event_count, 20);
}

#[tokio::test(start_paused = true)]
async fn a_key_recognises_a_repeat_of_lines_without_times() {
    let world = World::new(&rules::all());
    let delivery = Delivery::new(0, vec![Line::failed("root", ADDRESS); 10]).keyed(1);
    let other = delivery.clone().keyed(2);
    world.take(&[delivery.clone(), delivery, other]).await;
    assert_eq!(world.head().analysis.event_count, 20);
}

#[tokio::test(start_paused = true)]
async fn a_body_with_its_own_times_is_recognised_whatever_the_keys() {
    let lines: Vec<Line> = (0..10).map(|second| Line::failed("root", ADDRESS).at(second)).collect();
    let plain = Delivery::new(10, lines);
    for (first, second) in [
        (plain.clone(), plain.clone()),
        (plain.clone(), plain.clone().keyed(1)),
        (plain.clone().keyed(1), plain.clone()),
        (plain.clone().keyed(1), plain.clone().keyed(2)),
    ] {
        let world = World::new(&rules::all());
        world.take(&[first, second]).await;
        assert_eq!(world.head().analysis.event_count, 10);
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeat_leaves_no_trace_at_an_incident() {
    let world = World::new(&rules::all());
    let lines = |seconds| {
        let lines = (0..10).map(|number| Line::failed("root", ADDRESS).at(number).uid(number.to_string()));
        Delivery::new(seconds, lines)
    };
    world.take(&[lines(10)]).await;
    let (head, revisions) = (world.head(), world.revisions(&world.head()).len());
    // In halves it is another delivery, whose records are known.
    let Delivery { lines: all, .. } = lines(20);
    let halves: Vec<Delivery> = all.chunks(5).map(|half| Delivery::new(20, half.iter().cloned())).collect();
    world.take(&halves).await;
    assert_eq!(world.head(), head);
    assert_eq!(world.revisions(&head).len(), revisions);
}

#[tokio::test(start_paused = true)]
async fn a_key_of_one_source_says_nothing_about_another() {
    let world = World::new(&rules::all());
    let delivery = Delivery::new(0, vec![Line::failed("root", ADDRESS); 10]).keyed(1);
    world.take(&[delivery.clone(), delivery.of_source(2)]).await;
    assert_eq!(world.heads().iter().map(|head| head.analysis.event_count).collect::<Vec<_>>(), [10, 10]);
}
