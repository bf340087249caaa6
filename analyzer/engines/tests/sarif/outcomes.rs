//! Outcomes of logs and of single results.

use engine::sarif::{ResultOutcome, SarifError, read};

use super::{log, observe, read_log, rejection};

fn error(log: &str) -> String {
    read(log.as_bytes(), None).unwrap_err().to_string()
}

#[test]
fn a_log_is_json_in_version_2_1_0_with_runs() {
    assert_eq!(
        error("{\"version\": }"),
        "expected SARIF 2.1.0 in JSON, found expected value at line 1 column 13"
    );
    assert!(error("7").contains("expected an object with `version` and `runs`"), "{}", error("7"));
    assert_eq!(error(r#"{"version": "2.0.0", "runs": []}"#), r#"expected version "2.1.0", found "2.0.0""#);
    assert_eq!(error(r#"{"version": 2.1, "runs": []}"#), r#"expected version "2.1.0", found 2.1"#);
    assert_eq!(error(r#"{"runs": []}"#), r#"expected version "2.1.0", found none"#);
    assert_eq!(error(r#"{"version": "2.1.0"}"#), "expected an array `runs`, found none");
    assert_eq!(error(r#"{"version": "2.1.0", "runs": null}"#), "expected an array `runs`, found none");
    let run = error(r#"{"version": "2.1.0", "runs": [{"results": 7}]}"#);
    assert_eq!(
        run,
        "expected SARIF 2.1.0 in JSON, found a run with invalid type: integer `7`, expected an array"
    );
    assert_eq!(read(b"\xff", None).unwrap_err(), SarifError::Encoding { offset: 0 });
    assert!(read_log(r#"{"version": "2.1.0", "runs": []}"#).results.is_empty());
}

#[test]
fn a_byte_order_mark_nulls_and_unknown_properties_are_accepted() {
    let result = r#"{"ruleId": "A", "message": {"text": "m"}, "level": null, "rule": null, "codeFlows": null, "taxa": null,
        "fingerprints": null, "suppressions": null, "properties": null, "unknown": [{"deep": [[[]]]}],
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": null}}]}"#;
    let read = read_log(&format!("\u{feff}{}", log("", result)));
    assert_eq!(read.results, [ResultOutcome::Observation(0)]);
}

#[test]
fn a_broken_result_is_rejected_alone() {
    let good =
        r#"{"ruleId": "A", "message": {"text": "m"}, "locations": [{"logicalLocations": [{"name": "f"}]}]}"#;
    let read = read_log(&log("", &format!(r#"7, {good}, {{"locations": "here"}}, {{}}"#)));
    let shown: Vec<String> = read
        .results
        .iter()
        .map(|outcome| match outcome {
            ResultOutcome::Observation(place) => place.to_string(),
            ResultOutcome::Rejected(rejection) => rejection.to_string(),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "expected a result, found invalid type: integer `7`, expected a result object",
            "0",
            "expected a result, found invalid type: string \"here\", expected an array",
            "expected a message or a rule, found none",
        ]
    );
}

#[test]
fn a_result_needs_a_location_and_a_message_or_a_rule() {
    assert_eq!(rejection(r#""locations": []"#), "expected a location with a file or a name, found none");
    assert_eq!(rejection(r#""locations": [{}]"#), "expected a location with a file or a name, found none");
    assert_eq!(rejection(r#""ruleId": null, "message": null"#), "expected a message or a rule, found none");
    assert_eq!(observe("", r#""message": null"#).title, "A");
    assert_eq!(observe("", r#""ruleId": null"#).check, "scan");
}

#[test]
fn results_that_are_no_problem_of_this_run_are_rejected() {
    for kind in ["pass", "notApplicable", "informational", "other"] {
        let expected = format!("expected a result of kind fail, open or review, found kind {kind}");
        assert_eq!(rejection(&format!(r#""kind": "{kind}""#)), expected);
    }
    for kind in ["fail", "open", "review"] {
        assert_eq!(observe("", &format!(r#""kind": "{kind}""#)).check, "scan/A");
    }
    let absent = "expected a result of this run, found baselineState absent";
    assert_eq!(rejection(r#""baselineState": "absent""#), absent);
    for state in ["new", "unchanged", "updated"] {
        assert_eq!(observe("", &format!(r#""baselineState": "{state}""#)).check, "scan/A");
    }
}

#[test]
fn a_suppressed_result_is_rejected_unless_the_suppression_is_disputed() {
    let expected = "expected a result without an accepted suppression, found a suppression of kind inSource";
    assert_eq!(rejection(r#""suppressions": [{"kind": "inSource"}]"#), expected);
    assert_eq!(rejection(r#""suppressions": [{"kind": "inSource", "status": "accepted"}]"#), expected);
    for status in ["underReview", "rejected"] {
        let members = format!(
            r#""suppressions": [{{"status": "accepted"}}, {{"kind": "external", "status": "{status}"}}]"#
        );
        assert_eq!(observe("", &members).check, "scan/A");
    }
    assert_eq!(observe("", r#""suppressions": []"#).check, "scan/A");
}

#[test]
fn a_tool_without_a_name_loses_its_results_only() {
    let named = log("", r#"{"ruleId": "A", "locations": [{"logicalLocations": [{"name": "f"}]}]}"#);
    let two = named.replacen("\"runs\": [", r#""runs": [{"results": [{}]}, {"tool": {"driver": {}}}, "#, 1);
    let read = read_log(&two);
    let [ResultOutcome::Rejected(rejection), ResultOutcome::Observation(0)] = &read.results[..] else {
        panic!("{:?}", read.results)
    };
    assert_eq!(rejection.to_string(), "expected the name of the tool in tool.driver.name, found none");
}
