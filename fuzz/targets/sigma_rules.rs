//! Rule packs and events: anything is parsed and compiled or refused, the same text always compiles
//! to the same version, and the matcher agrees with the oracle of its tests.
//!
//! The input is YAML, a line `===`, and events, one JSON object per line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use palisade_fuzz::json_tree::Tree;
use sigma::document::RuleDocument;
use sigma::{Document, Event, NativeFields, RuleSet, Value, parse};

#[path = "../../analyzer/sigma/tests/language/oracle.rs"]
mod oracle;

/// The oracle tries every way a pattern can meet a text; beyond these it would take too long.
const MOST_WILDCARDS: usize = 6;
const LONGEST_EVENT: usize = 160;

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (yaml, events) = input.split_once("\n===\n").unwrap_or((input, "{}"));
    let (mut documents, mut whole) = (Vec::new(), true);
    for document in parse("pack.yml", yaml) {
        match document {
            Ok(document) => documents.push(document),
            Err(refusal) => {
                whole = false;
                assert!(!refusal.to_string().is_empty());
            }
        }
    }
    let (rules, refusals) = RuleSet::compile(documents.clone(), &NativeFields);
    let (again, _) = RuleSet::compile(documents.iter().rev().cloned().collect(), &NativeFields);
    assert_eq!(rules.version(), again.version(), "the order of documents changed the version");
    whole &= refusals.is_empty();

    let plain: Vec<&RuleDocument> = documents
        .iter()
        .filter_map(|document| match document {
            Document::Rule(rule) => Some(&**rule),
            _ => None,
        })
        .collect();
    let comparable = whole && yaml.matches(['*', '|']).count() <= MOST_WILDCARDS && !has_large_numbers(input);
    for line in events.lines() {
        let Some(event) = event(line) else { continue };
        let mut found = Vec::new();
        rules.matches_and_filters(&event, &mut found);
        assert!(found.is_sorted_by(|one, next| one.rule < next.rule), "{found:?} are not in order");
        if comparable && line.len() <= LONGEST_EVENT {
            let found: Vec<usize> = found.iter().map(|found| found.rule).collect();
            let matching =
                plain.iter().enumerate().filter(|(_, rule)| oracle::matches(&rule.detection, &event));
            let expected: Vec<usize> = matching.map(|(index, _)| index).collect();
            assert_eq!(found, expected, "matcher and oracle disagree on {event:?}");
        }
    }
});

/// The oracle calculates in doubles, which hold whole numbers of 15 digits.
fn has_large_numbers(text: &str) -> bool {
    let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    let has_exponent =
        text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && matches!(pair[1], b'e' | b'E'));
    longest.is_some_and(|longest| longest > 15) || has_exponent
}

fn event(line: &str) -> Option<Event<'static>> {
    let Ok(Tree::Object(members)) = serde_json::from_str(line) else { return None };
    let mut event = Event::default();
    for (name, value) in members {
        event.push(name, self::value(value));
    }
    Some(event)
}

fn value(tree: Tree) -> Value<'static> {
    match tree {
        Tree::Null => Value::Null,
        Tree::Bool(value) => Value::Bool(value),
        Tree::Int(value) => Value::Int(value),
        Tree::Large(value) => Value::String(value.to_string().into()),
        Tree::Double(value) => Value::Double(value),
        Tree::Text(text) => Value::String(text.into()),
        Tree::Array(values) => Value::Array(values.into_iter().map(value).collect()),
        Tree::Object(members) => {
            Value::Map(members.into_iter().map(|(name, tree)| (name.into(), value(tree))).collect())
        }
    }
}
