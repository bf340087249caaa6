//! Other rules for a running analyzer: findings from then on, windows that are kept, and contributions that incidents lose.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::analyzer::{Catalogue, Loader};
use common::ids::{OrganizationId, SourceId};
use common::row::{self, RuleTally};
use common::severity::Severity;
use ledger::Kind;

use super::crash::other_rules_may_be_interrupted_at_any_commit;
use super::harness::{Again, Delivery, Line, World, beside, compiled, rules};

const ADDRESS: &str = "203.0.113.9";
const ORGANIZATION: [u8; 16] = [9; 16];
const SOURCE: [u8; 16] = [1; 16];

fn catalogue(yaml: &str) -> Catalogue {
    Catalogue::new(Arc::new(compiled(yaml)), BTreeSet::new())
}

fn sign(sign: &str, second: u64) -> Delivery {
    Delivery::new(second, [Line::sign(sign, ADDRESS).at(second)])
}

fn failure(user: u64, second: u64) -> Delivery {
    Delivery::new(
        second,
        [Line::failed(&format!("user{user}"), ADDRESS).with("process.name", "sshd").at(second)],
    )
}

fn tally(world: &World, id: &str) -> RuleTally {
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    let key = row::rule_tally_key(organization, id, SourceId::from_bytes(SOURCE));
    world.ledger.row(Kind::State, &key).map(|body| row::decode(&body).unwrap()).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_new_rule_finds_what_comes_after_it_and_nothing_before() {
    let world = World::new("");
    let running = world.start();
    world.send(&sign("loud", 1)).await;
    world.caught_up().await;
    world.adopt(catalogue(&rules::all())).await;
    world.send(&sign("loud", 2)).await;
    world.caught_up().await;
    running.stop().await;
    let head = world.head();
    assert_eq!(head.analysis.event_count, 1);
    let version = world.catalogue.borrow().version().to_owned();
    assert_eq!(world.progress().rules_version, version);
}

#[tokio::test(start_paused = true)]
async fn rules_of_one_organization_concern_no_other() {
    let foreign = OrganizationId::from_bytes([8; 16]);
    let shared_rules = catalogue("");
    let own = beside(&shared_rules, &rules::all());
    let world = World::of(Arc::new(shared_rules.clone().with_own([(foreign, Some(own.clone()))])));
    world.take(&[sign("loud", 1)]).await;
    assert!(world.heads().is_empty());
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    let world = World::of(Arc::new(shared_rules.with_own([(organization, Some(own))])));
    world.take(&[sign("loud", 1)]).await;
    assert_eq!(world.heads().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn rules_that_are_unloaded_after_every_use_find_the_same() {
    let organization = OrganizationId::from_bytes(ORGANIZATION);
    let shared_rules = catalogue("");
    let again = Again::new(&shared_rules, &rules::all());
    let loader: Arc<dyn Loader> = Arc::clone(&again) as Arc<dyn Loader>;
    let mut rows = Vec::new();
    for catalogue in [shared_rules.clone(), shared_rules.clone().unloading(loader, 0)] {
        let own = beside(&shared_rules, &rules::all());
        let world = World::of(Arc::new(catalogue.with_own([(organization, Some(own))])));
        let signs = (0..4).map(|second| sign("loud", second));
        let logins = (4..12).map(|second| failure(second, second));
        world.take(&signs.chain(logins).collect::<Vec<_>>()).await;
        let mut found = world.rows();
        found.retain(|(_, key), _| !key.starts_with(b"progress") && !key.starts_with(b"activity"));
        assert!(world.heads().len() > 1, "a rule and a correlation");
        rows.push((world.progress().rules_version, found));
    }
    assert_eq!(rows[0], rows[1]);
    assert!(again.loads.load(Ordering::Relaxed) > 0, "they were unloaded");
}

#[tokio::test(start_paused = true)]
async fn windows_go_on_where_the_correlation_is_the_same_and_end_where_it_is_another() {
    let changed = rules::LOGINS.replace("condition: {gte: 5}", "condition: {gte: 6}");
    for (latest, expected) in [(rules::all(), 1), (changed, 0)] {
        let world = World::new(rules::LOGINS);
        let running = world.start();
        for second in 0..3 {
            world.send(&failure(0, second)).await;
        }
        world.caught_up().await;
        world.adopt(catalogue(&latest)).await;
        for second in 3..6 {
            world.send(&failure(0, second)).await;
        }
        world.caught_up().await;
        running.stop().await;
        assert_eq!(world.heads().len(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_incident_takes_back_what_a_withdrawn_rule_said_and_keeps_how_bad_it_looked() {
    let both = rules::sign(1, "loud", "level: critical\nincident_family: signs")
        + &rules::sign(2, "strange", "level: high\nincident_family: signs");
    let left = rules::sign(2, "strange", "level: high\nincident_family: signs");
    let world = World::new(&both);
    let running = world.start();
    for (number, name) in ["loud", "strange"].into_iter().enumerate() {
        world.send(&sign(name, number as u64)).await;
    }
    world.caught_up().await;
    assert_eq!(world.head().analysis.severity, Severity::Critical);
    world.adopt(catalogue(&left)).await;
    let head = world.head();
    let assessment = world.detail(&head).assessment;
    assert_eq!((head.analysis.severity, assessment.peak_severity), (Severity::High, Severity::Critical));
    assert_eq!(assessment.withdrawn_rules[0].title, "Sign loud");
    assert_eq!(assessment.rules.len(), 1);
    assert!(assessment.summary.contains("Rules withdrawn since then: Sign loud"), "{}", assessment.summary);
    let revisions = world.revisions(&head);
    assert_eq!(revisions.last().unwrap().reasons, ["severity_lowered", "rules_withdrawn"]);
    let count = revisions.len();
    world.adopt(catalogue("")).await;
    let head = world.head();
    assert_eq!(head.analysis.severity, Severity::Low, "nothing is left of it");
    assert_eq!(head.analysis.event_count, 2, "what happened has happened");
    assert_eq!(world.revisions(&head).len(), count + 1);
    world.adopt(catalogue(&both)).await;
    world.send(&sign("loud", 9)).await;
    world.caught_up().await;
    running.stop().await;
    assert_eq!(
        world.head().analysis.severity,
        Severity::Critical,
        "the rule is back, and has found something"
    );
}

#[tokio::test(start_paused = true)]
async fn rules_withdrawn_while_nobody_worked_are_taken_back_at_the_next_start() {
    let world = World::new(&rules::all());
    world.take(&[sign("loud", 1)]).await;
    world.catalogue.send_replace(Arc::new(catalogue("")));
    world.take(&[sign("loud", 2)]).await;
    let head = world.head();
    assert_eq!((head.analysis.severity, head.analysis.revision), (Severity::Low, 2));
    let before = world.rows();
    world.take(&[]).await;
    assert_eq!(world.rows(), before, "and once only");
}

#[tokio::test(start_paused = true)]
async fn taking_back_may_be_interrupted_at_any_commit() {
    other_rules_may_be_interrupted_at_any_commit(|| catalogue(""), || sign("loud", 2)).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_filter_takes_away_is_counted_and_not_forgotten() {
    let filter = "\n---\ntitle: Our scanner\nid: 00000000-0000-4000-8000-000000000999\n\
                  logsource: {category: application}\n\
                  filter: {rules: [loud], selection: {client.address: 203.0.113.9}, condition: selection}\n";
    let world = World::new(&(rules::all() + filter));
    world.take(&[sign("loud", 1), sign("loud", 2)]).await;
    assert!(world.heads().is_empty());
    for id in ["00000000-0000-4000-8000-000000000999", "00000000-0000-4000-8000-000000000101"] {
        let tally = tally(&world, id);
        assert_eq!((tally.suppressed, tally.qualified, tally.routine), (2, 0, 0), "{id}");
    }
    world.take(&[Delivery::new(3, [Line::sign("loud", "198.51.100.7").at(3)])]).await;
    assert_eq!(world.heads().len(), 1);
    let tally = tally(&world, "00000000-0000-4000-8000-000000000101");
    assert_eq!((tally.suppressed, tally.qualified), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn every_finding_is_counted_by_what_became_of_it() {
    let world = World::new(&rules::all());
    world.take(&[sign("odd", 1), sign("odd", 2), sign("loud", 3)]).await;
    let odd = tally(&world, "00000000-0000-4000-8000-000000000102");
    assert_eq!((odd.routine, odd.qualified), (2, 0));
    assert_eq!(tally(&world, "00000000-0000-4000-8000-000000000101").qualified, 1);
}

#[tokio::test(start_paused = true)]
async fn severities_are_milder_where_the_operator_says_so() {
    let rules = Arc::new(compiled(&rules::all()));
    let milder = Catalogue::new(rules, BTreeSet::from(["production".to_owned()]));
    let world = World::of(Arc::new(milder));
    world.take(&[sign("loud", 1)]).await;
    let head = world.head();
    assert_eq!(head.analysis.severity, Severity::Medium, "production is what these deliveries say");
    assert!(world.detail(&head).assessment.summary.contains("one step lower"));
}

#[tokio::test(start_paused = true)]
async fn an_open_incident_follows_a_rule_that_changes() {
    let rule = |level: &str| rules::sign(1, "loud", &format!("level: {level}\nincident_family: signs"));
    let world = World::new(&rule("high"));
    let running = world.start();
    world.send(&sign("loud", 1)).await;
    world.caught_up().await;
    world.adopt(catalogue(&rule("critical"))).await;
    world.send(&sign("loud", 2)).await;
    world.caught_up().await;
    let head = world.head();
    assert_eq!(head.analysis.severity, Severity::Critical);
    assert_eq!(world.revisions(&head).last().unwrap().reasons, ["severity_raised"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rules_that_come_back_unchanged_count_again() {
    let world = World::new(&rules::all());
    let running = world.start();
    world.send(&sign("loud", 1)).await;
    world.caught_up().await;
    world.adopt(catalogue("")).await;
    assert_eq!(world.head().analysis.severity, Severity::Low);
    world.adopt(catalogue(&rules::all())).await;
    let head = world.head();
    assert_eq!(head.analysis.severity, Severity::High);
    assert_eq!(
        world.revisions(&head).last().unwrap().reasons,
        ["severity_raised", "rules_changed", "tactics_changed"]
    );
    assert!(world.detail(&head).assessment.withdrawn_rules.is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_thousand_rules_say_of_one_record_fits_a_commit() {
    let long = "look here ".repeat(1_000);
    let own: String = (0..1_000)
        .map(|number| {
            format!(
                "\n---\ntitle: Loud {number}\nid: 00000000-0000-4000-8000-00000001{number:04}\n\
                 logsource: {{category: application}}\n\
                 detection: {{selection: {{sign: loud}}, condition: selection}}\n\
                 level: high\nincident_family: loud{number}\nnext_steps: [{long}]\n"
            )
        })
        .collect();
    let world = World::new(&own);
    world.take(&[sign("loud", 1), sign("loud", 2)]).await;
    assert!(world.quarantined().is_empty(), "{:?}", world.quarantined());
    let heads = world.heads();
    assert_eq!(heads.len(), 64);
    assert!(heads.iter().all(|head| head.analysis.event_count == 2));
}
