//! A filter that is added takes back what it certainly would have taken away, and nothing else.

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
use super::crash::{eager, faults};
use super::harness::{
    Delivery, Fault, Line, Outcome, PARTITION, World, at, compiled, difference, in_paused_time, rules,
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
    let suppressed =
        Arc::new(compiled(&(rules::all() + &filter("any", &format!("client.address: {ADDRESS}")))));
    for (organization, severity) in [([8; 16], Severity::High), ([9; 16], Severity::Low)] {
        let world = World::new(&rules::all());
        let running = world.start();
        world.send(&sign("loud", ADDRESS, 1)).await;
        world.caught_up().await;
        let own = (OrganizationId::from_bytes(organization), Some(Arc::clone(&suppressed)));
        world.adopt(catalogue(&rules::all()).with_own([own])).await;
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

fn failures(users: &[&str]) -> Delivery {
    let line =
        |(second, user): (u64, &&str)| Line::failed(user, ADDRESS).with("process.name", "sshd").at(second);
    Delivery::new(9, (0..).zip(users).map(line))
}

fn login(second: u64) -> Delivery {
    Delivery::new(second, [Line::accepted("root", ADDRESS).with("process.name", "sshd").at(second)])
}

#[tokio::test(start_paused = true)]
async fn a_correlation_is_taken_back_when_all_its_members_are() {
    let sshd = |rules: &str, selection: &str| filter_of("{product: linux, service: sshd}", rules, selection);
    let by_address = format!("client.address: {ADDRESS}");
    let same = ["root"; 6];
    for (users, filter, severity) in [
        (same, sshd("[login_failed]", &by_address), Severity::Low),
        (same, sshd("[login_failed]", "user.name: root"), Severity::Low),
        (same, sshd("[login_succeeded]", &by_address), Severity::Medium),
        (
            ["root", "eve", "root", "eve", "root", "eve"],
            sshd("[login_failed]", "user.name: root"),
            Severity::Medium,
        ),
        (
            ["root", "eve", "root", "eve", "root", "eve"],
            sshd("any", "user.name: [root, eve]"),
            Severity::Medium,
        ),
    ] {
        // One by one, so that what is held back is read back.
        let world = World::new(rules::LOGINS);
        for line in failures(&users).lines {
            world.take(&[Delivery::new(9, [line])]).await;
        }
        assert_eq!(world.head().analysis.severity, Severity::Medium);
        put_in_force(&world, &format!("{}{filter}", rules::LOGINS)).await;
        let head = world.head();
        assert_eq!((head.analysis.severity, head.analysis.event_count), (severity, 6), "{filter}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_correlation_of_several_rules_needs_a_filter_for_each() {
    let happened = [failures(&["root"; 6]), login(20)];
    let sshd = |rules: &str| {
        filter_of("{product: linux, service: sshd}", rules, &format!("client.address: {ADDRESS}"))
    };
    let world = after(rules::LOGINS, &happened, &sshd("[login_failed]")).await;
    let head = world.head();
    assert_eq!(standing(&world, &head), ["Login after many failed ones"]);
    let world = after(rules::LOGINS, &happened, &sshd("[login_failed, login_succeeded]")).await;
    let head = world.head();
    assert_eq!((standing(&world, &head), head.analysis.severity), (vec![], Severity::Low));
    assert_eq!(assessment(&world, &head).peak_severity, Severity::Critical);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_several_counted_rules_match_needs_a_filter_for_each() {
    let signs = [1, 2].map(|number| {
        rules::sign(number, &format!("loud{number}"), "level: low")
            .replace(&format!("sign: loud{number}"), "sign: loud")
    });
    let body = "type: event_count, rules: [loud1, loud2], group-by: [client.address], timespan: 1m, condition: {gte: 2}";
    let yaml = signs.concat() + &correlation(1, "many", body, "");
    let happened = [sign("loud", ADDRESS, 1), sign("loud", ADDRESS, 2)];
    for (rules, severity) in
        [("[loud1]", Severity::Medium), ("[loud2]", Severity::Medium), ("any", Severity::Low)]
    {
        let world = after(&yaml, &happened, &filter(rules, &format!("client.address: {ADDRESS}"))).await;
        assert_eq!(world.head().analysis.severity, severity, "{rules}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_also_counts_through_an_inner_correlation_stays() {
    let signs = [1, 2].map(|number| {
        rules::sign(number, &format!("loud{number}"), "level: low")
            .replace(&format!("sign: loud{number}"), "sign: loud")
    });
    let grouped = "group-by: [client.address], timespan: 1m";
    let inner = format!("type: event_count, rules: [loud1], {grouped}, condition: {{gte: 1}}");
    let happened = [sign("loud", ADDRESS, 1), sign("loud", ADDRESS, 2)];
    for (references, filtered, severity) in [
        ("[inner, loud2]", "[loud2]", Severity::Medium),
        ("[inner, loud2]", "[loud1]", Severity::Medium),
        ("[inner]", "[loud2]", Severity::Medium),
        ("[inner]", "[loud1]", Severity::Low),
    ] {
        let outer = format!("type: event_count, rules: {references}, {grouped}, condition: {{gte: 2}}");
        let yaml =
            signs.concat() + &correlation(1, "inner", &inner, "") + &correlation(2, "outer", &outer, "");
        let world = after(&yaml, &happened, &filter(filtered, &format!("client.address: {ADDRESS}"))).await;
        assert_eq!(world.head().analysis.severity, severity, "{references} {filtered}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_was_decided_at_its_end_and_one_of_many_events_are_taken_back() {
    let at_end =
        "type: event_count, rules: [loud], group-by: [client.address], timespan: 1m, condition: {eq: 3}";
    let many =
        "type: event_count, rules: [loud], group-by: [client.address], timespan: 10m, condition: {gte: 100}";
    for (body, count) in [(at_end, 3), (many, 120)] {
        let yaml = rules::sign(1, "loud", "level: low") + &correlation(1, "many", body, "");
        let world = World::new(&yaml);
        for second in 0..count {
            world.send(&sign("loud", ADDRESS, second)).await;
        }
        world.analyze().await;
        world.take(&[Delivery::tick(END)]).await;
        assert_eq!(world.head().analysis.severity, Severity::Medium);
        let by_address = filter("any", &format!("client.address: {ADDRESS}"));
        put_in_force(&world, &(yaml + &by_address)).await;
        assert_eq!(world.head().analysis.severity, Severity::Low, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_sum_of_an_entitys_signs_loses_what_a_filter_takes_away() {
    let odd = filter("[odd]", &format!("client.address: {ADDRESS}"));
    let three = [sign("odd", ADDRESS, 1), sign("strange", ADDRESS, 2), sign("queer", ADDRESS, 3)];
    let world = after(&rules::all(), &three, &odd).await;
    let head = world.head();
    let said = assessment(&world, &head);
    assert_eq!((head.analysis.severity, said.peak_severity), (Severity::Low, Severity::Medium));
    assert!(said.summary.contains("does not add up to an incident"), "{}", said.summary);
    assert_eq!(standing(&world, &head), ["Sign strange", "Sign queer"]);
    let reasons = world.revisions(&head).pop().unwrap().reasons;
    assert!(reasons.iter().any(|reason| reason.contains("(Our scanner)")), "{reasons:?}");
    assert_eq!(head.analysis.revision, 2);
    // One more makes it add up again, without what was taken back.
    world.take(&[sign("strange", ADDRESS, 4)]).await;
    let head = world.head();
    assert_eq!((head.analysis.severity, standing(&world, &head).len()), (Severity::Medium, 2));

    let four = [three.to_vec(), vec![sign("queer", ADDRESS, 4)]].concat();
    let world = after(&rules::all(), &four, &odd).await;
    assert_eq!(world.head().analysis.severity, Severity::Medium, "what is left still adds up");
    assert_eq!(standing(&world, &world.head()), ["Sign strange", "Sign queer"]);
}

#[tokio::test(start_paused = true)]
async fn a_sum_of_which_signs_are_forgotten_stays() {
    const DAY: u64 = 24 * 60 * 60;
    let three = |first: &str, day| [first, "strange", "queer"].map(|name| sign(name, ADDRESS, day * DAY));
    let filter = filter("[odd]", &format!("client.address: {ADDRESS}"));
    for (unfiltered, last, severity) in [
        (None, 10, Severity::Low),
        // What adds up without the filter is remembered, then forgotten.
        (Some(0), 6, Severity::Medium),
        (Some(0), 10, Severity::Medium),
    ] {
        let mut happened = Vec::new();
        if let Some(day) = unfiltered {
            happened.extend(three("strange", day));
            happened.push(sign("queer", ADDRESS, day * DAY + 1));
        }
        happened.extend(three("odd", 6));
        happened.push(sign("nothing", ADDRESS, last * DAY));
        if last > 6 {
            happened.push(sign("queer", ADDRESS, last * DAY));
        }
        let world = after(&rules::all(), &happened, &filter).await;
        let head = world.head();
        assert_eq!(head.analysis.severity, severity, "{unfiltered:?} {last}");
        assert_eq!(standing(&world, &head), ["Sign strange", "Sign queer"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_sum_of_which_repetitions_were_let_go_stays() {
    for (repetitions, severity) in [(5, Severity::Low), (6, Severity::Medium), (257, Severity::Medium)] {
        // Where there are many, all between the first two and the last two are let go.
        let user = |second: u64| if (2..repetitions - 2).contains(&second) { "bob" } else { "eve" };
        let line = |second| Line::sign("strange", ADDRESS).with("user.name", user(second)).at(second);
        let (bob, eve): (Vec<u64>, Vec<u64>) = (0..repetitions).partition(|second| user(*second) == "bob");
        let strange = bob.into_iter().chain(eve).map(line);
        let happened = [Delivery::new(1, strange), sign("odd", ADDRESS, 300)];
        let world = after(&rules::all(), &happened, &filter("[strange]", "user.name: eve")).await;
        assert_eq!(world.head().analysis.severity, severity, "{repetitions}");
    }
}

#[tokio::test(start_paused = true)]
async fn signs_that_never_became_known_are_taken_from_the_sum_one_by_one() {
    let by = |user: &str, second| {
        Delivery::new(second, [Line::sign("odd", ADDRESS).with("user.name", user).at(second)])
    };
    for (user, incidents) in [("eve", 0), ("bob", 1)] {
        let eve = filter("[odd]", "user.name: eve");
        let world = after(&rules::all(), &[by(user, 1), by("ann", 2)], &eve).await;
        assert!(world.heads().is_empty());
        world.take(&[sign("strange", ADDRESS, 3)]).await;
        assert_eq!(world.heads().len(), incidents, "{user}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_sums_of_many_entities_are_lessened_in_many_commits() {
    let world = World::new(&rules::all());
    let of_all = |sign: &'static str, second| {
        (1..=70).map(move |source| {
            let lines =
                (0..10).map(|number| Line::sign(sign, &format!("203.0.{source}.{number}")).at(second));
            Delivery::new(second, lines).of_source(source)
        })
    };
    world.take(&of_all("odd", 1).collect::<Vec<_>>()).await;
    let before = world.ledger.book().len();
    put_in_force(&world, &(rules::all() + &filter("any", "client.address|cidr: 203.0.0.0/18"))).await;
    let made = world.ledger.book().split_off(before);
    assert!(made.iter().all(|commit| commit.rows < 700), "{made:?}");
    world.take(&of_all("strange", 2).collect::<Vec<_>>()).await;
    world.take(&of_all("queer", 3).collect::<Vec<_>>()).await;
    // 203.0.1.0 to 203.0.63.0 are suppressed from then on; of the others three signs add up.
    assert_eq!(world.heads().len(), (70 - 63) * 10);
}

#[tokio::test(start_paused = true)]
async fn what_the_sums_of_entities_change_is_committed_with_little_else() {
    let world = World::new(&rules::all());
    let text = "x".repeat(1_000);
    let of_all = |name: &'static str, second| {
        let line = |source: u8, number: u8| {
            let line = Line::sign(name, &format!("203.0.{source}.{number}")).with("user.name", text.as_str());
            line.with("parent", text.as_str()).at(second)
        };
        let of_one =
            |source| Delivery::new(second, (0..8).map(|number| line(source, number))).of_source(source);
        (1..=12).map(of_one).collect::<Vec<_>>()
    };
    world.take(&[of_all("odd", 1), of_all("strange", 2), of_all("queer", 3)].concat()).await;
    let before = world.ledger.book().len();
    put_in_force(&world, &(rules::all() + &filter("[odd]", "client.address|cidr: 203.0.0.0/16"))).await;
    let made = world.ledger.book().split_off(before);
    let heads = world.heads();
    assert_eq!(heads.len(), 12 * 8);
    assert!(heads.iter().all(|head| head.analysis.severity == Severity::Low), "{heads:?}");
    assert!(made.iter().all(|commit| commit.bytes < 2 * 64 * 1024), "{made:?}");
}

#[tokio::test(start_paused = true)]
async fn the_incident_about_a_rule_is_taken_back_by_what_all_its_matches_have_in_common() {
    let line = |number: u64, parent: &str| {
        Line::sign("loud", &format!("203.0.113.{number}")).with("parent", parent).at(number)
    };
    for (last, severity) in [("inventory", Severity::Low), ("shell", Severity::High)] {
        let mut lines: Vec<Line> = (0..14).map(|number| line(number, "inventory")).collect();
        lines.push(line(15, last));
        let happened: Vec<Delivery> = lines.into_iter().map(|line| Delivery::new(20, [line])).collect();
        let world = after(&rules::all(), &happened, &filter("[loud]", "parent: inventory")).await;
        assert_eq!(about(&world, "*").analysis.severity, severity);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_written_before_fields_were_kept_is_read_and_stays() {
    let world = World::new(&rules::all());
    world.take(&[sign("loud", ADDRESS, 1), sign("odd", OTHER, 1)]).await;
    let ledger = &world.ledger.memory;
    let id = LedgerId::Partition(PARTITION);
    let mut ops = Vec::new();
    for (_, kind, old) in ledger.dump() {
        let is_meant = [&b"work"[..], b"risk", b"habit"].iter().any(|prefix| old.key.starts_with(prefix));
        if kind != Kind::State || !is_meant {
            continue;
        }
        let mut body: serde_json::Value = row::decode(&old.body).unwrap();
        let before = body.clone();
        forget(&mut body, &["grounds", "ground", "first_ground", "first_grounds", "owner"]);
        assert_ne!(body, before);
        ops.push(Op::Put { kind, key: old.key, body: row::encode(&body).unwrap().into() });
    }
    assert_eq!(ops.len(), 4, "an incident, a risk, two rules that may become habits");
    let seq = ledger.seq(id).await.unwrap();
    ledger.commit(id, seq, ops).await.unwrap();
    let filter = filter("any", &format!("client.address: [{ADDRESS}, {OTHER}]"));
    put_in_force(&world, &(rules::all() + &filter)).await;
    assert_eq!((world.head().analysis.severity, world.head().analysis.revision), (Severity::High, 1));
    // What comes after it is kept as of any other: only the first sign stays without its fields.
    put_in_force(&world, &rules::all()).await;
    world.take(&[sign("strange", OTHER, 2)]).await;
    put_in_force(&world, &(rules::all() + &filter)).await;
    put_in_force(&world, &rules::all()).await;
    world.take(&[sign("queer", OTHER, 3)]).await;
    assert_eq!(world.heads().len(), 1, "two are left");
    world.take(&[sign("strange", OTHER, 4)]).await;
    assert_eq!(world.heads().len(), 2);
}

/// Removes entries of these names, however deep.
fn forget(value: &mut serde_json::Value, names: &[&str]) {
    match value {
        serde_json::Value::Object(entries) => {
            entries.retain(|name, _| !names.contains(&name.as_str()));
            entries.values_mut().for_each(|value| forget(value, names));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| forget(item, names)),
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn wide_events_fit_and_what_is_not_kept_of_them_is_not_certain() {
    let wide = |second| {
        let line = (0..200).fold(Line::sign("loud", ADDRESS), |line, number| {
            line.with(&format!("field{number:03}"), "x".repeat(200))
        });
        Delivery::new(second, [line.at(second)])
    };
    for (selection, severity) in [
        (format!("client.address: {ADDRESS}"), Severity::Low),
        (format!("field199: {}", "x".repeat(200)), Severity::High),
        ("nothing: null".to_owned(), Severity::High),
    ] {
        let world = after(&rules::all(), &[wide(1), wide(2)], &filter("[loud]", &selection)).await;
        assert_eq!(world.head().analysis.severity, severity, "{selection}");
        assert!(world.ledger.book().iter().all(|commit| commit.bytes < 64 * 1024));
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_of_too_many_different_events_is_bounded_and_its_finding_stays() {
    let body =
        "type: event_count, rules: [loud], group-by: [client.address], timespan: 1h, condition: {gte: 250}";
    let yaml = rules::sign(1, "loud", "level: low") + &correlation(1, "many", body, "");
    for (length, severity) in [(150, Severity::Medium), (5, Severity::Low)] {
        let line = |number: usize| {
            let line = Line::sign("loud", ADDRESS).with("own", format!("{number:x>length$}"));
            line.with("another", format!("{number:y>length$}")).at(1)
        };
        let world = World::new(&yaml);
        for part in (0..250).collect::<Vec<_>>().chunks(50) {
            let rows = world.bodies(Kind::State, b"window");
            assert!(rows.iter().all(|row| row.len() < 192 * 1024), "{:?}", rows.iter().map(Vec::len).max());
            world.take(&[Delivery::new(2, part.iter().map(|number| line(*number)))]).await;
        }
        put_in_force(&world, &(yaml.clone() + &filter("any", &format!("client.address: {ADDRESS}")))).await;
        let head = world.head();
        assert_eq!((head.analysis.severity, head.analysis.event_count), (severity, 250), "{length}");
    }
}

#[tokio::test(start_paused = true)]
async fn taking_back_may_be_interrupted_at_any_commit() {
    let after = |faults: Vec<(usize, Fault)>| async move {
        let mut world = World::new(&rules::critical());
        world.config.flush_interval_ms = 0;
        let lines = (0..30).map(|number| Line::sign("loud", &format!("198.51.100.{number}")).at(1));
        world.take(&[Delivery::new(1, lines)]).await;
        let committed = world.ledger.book().len();
        world.ledger.plan_faults(faults.into_iter().map(|(at, fault)| (committed + at, fault)));
        let filter = filter("any", "client.address|cidr: 198.51.100.0/28");
        world.catalogue.send_replace(Arc::new(catalogue(&(rules::critical() + &filter))));
        world.take(&[sign("loud", ADDRESS, 2)]).await;
        world.rows()
    };
    let undisturbed = after(Vec::new()).await;
    for fault in Fault::ALL {
        for commit in 0..4 {
            assert_eq!(after(vec![(commit, fault)]).await, undisturbed, "{fault:?} at {commit}");
        }
    }
}

/// Filters of which each takes some of the happenings away.
fn filters() -> impl Strategy<Value = String> {
    let selection = prop::sample::select(vec![
        "client.address: 203.0.113.1",
        "client.address|cidr: 203.0.113.0/31",
        "user.name: user1",
        "client.address: 203.0.113.2, user.name: [user0, user3]",
    ]);
    let condition = prop::sample::select(vec!["condition: selection", "condition: not selection"]);
    (selection, condition, any::<bool>()).prop_map(|(selection, condition, is_login)| {
        let filter = match is_login {
            true => filter_of("{product: linux, service: sshd}", "any", selection),
            false => filter("any", selection),
        };
        filter.replace("condition: selection", condition)
    })
}

/// Ids of the rules that count, by family and entity.
fn counting(outcomes: &[Outcome]) -> BTreeMap<(String, String), BTreeSet<String>> {
    let rules = |outcome: &Outcome| outcome.assessment.rules.iter().map(|rule| rule.id.clone()).collect();
    let of = |outcome: &Outcome| ((outcome.family.clone(), outcome.entity.clone()), rules(outcome));
    outcomes.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_repetition_and_batches_change_nothing_of_what_is_taken_back(
        (lines, shuffled, per_batch, other_per_batch) in happenings(60).prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle(), 1_usize..30, 1_usize..30)
        }),
        filter in filters(),
    ) {
        in_paused_time(async {
            let plain = deliveries(&lines, per_batch);
            let other = deliveries(&shuffled, other_per_batch);
            let expected = after(&rules::all(), &plain, &filter).await.outcomes();
            let both: Vec<Delivery> = other.iter().chain(&plain).cloned().collect();
            for happened in [&other, &both] {
                let found = after(&rules::all(), happened, &filter).await.outcomes();
                assert!(found == expected, "{filter}\n{}", difference(&found, &expected));
            }
            // What would have been found with the filter there from the beginning still counts.
            let strict = World::new(&(rules::all() + &filter));
            strict.take(&plain).await;
            let counting_after = counting(&expected);
            for (key, rules) in counting(&strict.outcomes()) {
                let left = counting_after.get(&key).cloned().unwrap_or_default();
                assert!(rules.is_subset(&left), "{key:?}: {rules:?} of {left:?}\n{filter}");
            }
        });
    }

    #[test]
    fn faults_at_any_commits_change_nothing_of_what_is_taken_back(
        lines in happenings(60), per_batch in 1_usize..12, faults in faults(), filter in filters(),
    ) {
        in_paused_time(async {
            let happened = deliveries(&lines, per_batch);
            let undisturbed = after(&rules::all(), &happened, &filter).await;
            let disturbed = eager(World::new(&rules::all()));
            disturbed.take(&happened).await;
            let committed = disturbed.ledger.book().len();
            disturbed.ledger.plan_faults(faults.into_iter().map(|(at, fault)| (committed + at % 4, fault)));
            put_in_force(&disturbed, &(rules::all() + &filter)).await;
            assert_eq!(disturbed.rows(), undisturbed.rows());
        });
    }
}
