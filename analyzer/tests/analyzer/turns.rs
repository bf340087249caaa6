//! Expensive rules of organizations: batches are matched in turns, a withdrawal takes effect in the middle of one, and a
//! restart continues after the last turn.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ::analyzer::Catalogue;
use common::ids::{OrganizationId, SourceId};
use common::partition::Position;
use common::row::{self, RuleTally};
use ledger::Kind;

use super::harness::{Delivery, Line, World, beside, compiled, rules};
use super::letters::random_letters;

const ORGANIZATION: [u8; 16] = [9; 16];
const EXPENSIVE_ID: &str = "00000000-0000-4000-8000-000000000901";

/// A rule that takes about a thousand steps for each byte of random letters.
fn expensive() -> String {
    format!(
        "title: Expensive\nid: {EXPENSIVE_ID}\nlogsource: {{category: application}}\n\
         detection: {{selection: {{letters|re: 'a[ab]{{990}}\\pN'}}, condition: selection}}\nlevel: high\n"
    )
}

/// Records that cost about 33 million steps each, of which two fit into a turn, and a loud one behind them.
fn hostile(records: usize, bytes: usize) -> Delivery {
    let letters = random_letters(bytes);
    let line = || Line::new("letters").with("letters", letters.clone()).with("sign", "quiet").at(1);
    let mut lines: Vec<Line> = (0..records).map(|_| line()).collect();
    lines.push(Line::sign("loud", "203.0.113.9").at(1));
    Delivery::new(1, lines)
}

fn shared_rules() -> Catalogue {
    Catalogue::new(Arc::new(compiled(&rules::critical())), BTreeSet::new())
}

fn with_expensive_rule() -> World {
    let own = beside(&shared_rules(), &expensive());
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    World::of(Arc::new(shared_rules().with_own([(organization, Some(own))])))
}

/// Waits until a position in the middle of the first batch is committed.
async fn in_the_middle(world: &World) -> Position {
    for _ in 0..600_000 {
        let position = world.position();
        if position.record > 0 {
            return position;
        }
        assert!(position.offset.0 <= 1, "the batch was taken at once");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("no turn has ended at {:?}", world.progress());
}

#[tokio::test]
async fn a_batch_that_is_expensive_is_committed_in_turns_and_loses_nothing() {
    let world = with_expensive_rule();
    world.send(&hostile(3, 40 << 10)).await;
    let running = world.start();
    assert!(in_the_middle(&world).await.record < 4);
    world.caught_up().await;
    running.stop().await;
    assert_eq!(world.head().analysis.event_count, 1, "what stands behind was found");
    let key = row::rule_tally_key(
        OrganizationId::from_bytes(ORGANIZATION),
        EXPENSIVE_ID,
        SourceId::from_bytes([1; 16]),
    );
    let tally: RuleTally = row::decode(&world.ledger.row(Kind::State, &key).unwrap()).unwrap();
    assert_eq!(tally.inconclusive, 3, "each was searched only in part");
}

#[tokio::test]
async fn a_rule_that_is_withdrawn_in_the_middle_of_a_batch_is_asked_for_no_more_of_it() {
    let world = with_expensive_rule();
    // Minutes of work in all.
    world.send(&hostile(500, 40 << 10)).await;
    let running = world.start();
    in_the_middle(&world).await;
    world.adopt(shared_rules()).await;
    let adopted_at = world.position();
    assert!(adopted_at.offset.0 <= 1 && adopted_at.record < 100, "{adopted_at:?}");
    world.caught_up().await;
    running.stop().await;
    assert_eq!(world.head().analysis.event_count, 1);
}

#[tokio::test]
async fn a_restart_goes_on_behind_the_last_turn_while_the_expensive_records_are_still_there() {
    let world = with_expensive_rule();
    world.send(&hostile(5, 40 << 10)).await;
    let running = world.start();
    let before = in_the_middle(&world).await;
    drop(running);
    assert_eq!(world.position().offset, before.offset);
    let running = world.start();
    world.caught_up().await;
    running.stop().await;
    assert_eq!(world.head().analysis.event_count, 1);
    let uninterrupted = with_expensive_rule();
    uninterrupted.take(&[hostile(5, 40 << 10)]).await;
    assert_eq!(world.rows(), uninterrupted.rows(), "nothing is lost or doubled");
}

fn suspensions(world: &World) -> Vec<row::SuspendedDocument> {
    let rows = world.bodies(Kind::State, row::SUSPENSIONS_PREFIX);
    rows.iter().map(|body| row::decode(body).unwrap()).collect()
}

#[tokio::test]
async fn a_rule_that_takes_too_many_steps_is_suspended_at_the_same_record_in_every_run() {
    let world = with_expensive_rule();
    world.send(&hostile(500, 40 << 10)).await;
    let running = world.start();
    in_the_middle(&world).await;
    // A replay of a part, after whatever was committed.
    drop(running);
    let running = world.start();
    world.caught_up().await;
    running.stop().await;
    let [suspended] = &suspensions(&world)[..] else { panic!("one rule: {:?}", suspensions(&world)) };
    assert_eq!(suspended.sigma_id, EXPENSIVE_ID);
    assert!(suspended.reason.contains("steps for 3 records"), "{}", suspended.reason);
    assert_eq!(world.head().analysis.event_count, 1, "the shared rules go on");
    assert_ne!(world.progress().rules_version, world.catalogue.borrow().version());
    let replay = with_expensive_rule();
    replay.take(&[hostile(500, 40 << 10)]).await;
    assert_eq!(replay.rows(), world.rows());

    // It stays suspended after a restart, and comes back with other content only.
    world
        .take(&[Delivery::new(2, [Line::new("letters").with("letters", random_letters(4_000)).at(2)])])
        .await;
    assert_eq!(suspensions(&world).len(), 1);
    let running = world.start();
    let changed = beside(&shared_rules(), &expensive().replace("990", "99"));
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    world.adopt(shared_rules().with_own([(organization, Some(changed))])).await;
    running.stop().await;
    assert!(suspensions(&world).is_empty());
}

#[tokio::test]
async fn a_suspended_filter_of_a_layer_takes_nothing_away_any_more_and_its_rules_go_on() {
    let own = format!(
        "title: Expensive filter\nid: {EXPENSIVE_ID}\nlogsource: {{category: application}}\n\
         filter: {{rules: [loud], selection: {{letters|re: 'a[ab]{{990}}\\pN'}}, condition: selection}}\n\
         ---\ntitle: Cheap\nid: 00000000-0000-4000-8000-000000000902\nlogsource: {{category: application}}\n\
         detection: {{selection: {{letters|startswith: 'x'}}, condition: selection}}\nlevel: high\n"
    );
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    let own = beside(&shared_rules(), &own);
    let world = World::of(Arc::new(shared_rules().with_own([(organization, Some(own))])));
    let letters = random_letters(40 << 10);
    let loud = || Line::sign("loud", "203.0.113.9").with("letters", letters.clone()).at(1);
    let mut lines: Vec<Line> = (0..20).map(|_| loud()).collect();
    // The filter would take this one away: a digit behind enough letters.
    let taken_away = format!("a{}7", "b".repeat(990));
    lines.push(Line::sign("loud", "203.0.113.9").with("letters", taken_away).at(1));
    lines.push(Line::new("letters").with("letters", "x").at(1));
    world.take(&[Delivery::new(1, lines)]).await;
    let [suspended] = &suspensions(&world)[..] else { panic!("one filter: {:?}", suspensions(&world)) };
    assert_eq!(suspended.sigma_id, EXPENSIVE_ID);
    let events: u64 = world.heads().iter().map(|head| head.analysis.event_count).sum();
    assert_eq!(events, 22, "every loud record, and the match of the other rule of the organization");
}
