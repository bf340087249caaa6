//! Rules of an organization beside shared ones: they find, count, silence and filter as if all had been compiled
//! together, and the shared ones are found as if there were no others.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use sigma::{
    CompileOptions, Document, Event, Layer, Limits, LogSource, Match, NativeFields, Placeholders, Reference,
    RuleSet, parse,
};

use crate::agreement::{condition, event_value, field_name, object, selection};
use crate::front_door::event;
use crate::{oracle, samples};

const RULES: &str = "title: Shared
id: shared
logsource: {product: any}
detection: {s: {a: x}, condition: s}
---
title: Shared filter
id: shared_filter
logsource: {product: any}
filter: {rules: any, s: {b: ours}, condition: s}
";
const OWN: &str = "title: Own
id: own
logsource: {product: any}
detection: {s: {a: x}, condition: s}
---
title: Many
id: many
correlation: {type: event_count, rules: [shared, own], group-by: [a], timespan: 5m, condition: {gte: 3}}
---
title: Own filter
id: own_filter
logsource: {product: any}
filter: {rules: [shared], s: {b: mine}, condition: s}
";

fn documents(file: &str, yaml: &str) -> Vec<Document> {
    parse(file, yaml).into_iter().map(|read| read.unwrap_or_else(|refusal| panic!("{refusal}"))).collect()
}

fn shared() -> Arc<RuleSet> {
    let (set, refusals) = RuleSet::compile(documents("a.yml", RULES), &NativeFields);
    assert_eq!(refusals, []);
    Arc::new(set)
}

fn beside(shared: &Arc<RuleSet>, documents: Vec<Document>) -> (Layer, Vec<sigma::Refusal>) {
    let placeholders = &placeholders();
    let options = CompileOptions { mapping: &NativeFields, placeholders };
    Layer::compile(Arc::clone(shared), documents, &options, Limits::none())
}

fn placeholders() -> Placeholders {
    let mut placeholders = Placeholders::default();
    placeholders.define("x", oracle::text::placeholder_values("x"));
    placeholders
}

fn compile(documents: Vec<Document>) -> (RuleSet, Vec<sigma::Refusal>) {
    crate::front_door::compile(documents, &placeholders())
}

fn found(layer: &Layer, json: &str) -> Vec<(usize, Option<usize>)> {
    let mut event = event(json);
    event.log_source = LogSource { product: Some("any".into()), ..LogSource::default() };
    let mut found = Vec::new();
    layer.matcher().matches_and_filters(&event, &mut found);
    found.into_iter().map(|Match { rule, filter }| (rule, filter)).collect()
}

#[test]
fn rules_of_both_are_found_and_filtered_by_filters_of_both() {
    let shared = shared();
    let (layer, refusals) = beside(&shared, documents("b.yml", OWN));
    assert_eq!(refusals, []);
    assert_eq!(found(&layer, r#"{"a": "x"}"#), [(0, None), (1, None)]);
    assert_eq!(found(&layer, r#"{"a": "x", "b": "ours"}"#), [(0, Some(0)), (1, Some(0))]);
    assert_eq!(found(&layer, r#"{"a": "x", "b": "mine"}"#), [(0, Some(1)), (1, None)]);
    assert_eq!(found(&layer, r#"{"a": "y"}"#), []);
    let mut alone = Vec::new();
    shared.matches(&event(r#"{"a": "x", "b": "mine"}"#), &mut alone);
    assert_eq!(alone, [0], "the shared set is as it was");
}

#[test]
fn own_correlations_count_and_silence_shared_rules() {
    let shared = shared();
    let (layer, _) = beside(&shared, documents("b.yml", OWN));
    assert_eq!(layer.correlations()[0].references, [Reference::Rule(0), Reference::Rule(1)]);
    assert!(layer.is_referenced(Reference::Rule(0)) && layer.is_referenced(Reference::Rule(1)));
    assert!(!shared.is_referenced(Reference::Rule(0)));
    let generating = OWN.replace("gte: 3}}", "gte: 3}, generate: true}");
    let (layer, refusals) = beside(&shared, documents("b.yml", &generating));
    assert_eq!(refusals, []);
    assert!(!layer.is_referenced(Reference::Rule(0)));
}

#[test]
fn ids_of_shared_rules_are_refused_and_what_is_gone_cannot_be_referred_to() {
    let shared = shared();
    let taken = OWN.replace("id: own\n", "id: SHARED\n");
    let (layer, refusals) = beside(&shared, documents("b.yml", &taken));
    let told: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("`SHARED` is already used by a shared rule"), "{told:?}");
    assert_eq!((layer.rules().len(), told.len()), (0, 2), "the correlation refers to what was refused");
    let nothing = Arc::new(RuleSet::default());
    let (_, refusals) = beside(&nothing, documents("b.yml", OWN));
    assert_eq!(refusals.len(), 2, "{refusals:?}");
}

const LOG_SOURCES: [&str; 3] =
    [r#"{"product":"any"}"#, r#"{"product":"any","service":"one"}"#, r#"{"service":"one"}"#];

fn rule() -> impl Strategy<Value = Json> {
    (prop::sample::select(&LOG_SOURCES[..]), selection(), selection(), selection(), condition()).prop_map(
        |(source, first, second, hidden, condition)| {
            let source: Json = serde_json::from_str(source).unwrap();
            let detection = json!({"x1": first, "x2": second, "_y": hidden, "condition": condition});
            json!({"title": "random", "logsource": source, "detection": detection})
        },
    )
}

fn filter() -> impl Strategy<Value = Json> {
    (prop::sample::select(&LOG_SOURCES[..]), selection(), any::<bool>()).prop_map(
        |(source, selection, not)| {
            let source: Json = serde_json::from_str(source).unwrap();
            let condition = if not { "not s" } else { "s" };
            let filter = json!({"rules": "any", "s": selection, "condition": condition});
            json!({"title": "random", "logsource": source, "filter": filter})
        },
    )
}

/// Matches, by ids.
type Named = Vec<(String, Option<String>)>;

fn sorted(mut named: Named) -> Named {
    named.sort();
    named
}

fn together(set: &RuleSet, found: &[Match]) -> Named {
    let name = |found: &Match| {
        let filter = found.filter.map(|filter| set.filters()[filter].info.id.clone());
        (set.rules()[found.rule].info.id.clone(), filter)
    };
    sorted(found.iter().map(name).collect())
}

fn layered(layer: &Layer, found: &[Match]) -> Named {
    let (rules, filters) = (layer.shared().rules(), layer.shared().filters());
    let name = |found: &Match| {
        let rule = match found.rule.checked_sub(rules.len()) {
            Some(own) => &layer.rules()[own],
            None => &rules[found.rule],
        };
        let filter = found.filter.map(|filter| match filter.checked_sub(filters.len()) {
            Some(own) => layer.filters()[own].info.id.clone(),
            None => filters[filter].info.id.clone(),
        });
        (rule.info.id.clone(), filter)
    };
    sorted(found.iter().map(name).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_layer_finds_what_all_compiled_together_find(
        drawn in prop::collection::vec((any::<bool>(), prop_oneof![2 => rule(), 1 => filter()]), 1..9),
        events in prop::collection::vec(prop::collection::vec((field_name(), event_value()), 0..4), 1..5),
    ) {
        let (mut all, mut own) = (Vec::new(), Vec::new());
        for (index, (is_own, document)) in drawn.into_iter().enumerate() {
            let mut document = document;
            document["id"] = json!(format!("document-{index}"));
            let file = format!("{}{index}.yml", if is_own { "b" } else { "a" });
            let read = parse(&file, &document.to_string()).into_iter().filter_map(Result::ok);
            let to = if is_own { &mut own } else { &mut all };
            to.extend(read);
        }
        let (shared, refused) = compile(all.clone());
        let shared = Arc::new(shared);
        let (layer, refused_beside) = beside(&shared, own.clone());
        all.extend(own);
        let (set, refused_together) = compile(all.clone());
        // A filter that cannot be used is refused where there is a rule for it.
        prop_assume!(refused_together.is_empty() && refused.is_empty() && refused_beside.is_empty());
        prop_assert_eq!(set.version(), layer.version());
        let drawn = events.into_iter().map(|fields| event(&object(fields).to_string()));
        let made = all.iter().filter_map(|document| match document {
            Document::Rule(rule) => Some(samples::events(rule)),
            _ => None,
        });
        let (mut one, mut other) = (set.matcher(), layer.matcher());
        let (mut found, mut beside) = (Vec::new(), Vec::new());
        for (mut event, source) in drawn.chain(made.flatten()).zip(LOG_SOURCES.iter().cycle()) {
            event.log_source = log_source(source);
            let event: Event<'_> = event;
            one.matches_and_filters(&event, &mut found);
            other.matches_and_filters(&event, &mut beside);
            prop_assert_eq!(together(&set, &found), layered(&layer, &beside), "{:?}", event);
        }
    }
}

fn log_source(source: &str) -> LogSource<'static> {
    let source: Json = serde_json::from_str(source).unwrap();
    let word = |name: &str| source.get(name).and_then(Json::as_str).map(|word| word.to_owned().into());
    LogSource { product: word("product"), category: None, service: word("service") }
}
