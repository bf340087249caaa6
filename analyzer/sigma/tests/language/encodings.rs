//! Modifiers that change text before it is compared: encodings, dashes, placeholders; and those that
//! compare with something else: another field, a part of a date.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sigma::Placeholders;

use crate::front_door::{check, load_with, meets, rule_set, selection};

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn base64_at_any_offset() {
    let set = rule_set(&selection("{a|base64offset|contains: 'http://'}"));
    for before in 0..7 {
        for after in 0..4 {
            let text = format!("{}http://{}", "x".repeat(before), "y".repeat(after));
            let event = serde_json::json!({ "a": STANDARD.encode(text) }).to_string();
            assert!(meets(&set, &event), "{before} {after}");
        }
    }
    check(&[
        (
            "{a|base64: cmd.exe}",
            &[r#"{"a": "Y21kLmV4ZQ=="}"#],
            &[r#"{"a": "xY21kLmV4ZQ=="}"#, r#"{"a": "cmd.exe"}"#],
        ),
        ("{a|base64|contains: cmd}", &[r#"{"a": "xxY21kxx"}"#], &[r#"{"a": "cmd"}"#]),
        ("{a|base64|cased: cmd}", &[r#"{"a": "Y21k"}"#], &[r#"{"a": "y21K"}"#]),
        (r"{a|base64: 'a\*b'}", &[r#"{"a": "YSpi"}"#], &[r#"{"a": "YVwqYg=="}"#]),
        ("{a|base64|base64: a}", &[r#"{"a": "WVE9PQ=="}"#], &[r#"{"a": "YQ=="}"#]),
        ("{'|base64|contains': cmd}", &[r#"{"m": "run Y21k now"}"#], &[r#"{"m": "cmd"}"#]),
        ("{a|base64|contains|all: [cmd, 'abc']}", &[r#"{"a": "Y21k YWJj"}"#], &[r#"{"a": "Y21k"}"#]),
        ("{a|base64|contains|neq: [cmd, 'abc']}", &[r#"{"a": "x"}"#], &[r#"{"a": "xY21k"}"#, "{}"]),
    ]);
}

#[test]
fn utf16_before_base64_and_before_contains() {
    for (modifiers, bytes) in [
        ("wide|base64offset|contains", [b"ab".to_vec(), wide("iex é"), b"c".to_vec()].concat()),
        ("utf16le|base64", wide("iex é")),
        ("utf16|base64", [vec![0xff, 0xfe], wide("iex é")].concat()),
        ("utf16be|base64", "iex é".encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ] {
        let set = rule_set(&selection(&format!("{{a|{modifiers}: 'iex é'}}")));
        let event = serde_json::json!({ "a": STANDARD.encode(bytes) }).to_string();
        assert!(meets(&set, &event), "{modifiers}");
        assert!(!meets(&set, r#"{"a": "iex"}"#));
    }
    check(&[
        ("{a|wide|contains: ab}", &[r#"{"a": "xa\u0000b\u0000x"}"#], &[r#"{"a": "ab"}"#]),
        ("{a|utf16be: ab}", &[r#"{"a": "\u0000a\u0000b"}"#], &[r#"{"a": "a\u0000b\u0000"}"#]),
        ("{a|utf16: ab}", &[r#"{"a": "\ufeffa\u0000b\u0000"}"#], &[r#"{"a": "a\u0000b\u0000"}"#]),
        ("{a|wide: 'a*?'}", &[r#"{"a": "a\u0000zzz\u0000"}"#], &[r#"{"a": "a\u0000z"}"#]),
    ]);
}

#[test]
fn a_dash_stands_for_any_dash_where_an_option_begins() {
    check(&[
        (
            "{a|windash|contains: ' -f '}",
            &[
                r#"{"a": "x -f y"}"#,
                r#"{"a": "x /F y"}"#,
                r#"{"a": "x –f y"}"#,
                r#"{"a": "x —f y"}"#,
                r#"{"a": "x ―f y"}"#,
            ],
            &[r#"{"a": "x f y"}"#, r#"{"a": "x =f y"}"#],
        ),
        (
            "{a|contains|windash: ' /a –b'}",
            &[r#"{"a": "x -a /b"}"#, r#"{"a": "x /a –b"}"#],
            &[r#"{"a": "x -a b"}"#],
        ),
        ("{a|windash: '-a-b'}", &[r#"{"a": "/a-b"}"#], &[r#"{"a": "/a/b"}"#]),
        ("{a|windash: '--ab'}", &[r#"{"a": "-/ab"}"#], &[r#"{"a": "/-ab"}"#]),
        ("{a|windash: '- a'}", &[r#"{"a": "- a"}"#], &[r#"{"a": "/ a"}"#]),
        ("{a|windash: '*-a'}", &[r#"{"a": "x/a"}"#], &[r#"{"a": "xa"}"#]),
        ("{a|windash: '-*'}", &[r#"{"a": "-x"}"#], &[r#"{"a": "/x"}"#]),
        ("{a|windash|endswith|all: ['-a', '-b']}", &[r#"{"a": ["x/a", "y/b"]}"#], &[r#"{"a": "x/a"}"#]),
        // Base64 of `/c`, of an em dash and `c`.
        ("{a|windash|base64: '-c'}", &[r#"{"a": "L2M="}"#, r#"{"a": "4oCUYw=="}"#], &[r#"{"a": "PWM="}"#]),
        ("{'|windash': '-enc'}", &[r#"{"m": "run /enc x"}"#], &[r#"{"m": "run enc"}"#]),
    ]);
}

#[test]
fn placeholders_stand_for_their_values() {
    let mut placeholders = Placeholders::default();
    placeholders.define("admins", ["root", "adm_*"]);
    placeholders.define("hosts", ["web", "db"]);
    placeholders.define("Nobody", [""; 0]);
    placeholders.define("offices", ["192.0.2.0/24", "2001:db8::/32", "203.0.113.9"]);
    let found = |yaml: &str, json: &str| {
        let (set, refusals) = load_with(&selection(yaml), &placeholders);
        assert!(refusals.is_empty(), "{}", refusals[0]);
        meets(&set, json)
    };
    let table = [
        ("{a|expand: '%admins%'}", r#"{"a": "ADM_x"}"#, true),
        ("{a|cidr|expand: '%offices%'}", r#"{"a": "192.0.2.7"}"#, true),
        ("{a|cidr|expand: '%offices%'}", r#"{"a": "2001:db8::7"}"#, true),
        ("{a|cidr|expand: '%offices%'}", r#"{"a": "203.0.113.9"}"#, true),
        ("{a|cidr|expand: '%offices%'}", r#"{"a": "203.0.113.8"}"#, false),
        ("{a|cidr|expand|neq: '%offices%'}", r#"{"a": "203.0.113.8"}"#, true),
        ("{a|cidr|expand: '%Nobody%'}", r#"{"a": "203.0.113.8"}"#, false),
        ("{a|expand: '%admins%'}", r#"{"a": "adm"}"#, false),
        ("{a|expand: '%admins%@%hosts%'}", r#"{"a": "root@db"}"#, true),
        ("{a|expand: '%admins%@%hosts%'}", r#"{"a": "root@mail"}"#, false),
        ("{a|contains|expand: 'su %admins%'}", r#"{"a": "x su root y"}"#, true),
        ("{a|expand|contains|all: ['%admins%', '%hosts%']}", r#"{"a": "root on web"}"#, true),
        ("{a|expand|contains|all: ['%admins%', '%hosts%']}", r#"{"a": "root"}"#, false),
        ("{a|expand|neq: '%admins%'}", r#"{"a": "eve"}"#, true),
        ("{a|expand|neq: '%admins%'}", r#"{"a": "root"}"#, false),
        (r"{a|expand: '\%admins%'}", r#"{"a": "%admins%"}"#, true),
        ("{a: '%admins%'}", r#"{"a": "%admins%"}"#, true),
        ("{a: '%admins%'}", r#"{"a": "root"}"#, false),
        ("{a|expand: '%Nobody%'}", r#"{"a": ""}"#, false),
        ("{a|expand|neq: '%Nobody%'}", r#"{"a": "x"}"#, true),
        ("{a|expand|windash: '-%hosts%'}", r#"{"a": "/web"}"#, true),
        ("{a|expand|base64: '%hosts%'}", r#"{"a": "d2Vi"}"#, true),
    ];
    for (yaml, json, expected) in table {
        assert_eq!(found(yaml, json), expected, "{yaml} {json}");
    }
    let refusal = |yaml: &str| load_with(&selection(yaml), &placeholders).1.remove(0);
    let missing = refusal("{a|expand: '%admins% %Admins%'}");
    assert_eq!(missing.cause.kind(), "undefined_placeholder");
    assert!(missing.to_string().contains("`%Admins%`"), "{missing}");
    assert_eq!(refusal("{a|expand|base64: '%admins%'}").cause.kind(), "modifiers");
    let product = format!("{{a|expand: '{}'}}", "%hosts%".repeat(14));
    assert_eq!(refusal(&product).cause.kind(), "too_large");
}

#[test]
fn the_version_knows_what_placeholders_stood_for() {
    let version = |values: &[&str]| {
        let mut placeholders = Placeholders::default();
        placeholders.define("x", values.iter().copied());
        load_with(&selection("{a|expand: '%x%'}"), &placeholders).0.version().to_owned()
    };
    assert_eq!(version(&["a", "b"]), version(&["a", "b"]));
    assert_ne!(version(&["a", "b"]), version(&["ab"]));
}

#[test]
fn fields_are_compared_with_fields() {
    check(&[
        (
            "{a|fieldref: b}",
            &[r#"{"a": "x", "b": "X"}"#, r#"{"a": ["x", "y"], "b": ["z", "y"]}"#, r#"{"a": 5, "b": "5.0"}"#],
            &[r#"{"a": "x", "b": "y"}"#, r#"{"a": "x"}"#, r#"{"b": "x"}"#, "{}", r#"{"a": null, "b": null}"#],
        ),
        (
            "{a|fieldref: b}",
            &[r#"{"a": "5*", "b": "5*"}"#],
            &[r#"{"a": "55", "b": "5*"}"#, r#"{"a": "5", "b": "5.0"}"#],
        ),
        ("{a|fieldref|cased: b}", &[r#"{"a": "x", "b": "x"}"#], &[r#"{"a": "x", "b": "X"}"#]),
        (
            "{a|fieldref|startswith: b.c}",
            &[r#"{"a": "xyz", "b": {"c": "XY"}}"#],
            &[r#"{"a": "axy", "b": {"c": "xy"}}"#],
        ),
        ("{a|fieldref|endswith: b}", &[r#"{"a": "zxy", "b": "XY"}"#], &[r#"{"a": "xyz", "b": "xy"}"#]),
        (
            "{a|fieldref|contains: b}",
            &[r#"{"a": "zxyz", "b": "XY"}"#, r#"{"a": 1234, "b": 23}"#],
            &[r#"{"a": "x", "b": "xy"}"#],
        ),
        (
            "{a|fieldref|neq: b}",
            &[r#"{"a": "x", "b": "y"}"#],
            &[r#"{"a": "x", "b": "X"}"#, r#"{"a": "x"}"#, r#"{"b": "x"}"#, r#"{"a": ["x", "z"], "b": "z"}"#],
        ),
        ("{a|fieldref|endswith|neq: b}", &[r#"{"a": "xy", "b": "x"}"#], &[r#"{"a": "xy", "b": "y"}"#]),
        ("{a|fieldref: [b, c]}", &[r#"{"a": "x", "c": "x"}"#], &[r#"{"a": "x", "c": "y"}"#]),
        ("{a|fieldref|all: [b, c]}", &[r#"{"a": "x", "b": "x", "c": "x"}"#], &[r#"{"a": "x", "b": "x"}"#]),
        (
            "{a|fieldref: Other Field}",
            &[r#"{"a": "x", "OtherField": "x"}"#],
            &[r#"{"a": "x", "Other": "x"}"#],
        ),
    ]);
}

#[test]
fn parts_of_dates_are_numbers() {
    check(&[
        (
            "{t|hour: 5}",
            &[r#"{"t": "2026-03-04T05:06:07Z"}"#, r#"{"t": "2026-03-04 05:06:07.123+09:00"}"#],
            &[
                r#"{"t": "2026-03-04T06:06:07Z"}"#,
                r#"{"t": "2026-03-04"}"#,
                r#"{"t": 5}"#,
                r#"{"t": "05"}"#,
                "{}",
            ],
        ),
        ("{t|hour|gte: 22}", &[r#"{"t": "2026-03-04T23:06"}"#], &[r#"{"t": "2026-03-04T21:06"}"#]),
        ("{t|minute|lt: 6}", &[r#"{"t": "2026-03-04T05:05:59"}"#], &[r#"{"t": "2026-03-04T05:06"}"#]),
        ("{t|day: [1, 4]}", &[r#"{"t": "2026-03-04"}"#], &[r#"{"t": "2026-04-03"}"#]),
        ("{t|week: 53}", &[r#"{"t": "2027-01-03"}"#, r#"{"t": "2026-12-28"}"#], &[r#"{"t": "2027-01-04"}"#]),
        (
            "{t|month|neq: [1, 2]}",
            &[r#"{"t": "2026-03-04"}"#, r#"{"t": "x"}"#],
            &[r#"{"t": "2026-02-04"}"#, "{}"],
        ),
        ("{t|year|gt: 2025}", &[r#"{"t": "2026-03-04"}"#], &[r#"{"t": "2025-03-04"}"#]),
    ]);
}
