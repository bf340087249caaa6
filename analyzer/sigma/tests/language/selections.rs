//! Selections: maps, lists, lists of maps, keywords.

use crate::front_door::{check, check_refused};

#[test]
fn a_map_needs_all_and_a_list_needs_one() {
    check(&[
        ("{a: x, b: y}", &[r#"{"a": "x", "b": "y"}"#], &[r#"{"a": "x"}"#, r#"{"a": "x", "b": "z"}"#]),
        ("{a: [x, y]}", &[r#"{"a": "x"}"#, r#"{"a": "y"}"#], &[r#"{"a": "z"}"#, "{}"]),
        ("[{a: x, b: y}, {c: z}]", &[r#"{"a": "x", "b": "y"}"#, r#"{"c": "z"}"#], &[r#"{"a": "x"}"#]),
    ]);
}

#[test]
fn keywords_are_looked_for_in_every_value() {
    check(&[
        (
            "[fail, 'den?ed*root']",
            &[r#"{"m": "Login FAILED"}"#, r#"{"a": {"b": ["x", "access denied for root!"]}}"#],
            &[r#"{"fail": "x"}"#, r#"{"m": "denied for user"}"#, "{}", r#"{"a": "denied", "b": "root"}"#],
        ),
        (
            "{'|all': [one, two]}",
            &[r#"{"a": "one", "b": "TWO"}"#, r#"{"a": "two one"}"#],
            &[r#"{"a": "one"}"#],
        ),
        ("[4625]", &[r#"{"id": 4625}"#, r#"{"m": "event 4625."}"#], &[r#"{"id": 462}"#]),
        ("word", &[r#"{"m": "a word here"}"#], &[r#"{"m": "a wor d"}"#]),
        (
            "{'|re': 'fail(ed|ure)$'}",
            &[r#"{"m": "a failure"}"#],
            &[r#"{"m": "Failure"}"#, r#"{"m": "failures"}"#],
        ),
        ("{'|cased': [Fail]}", &[r#"{"m": "a Failure"}"#], &[r#"{"m": "a failure"}"#]),
        ("[one, {a: x}]", &[r#"{"m": "one"}"#, r#"{"a": "x"}"#], &[r#"{"a": "y"}"#]),
    ]);
}

#[test]
fn arrays_match_with_any_element_and_paths_descend() {
    check(&[
        ("{a: x}", &[r#"{"a": ["y", "x"]}"#, r#"{"a": [["x"]]}"#], &[r#"{"a": []}"#, r#"{"a": ["y"]}"#]),
        ("{a|contains|all: [x, y]}", &[r#"{"a": ["x1", "y2"]}"#], &[r#"{"a": ["x1", "x2"]}"#]),
        (
            "{a.b.c: x}",
            &[
                r#"{"a": {"b": {"c": "x"}}}"#,
                r#"{"a": [{"b": 1}, {"b": [{"c": "y"}, {"c": "x"}]}]}"#,
                r#"{"a.b": {"c": "x"}}"#,
                r#"{"a": {"b.c": "x"}}"#,
                r#"{"a": 1, "a.b.c": "x"}"#,
            ],
            &[r#"{"a": {"b": "x"}}"#, r#"{"a.b.c": "y", "a": {"b": {"c": "x"}}}"#, r#"{"c": "x"}"#],
        ),
        (
            "{a.b.a: x}",
            &[r#"{"a": {"b": 1}, "a.b": {"a": "x"}}"#],
            &[r#"{"a": {"b.a": []}, "a.b": {"a": "x"}}"#],
        ),
        ("{Threat Name: x}", &[r#"{"ThreatName": "x"}"#, r#"{"Threat Name": "x"}"#], &[r#"{"Name": "x"}"#]),
        ("{Provider_Name: x}", &[r#"{"Provider_Name": "x"}"#], &[r#"{"provider_name": "x"}"#]),
    ]);
}

#[test]
fn selections_without_a_meaning_are_refused() {
    check_refused(&[
        ("{}", "invalid"),
        ("[]", "invalid"),
        ("{a: []}", "invalid"),
        ("{a: {b: c}}", "invalid"),
        ("{a: [[x]]}", "invalid"),
        ("{a: [x, null]}", "invalid"),
        ("[[x]]", "invalid"),
        ("[null]", "invalid"),
        ("['']", "invalid"),
        ("", "invalid"),
        ("true", "invalid"),
        ("{'|startswith': [x]}", "modifiers"),
        ("{1: x}", "yaml"),
        ("{a: x, a: y}", "yaml"),
        ("{a: .inf}", "yaml"),
        ("{a: !tag x}", "yaml"),
        ("{<<: {a: x}}", "yaml"),
    ]);
}
