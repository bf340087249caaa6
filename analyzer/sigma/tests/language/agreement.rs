//! The matcher against the oracle: random rules and random events over a small alphabet, so that matches are frequent, must
//! give identical sets of matches.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use sigma::{Document, NativeFields, Placeholders, RuleSet, parse};

use crate::front_door::{compile, event};
use crate::{oracle, samples};

fn text() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "a", "A", "b", "é", "É", "\u{212a}", "k", "\\", "*", "?", "1", "-", ".", "\n", "/", "–", "a-b",
        " -k", " ", "%", "%x%",
    ]);
    prop::collection::vec(letter, 0..6).prop_map(|letters| letters.concat())
}

pub(crate) fn field_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "a.b", "a.b.a", "b.a", "a b"])
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        6 => text().prop_map(Json::from),
        2 => (-2_i64..12).prop_map(Json::from),
        1 => prop::sample::select(vec![0.5, 1.0, -1.5]).prop_map(Json::from),
        1 => any::<bool>().prop_map(Json::from),
        1 => prop::sample::select(vec!["true", "10.0.0.1", "::ffff:10.0.0.9", "1.5", "10"]).prop_map(Json::from),
        1 => (1..3_i32, 0..14_i32, 0..33_i32, 0..26_i32, prop::sample::select(vec!["", "Z", ":59.5+01:00"])).prop_map(
            |(year, month, day, hour, rest)| json!(format!("202{year}-{month:02}-{day:02}T{hour:02}:05{rest}")),
        ),
    ]
}

pub(crate) fn event_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![8 => scalar(), 1 => Just(Json::Null)];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::vec((field_name(), inner), 0..3).prop_map(object),
        ]
    })
}

pub(crate) fn object(entries: Vec<(impl Into<String>, Json)>) -> Json {
    Json::Object(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// A field test as key and value; a meaningless combination is refused and tried again.
fn field_test() -> impl Strategy<Value = (String, Json)> {
    let plain = prop_oneof![4 => scalar(), 1 => Just(Json::Null)].prop_map(|value| (String::new(), value));
    let texts = (
        prop::collection::vec(prop::sample::select(vec!["expand", "windash", "cased", "neq"]), 0..3),
        prop::collection::vec(
            prop::sample::select(vec!["base64", "base64offset", "wide", "utf16le", "utf16be", "utf16"]),
            0..3,
        ),
        prop::sample::select(vec!["", "|contains", "|startswith", "|endswith"]),
        prop::sample::select(vec!["", "|all"]),
        prop::collection::vec(text(), 1..4),
    )
        .prop_map(|(mut changes, encodings, comparison, every, mut texts)| {
            changes.sort_unstable();
            changes.dedup();
            // Most rules are about plain text; text that cannot be encoded is refused.
            let is_plain = encodings.len() < 2 || texts.len() > 2;
            let encodings = if is_plain { Vec::new() } else { encodings };
            if !encodings.is_empty() {
                texts.iter_mut().for_each(|text| *text = format!("ab{}", text.replace(['*', '?', '%'], "")));
            }
            let names: Vec<String> =
                changes.iter().chain(&encodings).map(|name| format!("|{name}")).collect();
            let every = if texts.len() > 1 { every } else { "" };
            let value = if texts.len() > 1 { json!(texts) } else { json!(texts[0]) };
            (format!("{}{comparison}{every}", names.concat()), value)
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
        (
            prop::sample::select(vec![
                "",
                "|startswith",
                "|endswith|neq",
                "|contains",
                "|neq",
                "|cased",
                "|contains|cased",
            ]),
            field_name(),
        )
            .prop_map(|(rest, other)| (format!("|fieldref{rest}"), json!(other))),
        (
            prop::sample::select(vec!["minute", "hour", "day", "week", "month", "year"]),
            prop::sample::select(vec!["", "|neq", "|lt", "|lte", "|gt", "|gte"]),
            1_i64..24,
        )
            .prop_map(|(part, relation, value)| {
                let value = if part == "month" { value.min(12) } else { value };
                (format!("|{part}{relation}"), json!(value))
            }),
        prop::sample::select(vec!["10.0.0.0/24", "::/0", "10.0.0.1"])
            .prop_map(|value| ("|cidr".to_owned(), json!(value))),
    ];
    (field_name(), prop_oneof![3 => plain, 4 => texts, 1 => regexes, 2 => others])
        .prop_map(|(field, (modifiers, value))| (format!("{field}{modifiers}"), value))
}

pub(crate) fn selection() -> impl Strategy<Value = Json> {
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

pub(crate) fn condition() -> impl Strategy<Value = String> {
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

/// Product and service, of rules and of events.
const LOG_SOURCES: [(Option<&str>, Option<&str>); 4] =
    [(Some("any"), None), (Some("any"), Some("one")), (None, Some("one")), (Some("other"), None)];

fn rule() -> impl Strategy<Value = Json> {
    let log_source = prop::sample::select(&LOG_SOURCES[..]);
    (log_source, selection(), selection(), selection(), condition()).prop_map(
        |(source, first, second, hidden, condition)| {
            let (product, service) = source;
            let stated = [("product", product), ("service", service)];
            let stated = stated.into_iter().filter_map(|(name, value)| Some((name, json!(value?)))).collect();
            json!({
                "title": "random",
                "logsource": object(stated),
                "detection": {"x1": first, "x2": second, "_y": hidden, "condition": condition},
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn matcher_and_oracle_agree(
        rules in prop::collection::vec(rule(), 1..5),
        events in prop::collection::vec(prop::collection::vec((field_name(), event_value()), 0..4), 1..6),
        sources in prop::collection::vec(prop::sample::select(&LOG_SOURCES[..]), 1..7),
    ) {
        let pack: Vec<String> = rules.iter().enumerate().map(|(index, rule)| {
            let mut rule = rule.clone();
            rule["id"] = json!(format!("rule-{index}"));
            rule.to_string()
        }).collect();
        // Text that cannot be encoded is refused, which leaves a smaller pack.
        let parsed = pack.iter().enumerate().flat_map(|(index, yaml)| parse(&format!("{index}.yml"), yaml));
        let documents: Vec<Document> = parsed.filter_map(Result::ok).collect();
        let mut placeholders = Placeholders::default();
        placeholders.define("x", oracle::text::placeholder_values("x"));
        let (set, refusals) = compile(documents.clone(), &placeholders);
        for refusal in &refusals {
            prop_assert!(["modifiers", "undefined_placeholder"].contains(&refusal.cause.kind()), "{}", refusal);
        }
        let rules: Vec<_> = set.rules().iter().map(|rule| {
            let own = documents.iter().find(|document| document.info().id == rule.info.id);
            let Some(Document::Rule(rule)) = own else { panic!("only rules were written") };
            rule
        }).collect();
        let drawn = events.into_iter().map(|fields| event(&object(fields).to_string()));
        let made = rules.iter().flat_map(|rule| samples::events(rule));
        // One after the other: nothing of an event is left behind for the next.
        let mut matcher = set.matcher();
        let sources = [(None, None)].into_iter().chain(sources).cycle();
        for (mut event, (product, service)) in drawn.chain(made).zip(sources) {
            let word = |word: Option<&'static str>| word.map(Into::into);
            event.log_source = sigma::LogSource { product: word(product), category: None, service: word(service) };
            let mut found = Vec::new();
            matcher.matches(&event, &mut found);
            let accepting = rules.iter().enumerate().filter(|(_, rule)| rule.log_source.accepts(&event.log_source));
            let expected = accepting.filter(|(_, rule)| oracle::matches(&rule.detection, &event));
            let expected: Vec<usize> = expected.map(|(index, _)| index).collect();
            prop_assert_eq!(found, expected, "{:?}\n{}", event, pack.join("\n"));
        }
    }

    #[test]
    fn encoded_text_is_found_where_it_stands(
        before in "[ -~é]{0,5}", text in "[ -~é]{2,9}", after in "[ -~é]{0,5}",
        encodings in prop::sample::select(vec!["base64offset", "wide|base64offset", "utf16be|base64offset"]),
    ) {
        let written = text.replace('\\', r"\\").replace('*', r"\*").replace('?', r"\?");
        prop_assume!(!text.contains('\\'));
        let field = format!("a|{encodings}|contains");
        let rule = json!({"s": {field: written}, "condition": "s"});
        let yaml = json!({"title": "t", "logsource": {"product": "any"}, "detection": rule}).to_string();
        let set = crate::front_door::rule_set(&yaml);
        let bytes: Vec<u8> = [&before, &text, &after].into_iter().flat_map(|part| match encodings {
            "base64offset" => part.as_bytes().to_vec(),
            "wide|base64offset" => part.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => part.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }).collect();
        let standard = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
        let found = crate::front_door::meets(&set, &json!({"a": standard}).to_string());
        prop_assert!(found);
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
