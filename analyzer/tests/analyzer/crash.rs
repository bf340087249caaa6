//! After any failure of any commit, the final ledger is the same as without it.

use std::sync::Arc;

use ::analyzer::Catalogue;
use proptest::prelude::*;

use super::harness::{Delivery, Fault, Line, World, in_paused_time, rules};
use super::once::{deliveries, happenings};

pub(super) fn faults() -> impl Strategy<Value = Vec<(usize, Fault)>> {
    proptest::collection::vec((0_usize..40, proptest::sample::select(&Fault::ALL[..])), 1..12)
}

pub(super) fn eager(mut world: World) -> World {
    // Every batch with a finding is committed by itself: as many places to fail at as there can be.
    world.config.flush_interval_ms = 0;
    world
}

/// Thirty incidents of a rule, then other rules come and a delivery: the same rows, whatever commit is disturbed then.
pub(super) async fn other_rules_may_be_interrupted_at_any_commit(
    other: impl Fn() -> Catalogue,
    next: impl Fn() -> Delivery,
) {
    let after = async |faults: Vec<(usize, Fault)>| {
        let mut world = World::new(&rules::critical());
        world.config.flush_interval_ms = 0;
        let lines = (0..30).map(|number| Line::sign("loud", &format!("198.51.100.{number}")).at(1));
        world.take(&[Delivery::new(1, lines)]).await;
        assert_eq!(world.heads().len(), 30);
        let committed = world.ledger.book().len();
        world.ledger.plan_faults(faults.into_iter().map(|(at, fault)| (committed + at, fault)));
        world.catalogue.send_replace(Arc::new(other()));
        world.take(&[next()]).await;
        world.rows()
    };
    let undisturbed = after(Vec::new()).await;
    for fault in Fault::ALL {
        for commit in 0..4 {
            assert_eq!(after(vec![(commit, fault)]).await, undisturbed, "{fault:?} at {commit}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn faults_at_any_commits_leave_no_trace(lines in happenings(120), per_batch in 1_usize..12, faults in faults()) {
        in_paused_time(async {
            let deliveries = deliveries(&lines, per_batch);
            let undisturbed = World::new(&rules::all());
            undisturbed.take(&deliveries).await;
            let disturbed = eager(undisturbed.anew());
            disturbed.ledger.plan_faults(faults);
            disturbed.take(&deliveries).await;
            assert_eq!(disturbed.rows(), undisturbed.rows());
        });
    }

    #[test]
    fn two_owners_at_once_leave_no_trace(lines in happenings(80), per_batch in 1_usize..12) {
        in_paused_time(async {
            let deliveries = deliveries(&lines, per_batch);
            let undisturbed = World::new(&rules::all());
            undisturbed.take(&deliveries).await;
            let disturbed = eager(undisturbed.anew());
            for delivery in &deliveries {
                disturbed.send(delivery).await;
            }
            let (first, second) = (disturbed.start(), disturbed.start());
            disturbed.caught_up().await;
            first.stop().await;
            second.stop().await;
            assert_eq!(disturbed.rows(), undisturbed.rows());
        });
    }
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_was_replaced_commits_nothing_more() {
    let world = World::new(&rules::all());
    let first = world.start();
    world.send(&Delivery::new(0, vec![Line::sign("loud", "203.0.113.1")])).await;
    world.caught_up().await;
    let second = world.start();
    world.send(&Delivery::new(1, vec![Line::sign("loud", "203.0.113.2")])).await;
    world.caught_up().await;
    first.stop().await;
    second.stop().await;
    let counts: Vec<u64> = world.heads().iter().map(|head| head.analysis.event_count).collect();
    assert_eq!(counts, [1, 1]);
    assert!(world.progress().owner_epoch >= 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_while_it_is_being_deleted_stays_forgotten() {
    // Hundreds of windows end in the same minute; dying among their deletions changes nothing.
    let lines =
        (0..900).map(|number| Line::failed("root", &format!("198.51.{}.{}", number / 250, number % 250)));
    let first = Delivery::new(0, lines);
    let later: Vec<Delivery> =
        (1..12).map(|number| Delivery::new(3_600 + number, [Line::failed("root", "198.51.0.1")])).collect();
    let undisturbed = World::new(&rules::all());
    undisturbed.take(std::slice::from_ref(&first)).await;
    for delivery in &later {
        undisturbed.take(std::slice::from_ref(delivery)).await;
    }
    assert!(undisturbed.bodies(ledger::Kind::State, b"window").len() < 10);

    let disturbed = eager(undisturbed.anew());
    disturbed.take(&[first]).await;
    let committed = disturbed.ledger.book().len();
    disturbed
        .ledger
        .plan_faults((committed..committed + 20).step_by(3).map(|number| (number, Fault::DiesAfter)));
    disturbed.take(&later).await;
    for number in 0..12 {
        disturbed.take(&[Delivery::tick(3_700 + number)]).await;
        undisturbed.take(&[Delivery::tick(3_700 + number)]).await;
    }
    // The ticks bring the deletions to their end; then nothing but the position may differ.
    let mut rows = [disturbed.rows(), undisturbed.rows()];
    for rows in &mut rows {
        rows.retain(|(_, key), _| !key.starts_with(b"progress"));
    }
    assert_eq!(rows[0], rows[1]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_partition_waits() {
    let world = World::new(&rules::all());
    let running = world.start();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    running.stop().await;
    assert_eq!(world.ledger.book().len(), 1, "it took over and then had nothing to say");
}
