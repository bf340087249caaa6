//! Findings of ended windows are the same whatever failures occur before the end.

use proptest::prelude::*;

use super::closing::{END, correlation, signs};
use super::crash::{eager, faults};
use super::harness::{Delivery, Fault, Line, Outcome, World, difference, in_paused_time};

/// Rules of every way to close, one of them counted by others that close in turn.
fn closing_rules() -> String {
    let grouped = |body: &str| format!("{body}, group-by: [client.address], timespan: 1m");
    let few = grouped("type: event_count, rules: [one], condition: {lte: 3}");
    let average = grouped("type: value_avg, rules: [one, two], condition: {field: bytes, gt: 20}");
    let without = grouped("type: temporal, condition: two and not three");
    let again = "type: event_count, rules: [few], group-by: [user.name], timespan: 2m, condition: {lte: 2}";
    let often = "type: value_count, rules: [few], group-by: [user.name], timespan: 10m, condition: {field: client.address, gte: 2}";
    signs()
        + &correlation(1, "few", &few, "")
        + &correlation(2, "average", &average, "")
        + &correlation(3, "without", &without, "")
        + &correlation(4, "again", again, "generate: true")
        + &correlation(5, "often", often, "generate: true")
}

/// Stages of a minute and a half each, every one with the lines received at its end.
fn stages() -> impl Strategy<Value = Vec<Vec<Line>>> {
    let line = (0_usize..3, 0_u8..2, 0_u8..2, 0_u64..90, 0_u8..50);
    let stage = proptest::collection::vec(line, 0..12);
    proptest::collection::vec(stage, 1..5).prop_map(|stages| {
        let line =
            |stage: usize, number: usize, (kind, address, user, second, bytes): (usize, u8, u8, u64, u8)| {
                Line::sign(["one", "two", "three"][kind], &format!("203.0.113.{address}"))
                    .with("user.name", format!("user{user}"))
                    .with("bytes", bytes.to_string())
                    .at(stage as u64 * 90 + second)
                    .uid(format!("{stage} {number}"))
            };
        let numbered = stages.into_iter().enumerate();
        numbered
            .map(|(stage, lines)| {
                lines.into_iter().enumerate().map(|(number, parts)| line(stage, number, parts)).collect()
            })
            .collect()
    })
}

/// The stages, each in batches of so many lines, with everything before it once more in batches of
/// `repeated` lines, if any; then two ticks.
fn staged(stages: &[Vec<Line>], per_batch: usize, repeated: Option<usize>) -> Vec<Delivery> {
    let mut deliveries = Vec::new();
    let mut before: Vec<Line> = Vec::new();
    for (stage, lines) in stages.iter().enumerate() {
        let received = (stage as u64 + 1) * 90;
        let batch = |chunk: &[Line]| Delivery::new(received, chunk.iter().cloned());
        deliveries.extend(lines.chunks(per_batch).map(batch));
        before.extend(lines.iter().cloned());
        if let Some(repeated) = repeated {
            deliveries.extend(before.chunks(repeated).map(batch));
        } else if lines.is_empty() {
            deliveries.push(Delivery::tick(received));
        }
    }
    deliveries.extend([Delivery::tick(END), Delivery::tick(END)]);
    deliveries
}

async fn outcomes_of(deliveries: &[Delivery]) -> Vec<Outcome> {
    let world = World::new(&closing_rules());
    world.take(deliveries).await;
    world.outcomes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_repetition_and_batches_change_nothing(
        (stages, shuffled) in stages().prop_flat_map(|stages| {
            let shuffled: Vec<_> = stages.iter().map(|lines| Just(lines.clone()).prop_shuffle()).collect();
            (Just(stages), shuffled)
        }),
        per_batch in 1_usize..13,
        other_per_batch in 1_usize..13,
        repeated in 1_usize..13,
    ) {
        in_paused_time(async {
            let expected = outcomes_of(&staged(&stages, per_batch, None)).await;
            for (deliveries, how) in [
                (staged(&shuffled, other_per_batch, None), "split otherwise"),
                (staged(&shuffled, other_per_batch, Some(repeated)), "sent again and again"),
            ] {
                let found = outcomes_of(&deliveries).await;
                assert!(found == expected, "{how}\n{}", difference(&found, &expected));
            }
        });
    }

    #[test]
    fn faults_and_other_owners_leave_no_trace(
        stages in stages(),
        per_batch in 1_usize..13,
        faults in faults(),
    ) {
        in_paused_time(async {
            let deliveries = staged(&stages, per_batch, None);
            let undisturbed = World::new(&closing_rules());
            undisturbed.take(&deliveries).await;
            let disturbed = eager(undisturbed.anew());
            disturbed.ledger.plan_faults(faults);
            disturbed.take(&deliveries).await;
            assert!(disturbed.rows() == undisturbed.rows(), "after faults");
            let shared = eager(undisturbed.anew());
            for delivery in &deliveries {
                shared.send(delivery).await;
            }
            let (first, second) = (shared.start(), shared.start());
            shared.caught_up().await;
            first.stop().await;
            second.stop().await;
            assert!(shared.rows() == undisturbed.rows(), "after two owners at once");
        });
    }
}

/// Windows of every kind, which end at several places in the log.
fn several_stages() -> Vec<Delivery> {
    let line = |number: u64| {
        Line::sign(
            ["one", "two", "three"][usize::try_from(number * 7 % 3).unwrap()],
            &format!("203.0.113.{}", number % 2),
        )
        .with("user.name", format!("user{}", number % 3))
        .with("bytes", (number % 50).to_string())
        .at(number * 17)
        .uid(number.to_string())
    };
    let stages = [0..6_u64, 6..12, 12..18].map(|numbers| numbers.map(line).collect::<Vec<_>>());
    staged(&stages, 4, None)
}

#[test]
fn dying_at_any_commit_leaves_no_trace() {
    in_paused_time(async {
        let undisturbed = World::new(&closing_rules());
        undisturbed.take(&several_stages()).await;
        assert!(undisturbed.heads().len() > 3, "{}", undisturbed.heads().len());
        let plain = eager(undisturbed.anew());
        plain.take(&several_stages()).await;
        // The first is the take-over.
        let commits = plain.ledger.book().len() + 1;
        assert!(commits > 8, "{commits}");
        for (number, fault) in (0..commits).flat_map(|number| Fault::ALL.map(|fault| (number, fault))) {
            let disturbed = eager(undisturbed.anew());
            disturbed.ledger.plan_faults([(number, fault)]);
            disturbed.take(&several_stages()).await;
            assert!(disturbed.rows() == undisturbed.rows(), "{fault:?} at commit {number}");
        }
    });
}
