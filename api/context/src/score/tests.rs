//! Scores, floors and confidence of outcomes.

use proptest::prelude::*;

use super::*;
use crate::artifact::ThreatType;
use crate::check::Spec;

const fn spec(dimension: Dimension, points: i16, is_required: bool) -> Spec {
    Spec { id: "test.check", dimension, points, threat: None, is_required, about: "" }
}

static EARNED: Spec = spec(Dimension::Identity, 25, false);
static REQUIRED: Spec = spec(Dimension::Content, 0, true);
static OPTIONAL: Spec = spec(Dimension::Behavior, 0, false);
static LOST: Spec = spec(Dimension::Content, -40, false);

fn threat(kind: ThreatType, severity: Severity) -> Threat {
    Threat { kind, severity, detail: String::new(), excerpt: None }
}

fn of(checks: Vec<Check>) -> Assessment {
    Assessment { checks, ..Assessment::default() }
}

fn with_threats(threats: &[(ThreatType, Severity)]) -> u8 {
    let threats = threats.iter().map(|(kind, severity)| threat(*kind, *severity)).collect();
    score(Origin::Message, &of(vec![OPTIONAL.failed_with(threats, "")])).score
}

#[test]
fn identity_is_earned_and_the_rest_is_lost() {
    let scored = score(Origin::Email, &of(vec![EARNED.passed(), LOST.failed("text")]));
    let expected = SubScores { identity: Some(75), behavior: Some(100), content: Some(60) };
    assert_eq!(scored.sub_scores, expected);
    // .40 * 75 + .15 * 100 + .45 * 60
    assert_eq!((scored.score, scored.confidence), (72, Confidence::High));
}

#[test]
fn a_message_has_no_identity() {
    let scored = score(Origin::Message, &of(vec![LOST.failed("text")]));
    assert_eq!((scored.sub_scores.identity, scored.score), (None, 76));
}

#[test]
fn the_worst_threats_cap_the_score() {
    use Severity::{Critical, High, Low, Medium};
    use ThreatType::{Obfuscation, Phishing};
    assert_eq!(with_threats(&[(Phishing, Critical)]), 15);
    assert_eq!(with_threats(&[(Phishing, High), (Obfuscation, High)]), 19);
    assert_eq!(with_threats(&[(Phishing, High), (Phishing, High)]), 39, "one kind of high");
    assert_eq!(with_threats(&[(Phishing, Medium)]), 69);
    assert!(with_threats(&[(Phishing, Low)]) >= 80);
}

#[test]
fn missing_checks_lower_confidence_and_required_ones_set_a_floor() {
    let scored = |check: Check| score(Origin::Message, &of(vec![check]));
    let optional = scored(OPTIONAL.not_possible("no answer"));
    assert_eq!((optional.floor, optional.confidence), (None, Confidence::Medium));
    let required = scored(REQUIRED.not_possible("no answer"));
    assert_eq!((required.floor, required.confidence), (Some(Floor::Caution), Confidence::Low));
    assert_eq!(verdict(required.score, required.floor, Tolerance::Yolo), Verdict::Caution);
}

#[test]
fn an_unread_part_or_a_pending_scan_is_never_safe_and_nothing_readable_is_dangerous() {
    let skipped = vec![Skipped { what: "page 501".to_owned(), reason: "more than 500 pages".to_owned() }];
    let unread = score(Origin::File, &Assessment { skipped, ..Assessment::default() });
    assert_eq!((unread.floor, unread.coverage.complete), (Some(Floor::Caution), false));
    let pending = score(Origin::Email, &Assessment { is_pending: true, ..Assessment::default() });
    assert_eq!((pending.floor, pending.coverage.complete), (Some(Floor::Caution), false));
    let nothing = score(Origin::Email, &Assessment { is_unreadable: true, ..Assessment::default() });
    assert_eq!((nothing.floor, nothing.score), (Some(Floor::Dangerous), 0));
    for tolerance in Tolerance::ALL {
        assert_eq!(verdict(nothing.score, nothing.floor, tolerance), Verdict::Dangerous);
    }
}

#[test]
fn a_pending_scan_is_scored_on_the_dimensions_that_were_looked_at() {
    let pending = Assessment { is_pending: true, ..of(vec![EARNED.passed()]) };
    let scored = score(Origin::Email, &pending);
    assert_eq!((scored.sub_scores.identity, scored.sub_scores.content), (Some(75), None));
    assert_eq!(scored.score, 75);
}

#[test]
fn the_tolerance_table_is_that_of_the_contract() {
    let row = |score| Tolerance::ALL.map(|tolerance| verdict(score, None, tolerance).as_str());
    assert_eq!(row(100), ["safe", "safe", "safe"]);
    assert_eq!(row(80), ["safe", "safe", "safe"]);
    assert_eq!(row(79), ["caution", "safe", "safe"]);
    assert_eq!(row(60), ["caution", "safe", "safe"]);
    assert_eq!(row(59), ["caution", "caution", "safe"]);
    assert_eq!(row(50), ["caution", "caution", "safe"]);
    assert_eq!(row(49), ["suspicious", "caution", "safe"]);
    assert_eq!(row(40), ["suspicious", "caution", "safe"]);
    assert_eq!(row(39), ["suspicious", "suspicious", "caution"]);
    assert_eq!(row(20), ["suspicious", "suspicious", "caution"]);
    assert_eq!(row(19), ["dangerous", "dangerous", "suspicious"]);
    assert_eq!(row(0), ["dangerous", "dangerous", "suspicious"]);
}

proptest! {
    #[test]
    fn a_worse_score_is_never_a_better_verdict(score in 1_u8..=100, tolerance in 0_usize..3) {
        let tolerance = Tolerance::ALL[tolerance];
        prop_assert!(verdict(score, None, tolerance) <= verdict(score - 1, None, tolerance));
    }

    #[test]
    fn any_number_of_failures_stays_within_bounds(points in proptest::collection::vec(0_i16..200, 0..40)) {
        let failed = |points: &i16| Check {
            spec: &LOST,
            outcome: Outcome::Failed { points: *points, threats: Vec::new(), reason: String::new() },
        };
        let scored = score(Origin::WebPage, &of(points.iter().map(failed).collect()));
        prop_assert!(scored.score <= 100 && scored.sub_scores.content.is_some_and(|score| score <= 100));
    }
}
