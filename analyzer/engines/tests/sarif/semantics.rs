//! Observations of results: texts, severity, CWE numbers, locations, evidence, identity, merging.

use engine::sarif::ResultOutcome;
use engine::{Level, Limits};

use super::{log, observe, read_log};

#[test]
fn an_observation_names_tool_rule_and_version() {
    let observation = observe("", r#""ruleId": "A/md5""#);
    assert_eq!((observation.check.as_str(), observation.check_version.as_str()), ("scan/A/md5", "3.1"));
}

#[test]
fn the_title_is_the_short_description_or_the_message() {
    let rule = r#"{"id": "A", "name": "NoEval", "shortDescription": {"text": "Use of\n eval"},
        "fullDescription": {"text": "It runs text."}, "help": {"text": "Parse it."}, "helpUri": "https://scan.example/a"}"#;
    let observation = observe(rule, "");
    assert_eq!(observation.title, "Use of eval");
    assert_eq!(observation.description, "eval of x\n\nIt runs text.");
    assert_eq!(observation.remedy, "Parse it.");
    assert_eq!(observation.references, ["https://scan.example/a"]);
    assert_eq!(observe(r#"{"id": "A", "name": "NoEval"}"#, "").title, "eval of x");
    let named = observe(r#"{"id": "A", "name": "NoEval"}"#, r#""message": {"id": "unknown"}"#);
    assert_eq!((named.title.as_str(), named.description.as_str()), ("NoEval", ""));
}

#[test]
fn a_fix_is_the_remedy_and_a_script_is_no_reference() {
    let rule = r#"{"id": "A", "help": {"text": "Parse it."}, "helpUri": "javascript:alert(1)"}"#;
    let observation = observe(rule, r#""fixes": [{"description": {"text": "Use JSON.parse."}}]"#);
    assert_eq!(observation.remedy, "Use JSON.parse.");
    assert!(observation.references.is_empty());
}

#[test]
fn the_message_is_looked_up_with_arguments() {
    let rule = r#"{"id": "A", "messageStrings": {"default": {"text": "{0} of [{1}](1)"}}}"#;
    let observation = observe(rule, r#""message": {"id": "default", "arguments": ["eval", "y"]}"#);
    assert_eq!(observation.description, "eval of y");
}

#[test]
fn severity_follows_score_then_level_then_rule_then_warning() {
    let severity = |rule: &str, members: &str| {
        let observation = observe(rule, members);
        assert_eq!(observation.severity, Some(observation.risk));
        observation.risk
    };
    let rule = r#"{"id": "A", "defaultConfiguration": {"level": "note"}}"#;
    let scored = r#"{"id": "A", "defaultConfiguration": {"level": "note"}, "properties": {"security-severity": "9.1"}}"#;
    assert_eq!(severity("", ""), Level::Medium);
    assert_eq!(severity(rule, ""), Level::Low);
    assert_eq!(severity(rule, r#""level": "error""#), Level::High);
    assert_eq!(severity(scored, r#""level": "error""#), Level::Critical);
    assert_eq!(severity(scored, r#""properties": {"security-severity": 5}"#), Level::Medium);
    assert_eq!(severity(rule, r#""kind": "open""#), Level::Informational);
}

#[test]
fn an_unknown_level_is_rejected() {
    let reason = super::rejection(r#""level": "fatal""#);
    assert_eq!(reason, "expected level error, warning, note or none, found level fatal");
}

#[test]
fn cwe_numbers_of_the_result_precede_those_of_the_rule() {
    let rule = r#"{"id": "A", "relationships": [{"target": {"id": "74", "toolComponent": {"name": "CWE"}}},
            {"target": {"id": "3", "toolComponent": {"name": "OWASP"}}}],
        "properties": {"tags": ["external/cwe/cwe-079", "CWE-20: Input"]}, "helpUri": "https://cwe.example/CWE-999"}"#;
    let observation = observe(rule, r#""taxa": [{"id": "CWE-80"}], "properties": {"cwe": "CWE-79"}"#);
    assert_eq!(observation.cwes, [80, 79, 74, 20]);
}

#[test]
fn locations_are_primary_then_related_and_counted_beyond_the_bound() {
    let place = |line: usize| {
        format!(
            r#"{{"physicalLocation": {{"artifactLocation": {{"uri": "a.py"}}, "region": {{"startLine": {line}}}}}}}"#
        )
    };
    let related: Vec<String> = (1..=30).map(place).collect();
    let members = format!(r#""locations": [{}], "relatedLocations": [{}]"#, place(9), related.join(","));
    let observation = observe("", &members);
    assert_eq!(observation.locations.len(), Limits::LOCATIONS);
    assert_eq!(observation.locations[0].region.unwrap().start_line, 9);
    assert_eq!(observation.further_locations, 10);
}

#[test]
fn flows_and_requests_are_trace_and_evidence() {
    let members = r#""locations": [{"logicalLocations": [{"name": "pay"}]}], "codeFlows": [{"threadFlows": [{"locations": [{"location": {"message": {"text": "source"},
            "physicalLocation": {"artifactLocation": {"uri": "b.py"}, "region": {"startLine": 2}}}}]}]}],
        "webRequest": {"method": "GET", "target": "/a", "headers": {"Cookie": "id=1"}}"#;
    let observation = observe("", members);
    assert_eq!(
        (observation.trace[0].path.as_str(), observation.trace[0].message.as_str()),
        ("b.py", "source")
    );
    assert_eq!(observation.evidence[0].text, "GET /a\nCookie: (removed)");
}

#[test]
fn results_of_one_identity_are_one_observation() {
    let result = |line: u32, level: &str, message: &str| {
        format!(
            r#"{{"ruleId": "A", "level": "{level}", "message": {{"text": "{message}"}}, "locations": [{{"physicalLocation":
                {{"artifactLocation": {{"uri": "a.py"}}, "region": {{"startLine": {line}}}}}}}],
                "taxa": [{{"id": "CWE-{line}"}}]}}"#
        )
    };
    let results = [
        result(3, "note", "eval on line 3"),
        result(5, "error", "another"),
        result(9, "error", "eval on line 9"),
        result(9, "error", "eval on line 9"),
    ];
    let read = read_log(&log("", &results.join(",")));
    let places = [0, 1, 0, 0].map(ResultOutcome::Observation);
    assert_eq!(read.results, places);
    let merged = &read.observations[0].observation;
    let lines: Vec<u32> = merged.locations.iter().map(|one| one.region.unwrap().start_line).collect();
    assert_eq!((lines, merged.risk, merged.cwes.as_slice()), (vec![3, 9], Level::High, &[3, 9][..]));
    assert_eq!(merged.identity, ["a.py", "eval on line"]);
    assert_eq!(read.observations.len(), 2);
}

#[test]
fn equal_lines_of_two_files_are_two_observations() {
    let result = |file: &str| {
        format!(
            r#"{{"ruleId": "A", "message": {{"text": "m"}}, "partialFingerprints": {{"primaryLocationLineHash": "39fa:1"}},
                "locations": [{{"physicalLocation": {{"artifactLocation": {{"uri": "{file}"}}}}}}]}}"#
        )
    };
    let read = read_log(&log("", &format!("{}, {}", result("a.py"), result("b.py"))));
    assert_eq!(read.results, [0, 1].map(ResultOutcome::Observation));
}
