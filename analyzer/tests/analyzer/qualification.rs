//! Findings that become an incident, and its severity.

use common::incident::{Confidence, Qualification};
use common::severity::Severity;

use super::harness::{Delivery, Line, World, at, rules};

const ADDRESS: &str = "203.0.113.9";
const HOUR: u64 = 3_600;

/// Records of signs, each with the second it happens at.
fn signs(signs: &[(&str, u64)]) -> Delivery {
    let last = signs.iter().map(|(_, second)| *second).max().unwrap_or(0);
    Delivery::new(last, signs.iter().map(|(sign, second)| Line::sign(sign, ADDRESS).at(*second)))
}

async fn world_after(yaml: &str, delivery: Delivery) -> World {
    let world = World::new(yaml);
    world.take(&[delivery]).await;
    world
}

#[tokio::test(start_paused = true)]
async fn a_high_rule_is_enough_and_a_medium_one_is_not() {
    let world = world_after(&rules::all(), signs(&[("loud", 1), ("odd", 2)])).await;
    let head = world.head();
    assert_eq!((head.family.as_str(), head.analysis.severity), ("loud", Severity::High));
    assert_eq!(head.analysis.title, "Sign loud from 203.0.113.9");
    let assessment = world.detail(&head).assessment;
    assert_eq!(
        (assessment.qualified_by, assessment.confidence),
        (Qualification::RuleLevel, Confidence::Medium)
    );
    assert_eq!(world.revisions(&head).len(), 1);
    assert_eq!(world.revisions(&head)[0].reasons, ["opened"]);
}

#[tokio::test(start_paused = true)]
async fn three_medium_signs_of_a_day_add_up() {
    let world = world_after(&rules::all(), signs(&[("odd", 0), ("strange", 23 * HOUR)])).await;
    assert!(world.heads().is_empty());
    world.take(&[signs(&[("queer", 24 * HOUR)])]).await;
    let head = world.head();
    assert_eq!((head.family.as_str(), head.analysis.severity), ("entity_risk", Severity::Medium));
    assert_eq!((head.analysis.event_count, head.analysis.first_seen_at), (3, at(0)));
    assert_eq!(world.detail(&head).assessment.qualified_by, Qualification::EntityRisk);
    assert_eq!(world.detail(&head).evidence.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn signs_of_two_days_or_two_entities_do_not_add_up() {
    let world = world_after(&rules::all(), signs(&[("odd", 0), ("strange", 1), ("queer", 25 * HOUR)])).await;
    assert!(world.heads().is_empty());
    let lines = ["odd", "strange", "queer"].iter().enumerate();
    let lines = lines.map(|(number, sign)| Line::sign(sign, &format!("198.51.100.{number}")).at(1));
    let world = world_after(&rules::all(), Delivery::new(1, lines)).await;
    assert!(world.heads().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_rule_counts_twice_at_most_and_its_repetitions_are_members() {
    let repeated: Vec<(&str, u64)> = (0..30).map(|second| ("odd", second)).collect();
    let world = world_after(&rules::all(), signs(&repeated)).await;
    assert!(world.heads().is_empty());
    world.take(&[signs(&[("strange", 60)])]).await;
    assert_eq!(world.head().analysis.event_count, 31);
}

#[tokio::test(start_paused = true)]
async fn an_experimental_rule_counts_half() {
    let yaml = rules::sign(1, "odd", "level: medium")
        + &rules::sign(2, "strange", "level: medium\nstatus: experimental");
    let world = world_after(&yaml, signs(&[("odd", 0), ("odd", 1)])).await;
    assert!(world.heads().is_empty());
    world.take(&[signs(&[("strange", 2)])]).await;
    assert_eq!(world.heads().len(), 1, "47 + 47 + 23");
    let world = world_after(&yaml, signs(&[("strange", 0), ("strange", 1), ("odd", 2)])).await;
    assert!(world.heads().is_empty(), "23 + 23 + 47");
}

#[tokio::test(start_paused = true)]
async fn three_tactics_of_four_rules_in_a_week_are_enough() {
    let tactics = ["discovery", "execution", "persistence", "discovery"];
    let yaml: String = (1..5)
        .zip(tactics)
        .map(|(number, tactic)| {
            rules::sign(number, &format!("s{number}"), &format!("level: low\ntags: [attack.{tactic}]"))
        })
        .collect();
    let day = 24 * HOUR;
    let first = [("s1", 0), ("s2", 2 * day), ("s3", 4 * day)];
    let world = world_after(&yaml, signs(&first)).await;
    assert!(world.heads().is_empty());
    world.take(&[signs(&[("s4", 6 * day)])]).await;
    let head = world.head();
    assert_eq!(
        (head.analysis.event_count, head.analysis.severity),
        (4, Severity::Low),
        "the highest of the contributing levels, not raised by what the sum has counted"
    );
    let world = world_after(&yaml, signs(&first)).await;
    world.take(&[signs(&[("s4", 8 * day)])]).await;
    assert!(world.heads().is_empty());
}

fn counted(number: u32, level: &str, more: &str) -> String {
    let level = if level.is_empty() { String::new() } else { format!("level: {level}\n") };
    format!(
        "\n---\ntitle: Several\nid: 00000000-0000-4000-8000-0000000003{number:02}\ncorrelation:\n  type: event_count\n  \
         rules: [counted]\n  group-by: [client.address]\n  timespan: 5m\n  condition: {{gte: 3}}\n{level}{more}\n"
    )
}

#[tokio::test(start_paused = true)]
async fn what_a_correlation_counts_is_no_finding_alone() {
    let three = signs(&[("counted", 0), ("counted", 1), ("counted", 2)]);
    let rule = rules::sign(1, "counted", "level: high");
    let world = world_after(&(rule.clone() + &counted(1, "medium", "")), signs(&[("counted", 0)])).await;
    assert!(world.heads().is_empty());
    let world = world_after(&(rule.clone() + &counted(1, "medium", "")), three.clone()).await;
    assert_eq!(world.head().analysis.severity, Severity::Medium);
    assert_eq!(world.detail(&world.head()).assessment.qualified_by, Qualification::Threshold);
    let world =
        world_after(&(rule + &counted(1, "medium", "generate: true")), signs(&[("counted", 0)])).await;
    assert_eq!(world.head().analysis.severity, Severity::High);
}

#[tokio::test(start_paused = true)]
async fn a_low_correlation_adds_risk_once_a_crossing() {
    let yaml = rules::sign(1, "counted", "level: low")
        + &counted(1, "low", "")
        + &rules::sign(2, "odd", "level: medium")
        + &rules::sign(3, "weak", "level: low");
    let crossing = [("counted", 0), ("counted", 1), ("counted", 2), ("counted", 3)];
    let world = world_after(&yaml, signs(&crossing)).await;
    world.take(&[signs(&[("odd", 10), ("weak", 11)])]).await;
    assert!(world.heads().is_empty(), "21 + 47 + 21");
    world.take(&[signs(&[("weak", 12)])]).await;
    let head = world.head();
    assert_eq!((head.family.as_str(), head.analysis.event_count), ("entity_risk", 7), "21 + 47 + 42");
}

#[tokio::test(start_paused = true)]
async fn a_correlation_without_a_level_opens_an_incident_of_unknown_severity() {
    let yaml = rules::sign(1, "counted", "level: low") + &counted(1, "", "");
    let world = world_after(&yaml, signs(&[("counted", 0), ("counted", 1), ("counted", 2)])).await;
    assert_eq!(world.head().analysis.severity, Severity::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_second_tactic_and_a_success_each_make_it_worse_by_a_step() {
    let family = "incident_family: case";
    let yaml = rules::sign(1, "a", &format!("level: high\n{family}\ntags: [attack.discovery]"))
        + &rules::sign(2, "b", &format!("level: high\n{family}\ntags: [attack.execution]"))
        + &rules::sign(3, "c", &format!("level: high\n{family}\nraises_severity: true"));
    for second in ["b", "c"] {
        let world = world_after(&yaml, signs(&[("a", 0), ("a", 1)])).await;
        assert_eq!(world.head().analysis.severity, Severity::High);
        world.take(&[signs(&[(second, 2)])]).await;
        let head = world.head();
        assert_eq!((head.analysis.severity, head.analysis.event_count), (Severity::Critical, 3));
        assert!(world.revisions(&head)[1].reasons.contains(&"severity_raised".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn what_can_be_read_only_in_part_convicts_nobody() {
    let yaml = rules::sign(1, "loud", "level: high")
        + &rules::sign(2, "counted", "level: low")
        + &counted(1, "medium", "");
    let lines = ["loud", "counted", "counted", "counted"].map(|sign| Line::sign(sign, ADDRESS));
    let whole = Delivery::new(0, lines);
    let world = world_after(&yaml, whole.clone()).await;
    assert_eq!(world.heads().len(), 2);
    // One more attribute, whose bytes do not follow the format: the last byte of each is cut off.
    let mut broken = whole;
    broken.lines = broken.lines.into_iter().map(|line| line.with("broken", "\u{1}")).collect();
    let mut payload = broken.encoded();
    let mut cut = 0;
    for end in 0..payload.len() - 8 {
        // The value `0a 01 01` becomes one that claims to be longer than it is.
        if payload[end..].starts_with(b"broken\x12\x03\x0a\x01\x01") {
            payload[end + 9] = 0x7f;
            cut += 1;
        }
    }
    assert_eq!(cut, 4);
    let world = world_after(&yaml, broken.raw(payload)).await;
    assert!(world.heads().is_empty());
    assert!(world.quarantined().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_line_that_stands_for_several_counts_as_often() {
    let line = |times: u32| {
        let message = "Failed password for root from 203.0.113.9 port 4242 ssh2";
        Line::new(format!("Nov 14 22:14:00 web-1 sshd[7]: message repeated {times} times: [ {message}]"))
            .at(1)
    };
    let incidents = async |times| {
        let world = World::of_rules(::analyzer::pack::built_in().unwrap());
        world.take(&[Delivery::new(2, [line(times)])]).await;
        world.heads().into_iter().map(|head| head.analysis.event_count).collect::<Vec<_>>()
    };
    assert!(incidents(4).await.is_empty());
    assert_eq!(incidents(5).await, [5]);
}
