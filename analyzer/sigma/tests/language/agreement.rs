//! The matcher against the oracle: random rules and random events over a small alphabet, so that they
//! often meet, must give identical sets of matches.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use sigma::{Document, NativeFields, RuleSet, parse};

use crate::front_door::event;
use crate::oracle;

fn text() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "a", "A", "b", "é", "É", "\u{212a}", "k", "\\", "*", "?", "1", "-", ".", "\n",
    ]);
    prop::collection::vec(letter, 0..6).prop_map(|letters| letters.concat())
}

fn field_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "a.b", "a.b.a", "b.a", "a b"])
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        6 => text().prop_map(Json::from),
        2 => (-2_i64..12).prop_map(Json::from),
        1 => prop::sample::select(vec![0.5, 1.0, -1.5]).prop_map(Json::from),
        1 => any::<bool>().prop_map(Json::from),
        1 => prop::sample::select(vec!["true", "10.0.0.1", "::ffff:10.0.0.9", "1.5", "10"]).prop_map(Json::from),
    ]
}

fn event_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![8 => scalar(), 1 => Just(Json::Null)];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::vec((field_name(), inner), 0..3).prop_map(object),
        ]
    })
}

fn object(entries: Vec<(impl Into<String>, Json)>) -> Json {
    Json::Object(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// A field test as key and value; what makes no sense together is refused and tried again.
fn field_test() -> impl Strategy<Value = (String, Json)> {
    let plain = prop_oneof![4 => scalar(), 1 => Just(Json::Null)].prop_map(|value| (String::new(), value));
    let texts = (
        prop::sample::select(vec![
            "|contains",
            "|startswith",
            "|endswith",
            "|contains|all",
            "|cased",
            "|neq",
            "",
            "|neq|all",
            "|contains|cased",
        ]),
        prop::collection::vec(text(), 1..4),
    )
        .prop_map(|(modifier, texts)| match (texts.as_slice(), modifier) {
            ([one], _) => (modifier.replace("|all", ""), json!(one)),
            (many, "|neq") => ("|neq".to_owned(), json!(many[0])),
            (many, _) => (modifier.to_owned(), json!(many)),
        });
    let regexes = (
        prop::sample::select(vec!["|re", "|re|i", "|re|s", "|re|m"]),
        prop::sample::select(vec!["a", "^b", "A.*k", "a$", r"\d", "[^a]é"]),
    )
        .prop_map(|(modifier, text)| (modifier.to_owned(), json!(text)));
    let others = prop_oneof![
        (prop::sample::select(vec!["|gt", "|gte", "|lt", "|lte"]), -2_i64..12)
            .prop_map(|(name, value)| (name.to_owned(), json!(value))),
        any::<bool>().prop_map(|value| ("|exists".to_owned(), json!(value))),
        prop::sample::select(vec!["10.0.0.0/24", "::/0", "10.0.0.1"])
            .prop_map(|value| ("|cidr".to_owned(), json!(value))),
    ];
    (field_name(), prop_oneof![3 => plain, 4 => texts, 1 => regexes, 2 => others])
        .prop_map(|(field, (modifiers, value))| (format!("{field}{modifiers}"), value))
}

fn selection() -> impl Strategy<Value = Json> {
    let map = || prop::collection::vec(field_test(), 1..3).prop_map(object);
    let word = || text().prop_filter("keywords are not empty", |text| !text.is_empty());
    prop_oneof![
        3 => map(),
        1 => prop::collection::vec(map(), 1..3).prop_map(Json::from),
        1 => prop::collection::vec(word(), 1..3).prop_map(Json::from),
        1 => prop::collection::vec(word(), 2..3).prop_map(|words| json!({"|all": words})),
        1 => (word(), map()).prop_map(|(word, map)| json!([word, map])),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x1",
        "x2",
        "_y",
        "1 of them",
        "all of x*",
        "any of *",
        "all of them",
        "1 of *2",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} and {other}")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} or {other}")),
            inner.clone().prop_map(|one| format!("not {one}")),
            inner.prop_map(|one| format!("({one})")),
        ]
    })
}

fn rule() -> impl Strategy<Value = Json> {
    (selection(), selection(), selection(), condition()).prop_map(|(first, second, hidden, condition)| {
        json!({
            "title": "random",
            "logsource": {"product": "any"},
            "detection": {"x1": first, "x2": second, "_y": hidden, "condition": condition},
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn matcher_and_oracle_agree(
        rules in prop::collection::vec(rule(), 1..5),
        events in prop::collection::vec(prop::collection::vec((field_name(), event_value()), 0..4), 1..6),
    ) {
        let pack: Vec<String> = rules.iter().enumerate().map(|(index, rule)| {
            let mut rule = rule.clone();
            rule["id"] = json!(format!("rule-{index}"));
            rule.to_string()
        }).collect();
        let documents: Vec<Document> = pack
            .iter()
            .enumerate()
            .flat_map(|(index, yaml)| parse(&format!("{index}.yml"), yaml))
            .map(|document| document.unwrap_or_else(|refusal| panic!("{refusal}")))
            .collect();
        let (set, refusals) = RuleSet::compile(documents.clone(), &NativeFields);
        prop_assert!(refusals.is_empty());
        for fields in events {
            let event = event(&object(fields).to_string());
            let mut found = Vec::new();
            set.matches(&event, &mut found);
            let expected: Vec<usize> = documents.iter().enumerate().filter_map(|(index, document)| {
                let Document::Rule(rule) = document else { return None };
                oracle::matches(&rule.detection, &event).then_some(index)
            }).collect();
            prop_assert_eq!(found, expected, "{:?}\n{}", event, pack.join("\n"));
        }
    }

    #[test]
    fn patterns_and_texts_agree(pattern in "[ab*?]{0,8}", texts in prop::collection::vec("[abA]{0,8}", 1..20)) {
        let rule = json!({"a": {"a": pattern}, "condition": "a"});
        let yaml = json!({"title": "pattern", "logsource": {"product": "any"}, "detection": rule}).to_string();
        let document = parse("pattern.yml", &yaml).remove(0).unwrap_or_else(|refusal| panic!("{refusal}"));
        let Document::Rule(rule) = &document else { panic!("a rule") };
        let (set, _) = RuleSet::compile(vec![document.clone()], &NativeFields);
        for text in texts {
            let event = event(&json!({"a": text}).to_string());
            let mut found = Vec::new();
            set.matches(&event, &mut found);
            prop_assert_eq!(!found.is_empty(), oracle::matches(&rule.detection, &event), "{} {}", pattern, text);
        }
    }
}
