//! A suppression that is added holds for later records: incidents that exist stay as they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::analyzer::Catalogue;
use common::severity::Severity;

use super::harness::{Delivery, Line, World, compiled, rules};

const ADDRESS: &str = "203.0.113.9";

fn filter() -> String {
    format!(
        "\n---\ntitle: Our scanner\nid: 00000000-0000-4000-8000-000000000999\nlogsource: {{category: application}}\n\
         filter: {{rules: any, selection: {{client.address: {ADDRESS}}}, condition: selection}}\n"
    )
}

fn sign(sign: &str, second: u64) -> Delivery {
    Delivery::new(second, [Line::sign(sign, ADDRESS).at(second)])
}

#[tokio::test(start_paused = true)]
async fn an_added_suppression_leaves_open_incidents_as_they_are_and_takes_what_comes_later() {
    let world = World::new(&rules::all());
    let running = world.start();
    world.send(&sign("loud", 1)).await;
    world.caught_up().await;
    let before = world.head();
    world.adopt(Catalogue::new(Arc::new(compiled(&(rules::all() + &filter()))), BTreeSet::new())).await;
    assert_eq!(world.head(), before);
    world.send(&sign("loud", 2)).await;
    world.caught_up().await;
    assert_eq!(world.head(), before, "the later record is suppressed");
    assert_eq!((before.analysis.severity, before.analysis.event_count), (Severity::High, 1));
    running.stop().await;
}
