//! Values: text and its wildcards, numbers, booleans, the empty text and null.

use crate::front_door::{check, meets, rule_set, selection};

#[test]
fn text_matches_whole_and_in_either_case() {
    check(&[
        ("{a: Admin}", &[r#"{"a": "admin"}"#, r#"{"a": "ADMIN"}"#], &[r#"{"a": "administrator"}"#, "{}"]),
        ("{a: ÄÖ}", &[r#"{"a": "äö"}"#, r#"{"a": "ÄÖ"}"#], &[r#"{"a": "ao"}"#]),
        ("{a: straße}", &[r#"{"a": "STRAßE"}"#], &[r#"{"a": "STRASSE"}"#]),
        ("{a: k}", &[r#"{"a": "K"}"#], &[r#"{"a": "\u212a"}"#]),
        ("{a: '10'}", &[r#"{"a": 10}"#, r#"{"a": "10"}"#], &[r#"{"a": 100}"#, r#"{"a": "010"}"#]),
        ("{a: '1*'}", &[r#"{"a": 10}"#, r#"{"a": 1.5}"#], &[r#"{"a": 20}"#]),
        ("{a: 'TRUE'}", &[r#"{"a": true}"#], &[r#"{"a": false}"#]),
    ]);
}

#[test]
fn wildcards() {
    check(&[
        ("{a: 'a*c'}", &[r#"{"a": "ac"}"#, r#"{"a": "a\nb\nC"}"#], &[r#"{"a": "acd"}"#, r#"{"a": "a"}"#]),
        ("{a: 'a?c'}", &[r#"{"a": "aéc"}"#, r#"{"a": "a\nc"}"#], &[r#"{"a": "ac"}"#, r#"{"a": "abbc"}"#]),
        ("{a: '*b*d'}", &[r#"{"a": "abcbd"}"#, r#"{"a": "bd"}"#], &[r#"{"a": "db"}"#]),
        ("{a: 'ab*ba'}", &[r#"{"a": "abba"}"#], &[r#"{"a": "aba"}"#]),
        ("{a: '*ab*b'}", &[r#"{"a": "abb"}"#, r#"{"a": "xab b"}"#], &[r#"{"a": "ab"}"#]),
        ("{a: '*a?*'}", &[r#"{"a": "xaab"}"#, r#"{"a": "ab"}"#], &[r#"{"a": "xxa"}"#]),
        ("{a: '*é?'}", &[r#"{"a": "xÉy"}"#], &[r#"{"a": "é"}"#]),
        ("{a: '*'}", &[r#"{"a": ""}"#, r#"{"a": 0}"#], &["{}", r#"{"a": null}"#, r#"{"a": {"b": 1}}"#]),
        ("{a: '?'}", &[r#"{"a": "x"}"#], &[r#"{"a": ""}"#, r#"{"a": "xy"}"#]),
    ]);
}

#[test]
fn escapes() {
    check(&[
        (r"{a: 'x\*'}", &[r#"{"a": "x*"}"#], &[r#"{"a": "xy"}"#, r#"{"a": "x\\*"}"#]),
        (r"{a: 'x\?'}", &[r#"{"a": "x?"}"#], &[r#"{"a": "xy"}"#]),
        (r"{a: 'x\\*'}", &[r#"{"a": "x\\y"}"#, r#"{"a": "x\\"}"#], &[r#"{"a": "xy"}"#]),
        (r"{a: 'x\\\*'}", &[r#"{"a": "x\\*"}"#], &[r#"{"a": "x\\y"}"#]),
        (r"{a: 'x\y'}", &[r#"{"a": "x\\y"}"#], &[r#"{"a": "xy"}"#, r#"{"a": "x\\\\y"}"#]),
        (r"{a: 'x\\y'}", &[r#"{"a": "x\\y"}"#], &[r#"{"a": "x\\\\y"}"#]),
        (r"{a: 'x\\\y'}", &[r#"{"a": "x\\\\y"}"#], &[r#"{"a": "x\\y"}"#]),
        (r"{a: 'x\\\\y'}", &[r#"{"a": "x\\\\y"}"#], &[r#"{"a": "x\\y"}"#]),
        (r"{a|endswith: '\cmd.exe'}", &[r#"{"a": "C:\\CMD.exe"}"#], &[r#"{"a": "xcmd.exe"}"#]),
        (r"{a|contains: '\'}", &[r#"{"a": "a\\b"}"#], &[r#"{"a": "ab"}"#]),
    ]);
}

#[test]
fn numbers_and_booleans() {
    check(&[
        (
            "{a: 4625}",
            &[r#"{"a": 4625}"#, r#"{"a": "4625"}"#, r#"{"a": 4625.0}"#, r#"{"a": [1, "4625"]}"#],
            &[r#"{"a": 46250}"#, r#"{"a": "x4625"}"#, r#"{"a": true}"#, "{}"],
        ),
        ("{a: -1.5}", &[r#"{"a": -1.5}"#, r#"{"a": "-1.5"}"#], &[r#"{"a": -1}"#]),
        ("{a: 0}", &[r#"{"a": 0}"#, r#"{"a": "0"}"#], &[r#"{"a": false}"#, r#"{"a": ""}"#, r#"{"a": null}"#]),
        ("{a: true}", &[r#"{"a": true}"#, r#"{"a": "True"}"#], &[r#"{"a": false}"#, r#"{"a": 1}"#, "{}"]),
        ("{a: false}", &[r#"{"a": false}"#, r#"{"a": "false"}"#], &[r#"{"a": true}"#, "{}"]),
    ]);
}

#[test]
fn empty_text_and_null_are_different() {
    check(&[
        ("{a: ''}", &[r#"{"a": ""}"#, r#"{"a": ["x", ""]}"#], &["{}", r#"{"a": null}"#, r#"{"a": "x"}"#]),
        (
            "{a: null}",
            &["{}", r#"{"a": null}"#, r#"{"a": []}"#, r#"{"a": [null, [null]]}"#],
            &[r#"{"a": ""}"#, r#"{"a": [null, "x"]}"#, r#"{"a": {}}"#],
        ),
    ]);
}

#[test]
fn the_first_of_a_name_counts() {
    let set = rule_set(&selection("{a: x}"));
    let mut event = crate::front_door::event(r#"{"a": "y"}"#);
    event.push("a", sigma::Value::String("x".into()));
    let mut found = Vec::new();
    set.matches(&event, &mut found);
    assert!(found.is_empty());
    assert!(meets(&set, r#"{"a": "x"}"#));
}
