//! Filters: matches that are excluded, and those that are not.

use sigma::Match;

use crate::front_door::{event, load, rule_set};

const RULES: &str = "\
title: one
id: rule-1
name: first
logsource: {product: linux, service: sshd}
detection: {a: {user: '*'}, condition: a}
---
title: two
id: rule-2
logsource: {product: linux}
detection: {a: {user: '*'}, condition: a}
---
";

fn filter(log_source: &str, rules: &str) -> String {
    let body = format!(
        "{{rules: {rules}, mine: {{user: backup}}, other: {{user: svc_*}}, condition: mine or other}}"
    );
    format!("{RULES}title: known accounts\nid: filter-1\nlogsource: {log_source}\nfilter: {body}\n")
}

fn matches(yaml: &str, json: &str) -> Vec<Match> {
    let mut found = Vec::new();
    rule_set(yaml).matches_and_filters(&event(json), &mut found);
    found
}

#[test]
fn a_filter_takes_matches_away_from_the_rules_it_names() {
    let yaml = filter("{product: linux}", "[first]");
    let mut found = Vec::new();
    rule_set(&yaml).matches(&event(r#"{"user": "Backup"}"#), &mut found);
    assert_eq!(found, [1]);
    let all = matches(&yaml, r#"{"user": "svc_x"}"#);
    assert_eq!(all, [Match { rule: 0, filter: Some(0) }, Match { rule: 1, filter: None }]);
    assert!(matches(&yaml, r#"{"user": "eve"}"#).iter().all(|found| found.filter.is_none()));
}

#[test]
fn any_means_every_rule_that_states_the_same_log_source() {
    let reach = |log_source: &str| rule_set(&filter(log_source, "any")).filtered_by(0).collect::<Vec<_>>();
    assert_eq!(reach("{product: linux}"), [0, 1]);
    assert_eq!(reach("{product: linux, service: sshd}"), [0]);
    assert_eq!(reach("{product: windows}"), [0_usize; 0]);
    assert_eq!(reach("{category: webserver}"), [0_usize; 0]);
}

#[test]
fn a_filter_that_could_not_work_is_refused() {
    let correlation = "title: c\nid: corr\ncorrelation: {type: event_count, rules: [first], timespan: 5m, condition: {gte: 5}}\n---\n";
    let table = [
        (filter("{product: linux}", "[nobody]"), "filter.rules", "unknown_reference"),
        (filter("{product: windows}", "[first]"), "filter.rules", "log_source"),
        (filter("{product: linux}", "[]"), "filter.rules", "invalid"),
        (
            filter("{product: linux}", "[corr]").replacen(
                "title: one",
                &format!("{correlation}title: one"),
                1,
            ),
            "filter.rules",
            "unsupported",
        ),
        (filter("{}", "any"), "logsource", "invalid"),
        (
            filter("{product: linux}", "any")
                .replace("condition: mine or other", "condition: mine or neither"),
            "filter.condition",
            "unknown_selection",
        ),
        (filter("{product: linux}", "any").replace("rules: any, ", ""), "filter.rules", "missing"),
    ];
    for (yaml, field, kind) in table {
        let (set, refusals) = load(&yaml);
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert_eq!((&*refusals[0].field, refusals[0].cause.kind()), (field, kind), "{}", refusals[0]);
        assert!(set.filters().is_empty() && set.rules().iter().all(|rule| rule.info.id != "filter-1"));
    }
}
