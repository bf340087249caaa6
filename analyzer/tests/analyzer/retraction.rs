//! A filter that is added takes back what it certainly would have taken away, and nothing else.

mod correlations;
mod sums;
mod kept;
mod interrupted;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::analyzer::Catalogue;
use common::ids::OrganizationId;
use common::incident::{Assessment, IncidentHead};
use common::row;
use common::severity::Severity;
use common::triage::TriageStatus;
use ledger::{Kind, Ledger, LedgerId, Op};
use proptest::prelude::*;

use super::closing::{END, correlation};
use super::crash::{eager, faults, other_rules_may_be_interrupted_at_any_commit};
use super::harness::{
    Again, Delivery, Line, Outcome, PARTITION, World, at, beside, compiled, difference, in_paused_time, rules,
};
use super::once::{deliveries, happenings};
use super::people::review;

const ADDRESS: &str = "203.0.113.9";
const OTHER: &str = "198.51.100.7";

fn catalogue(yaml: &str) -> Catalogue {
    Catalogue::new(Arc::new(compiled(yaml)), BTreeSet::new())
}

/// A filter of applications' records, for these rules.
fn filter(rules: &str, selection: &str) -> String {
    filter_of("{category: application}", rules, selection)
}

fn filter_of(log_source: &str, rules: &str, selection: &str) -> String {
    format!(
        "\n---\ntitle: Our scanner\nid: 00000000-0000-4000-8000-000000000999\nlogsource: {log_source}\n\
         filter: {{rules: {rules}, selection: {{{selection}}}, condition: selection}}\n"
    )
}

fn sign(sign: &str, address: &str, second: u64) -> Delivery {
    Delivery::new(second, [Line::sign(sign, address).at(second)])
}

fn assessment(world: &World, head: &IncidentHead) -> Assessment {
    world.detail(head).assessment
}

/// Titles of the rules that an incident still rests on.
fn standing(world: &World, head: &IncidentHead) -> Vec<String> {
    assessment(world, head).rules.into_iter().map(|rule| rule.title).collect()
}

fn about(world: &World, value: &str) -> IncidentHead {
    let heads = world.heads();
    heads.into_iter().find(|head| head.entity.value == value).unwrap()
}

/// What is analyzed under some rules, and what it comes to after a filter was added.
async fn after(yaml: &str, deliveries: &[Delivery], filter: &str) -> World {
    let world = World::new(yaml);
    world.take(deliveries).await;
    put_in_force(&world, &format!("{yaml}{filter}")).await;
    world
}

/// Other rules at the next start. Whoever has taken in a record has adopted them.
async fn put_in_force(world: &World, yaml: &str) {
    world.catalogue.send_replace(Arc::new(catalogue(yaml)));
    world.take(&[Delivery::new(1, [Line::new("nothing")])]).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_filter_would_have_taken_away_is_taken_back_with_its_name() {
    let world = World::new(&rules::all());
    let running = world.start();
    for second in 0..20 {
        world.send(&sign("loud", ADDRESS, second)).await;
    }
    world.send(&sign("loud", OTHER, 30)).await;
    world.caught_up().await;
    world.adopt(catalogue(&(rules::all() + &filter("[loud]", &format!("client.address: {ADDRESS}"))))).await;
    let head = about(&world, ADDRESS);
    let said = assessment(&world, &head);
    assert_eq!((head.analysis.severity, said.peak_severity), (Severity::Low, Severity::High));
    assert_eq!((head.analysis.event_count, said.rules.len()), (20, 0), "what happened has happened");
    assert_eq!(said.withdrawn_rules[0].title, "Sign loud");
    let told = "Taken back by a suppression (Our scanner): Sign loud; its severity was high at worst.";
    assert!(said.summary.contains(told), "{}", said.summary);
    assert!(said.summary.contains("findings that would be suppressed now"), "{}", said.summary);
    let revision = world.revisions(&head).pop().unwrap();
    let named = "suppressed_by 00000000-0000-4000-8000-000000000999 (Our scanner)";
    assert_eq!(revision.reasons, ["severity_lowered", named, "tactics_changed"]);
    let other = about(&world, OTHER);
    assert_eq!((other.analysis.severity, other.analysis.revision), (Severity::High, 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_filter_would_have_taken_away_in_part_stays() {
    let by = |user: &str, second| {
        Delivery::new(second, [Line::sign("loud", ADDRESS).with("user.name", user).at(second)])
    };
    let eve = filter("[loud]", "user.name: eve");
    let not_bob =
        filter("[loud]", "user.name: bob").replace("condition: selection", "condition: not selection");
    for (deliveries, filter, severity) in [
        (vec![by("eve", 1), by("Eve", 2)], &eve, Severity::High),
        (vec![by("eve", 1), by("eve", 2)], &eve, Severity::Low),
        (vec![by("eve", 1), by("bob", 2)], &eve, Severity::High),
        (vec![by("eve", 1), sign("loud", ADDRESS, 2)], &eve, Severity::High),
        (vec![sign("loud", ADDRESS, 1)], &eve, Severity::High),
        (vec![sign("loud", ADDRESS, 1)], &not_bob, Severity::Low),
        (vec![by("bob", 1)], &not_bob, Severity::High),
        (vec![by("eve", 1), by("ann", 2)], &not_bob, Severity::High),
    ] {
        let world = after(&rules::all(), &deliveries, filter).await;
        let head = world.head();
        assert_eq!(head.analysis.severity, severity, "{filter} {deliveries:?}");
        assert_eq!(head.analysis.revision, if severity == Severity::High { 1 } else { 2 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_suppression_that_ends_gives_nothing_back_and_what_comes_later_joins_again() {
    let suppressed = rules::all() + &filter("[loud]", &format!("client.address: {ADDRESS}"));
    let world = after(
        &rules::all(),
        &[sign("loud", ADDRESS, 1)],
        &filter("any", &format!("client.address: {ADDRESS}")),
    )
    .await;
    let before = world.head();
    let running = world.start();
    world.adopt(catalogue(&rules::all())).await;
    assert_eq!(world.head(), before);
    world.send(&sign("loud", ADDRESS, 2)).await;
    world.caught_up().await;
    let head = world.head();
    assert_eq!((head.analysis.severity, head.analysis.event_count), (Severity::High, 2));
    assert_eq!(
        world.revisions(&head).pop().unwrap().reasons,
        ["severity_raised", "rules_changed", "tactics_changed"]
    );
    world.adopt(catalogue(&suppressed)).await;
    assert_eq!(world.head().analysis.severity, Severity::Low, "taken back again");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_taken_back_twice() {
    let by_address = filter("[loud]", &format!("client.address: {ADDRESS}"));
    let world = after(&rules::all(), &[sign("loud", ADDRESS, 1)], &by_address).await;
    let before = world.rows();
    let [first, again] = [before, {
        put_in_force(&world, &(rules::all() + &by_address)).await;
        world.rows()
    }]
    .map(|mut rows| {
        rows.retain(|(_, key), _| !key.starts_with(b"progress") && !key.starts_with(b"activity"));
        rows
    });
    assert_eq!(first, again);
    let more = filter("[odd]", "client.address: 192.0.2.1").replace("0999", "0998");
    put_in_force(&world, &(rules::all() + &by_address + &more)).await;
    assert_eq!(world.head().analysis.revision, 2, "another filter is about something else");
}

#[tokio::test(start_paused = true)]
async fn a_suppression_of_one_organization_takes_back_nothing_of_another() {
    let everybodys = catalogue(&rules::all());
    let suppressed = beside(&everybodys, &filter("any", &format!("client.address: {ADDRESS}")));
    let yaml = filter("any", &format!("client.address: {ADDRESS}"));
    let unloading = everybodys.clone().unloading(Again::new(&everybodys, &yaml), 0);
    for (organization, severity, latest) in [
        ([8; 16], Severity::High, &everybodys),
        ([9; 16], Severity::Low, &everybodys),
        ([9; 16], Severity::Low, &unloading),
    ] {
        let world = World::new(&rules::all());
        let running = world.start();
        world.send(&sign("loud", ADDRESS, 1)).await;
        world.caught_up().await;
        let own = (OrganizationId::from_bytes(organization), Some(suppressed.clone()));
        world.adopt(latest.clone().with_own([own])).await;
        assert_eq!(world.head().analysis.severity, severity);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_person_has_resolved_is_left_alone() {
    let world = World::new(&rules::all());
    world.take(&[sign("loud", ADDRESS, 1)]).await;
    review(&world.ledger, &world.head(), TriageStatus::Resolved, at(2)).await;
    put_in_force(&world, &(rules::all() + &filter("any", &format!("client.address: {ADDRESS}")))).await;
    assert_eq!((world.head().analysis.severity, world.head().analysis.revision), (Severity::High, 1));
}
