//! What a filter certainly takes away of events that are known by what they have in common: never more than the
//! matcher takes away, and all of it where nothing differs.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use sigma::{Constants, Document, Event, Match, NativeFields, Placeholders, RuleSet, parse};

use crate::agreement::{condition, event_value, field_name, object, selection};
use crate::front_door::{compile, event, rule_set};
use crate::samples;

/// A rule that every event matches, and a filter.
fn with_filter(filter: &str) -> RuleSet {
    rule_set(&format!(
        "title: all\nid: all\nlogsource: {{product: any}}\n\
         detection: {{all: {{never|exists: false}}, condition: all}}\n---\n\
         title: some\nid: some\nlogsource: {{product: any}}\nfilter: {{rules: any, {filter}}}\n"
    ))
}

fn constants(events: &[Event<'_>]) -> Constants {
    let mut events = events.iter().map(|event| Constants::of(event, &[]));
    let mut known = events.next().unwrap();
    for other in events {
        known.meet(&other);
    }
    known
}

/// Whether the filter takes away the match of the first rule.
fn is_filtered(set: &RuleSet, event: &Event<'_>) -> bool {
    let mut found = Vec::new();
    set.matches_and_filters(event, &mut found);
    let first = found.iter().find(|found| found.rule == 0);
    matches!(first, Some(Match { filter: Some(_), .. }))
}

fn is_certain(filter: &str, events: &[&str]) -> bool {
    let events: Vec<Event<'_>> = events.iter().map(|json| event(json)).collect();
    let set = with_filter(filter);
    let certain = set.filters_all(0, &constants(&events)).is_some();
    assert!(!certain || events.iter().all(|event| is_filtered(&set, event)));
    certain
}

#[test]
fn what_all_events_have_decides_and_what_differs_does_not() {
    let events = [
        r#"{"ip": "203.0.113.9", "user": "eve", "port": 1, "tags": ["a", "b"], "deep": {"er": 5}, "no": null}"#,
        r#"{"ip": "203.0.113.9", "user": "EVE", "port": 2, "tags": ["a", "b"], "deep": {"er": 5}, "no": null, "extra": 1}"#,
    ];
    for (filter, certain) in [
        ("s: {ip: 203.0.113.9}, condition: s", true),
        ("s: {ip|cidr: 203.0.113.0/24}, condition: s", true),
        ("s: {ip: 203.0.113.8}, condition: s", false),
        ("s: {ip: 203.0.113.8}, condition: not s", true),
        ("s: {user: eve}, condition: s", false),
        ("s: {user: eve}, condition: not s", false),
        ("s: {ip: 203.0.113.9, user: eve}, condition: s", false),
        ("s: {ip: 203.0.113.9}, t: {user: eve}, condition: s or t", true),
        ("s: {ip: 203.0.113.9}, t: {user: eve}, condition: s or not t", true),
        ("s: {tags: b}, condition: s", true),
        ("s: {deep.er|gte: 5}, condition: s", true),
        ("s: {deep|exists: true}, condition: s", true),
        ("s: {never|exists: false}, condition: s", true),
        ("s: {no: null, never: null}, condition: s", true),
        ("s: {no|exists: true}, condition: s", true),
        ("s: {extra|exists: false}, condition: s", false),
        ("s: {port|fieldref: port}, condition: s", false),
        ("s: {ip|fieldref|neq: deep.er}, condition: s", true),
        ("s: [203.0.113.9], condition: s", true),
        ("s: [mallory], condition: s", false),
        ("s: [mallory], condition: not s", false),
    ] {
        assert_eq!(is_certain(filter, &events), certain, "{filter}");
    }
    assert!(is_certain("s: [mallory], condition: not s", &events[..1]), "one event is known whole");
    let long = format!(r#"{{"long": "{}"}}"#, "\\u0000".repeat(50));
    assert!(!is_certain("s: {long: x}, condition: not s", &[&long]), "more than is kept of one field");
}

#[test]
fn the_filter_that_is_certain_is_named_and_others_are_not() {
    let set = rule_set(
        "title: all\nid: all\nlogsource: {product: any}\ndetection: {all: {a: '*'}, condition: all}\n---\n\
         title: other\nid: other\nlogsource: {product: other}\ndetection: {all: {a: '*'}, condition: all}\n---\n\
         title: f\nid: f\nlogsource: {product: any}\nfilter: {rules: any, s: {b: 1}, condition: s}\n---\n\
         title: g\nid: g\nlogsource: {product: any}\nfilter: {rules: any, s: {a: 1}, condition: s}\n",
    );
    let known = constants(&[event(r#"{"a": 1, "b": 1}"#), event(r#"{"a": 1, "b": 2}"#)]);
    let named = set.filters_all(0, &known).map(|filter| set.filters()[filter].info.id.as_str());
    assert_eq!(named, Some("g"));
    assert_eq!(set.filters_all(1, &known), None, "no filter is for it");
    assert_eq!(set.filters_all(7, &known), None);
}

fn filter() -> impl Strategy<Value = Json> {
    (selection(), selection(), selection(), condition()).prop_map(|(first, second, hidden, condition)| {
        json!({"x1": first, "x2": second, "_y": hidden, "condition": condition})
    })
}

/// The set with a rule for everything, a filter, and the filter as a rule, if it can be used.
fn compiled(filter: &Json) -> Option<(RuleSet, Vec<Event<'static>>)> {
    let all = json!({"title": "all", "id": "all", "logsource": {"product": "any"},
        "detection": {"all": {"never|exists": false}, "condition": "all"}});
    let rule = json!({"title": "rule", "id": "rule", "logsource": {"product": "any"}, "detection": filter});
    let mut body = filter.clone();
    body["rules"] = json!(["all"]);
    let filter = json!({"title": "filter", "id": "filter", "logsource": {"product": "any"}, "filter": body});
    let documents =
        [all, rule, filter].into_iter().flat_map(|document| parse("one.yml", &document.to_string()));
    let documents: Vec<Document> = documents.filter_map(Result::ok).collect();
    let made = documents.iter().find_map(|document| match document {
        Document::Rule(rule) if rule.info.id == "rule" => Some(samples::events(rule)),
        _ => None,
    });
    let mut placeholders = Placeholders::default();
    placeholders.define("x", crate::oracle::text::placeholder_values("x"));
    let documents = documents.into_iter().filter(|document| document.info().id != "rule").collect();
    let (set, _) = compile(documents, &placeholders);
    (set.filters().len() == 1 && set.rules().len() == 1).then(|| (set, made.unwrap_or_default()))
}

/// Whether everything in the event is kept: no field hides another of the same name from all but keywords, and the
/// values of each are at most 256 bytes, in which a control character takes six as JSON writes it.
fn is_kept_whole(event: &Event<'_>) -> bool {
    let (mut values, mut leaves) = (Vec::new(), Vec::new());
    event.every_value(&mut leaves);
    let literal = event.fields.iter().all(|(_, value)| !holds_map(value));
    for (name, _) in &event.fields {
        event.values(name, &mut values);
    }
    literal
        && values.len() == leaves.len()
        && event.fields.iter().all(|(_, value)| written_bytes(value) <= 256)
}

/// Whether names lead into the value, which fields of those names would hide.
fn holds_map(value: &sigma::Value<'_>) -> bool {
    match value {
        sigma::Value::Map(_) => true,
        sigma::Value::Array(items) => items.iter().any(holds_map),
        _ => false,
    }
}

/// At least the bytes that the value's texts and numbers take.
fn written_bytes(value: &sigma::Value<'_>) -> usize {
    match value {
        sigma::Value::String(text) => {
            let bytes = |byte: u8| if byte < 0x20 || matches!(byte, b'"' | b'\\') { 6 } else { 1 };
            text.bytes().map(bytes).sum()
        }
        sigma::Value::Array(items) => items.iter().map(written_bytes).sum(),
        _ => 16,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn what_is_certain_is_so_for_every_event(
        filter in filter(),
        shared in prop::collection::vec((field_name(), event_value()), 0..4),
        own in prop::collection::vec(prop::collection::vec((field_name(), event_value()), 0..2), 1..5),
        picked in any::<prop::sample::Index>(),
    ) {
        let Some((set, made)) = compiled(&filter) else { return Ok(()) };
        let drawn = own.into_iter().map(|own| {
            event(&object(own.into_iter().chain(shared.clone()).collect()).to_string())
        });
        let mut events: Vec<Event<'_>> = drawn.collect();
        if !made.is_empty() {
            // One that the filter is likely to take away, and what is drawn beside it.
            let taken = picked.get(&made).clone();
            events.push(taken.clone());
            let beside = events.iter().take(2).map(|other| Event {
                fields: taken.fields.iter().chain(&other.fields).cloned().collect(),
                ..Event::default()
            });
            let beside: Vec<_> = beside.collect();
            check(&set, &beside)?;
        }
        for count in 1..=events.len() {
            check(&set, &events[events.len() - count..])?;
        }
        for event in &events {
            let one = std::slice::from_ref(event);
            let certain = set.filters_all(0, &constants(one)).is_some();
            if is_kept_whole(event) {
                prop_assert_eq!(certain, is_filtered(&set, event), "{:?}\n{}", event, filter);
            }
        }
    }
}

fn check(set: &RuleSet, events: &[Event<'_>]) -> Result<(), TestCaseError> {
    let known = constants(events);
    if set.filters_all(0, &known).is_some() {
        for event in events {
            prop_assert!(is_filtered(set, event), "{:?}\n{:?}", event, known);
        }
    }
    Ok(())
}

#[test]
fn native_names_and_their_other_writing_are_one_field() {
    let (set, refused) = RuleSet::compile(
        parse(
            "one.yml",
            "title: all\nid: all\nlogsource: {product: any}\ndetection: {all: {a: '*'}, condition: all}\n---\n\
             title: f\nid: f\nlogsource: {product: any}\nfilter: {rules: any, s: {Threat Name: x}, condition: s}\n",
        )
        .into_iter()
        .map(Result::unwrap)
        .collect(),
        &NativeFields,
    );
    assert!(refused.is_empty());
    let spaced = || event(r#"{"a": 1, "Threat Name": "x"}"#);
    assert!(set.filters_all(0, &constants(&[spaced()])).is_some());
    let first = || event(r#"{"a": 1, "Threat Name": "x", "ThreatName": "y"}"#);
    assert!(set.filters_all(0, &constants(&[first()])).is_none(), "the first name that has a value counts");
    assert!(set.filters_all(0, &constants(&[spaced(), first()])).is_none());
}
