//! Shares of organizations in a minute of a partition's records: for rules that take more only cheap conditions are decided for
//! the rest of that minute, so that other organizations in the partition wait for a bounded number of steps.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::analyzer::{Catalogue, Loader};
use common::ids::{OrganizationId, SourceId};
use common::row::{self, RuleTally};
use ledger::Kind;

use super::harness::{Again, Delivery, Fault, Line, World, beside, compiled, rules};
use super::letters::random_letters;

const ORGANIZATION: [u8; 16] = [9; 16];
const COSTLY_ID: &str = "00000000-0000-4000-8000-000000000911";
/// Steps of a minute beyond which an organization has used up its share, and that one record may take.
const SHARE: u64 = 1 << 26;
const OF_ONE_RECORD: u64 = 1 << 27;

/// A rule that costs some sixty steps for each byte of random letters: more than a share allows and less than it is
/// suspended for. And one that costs next to nothing.
fn own() -> String {
    format!(
        "title: Costly\nid: {COSTLY_ID}\nlogsource: {{category: application}}\n\
         detection: {{selection: {{letters|re: 'a[ab]{{60}}9'}}, condition: selection}}\nlevel: critical\n\
         incident_family: costly\n---\n\
         title: Cheap\nid: 00000000-0000-4000-8000-000000000912\nlogsource: {{category: application}}\n\
         detection: {{selection: {{letters: 'x'}}, condition: selection}}\nlevel: critical\nincident_family: cheap\n"
    )
}

fn world() -> World {
    let shared_rules = Catalogue::new(Arc::new(compiled(&rules::critical())), BTreeSet::new());
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    let own = beside(&shared_rules, &own());
    World::of(Arc::new(shared_rules.with_own([(organization, Some(own))])))
}

fn letters(letters: impl Into<String>, second: u64) -> Line {
    Line::new("letters").with("letters", letters).at(second)
}

/// A line that the costly rule matches.
fn found_by_the_costly_rule(second: u64) -> Line {
    letters(format!("a{}9", "b".repeat(60)), second)
}

/// A share and more within a minute, with records behind it that each rule matches; and another minute.
fn deliveries() -> Vec<Delivery> {
    let long = random_letters(10 << 10);
    let mut lines: Vec<Line> = (0..150).map(|_| letters(long.clone(), 1)).collect();
    lines.extend([found_by_the_costly_rule(1), letters("x", 1)]);
    let victim = Delivery::new(2, [Line::sign("loud", "203.0.113.9").at(2)]).of_organization(8).of_source(2);
    vec![
        Delivery::new(1, lines),
        victim,
        Delivery::new(30, [found_by_the_costly_rule(30)]),
        Delivery::new(90, [found_by_the_costly_rule(90)]),
    ]
}

fn inconclusive(world: &World) -> u64 {
    let source = SourceId::from_bytes([1; 16]);
    let key = row::rule_tally_key(OrganizationId::from_bytes(ORGANIZATION), COSTLY_ID, source);
    let tally: RuleTally = row::decode(&world.ledger.row(Kind::State, &key).unwrap()).unwrap();
    tally.inconclusive
}

fn families(world: &World) -> Vec<(String, u64)> {
    world.heads().into_iter().map(|head| (head.family, head.analysis.event_count)).collect()
}

#[tokio::test]
async fn rules_that_used_up_the_share_of_a_minute_decide_what_is_cheap_until_the_next() {
    let world = world();
    world.take(&deliveries()).await;
    let expected =
        [("cheap", 1), ("costly", 1), ("loud", 1)].map(|(family, events)| (family.to_owned(), events));
    assert_eq!(families(&world), expected, "of the costly rule what is of the next minute");
    assert!(world.bodies(Kind::State, row::SUSPENSIONS_PREFIX).is_empty(), "it is not suspended for that");
    let undecided = inconclusive(&world);
    assert!((3..100).contains(&undecided), "{undecided} of the 152 records");
}

#[tokio::test]
async fn others_in_the_partition_wait_for_a_bounded_number_of_steps() {
    let world = world();
    let [first, victim, ..] = &deliveries()[..] else { panic!("two at least") };
    world.take(&[first.clone(), victim.clone()]).await;
    let [steps] = &world.bodies(Kind::State, b"steps")[..] else { panic!("one organization") };
    let steps: serde_json::Value = row::decode(steps).unwrap();
    let taken = steps["taken"].as_u64().unwrap();
    assert!((SHARE..SHARE + OF_ONE_RECORD).contains(&taken), "{taken}");
}

#[tokio::test]
async fn the_share_is_used_up_at_the_same_record_in_every_run() {
    let uninterrupted = world();
    uninterrupted.take(&deliveries()).await;
    let mut interrupted = world();
    interrupted.config.threads = 4;
    let faults = [(1, Fault::DiesBefore), (3, Fault::DiesAfter), (4, Fault::AnswerLost), (6, Fault::Lost)];
    interrupted.ledger.plan_faults(faults);
    interrupted.take(&deliveries()).await;
    assert_eq!(interrupted.rows(), uninterrupted.rows());
}

/// Whatever is matched needs the rules of the organization, which are unloaded before: so loading them counts it.
#[tokio::test]
async fn a_delivery_that_is_sent_again_is_not_matched_again() {
    let shared_rules = Catalogue::new(Arc::new(compiled(&rules::critical())), BTreeSet::new());
    let again = Again::new(&shared_rules, &own());
    let [organization, other] = [ORGANIZATION, [7; 16]].map(OrganizationId::from_bytes);
    let with_rules_of = |catalogue: &Catalogue, of: OrganizationId| {
        catalogue.clone().with_own([(of, Some(beside(&shared_rules, &own())))])
    };
    let nowhere = shared_rules.clone().unloading(Arc::clone(&again) as Arc<dyn Loader>, 0);
    let world = World::of(Arc::new(with_rules_of(&nowhere, organization)));
    // Room is made for those of another organization, and there is none.
    let unload = || drop(with_rules_of(&world.catalogue.borrow(), other));
    let loads = || again.loads.load(Ordering::Relaxed);
    let delivery = |second: u64| Delivery::new(second, (0..40).map(|_| letters(random_letters(100), second)));
    let (first, second) = (delivery(1), delivery(2));
    world.take(std::slice::from_ref(&first)).await;
    unload();
    let (steps, before) = (world.bodies(Kind::State, b"steps"), loads());
    world.take(&vec![first; 40]).await;
    assert_eq!(loads(), before, "nothing of it is matched");
    assert_eq!(world.bodies(Kind::State, b"steps"), steps, "and nothing is counted again");
    world.take(&[second]).await;
    assert_eq!(loads(), before + 1, "another one is matched");
}
