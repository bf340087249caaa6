//! Modifiers: those that are there, and those that are refused by name.

use crate::front_door::{check, check_refused};

#[test]
fn text_modifiers() {
    check(&[
        ("{a|contains: b}", &[r#"{"a": "aBc"}"#, r#"{"a": "b"}"#], &[r#"{"a": "ac"}"#, "{}"]),
        ("{a|startswith: a}", &[r#"{"a": "Abc"}"#], &[r#"{"a": "ba"}"#]),
        ("{a|endswith: ['.exe', '.dll']}", &[r#"{"a": "x.EXE"}"#], &[r#"{"a": "x.exe "}"#]),
        ("{a|contains: 'x*y'}", &[r#"{"a": "..x..y.."}"#], &[r#"{"a": "y x"}"#]),
        ("{a|contains: ''}", &[r#"{"a": ""}"#, r#"{"a": 1}"#], &["{}"]),
        ("{a|contains|all: [x, y]}", &[r#"{"a": "yx"}"#], &[r#"{"a": "xx"}"#]),
        ("{a|all|startswith: [x, xy]}", &[r#"{"a": "xyz"}"#], &[r#"{"a": "xz"}"#]),
        ("{a|cased: Abc}", &[r#"{"a": "Abc"}"#], &[r#"{"a": "abc"}"#]),
        ("{a|contains|cased: 'B*D'}", &[r#"{"a": "aBcD"}"#], &[r#"{"a": "aBcd"}"#]),
    ]);
}

#[test]
fn regular_expressions_search_and_mind_case() {
    check(&[
        (r"{a|re: 'b\d+'}", &[r#"{"a": "ab12c"}"#], &[r#"{"a": "B12"}"#, r#"{"a": "b"}"#]),
        ("{a|re: '^a.c$'}", &[r#"{"a": "abc"}"#], &[r#"{"a": "a\nc"}"#, r#"{"a": "xabc"}"#]),
        ("{a|re|i: 'B'}", &[r#"{"a": "abc"}"#], &[r#"{"a": "ac"}"#]),
        ("{a|re|m: '^b$'}", &[r#"{"a": "a\nb\nc"}"#], &[r#"{"a": "ab"}"#]),
        ("{a|re|s: 'a.c'}", &[r#"{"a": "a\nc"}"#], &[r#"{"a": "ac"}"#]),
        ("{a|re|i|dotall: 'A.c'}", &[r#"{"a": "a\nC"}"#], &[r#"{"a": "ac"}"#]),
        (r"{a|re: '^\d+$'}", &[r#"{"a": 12}"#], &[r#"{"a": 1.5}"#]),
    ]);
}

#[test]
fn networks_existence_and_comparison() {
    check(&[
        (
            "{a|cidr: ['10.0.0.0/8', '192.168.1.1']}",
            &[r#"{"a": "10.1.2.3"}"#, r#"{"a": "::ffff:10.1.2.3"}"#, r#"{"a": "192.168.1.1"}"#],
            &[r#"{"a": "11.0.0.1"}"#, r#"{"a": "10.1.2.3:80"}"#, r#"{"a": 10}"#, "{}"],
        ),
        ("{a|cidr: 'fe80::/10'}", &[r#"{"a": "fe80::1"}"#], &[r#"{"a": "::1"}"#, r#"{"a": "10.0.0.1"}"#]),
        (
            "{a|exists: true}",
            &[r#"{"a": ""}"#, r#"{"a": {}}"#, r#"{"a": null}"#, r#"{"a": []}"#],
            &["{}", r#"{"b": 1}"#],
        ),
        ("{a|exists: false}", &["{}"], &[r#"{"a": 0}"#, r#"{"a": null}"#]),
        ("{a.b|exists: true}", &[r#"{"a": [{"b": null}]}"#], &[r#"{"a": [{"c": 1}]}"#, r#"{"a": "b"}"#]),
        ("{a|gte: 10}", &[r#"{"a": 10}"#, r#"{"a": "10.5"}"#], &[r#"{"a": 9}"#, r#"{"a": "x"}"#, "{}"]),
        ("{a|gt: 10}", &[r#"{"a": 10.1}"#], &[r#"{"a": 10}"#]),
        ("{a|lt: 1.5}", &[r#"{"a": 1}"#, r#"{"a": [7, -1]}"#], &[r#"{"a": 2}"#, "{}"]),
        ("{a|lte: 1}", &[r#"{"a": "1"}"#], &[r#"{"a": 1.5}"#]),
    ]);
}

#[test]
fn neq_needs_the_field_and_no_equal_element() {
    check(&[
        ("{a|neq: x}", &[r#"{"a": "y"}"#, r#"{"a": 1}"#], &[r#"{"a": "X"}"#, "{}", r#"{"a": ["y", "x"]}"#]),
        ("{a|neq: 5}", &[r#"{"a": 6}"#], &[r#"{"a": "5"}"#]),
        ("{a|neq: null}", &[r#"{"a": ""}"#], &["{}"]),
        ("{a|contains|neq: x}", &[r#"{"a": "y"}"#], &[r#"{"a": "yxy"}"#]),
        ("{a|neq: [x, 5]}", &[r#"{"a": "z"}"#, r#"{"a": 6}"#], &[r#"{"a": "x"}"#, r#"{"a": "5"}"#, "{}"]),
        ("{a|neq|all: [x, y]}", &[r#"{"a": "z"}"#], &[r#"{"a": "x"}"#, r#"{"a": "y"}"#]),
    ]);
}

#[test]
fn combinations_without_a_meaning_are_refused() {
    check_refused(&[
        ("{a|upper: x}", "unknown_modifier"),
        ("{a|: x}", "unknown_modifier"),
        ("{a|contains|startswith: x}", "modifiers"),
        ("{a|re|contains: x}", "modifiers"),
        ("{a|i: x}", "modifiers"),
        ("{a|contains|i: x}", "modifiers"),
        ("{a|re|i|i: x}", "modifiers"),
        ("{a|re|cased: x}", "modifiers"),
        ("{a|exists|neq: true}", "modifiers"),
        ("{a|all: x}", "modifiers"),
        ("{a|contains|all: [x]}", "modifiers"),
        ("{a|timestamp: 1}", "unknown_modifier"),
        ("{a|contains|base64: x}", "modifiers"),
        ("{a|base64|windash: x}", "modifiers"),
        ("{a|base64|expand: x}", "modifiers"),
        ("{a|wide|utf16be: x}", "modifiers"),
        ("{a|windash|windash: x}", "modifiers"),
        ("{a|re|base64: x}", "modifiers"),
        ("{a|base64|re: x}", "modifiers"),
        ("{a|cidr|windash: x}", "modifiers"),
        ("{a|cidr|expand|base64: x}", "modifiers"),
        ("{a|expand|fieldref: x}", "modifiers"),
        ("{a|fieldref|re: x}", "modifiers"),
        ("{a|contains|fieldref: x}", "modifiers"),
        ("{a|fieldref|contains|endswith: x}", "modifiers"),
        ("{a|hour|contains: 1}", "modifiers"),
        ("{a|gt|hour: 1}", "modifiers"),
        ("{a|hour|day: 1}", "modifiers"),
        ("{a|hour|gt|neq: 1}", "modifiers"),
        ("{a|base64|base64|base64|base64|base64: x}", "too_large"),
        ("{a|base64: 'x*'}", "modifiers"),
        ("{a|base64offset|contains: ''}", "modifiers"),
        ("{a|base64offset|contains: x}", "modifiers"),
        ("{a|wide: é}", "modifiers"),
        ("{a|base64: 5}", "invalid"),
        ("{a|windash: 5}", "invalid"),
        ("{a|expand: 5}", "invalid"),
        ("{a|fieldref: 5}", "invalid"),
        ("{a|fieldref: 'b*'}", "invalid"),
        ("{a|fieldref: ''}", "invalid"),
        ("{a|hour: '5'}", "invalid"),
        ("{a|hour: 24}", "invalid"),
        ("{a|month: 0}", "invalid"),
        ("{a|week: 54}", "invalid"),
        ("{'|fieldref': b}", "modifiers"),
        ("{'|hour': 5}", "modifiers"),
        ("{a|exists: maybe}", "invalid"),
        ("{a|exists: [true]}", "invalid"),
        ("{a|contains: 10}", "invalid"),
        ("{a|contains: null}", "invalid"),
        ("{a|cased: 1}", "invalid"),
        ("{a|gt: '5'}", "invalid"),
        ("{a|re: '(?=x)'}", "regex"),
        ("{a|re: '('}", "regex"),
        (r"{a|re: '\w{1000}{1000}'}", "regex"),
        ("{a|cidr: 10.0.0.1/8}", "network"),
        ("{a|cidr: '10.*'}", "network"),
    ]);
}
