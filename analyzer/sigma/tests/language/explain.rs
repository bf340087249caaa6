//! Traces of rules that nearly match: examples, and agreement with the matcher.

use proptest::prelude::*;
use serde_json::json;
use sigma::explain::{Explainer, Near, Observed};
use sigma::{CompileOptions, Document, Event, NativeFields, Placeholders, RuleSet, parse};

use crate::agreement::{condition, event_value, field_name, object, selection};
use crate::front_door::{self, compile, event};

fn traced(yaml: &str) -> (RuleSet, Explainer) {
    let documents: Vec<Document> = parse("pack.yml", yaml).into_iter().map(Result::unwrap).collect();
    let placeholders = Placeholders::default();
    let (set, refusals) = compile(documents.clone(), &placeholders);
    assert!(refusals.is_empty(), "{refusals:?}");
    let options = CompileOptions { mapping: &NativeFields, placeholders: &placeholders };
    let explainer = Explainer::new(&set, &documents, &options);
    assert_eq!(explainer.rules(), set.rules().len());
    (set, explainer)
}

/// The trace of the only rule of a text, if it nearly matches.
fn near(yaml: &str, json: &str) -> Option<Near> {
    let (_, explainer) = traced(yaml);
    explainer.near(&event(json), 8, 0).rules.pop()
}

const FAILURE: &str = "selection:
  action: login
  message|contains: [refused, denied]
  outcome: failure
filter:
  user: backup
condition: selection and not filter";

#[test]
fn the_item_that_fails_is_named_with_its_values_and_the_value_found() {
    let yaml = front_door::rule(FAILURE);
    let near = near(&yaml, r#"{"action": "login", "message": "accepted", "outcome": "failure"}"#).unwrap();
    assert_eq!((near.held, near.misses.len(), near.more_misses), (2, 1, 0));
    let miss = &near.misses[0];
    assert_eq!((miss.selection.as_str(), miss.key.as_str()), ("selection", "message|contains"));
    assert!(miss.should_hold);
    assert_eq!(miss.values, ["refused", "denied"]);
    assert_eq!(miss.names, ["message"]);
    assert_eq!(miss.found, Observed::Values { values: vec!["accepted".into()], more: 0 });
}

#[test]
fn an_absent_field_is_told_apart_from_an_empty_one() {
    let yaml = front_door::rule(FAILURE);
    let found = |json: &str| near(&yaml, json).unwrap().misses.pop().unwrap().found;
    assert_eq!(found(r#"{"action": "login", "message": "denied"}"#), Observed::Absent);
    assert_eq!(found(r#"{"action": "login", "message": "denied", "outcome": null}"#), Observed::Null);
}

#[test]
fn an_item_of_a_negated_selection_is_named_as_one_that_should_not_hold() {
    let yaml = front_door::rule(FAILURE);
    let excluded = r#"{"action": "login", "message": "denied", "outcome": "failure", "user": "backup"}"#;
    let near = near(&yaml, excluded).unwrap();
    let miss = &near.misses[0];
    assert_eq!((miss.selection.as_str(), miss.should_hold, near.held), ("filter", false, 3));
}

#[test]
fn a_rule_that_matches_or_misses_two_items_is_not_near() {
    let yaml = front_door::rule(FAILURE);
    assert_eq!(near(&yaml, r#"{"action": "login", "message": "denied", "outcome": "failure"}"#), None);
    assert_eq!(near(&yaml, r#"{"action": "login"}"#), None);
    let excluded = r#"{"action": "login", "message": "x", "outcome": "failure", "user": "backup"}"#;
    assert_eq!(near(&yaml, excluded), None);
}

#[test]
fn an_item_that_holds_because_its_field_is_absent_is_no_evidence() {
    let yaml = front_door::selection("{parent: null, child|exists: false, name: x}");
    assert_eq!(near(&yaml, r#"{"name": "y"}"#).unwrap().held, 0);
    let keywords = front_door::rule("words: [kettle]\nselection: {name: x}\ncondition: words and selection");
    assert_eq!(near(&keywords, r#"{"text": "the kettle"}"#).unwrap().held, 1);
}

#[test]
fn a_rule_of_another_log_source_is_not_near() {
    let yaml = front_door::rule(FAILURE);
    let (_, explainer) = traced(&yaml);
    let mut event = event(r#"{"action": "login", "outcome": "failure"}"#);
    assert_eq!(explainer.near(&event, 8, 0).rules.len(), 1);
    event.log_source.category = Some("webserver".into());
    assert_eq!(explainer.near(&event, 8, 0).rules.len(), 0);
}

#[test]
fn alternatives_are_told_up_to_a_bound() {
    let parts: String = (0..8).map(|number| format!("s{number}:\n  a: v{number}\n")).collect();
    let yaml = front_door::rule(&format!("base:\n  b: 1\n{parts}condition: base and 1 of s*"));
    let near = near(&yaml, r#"{"a": "other", "b": 1}"#).unwrap();
    assert_eq!((near.held, near.misses.len(), near.more_misses), (1, 3, 5));
}

#[test]
fn rules_are_ordered_by_the_items_that_hold_and_bounded() {
    let rule = |number: usize, fields: &str| {
        format!("id: r{number}\n{}", front_door::selection(&format!("{{{fields}, z: {number}}}")))
    };
    let yaml =
        [rule(1, "a: 1"), rule(2, "a: 1, b: 1, c: 1"), rule(3, "a: 1, b: 1"), rule(4, "d: 1")].join("---\n");
    let (set, explainer) = traced(&yaml);
    let event = event(r#"{"a": 1, "b": 1, "c": 1}"#);
    let near = explainer.near(&event, 2, 0);
    let ids: Vec<&str> = near.rules.iter().map(|near| &*set.rules()[near.rule].info.id).collect();
    assert_eq!((ids, near.left_out), (vec!["r2", "r3"], 1));
    assert_eq!(explainer.near(&event, 8, 3).rules.len(), 1, "at least three items hold");
}

#[test]
fn long_values_are_shortened_and_many_are_counted() {
    let values: Vec<String> = (0..9).map(|number| format!("{number}{}", "x".repeat(999))).collect();
    let yaml = front_door::selection(&json!({"a": values, "b": 1}).to_string());
    let miss = near(&yaml, &json!({"b": 1, "a": "é".repeat(999)}).to_string()).unwrap().misses.pop().unwrap();
    assert_eq!((miss.values.len(), miss.more_values), (4, 5));
    let Observed::Values { values, more: 0 } = miss.found else { panic!("{:?}", miss.found) };
    assert!(values[0].ends_with('…') && values[0].len() < 210 && miss.values[0].len() < 210);
}

/// The rule without the item, or with its opposite: the item's outcome is the other one.
fn with_other(documents: &[Document], rule: &str, near: &Near, event: &Event<'_>) -> bool {
    let miss = &near.misses[0];
    let Some(Document::Rule(document)) = documents.iter().find(|document| document.info().id == rule) else {
        return false;
    };
    // Of one selection with one item the trace is decided by the condition alone.
    let mut changed = document.clone();
    for (name, selection) in &mut changed.detection.selections {
        let sigma::document::Selection::All(tests) = selection else { continue };
        if *name != miss.selection || tests.iter().filter(|test| test.key == miss.key).count() != 1 {
            continue;
        }
        for test in tests.iter_mut().filter(|test| test.key == miss.key) {
            // Always holds, or never does, for any event.
            test.field = Some("no such field".into());
            test.values = vec![sigma::document::Scalar::Bool(!miss.should_hold)];
            test.modifiers = sigma::document::Modifiers {
                kind: sigma::document::Relation::Exists,
                ..sigma::document::Modifiers::default()
            };
        }
        let (set, _) = compile(vec![Document::Rule(changed)], &Placeholders::default());
        let mut found = Vec::new();
        set.matches(event, &mut found);
        return found.len() == 1;
    }
    // An item of a list of maps or of keywords: not changed here.
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn traces_agree_with_the_matcher(
        detections in prop::collection::vec((selection(), selection(), selection(), condition()), 1..5),
        events in prop::collection::vec(prop::collection::vec((field_name(), event_value()), 0..4), 1..6),
    ) {
        let pack: Vec<String> = detections.iter().enumerate().map(|(index, (first, second, hidden, condition))| {
            json!({
                "title": "random",
                "id": format!("rule-{index}"),
                "logsource": {"category": "test"},
                "detection": {"x1": first, "x2": second, "_y": hidden, "condition": condition},
            }).to_string()
        }).collect();
        let parsed = pack.iter().enumerate().flat_map(|(index, yaml)| parse(&format!("{index}.yml"), yaml));
        let documents: Vec<Document> = parsed.filter_map(Result::ok).collect();
        let placeholders = Placeholders::default();
        let (set, _) = compile(documents.clone(), &placeholders);
        let options = CompileOptions { mapping: &NativeFields, placeholders: &placeholders };
        let explainer = Explainer::new(&set, &documents, &options);
        prop_assert_eq!(explainer.rules(), set.rules().len());
        for fields in events {
            let event = event(&object(fields).to_string());
            let mut matched = Vec::new();
            set.matches(&event, &mut matched);
            prop_assert_eq!(&explainer.holding(&event), &matched);
            for near in explainer.near(&event, 8, 0).rules {
                prop_assert!(!matched.contains(&near.rule), "a rule that matches is not near");
                let id = &set.rules()[near.rule].info.id;
                prop_assert!(with_other(&documents, id, &near, &event), "{:?} {:?}", near, detections);
            }
        }
    }
}
