//! Bounds of logs and observations.

use engine::Limits;
use engine::sarif::{MAX_BYTES, MAX_RESULTS, MAX_TEXT, ResultOutcome, SarifError, read};

use super::{log, observe, read_log};

#[test]
fn a_log_has_at_most_20_mib() {
    let long = format!("{}{}", log("", ""), " ".repeat(MAX_BYTES));
    assert_eq!(read(long.as_bytes(), None).unwrap_err(), SarifError::TooLarge { found: long.len() });
}

#[test]
fn results_are_counted_over_all_runs() {
    let run = |results: usize| {
        let results = vec!["{}"; results].join(",");
        format!(r#"{{"tool": {{"driver": {{"name": "scan"}}}}, "results": [{results}]}}"#)
    };
    let two = |one: usize, other: usize| {
        format!(r#"{{"version": "2.1.0", "runs": [{}, {}]}}"#, run(one), run(other))
    };
    assert_eq!(read_log(&two(1, MAX_RESULTS - 1)).results.len(), MAX_RESULTS);
    let error = read(two(MAX_RESULTS + 7, 3).as_bytes(), None).unwrap_err();
    assert_eq!(error, SarifError::TooManyResults { found: MAX_RESULTS + 10 });
    assert_eq!(error.to_string(), "expected at most 5000 results, found 5010");
}

#[test]
fn runs_are_bounded() {
    let runs = vec!["{}"; 101].join(",");
    let error = read(format!(r#"{{"version": "2.1.0", "runs": [{runs}]}}"#).as_bytes(), None).unwrap_err();
    assert_eq!(error, SarifError::TooManyRuns { found: 101 });
}

#[test]
fn deep_nesting_is_an_error_or_ignored() {
    let deep = "[".repeat(200_000);
    assert!(matches!(read(deep.as_bytes(), None), Err(SarifError::Malformed { .. })));
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(observe("", &format!("\"unknown\": {nested}")).check, "scan/A");
    let reason = super::rejection(&format!(r#""properties": {{"tags": {nested}}}"#));
    assert_eq!(reason, "expected a result, found recursion limit exceeded");
}

#[test]
fn texts_are_cut_at_characters() {
    let long = "ü".repeat(30_000);
    let rule = format!(
        r#"{{"id": "A", "shortDescription": {{"text": "{long}"}}, "fullDescription": {{"text": "{long}"}},
            "help": {{"text": "Help: {long}"}}, "helpUri": "https://scan.example/{long}"}}"#
    );
    let members = format!(
        r#""message": {{"text": "{long}"}}, "locations": [{{"message": {{"text": "{long}"}}, "physicalLocation":
            {{"artifactLocation": {{"uri": "{long}"}}, "region": {{"startLine": 1, "snippet": {{"text": "{long}"}}}}}}}}]"#
    );
    let observation = observe(&rule, &members);
    let length = |text: &str| text.chars().count();
    assert_eq!(length(&observation.title), Limits::TITLE);
    assert_eq!(length(&observation.description), Limits::DESCRIPTION);
    assert_eq!(length(&observation.remedy), Limits::EVIDENCE_TEXT);
    assert_eq!(length(&observation.references[0]), Limits::NAME);
    let location = &observation.locations[0];
    assert_eq!(length(&location.path), Limits::NAME);
    assert_eq!(length(&location.snippet), Limits::SNIPPET);
    assert_eq!(length(&location.message), Limits::SNIPPET);
    assert!(observation.title.ends_with('…') && location.path.ends_with('…'));
    assert!(
        observation.identity.len() == 2
            && observation.identity.iter().all(|part| length(part) <= Limits::NAME)
    );
}

#[test]
fn shared_texts_are_bounded_in_all() {
    let path = "𝄞".repeat(Limits::NAME);
    let place = r#"{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": LINE}}}"#;
    let places: Vec<String> = (1..=20).map(|line| place.replace("LINE", &line.to_string())).collect();
    let results = 2_200;
    let result = |number: usize| format!(r#"{{"ruleId": "R{number}", "locations": [{}]}}"#, places.join(","));
    let all: Vec<String> = (0..results).map(result).collect();
    let artifact = format!(r#""artifacts": [{{"location": {{"uri": "{path}"}}}}], "results": ["#);
    let read = read_log(&log("", &all.join(",")).replace(r#""results": ["#, &artifact));
    let accepted = read.observations.len();
    // A path has 2,000 bytes, and so has its part of the identity; the rest of an observation is short.
    assert!(accepted > MAX_TEXT / (22 * 2_000) && accepted < MAX_TEXT / (20 * 2_000), "{accepted}");
    assert_eq!(read.results.len(), results);
    let Some(ResultOutcome::Rejected(rejection)) = read.results.last() else { panic!("all are accepted") };
    assert!(
        rejection.to_string().starts_with("expected results with at most 80 MiB of text in all"),
        "{rejection}"
    );
}
