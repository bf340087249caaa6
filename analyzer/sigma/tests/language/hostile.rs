//! Hostile packs: whatever is read, nothing panics, nothing grows without bound, and it is soon over.

use proptest::prelude::*;

use crate::front_door::{load, refusal, rule};

#[test]
fn too_much_is_refused() {
    let bomb = {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        text
    };
    let long_text = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 100].join(", "));
    let nested_blocks: String = (0..40).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let table = [
        bomb,
        long_text,
        "[".repeat(100_000),
        "{a: ".repeat(30_000),
        "- ".repeat(50),
        nested_blocks,
        format!("a: {}", "x".repeat(1 << 20)),
        rule(&format!("a: {{b|re: [{}]}}\ncondition: a", vec![r"'\w{64}'"; 65].join(", "))),
        rule(&format!("a: {{b|re: '{}'}}\ncondition: a", "(".repeat(200) + &")".repeat(200))),
        rule(&format!("a: {{b: {}}}\ncondition: a", "*x".repeat(10_000))),
        rule(&format!("a: {{b|windash|base64: '{}'}}\ncondition: a", "-x ".repeat(100))),
        rule(&format!(
            "a: {{b|windash|base64offset: [{}]}}\ncondition: a",
            vec!["'-a -b -c -d'"; 200].join(", ")
        )),
        rule(&format!("a: {{b: c}}\ncondition: {}a", "not ".repeat(100))),
        rule(&format!("a: {{b: c}}\ncondition: {}a{}", "(".repeat(500), ")".repeat(500))),
        rule(&format!("a: {{b: c}}\ncondition: {}", vec!["a"; 6_000].join(" or "))),
        rule(&{
            let selections: String = (0..500).map(|index| format!("s{index}: {{b: c}}\n")).collect();
            format!("{selections}condition: {}", vec!["1 of them"; 500].join(" or "))
        }),
    ];
    for yaml in table {
        let found = refusal(&yaml);
        assert!(matches!(found.cause.kind(), "too_large" | "regex" | "yaml"), "{found}");
        assert!(found.to_string().len() < 500, "{found}");
    }
}

#[test]
fn a_file_that_multiplies_itself_is_refused() {
    let large = serde_json::json!({"action": "global", "custom": vec!["x".repeat(10); 10_000]}).to_string();
    let (set, refusals) = load(&format!("{large}\n{}", "---\ntitle: t\n".repeat(500)));
    assert!(set.rules().is_empty());
    assert!(refusals.iter().any(|refusal| refusal.cause.kind() == "too_large"));
    assert_eq!(refusal(&"---\nx\n".repeat(30_000)).cause.kind(), "too_large");
    assert_eq!(refusal(&" ".repeat(20 << 20)).cause.kind(), "too_large");
}

#[test]
fn aliases_that_stay_small_are_read() {
    let (set, refusals) = load(&rule("a: {b: &names [x, y]}\nc: {d: *names}\ncondition: a or c"));
    assert!(refusals.is_empty(), "{}", refusals[0]);
    assert!(crate::front_door::meets(&set, r#"{"d": "y"}"#));
}

#[test]
fn an_event_too_deep_to_look_into_does_no_harm() {
    let mut value = sigma::Value::String("needle".into());
    for _ in 0..5_000 {
        value = sigma::Value::Array(vec![value]);
    }
    let mut event = sigma::Event::default();
    event.push("a", value);
    let set = crate::front_door::rule_set(&rule("a: {a: needle}\nb: [needle]\ncondition: a or b"));
    let mut found = Vec::new();
    set.matches(&event, &mut found);
    assert!(found.is_empty());
}

#[test]
fn two_long_lists_are_not_compared_each_with_each() {
    let long = |word: &str| sigma::Value::Array(vec![sigma::Value::String(word.to_owned().into()); 50_000]);
    let mut event = sigma::Event::default();
    event.push("a", long("x"));
    event.push("b", long("y"));
    let set = crate::front_door::rule_set(&rule("a: {a|fieldref|contains: b}\ncondition: a"));
    let mut found = Vec::new();
    set.matches(&event, &mut found);
    assert!(found.is_empty());
}

/// Lines of the packs, so that random ones get beyond the YAML reader.
const LINES: [&str; 40] = [
    "---",
    "action: global",
    "action: repeat",
    "title: t",
    "id: x",
    "name: n",
    "level: high",
    "logsource: {product: p}",
    "detection:",
    "  a: {b: c}",
    "  a:",
    "    b|contains: [x, 'y*']",
    "    - word",
    "    c|re: '('",
    "  condition: a",
    "  condition: 1 of them and not (a",
    "correlation:",
    "  type: event_count",
    "  type: temporal_ordered",
    "  rules: [n, x]",
    "  timespan: 5m",
    "  condition: {gte: 5}",
    "  group-by: [a]",
    "filter:",
    "  rules: any",
    "tags: &t [attack.t1]",
    "  aliases: {a: {n: b}}",
    "\t",
    "    d|windash|base64offset|contains: [-x, '/y z']",
    "    e|wide|base64: '*'",
    "    f|expand: '%x%'",
    "    g|fieldref|neq: b",
    "    h|hour|gte: 22",
    "  type: temporal",
    "  type: value_percentile",
    "  condition: {field: b, percentile: 5, lt: 5}",
    "  condition: n and not x",
    "  condition: {gt: 1, lte: 3}",
    "action: reset",
    "  rules: [t]",
];

const MODIFIERS: [&str; 29] = [
    "contains",
    "startswith",
    "endswith",
    "all",
    "exists",
    "cased",
    "neq",
    "re",
    "i",
    "m",
    "s",
    "base64",
    "base64offset",
    "utf16le",
    "wide",
    "utf16be",
    "utf16",
    "windash",
    "lt",
    "gte",
    "cidr",
    "fieldref",
    "expand",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        load(&text);
        load(&rule(&text));
    }

    #[test]
    fn random_packs_never_panic(lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..40)) {
        let (set, _) = load(&lines.join("\n"));
        crate::front_door::meets(&set, r#"{"b": "x", "c": 1}"#);
    }

    #[test]
    fn random_modifiers_never_panic(
        names in prop::collection::vec(prop::sample::select(&MODIFIERS[..]), 0..5),
        text in "[-/*?%a\u{e9}\\\\0-9.:T]{0,24}",
        number in -3_i64..70,
    ) {
        let key = format!("a|{}", names.join("|"));
        for value in [serde_json::json!(text), serde_json::json!(number), serde_json::json!([text, "x"])] {
            let detection = serde_json::json!({"s": {key.as_str(): value}, "condition": "s"});
            let rule = serde_json::json!({"title": "t", "logsource": {"product": "p"}, "detection": detection});
            let (set, refusals) = load(&rule.to_string());
            prop_assert_eq!(set.rules().len() + refusals.len(), 1);
            crate::front_door::meets(&set, &serde_json::json!({"a": text, "b": number}).to_string());
        }
    }

    #[test]
    fn random_values_never_panic(key in "[a|contiresdg ]{0,12}", text in "\\PC{0,40}", json in "[\\\\*?a\u{e9}]{0,12}") {
        let yaml = rule(&format!("a: {{? '{key}' : {}}}\ncondition: a", serde_json::to_string(&text).unwrap()));
        let (set, _) = load(&yaml);
        crate::front_door::meets(&set, &serde_json::json!({"a": json}).to_string());
    }
}
