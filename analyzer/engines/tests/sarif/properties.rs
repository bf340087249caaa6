//! Properties of reading for any log.

use engine::Limits;
use engine::sarif::{Log, ResultOutcome, Root, read};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A log that uses every property.
fn complete() -> Value {
    let place = |line: u32, text: &str| {
        json!({"physicalLocation": {"artifactLocation": {"uri": "src/a.py", "uriBaseId": "SRC", "index": 0},
            "region": {"startLine": line, "endLine": line + 1, "startColumn": 3, "endColumn": 9, "snippet": {"text": text}},
            "contextRegion": {"startLine": line, "snippet": {"text": "around"}}},
            "logicalLocations": [{"name": "pay", "fullyQualifiedName": "shop.pay"}], "message": {"text": "here"}})
    };
    let message = json!({"id": "default", "arguments": ["x", "y"]});
    let flow = json!([{"threadFlows": [{"locations": [{"location": place(4, "b")}, {"index": 0}]}]}]);
    json!({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "scan", "version": "1", "guid": "1",
            "globalMessageStrings": {"default": {"markdown": "global {0}"}},
            "rules": [{"id": "A", "name": "first", "shortDescription": {"text": "short"}, "help": {"text": "help"},
                "messageStrings": {"default": {"text": "eval of {0} on line 3"}}, "helpUri": "https://scan.example",
                "defaultConfiguration": {"level": "note"},
                "relationships": [{"target": {"id": "79", "toolComponent": {"name": "CWE", "guid": "c", "index": 0}}}],
                "properties": {"tags": ["external/cwe/cwe-078"], "security-severity": "7.5", "cwe": ["CWE-1", 2]}}]},
            "extensions": [{"name": "more", "guid": "2", "rules": [{"id": "B"}]}]},
        "taxonomies": [{"name": "CWE", "guid": "c", "taxa": [{"id": "79"}]}],
        "originalUriBaseIds": {"SRC": {"uri": "file:///shop/"}},
        "versionControlProvenance": [{"mappedTo": {"uri": "file:///shop"}}],
        "invocations": [{"workingDirectory": {"uri": "file:///shop"}}],
        "artifacts": [{"location": {"uri": "b.py"}}],
        "threadFlowLocations": [{"location": place(5, "c")}],
        "webRequests": [{"method": "GET", "target": "/", "headers": {"Cookie": "a"}}],
        "results": [
            {"ruleId": "A/x", "ruleIndex": 0, "message": message, "locations": [place(3, "eval(x)")],
                "relatedLocations": [place(8, "d")], "codeFlows": flow, "level": "error", "kind": "fail",
                "taxa": [{"index": 0, "toolComponent": {"index": 0}}], "baselineState": "new", "suppressions": [],
                "webRequest": {"index": 0}, "webResponse": {"statusCode": 200, "body": {"text": "ok"}}},
            {"rule": {"id": "B", "index": 0, "toolComponent": {"index": 0}}, "message": {"text": "m on line 9"},
                "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 9}}}]},
            {"ruleId": "C", "message": {"markdown": "*m*"}, "fingerprints": {"a/v1": "1", "a/v2": "2"},
                "locations": [place(1, "e")], "suppressions": [{"kind": "external", "status": "rejected"}]},
            {"ruleId": "D", "message": {"text": "m"}, "partialFingerprints": {"hash": "1f:1"},
                "locations": [place(2, "f")], "fixes": [{"description": {"text": "fix"}}]}]}]})
}

/// Pointers to every value of a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| pointers(item, &format!("{at}/{index}"), all));
        }
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            pointers(member, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), all);
        }),
        _ => {}
    }
}

fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[%./\\\\:a-c0-9{}\\[\\]()]{0,16}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[{"id": 1}], null])),
        "[ü日a ]{600,700}".prop_map(Value::from),
    ]
}

fn mutated() -> impl Strategy<Value = String> {
    prop::collection::vec((any::<prop::sample::Index>(), replacement()), 1..5).prop_map(|changes| {
        let mut log = complete();
        for (place, new) in changes {
            let mut all = Vec::new();
            pointers(&log, "", &mut all);
            if let Some(value) = log.pointer_mut(&all[place.index(all.len())]) {
                *value = new;
            }
        }
        log.to_string()
    })
}

fn check(log: &Log) {
    let length = |text: &str| text.chars().count();
    let mut seen = std::collections::BTreeSet::new();
    for observed in &log.observations {
        let one = &observed.observation;
        assert!(seen.insert((one.check.clone(), one.identity.clone())), "two of one identity");
        assert!(length(&one.check) <= Limits::NAME && length(&one.title) <= Limits::TITLE);
        assert!(
            length(&one.description) <= Limits::DESCRIPTION && length(&one.remedy) <= Limits::EVIDENCE_TEXT
        );
        assert!(one.identity.len() <= Limits::IDENTITY && one.cwes.len() <= Limits::CWES);
        assert!(one.identity.iter().all(|part| length(part) <= Limits::NAME));
        assert!(!one.locations.is_empty() && one.locations.len() <= Limits::LOCATIONS);
        assert!(one.trace.len() <= Limits::LOCATIONS && one.evidence.len() <= Limits::EVIDENCE);
        for location in one.locations.iter().chain(&one.trace) {
            assert!(!location.path.is_empty() && length(&location.path) <= Limits::NAME);
            // Names of functions may have any form; only files have a region, and addresses a colon.
            let is_file = location.region.is_some() && !location.path.contains(':');
            assert!(!is_file || !location.path.split('/').any(|part| part == ".."), "{}", location.path);
            assert!(
                length(&location.snippet) <= Limits::SNIPPET && length(&location.message) <= Limits::SNIPPET
            );
            assert!(location.region.is_none_or(|region| region.start_line <= region.end_line));
        }
    }
    for outcome in &log.results {
        match outcome {
            ResultOutcome::Observation(place) => assert!(*place < log.observations.len()),
            ResultOutcome::Rejected(rejection) => assert!(length(&rejection.found) <= 200),
        }
    }
}

/// Moves every region by some lines, and the numbers in messages with them.
fn shift(value: &mut Value, lines: i64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| shift(item, lines)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::Number(number) if name == "startLine" || name == "endLine" => {
                        *member = json!(number.as_i64().unwrap() + lines);
                    }
                    Value::String(text) if text.contains("line 9") => {
                        *text = text.replace("line 9", &format!("line {}", 9 + lines));
                    }
                    _ => shift(member, lines),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_complete_log_is_read() {
    let log = read(complete().to_string().as_bytes(), None).unwrap();
    assert_eq!(log.results, [0, 1, 2, 3].map(ResultOutcome::Observation));
    check(&log);
    let first = &log.observations[0].observation;
    assert_eq!(
        (first.check.as_str(), first.description.as_str()),
        ("scan/A/x", "eval of x on line 3\n\nshort")
    );
    assert_eq!((first.cwes.as_slice(), first.trace.len(), first.evidence.len()), (&[79, 1, 2, 78][..], 2, 2));
    assert_eq!(first.locations[0].path, "src/a.py");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_mutation_is_read_within_bounds_and_the_same_twice(log in mutated()) {
        let root = Root::parse("/shop").unwrap();
        for root in [None, Some(&root)] {
            let once = read(log.as_bytes(), root);
            if let Ok(once) = &once {
                check(once);
            }
            prop_assert_eq!(once, read(log.as_bytes(), root));
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_cut_log_is_an_error(end in 0_usize..3_000) {
        let log = complete().to_string();
        if let Some(beginning) = log.get(..end.min(log.len() - 1)) {
            prop_assert!(read(beginning.as_bytes(), None).is_err());
        }
    }

    #[test]
    fn any_root_is_an_error_or_within_its_bound(text in "\\PC{0,40}|(file:)?[/\\\\.a-c%:]{0,40}") {
        if let Ok(root) = Root::parse(&text) {
            let again = Root::parse(&text).unwrap();
            prop_assert_eq!(&root, &again);
            if let Ok(log) = read(complete().to_string().as_bytes(), Some(&root)) {
                check(&log);
            }
        }
    }

    #[test]
    fn identities_are_the_same_when_lines_move(lines in 1_i64..100_000) {
        let identities = |log: &Value| {
            let log = read(log.to_string().as_bytes(), None).unwrap();
            let identity = |one: &engine::sarif::ToolObservation| (one.observation.check.clone(), one.observation.identity.clone());
            log.observations.iter().map(identity).collect::<Vec<_>>()
        };
        let mut moved = complete();
        shift(&mut moved, lines);
        prop_assert_ne!(&moved, &complete());
        prop_assert_eq!(identities(&moved), identities(&complete()));
    }
}
