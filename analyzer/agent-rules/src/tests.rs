//! Each built-in rule against actions that it must and must not match, and the attributes of rules.

mod attributes;
mod cases;

use std::borrow::Cow;

use serde_json::Value as Json;
use sigma::mapping::NativeFields;
use sigma::{Event, LogSource, RuleSet, Value};

use crate::pack;

/// The pack, compiled as a client compiles it.
fn compiled() -> RuleSet {
    let documents = pack::documents().into_iter().map(Result::unwrap).collect();
    let (rules, refusals) = RuleSet::compile(documents, &NativeFields);
    assert_eq!(refusals, []);
    rules
}

/// An event of an agent's action.
fn event<'a>(category: &'a str, fields: &'a Json) -> Event<'a> {
    let log_source = LogSource {
        product: Some(Cow::Borrowed(crate::PRODUCT)),
        category: Some(Cow::Borrowed(category)),
        service: None,
    };
    let fields = fields.as_object().unwrap();
    Event {
        log_source,
        fields: fields.iter().map(|(name, json)| (name.as_str().into(), value(json))).collect(),
    }
}

fn value(json: &Json) -> Value<'_> {
    match json {
        Json::String(text) => Value::String(text.as_str().into()),
        Json::Array(items) => Value::Array(items.iter().map(value).collect()),
        other => panic!("{other} is not a value of an action"),
    }
}

/// Names of the rules that match an event.
fn matching(rules: &RuleSet, event: &Event<'_>) -> Vec<String> {
    let mut found = Vec::new();
    rules.matches(event, &mut found);
    found.into_iter().filter_map(|index| rules.rules()[index].info.name.clone()).collect()
}
