//! Common parts of the tests: rules from YAML, events from JSON, and whether they match.

use serde_json::Value as Json;
use sigma::{CompileOptions, Document, Event, NativeFields, Placeholders, Refusal, RuleSet, Value, parse};

/// Compiles documents.
pub(crate) fn compile(documents: Vec<Document>, placeholders: &Placeholders) -> (RuleSet, Vec<Refusal>) {
    let options = CompileOptions { mapping: &NativeFields, placeholders };
    RuleSet::compile_with(documents, &options)
}

/// The rule set of a text, and everything that was refused on the way.
pub(crate) fn load(yaml: &str) -> (RuleSet, Vec<Refusal>) {
    load_with(yaml, &Placeholders::default())
}

/// The same, with placeholders.
pub(crate) fn load_with(yaml: &str, placeholders: &Placeholders) -> (RuleSet, Vec<Refusal>) {
    let (mut documents, mut refusals) = (Vec::new(), Vec::new());
    for document in parse("pack.yml", yaml) {
        match document {
            Ok(document) => documents.push(document),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let (set, refused) = compile(documents, placeholders);
    refusals.extend(refused);
    (set, refusals)
}

/// The rule set of a text in which nothing may be refused.
pub(crate) fn rule_set(yaml: &str) -> RuleSet {
    let (set, refusals) = load(yaml);
    assert!(refusals.is_empty(), "{}", refusals[0]);
    set
}

/// The only refusal of a text.
pub(crate) fn refusal(yaml: &str) -> Refusal {
    let (_, mut refusals) = load(yaml);
    assert_eq!(refusals.len(), 1, "{refusals:?}\n{yaml}");
    refusals.remove(0)
}

/// A rule with this detection, given as flow or block YAML without indentation.
pub(crate) fn rule(detection: &str) -> String {
    let indented: String = detection.lines().map(|line| format!("  {line}\n")).collect();
    format!("title: test\nlogsource:\n  category: test\ndetection:\n{indented}")
}

/// A rule whose only selection is this YAML value on one line.
pub(crate) fn selection(selection: &str) -> String {
    rule(&format!("selection: {selection}\ncondition: selection"))
}

/// An event with the fields of a JSON object.
pub(crate) fn event(json: &str) -> Event<'static> {
    let Json::Object(fields) = serde_json::from_str(json).unwrap() else { panic!("not an object: {json}") };
    let mut event = Event::default();
    for (name, json) in fields {
        event.push(name, value(json));
    }
    event
}

fn value(json: Json) -> Value<'static> {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Double(number.as_f64().unwrap()), Value::Int)
        }
        Json::String(text) => Value::String(text.into()),
        Json::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        Json::Object(fields) => {
            Value::Map(fields.into_iter().map(|(name, json)| (name.into(), value(json))).collect())
        }
    }
}

/// Whether the only rule of a set matches.
pub(crate) fn meets(set: &RuleSet, json: &str) -> bool {
    let mut found = Vec::new();
    set.matches(&event(json), &mut found);
    !found.is_empty()
}

/// Every row of a table: a selection on one line, events that match, events that do not.
pub(crate) fn check(table: &[(&str, &[&str], &[&str])]) {
    for (yaml, hits, misses) in table {
        let set = rule_set(&selection(yaml));
        for json in *hits {
            assert!(meets(&set, json), "{yaml} should match {json}");
        }
        for json in *misses {
            assert!(!meets(&set, json), "{yaml} should not match {json}");
        }
    }
}

/// The cause of the refusal of every selection, each on one line.
pub(crate) fn check_refused(table: &[(&str, &str)]) {
    for (yaml, kind) in table {
        let found = refusal(&selection(yaml));
        assert_eq!(found.cause.kind(), *kind, "{yaml}: {found}");
    }
}
