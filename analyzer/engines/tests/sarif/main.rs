//! SARIF of other tools: the rules of the standard, any bytes, and the output of public tools.
#![expect(clippy::unwrap_used, reason = "tests")]

mod bounds;
mod outcomes;
mod properties;
mod semantics;
mod tools;

use engine::Observation;
use engine::sarif::{Log, ResultOutcome, read};

/// A log of one run of the tool `scan` with the given rules and results, each as JSON.
fn log(rules: &str, results: &str) -> String {
    format!(
        r#"{{"version": "2.1.0", "runs": [{{"tool": {{"driver": {{"name": "scan", "version": "3.1",
            "rules": [{rules}]}}}}, "results": [{results}]}}]}}"#
    )
}

/// The result of reading a log that is valid as a whole.
fn read_log(log: &str) -> Log {
    read(log.as_bytes(), None).unwrap_or_else(|error| panic!("{error}\n{log}"))
}

/// The observation of a log with one result: `members` are added to a result with rule `A`, a message and a location.
fn observe(rule: &str, members: &str) -> Observation {
    let mut read = read_log(&one(rule, members));
    assert_eq!(read.results, [ResultOutcome::Observation(0)], "{members}");
    read.observations.remove(0).observation
}

/// The reason why a result with the given members is rejected.
fn rejection(members: &str) -> String {
    let read = read_log(&one("", members));
    let [ResultOutcome::Rejected(rejection)] = &read.results[..] else { panic!("{members} is accepted") };
    assert!(read.observations.is_empty());
    rejection.to_string()
}

/// A log with one result. A member whose name occurs in `members` is left out, since JSON allows each name once.
fn one(rule: &str, members: &str) -> String {
    let defaults = [
        ("ruleId", r#""A""#),
        ("message", r#"{"text": "eval of x"}"#),
        ("locations", r#"[{"physicalLocation": {"artifactLocation": {"uri": "a.py"}}}]"#),
    ];
    let missing = defaults.iter().filter(|(name, _)| !members.contains(&format!("\"{name}\"")));
    let mut all: Vec<String> = missing.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    all.extend((!members.is_empty()).then(|| members.to_owned()));
    log(rule, &format!("{{{}}}", all.join(", ")))
}
