//! Comparison with `serde_json`: the same texts are read alike and refused alike.

use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;

fn found(text: &str) -> Option<Entries<'_>> {
    entries(text)
}

/// The result, in the form of the other; the first of two equal names counts there, too.
fn same(ours: &Value<'_>, theirs: &Json) -> bool {
    match (ours, theirs) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(one), Json::Bool(other)) => one == other,
        (Value::Int(one), Json::Number(other)) => other.as_i64() == Some(*one),
        // It rounds some fractions and large numbers to a double beside the nearest; below the least normal one, doubles
        // stand evenly.
        (Value::Double(one), Json::Number(other)) => other.as_f64().is_some_and(|other| {
            other.is_sign_negative() == one.is_sign_negative()
                && (one - other).abs() <= (one.abs() * 4.0 * f64::EPSILON).max(f64::from_bits(4))
        }),
        (Value::String(one), Json::String(other)) => one == other,
        (Value::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Map(one), Json::Object(other)) => all_same(one, other),
        _ => false,
    }
}

/// Of equal names the other one keeps the last.
fn all_same(ours: &Entries<'_>, theirs: &serde_json::Map<String, Json>) -> bool {
    let is_last = |at: usize, name: &str| !ours.iter().skip(at + 1).any(|(later, _)| later == name);
    theirs.keys().all(|name| ours.iter().any(|(own, _)| own == name))
        && ours.iter().enumerate().all(|(at, (name, value))| match theirs.get(name.as_ref()) {
            Some(theirs) => !is_last(at, name) || same(value, theirs),
            None => false,
        })
}

/// Whether both make the same of a text.
fn agree(text: &str) -> bool {
    match (found(text), serde_json::from_str(text)) {
        (Some(ours), Ok(Json::Object(theirs))) => all_same(&ours, &theirs),
        (None, Err(_) | Ok(_)) => !matches!(serde_json::from_str(text), Ok(Json::Object(_))),
        (Some(_), _) => false,
    }
}

#[test]
fn what_needs_no_unescaping_is_borrowed() {
    let entries = entries(r#" {"a":"b","c":[1,-2.5,true,null],"d\n":"e\"f"} "#).unwrap();
    assert!(matches!(&entries[0], (Cow::Borrowed("a"), Value::String(Cow::Borrowed("b")))));
    let array = vec![Value::Int(1), Value::Double(-2.5), Value::Bool(true), Value::Null];
    assert_eq!(entries[1], ("c".into(), Value::Array(array)));
    assert_eq!(entries[2], ("d\n".into(), Value::String("e\"f".into())));
}

#[test]
fn only_a_whole_object_counts() {
    for text in ["", "{", "{}x", "[{}]", "{\"a\":}", "{'a':1}", "line {\"a\":1}", "{}{}", "{\"a\":1}}"] {
        assert_eq!(found(text), None, "{text}");
    }
    let mut before = vec![("kept".into(), Value::Null)];
    assert!(!object(&Cow::Borrowed("{\"a\":1,}"), &mut before));
    assert_eq!(before.len(), 1, "of a broken object nothing stays");
}

#[test]
fn all_of_equal_names_are_kept_in_order() {
    let entries = entries(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    let names: Vec<_> = entries.iter().map(|(name, _)| name.as_ref()).collect();
    assert_eq!(names, ["a", "b", "a"]);
}

#[test]
fn depth_is_bounded_where_others_bound_it() {
    for depth in [1, 100, 125, 126, 127, 128, 129, 10_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{{\"a\":{}1{}}}", open.repeat(depth), close.repeat(depth));
            assert!(agree(&text), "{depth} {open}");
            assert_eq!(found(&text).is_some(), depth < 127, "{depth}");
        }
    }
}

#[test]
fn numbers_and_escapes_at_their_edges() {
    for value in [
        "0",
        "-0",
        "00",
        "01",
        "-",
        "+1",
        "1.",
        ".1",
        "1.0",
        "-0.0",
        "1e5",
        "1E+5",
        "1e-5",
        "1e",
        "1e+",
        "1e400",
        "-1e400",
        "0e400",
        "1e-400",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "1x",
        "1 2",
        "0x1",
        "NaN",
        "tru",
        "truex",
        "True",
        "nul",
        "\"\\u0041\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\ud83dx\"",
        "\"\\ud83d\\u0041\"",
        "\"\\uD83D\\uDE0\"",
        "\"\\x\"",
        "\"\\\"",
        "\"\\/\\b\\f\\n\\r\\t\"",
        "\"\u{1f}\"",
        "\"\u{7f}\"",
        "\"\t\"",
        "\"é\\u00e9\"",
        "\"\\u00E9\"",
        "\"\\u00g9\"",
        "[1,]",
        "[,]",
        "[1 2]",
        "[]",
        "{}",
        "{\"a\"}",
        "{\"a\":1,}",
        "{1:2}",
        "{\"a\" :\n1}",
        "\u{a0}1",
    ] {
        assert!(agree(&format!("{{\"a\":{value}}}")), "{value}");
        assert!(agree(&format!("{{ \"a\" : 0 , \"b\" : {value} }}")), "{value}");
    }
}

/// Pieces of which much is nearly JSON.
const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"a\"",
    "\"b\":",
    "\\",
    "\\u",
    "d83d",
    "\\ude00",
    "\\n",
    " ",
    "\n",
    "1",
    "-",
    "0",
    ".",
    "e",
    "+",
    "true",
    "false",
    "null",
    "é",
    "\u{1}",
    "12345678",
    "\"c\":{\"d\":[",
    "]}",
];

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,20}|[\\x00-\\x7f]{0,40}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map("\\PC{0,9}", inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(values in prop::collection::btree_map("\\PC{0,9}", json(), 0..6), pretty: bool) {
        let object = Json::from_iter(values);
        let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) }.unwrap();
        prop_assert!(found(&text).is_some(), "{}", text);
        prop_assert!(agree(&text), "{}", text);
    }

    #[test]
    fn what_was_damaged_is_refused_alike(
        values in prop::collection::btree_map("\\PC{0,9}", json(), 1..4),
        at in any::<prop::sample::Index>(), piece in prop::sample::select(&PIECES[..]), cut in 0..4_usize,
    ) {
        let text = Json::from_iter(values).to_string();
        let places: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        let start = at.index(places.len());
        let end = places.get(start + cut).copied().unwrap_or(text.len());
        let damaged = format!("{}{piece}{}", &text[..places[start]], &text[end..]);
        prop_assert!(agree(&damaged), "{}", damaged);
    }

    #[test]
    fn nonsense_is_refused_alike(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12)) {
        let text = pieces.concat();
        prop_assert!(agree(&text), "{}", text);
        let inside = format!("{{\"a\":{text}}}");
        prop_assert!(agree(&inside), "{}", inside);
    }
}
