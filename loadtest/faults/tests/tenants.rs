//! The mode `tenants` in a short form: every kind of hostility, against a real server.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../../tests/support/tool.rs"]
mod tool;

use serde_json::Value;
use tool::server;

/// Small enough for a debug build, which is some 20 times slower than an optimized one, on a busy machine. All sources are
/// in one partition. Bounds of latency are proportionally larger; the others are those of a measurement.
const SHORT: [&str; 24] = [
    "--seed",
    "20261124",
    "--victims",
    "2",
    "--attack-rate",
    "1",
    "--ordinary",
    "20",
    "--hostile-requests",
    "400",
    "--hostile-connections",
    "16",
    "--hostile-record-bytes",
    "2000",
    "--small-organizations",
    "8",
    "--partitions",
    "1",
    "--warm-up",
    "1",
    "--detection-bound",
    "25",
    "--api-bound",
    "10",
];

/// Runs phases whose names contain a text, and returns the report on them.
fn measured(only: &str, seconds: &str) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let of_this = ["--only", only, "--duration", seconds, "--json", json.to_str().unwrap()];
    let (output, said) = tool::run("tenants", &server(), &[SHORT.as_slice(), &of_this].concat());
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    let phases = report["phases"].as_array().unwrap();
    phases.iter().map(|phase| phase["phase"].as_str().unwrap()).collect()
}

#[test]
fn expensive_expressions_of_one_organization_leave_others_their_detection() {
    let report = measured("expressions", "8");
    assert_eq!(names(&report), ["expressions"]);
    let hostile = report["phases"][0].to_string();
    assert!(
        hostile.contains("\"400\"") && hostile.contains("\"201\""),
        "rules were refused and taken: {hostile}"
    );
}

#[test]
fn what_one_organization_exhausts_is_its_own() {
    assert_eq!(names(&measured("rules", "6")), ["large rules", "small rules"]);
    assert_eq!(names(&measured("rule checks", "6")), ["rule checks"]);
    assert_eq!(names(&measured("look-ups", "2")), ["look-ups"]);
    assert_eq!(names(&measured("idempotency keys", "2")), ["idempotency keys"]);
}
