//! Correlations: references, groups and counted values, refusals.

use std::time::Duration;

use sigma::{CorrelationKind, Counted, Reference};

use crate::front_door::{event, load, rule_set};

const RULES: &str = "\
title: failed
id: id-failed
name: failed
logsource: {product: linux, service: sshd}
detection: {a: {outcome: failure}, condition: a}
---
title: accepted
name: accepted
logsource: {product: linux, service: sshd}
detection: {a: {outcome: success}, condition: a}
---
";

/// These rules and one correlation.
pub(crate) fn with(correlation: &str) -> String {
    format!("{RULES}title: c\nname: many\nlevel: high\ncorrelation: {correlation}\n")
}

#[test]
fn an_event_count_is_compiled() {
    let set = rule_set(&with(
        "{type: event_count, rules: [ID-failed], group-by: [ip, host], timespan: 10m, condition: {gt: 9}}",
    ));
    let correlation = &set.correlations()[0];
    assert_eq!(correlation.kind, CorrelationKind::EventCount);
    assert_eq!(correlation.references, [Reference::Rule(0)]);
    assert_eq!((correlation.timespan, correlation.at_least), (Duration::from_secs(600), 10));
    let values = |json| correlation.group_values(0, &event(json));
    assert_eq!(values(r#"{"ip": "1.1.1.1", "host": 7}"#).unwrap(), ["1.1.1.1", "7"]);
    assert_eq!(values(r#"{"ip": ["2.2.2.2", "1.1.1.1"], "host": true}"#).unwrap(), ["2.2.2.2", "true"]);
    assert_eq!(values(r#"{"ip": "1.1.1.1", "host": null}"#), None);
    assert_eq!(values(r#"{"ip": {"a": 1}, "host": "h"}"#), None);
    assert_eq!(correlation.counted_value(0, &event(r#"{"ip": "x"}"#)), None);
}

#[test]
fn counted_values_may_be_tuples_that_cannot_be_confused() {
    let one = rule_set(&with(
        "{type: value_count, rules: [failed], timespan: 1h, condition: {field: user, gte: 3}}",
    ));
    let correlation = &one.correlations()[0];
    assert!(correlation.group_by.is_empty());
    assert_eq!(correlation.group_values(0, &event("{}")).unwrap(), [""; 0]);
    assert_eq!(correlation.counted_value(0, &event(r#"{"user": "eve"}"#)).unwrap(), "eve");
    let two = rule_set(&with(
        "{type: value_count, rules: [failed], timespan: 1h, condition: {field: [a, b], gte: 3}}",
    ));
    let value = |json| two.correlations()[0].counted_value(0, &event(json));
    assert_ne!(value(r#"{"a": "x\",\"y", "b": "z"}"#), value(r#"{"a": "x", "b": "y\",\"z"}"#));
    assert_eq!(value(r#"{"a": "x"}"#), None);
}

#[test]
fn aliases_name_a_field_for_every_rule() {
    let body = "{type: temporal_ordered, rules: [failed, accepted], group-by: [who], timespan: 1d, aliases: {who: {failed: target, id-accepted: actor}}}";
    let yaml = with(body).replace("name: accepted", "name: accepted\nid: id-accepted");
    let set = rule_set(&yaml);
    let correlation = &set.correlations()[0];
    assert_eq!((correlation.kind, correlation.at_least), (CorrelationKind::TemporalOrdered, 2));
    let record = event(r#"{"target": "t", "actor": "a", "who": "w"}"#);
    assert_eq!(correlation.group_values(0, &record).unwrap(), ["t"]);
    assert_eq!(correlation.group_values(1, &record).unwrap(), ["a"]);
    assert_eq!(correlation.group_values(2, &record), None);
}

#[test]
fn chains_come_in_order_and_carry_the_group_of_the_inner() {
    let outer = "title: outer\nname: outer\ncorrelation: {type: temporal_ordered, rules: [many, accepted], group-by: [who], timespan: 1h, generate: true}\n---\n";
    let inner = "{type: event_count, rules: [failed], group-by: [who], timespan: 5m, condition: {gte: 5}, aliases: {who: {failed: target}}}";
    let set = rule_set(&format!("{outer}{}", with(inner)));
    let names: Vec<_> = set.correlations().iter().map(|read| read.info.name.clone().unwrap()).collect();
    assert_eq!(names, ["many", "outer"]);
    let outer = &set.correlations()[1];
    assert_eq!(outer.references, [Reference::Correlation(0), Reference::Rule(1)]);
    let record = event(r#"{"target": "t", "who": "w"}"#);
    assert_eq!(outer.group_values(0, &record).unwrap(), ["t"]);
    assert_eq!(outer.group_values(1, &record).unwrap(), ["w"]);
    // The outer one generates, the inner one does not.
    assert!(set.referenced_only(0));
    assert!(!set.referenced_only(1));
    assert!(!set.is_referenced(Reference::Correlation(0)));
}

#[test]
fn generate_stands_in_either_place() {
    let body = "{type: event_count, rules: [failed], timespan: 5m, condition: {gte: 5}, generate: true}";
    assert!(!rule_set(&with(body)).referenced_only(0));
    let silent = body.replace(", generate: true", "");
    assert!(rule_set(&with(&silent)).referenced_only(0));
    assert!(!rule_set(&format!("{}generate: true\n", with(&silent))).referenced_only(0));
    assert!(!rule_set(&with(&silent)).referenced_only(7));
}

/// Correlations that are refused: the body, the field below `correlation`, the kind of cause.
pub(crate) fn check_refused(table: &[(String, &str, &str)]) {
    for (body, field, kind) in table {
        let (set, refusals) = load(&with(body));
        assert_eq!(refusals.len(), 1, "{body}: {refusals:?}");
        let refusal = &refusals[0];
        assert_eq!(
            (&*refusal.field, refusal.cause.kind()),
            (&*format!("correlation.{field}"), *kind),
            "{refusal}"
        );
        assert!(set.correlations().is_empty());
    }
}

#[test]
fn what_has_no_meaning_is_refused_in_words() {
    let count = |rest: &str| format!("{{type: event_count, rules: [failed], timespan: 5m, {rest}}}");
    let table = [
        ("{type: sometimes, rules: [failed], timespan: 5m}".to_owned(), "type", "invalid"),
        ("{rules: [failed], timespan: 5m}".to_owned(), "type", "missing"),
        (count("condition: {gte: '5'}"), "condition.gte", "invalid"),
        (count("condition: {}"), "condition.gte", "missing"),
        (count("condition: {field: user, gte: 5}"), "condition.field", "unknown_key"),
        (count("groupby: [a]"), "groupby", "unknown_key"),
        (count("group-by: [a, a], condition: {gte: 5}"), "group-by", "duplicate"),
        (
            count("condition: {gte: 5}, aliases: {who: {accepted: a}}"),
            "aliases.who.accepted",
            "unknown_reference",
        ),
        (count("condition: {gte: 5}, aliases: {who: {}}"), "aliases.who", "invalid"),
        (count("condition: {gte: 5}, generate: perhaps"), "generate", "invalid"),
        (count(""), "condition", "missing"),
        (
            "{type: value_count, rules: [failed], timespan: 5m, condition: {gte: 5}}".to_owned(),
            "condition.field",
            "missing",
        ),
        (
            "{type: event_count, rules: [nobody], timespan: 5m, condition: {gte: 5}}".to_owned(),
            "rules",
            "unknown_reference",
        ),
        (
            "{type: event_count, rules: [failed, id-failed], timespan: 5m, condition: {gte: 5}}".to_owned(),
            "rules",
            "duplicate",
        ),
        (
            "{type: event_count, rules: [many], timespan: 5m, condition: {gte: 5}}".to_owned(),
            "rules",
            "cycle",
        ),
        ("{type: event_count, rules: [], timespan: 5m, condition: {gte: 5}}".to_owned(), "rules", "invalid"),
        ("{type: temporal_ordered, rules: [failed], timespan: 5m}".to_owned(), "rules", "invalid"),
    ];
    check_refused(&table);
}

#[test]
fn timespans() {
    let seconds = |text: &str| {
        let yaml =
            with(&format!("{{type: event_count, rules: [failed], timespan: {text}, condition: {{gte: 5}}}}"));
        let (set, refusals) = load(&yaml);
        assert!(refusals.iter().all(|refusal| &*refusal.field == "correlation.timespan"), "{refusals:?}");
        set.correlations().first().map(|read| read.timespan.as_secs())
    };
    let table =
        [("30s", 30), ("5m", 300), ("2h", 7_200), ("31d", 2_678_400), ("1w", 604_800), ("1M", 2_629_746)];
    for (text, expected) in table {
        assert_eq!(seconds(text), Some(expected), "{text}");
    }
    for text in
        ["0s", "32d", "2M", "1y", "m", "5", "'5'", "-5m", "+5m", "1.5h", "5x", "99999999999999999999d", "5µ"]
    {
        assert_eq!(seconds(text), None, "{text}");
    }
}

#[test]
fn what_refers_to_the_refused_is_refused() {
    let inner = "{type: sometimes, rules: [failed], timespan: 5m}";
    let outer = "---\ntitle: outer\ncorrelation: {type: event_count, rules: [many], timespan: 5m, condition: {gte: 2}}\n";
    let (set, refusals) = load(&format!("{}{outer}", with(inner)));
    let kinds: Vec<_> = refusals.iter().map(|refusal| refusal.cause.kind()).collect();
    assert_eq!((set.correlations().len(), kinds), (0, vec!["invalid", "unknown_reference"]));
}

#[test]
fn a_ring_and_an_inner_field_that_is_not_grouped_are_refused() {
    let link = |name: &str, to: &str| {
        format!(
            "---\ntitle: {name}\nname: {name}\ncorrelation: {{type: event_count, rules: [{to}], timespan: 5m, condition: {{gte: 2}}}}\n"
        )
    };
    let (set, refusals) = load(&format!("{}{}{}", link("x", "y"), link("y", "z"), link("z", "x")));
    assert_eq!((set.correlations().len(), refusals.len()), (0, 3));
    assert!(refusals.iter().all(|refusal| refusal.cause.kind() == "cycle"));
}

#[test]
fn an_outer_correlation_groups_by_its_own_fields() {
    let inner = with(
        "{type: event_count, rules: [failed], group-by: [ip], timespan: 5m, condition: {gte: 5}, aliases: {ip: {failed: from}}}",
    );
    let outer = "---\ntitle: o\ncorrelation: {type: value_count, rules: [many], group-by: [user, ip], timespan: 5m, condition: {field: host, gte: 2}}\n";
    let set = rule_set(&format!("{inner}{outer}"));
    let outer = &set.correlations()[1];
    let record = event(r#"{"user": "u", "from": "f", "ip": "i", "host": "h"}"#);
    assert_eq!(outer.group_values(0, &record).unwrap(), ["u", "f"]);
    assert_eq!(outer.counted(0, &record), Counted::Value("h".to_owned()));
}
