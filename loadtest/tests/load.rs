//! The modes `load` and `soak` against a real server with embedded stores: every acknowledged record is found again, every
//! form is accepted, and reports contain the measurements.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "support/tool.rs"]
mod tool;

use std::process::{Command, Output};

use serde_json::Value;
use tool::server;

fn tool(mode: &str, arguments: &[&str]) -> (Output, String) {
    tool::run(mode, &server(), &[["--seed", "20261121"].as_slice(), arguments].concat())
}

/// Small enough for a debug build on a busy machine.
const SMALL: [&str; 10] =
    ["--connections", "8", "--batch", "20", "--sources", "2", "--attack-share", "0.1", "--form", "mixed"];

#[test]
fn what_was_acknowledged_is_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let html = directory.path().join("report.html");
    let files = ["--json", json.to_str().unwrap(), "--html", html.to_str().unwrap()];
    let paced = [
        "--ramp",
        "10..60/2",
        "--poisson",
        "--gzip",
        "0.5",
        "--keys",
        "2",
        "--warm-up",
        "0.5",
        "--duration",
        "4.3",
    ];
    let (output, said) = tool("load", &[SMALL.as_slice(), &paced, &files].concat());
    assert!(output.status.success(), "{said}");
    assert!(said.contains("verdict   clean"), "{said}");

    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let load = &report["phases"][1];
    // 70 requests of the ramp's two seconds and 138 of those after it, give or take chance.
    let requests = load["requests"].as_u64().unwrap() + load["unsent"].as_u64().unwrap();
    assert!((130..=290).contains(&requests), "{load}");
    let looks = report["series"].as_array().unwrap().iter().filter(|look| look["phase"] == load["name"]);
    let looked_at: u64 = looks.map(|look| look["accepted"].as_u64().unwrap()).sum();
    assert_eq!(looked_at, load["accepted"].as_u64().unwrap(), "to the end, which is between two seconds");
    let confirmed = &report["confirmed"];
    assert_eq!(confirmed["records_analysed"], confirmed["acknowledged_records"], "{confirmed}");
    let attackers = confirmed["attackers"].as_u64().unwrap();
    assert!(attackers > 5, "of each kind at least one: {confirmed}");
    assert_eq!(confirmed["incidents_that_count_right"], attackers);
    assert_eq!(confirmed["other_incidents"], 0, "ordinary work is no attack");
    assert!(load["server"]["processor_seconds"].as_f64().unwrap() > 0.0, "{load}");
    let buckets = load["latency_ms"]["buckets"].as_array().unwrap();
    let counted: u64 = buckets.iter().map(|bucket| bucket[1].as_u64().unwrap()).sum();
    assert_eq!(counted, load["accepted"].as_u64().unwrap());
    assert!(load["latency_ms"]["p99"].as_f64().unwrap() >= load["latency_ms"]["p50"].as_f64().unwrap());

    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.matches("<svg").count() >= 6, "{html}");
    for loads in ["http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!html.contains(loads), "the page loads something: {loads}");
    }
}

/// More than a rule examines individually in a source.
#[test]
fn attackers_have_incidents_of_their_own_among_many() {
    let many = ["--attack-kinds", "injection", "--sources", "1", "--attack-share", "0.5", "--batch", "5"];
    let paced = ["--connections", "8", "--warm-up", "0.5", "--duration", "3", "--rate", "30"];
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let (output, said) =
        tool("load", &[many.as_slice(), &paced, &["--json", json.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let confirmed = &report["confirmed"];
    let attackers = confirmed["attackers"].as_u64().unwrap();
    assert!(attackers > 11, "{confirmed}");
    assert_eq!(confirmed["incidents_that_count_right"], attackers);
    assert_eq!((&confirmed["incidents_together"], &confirmed["other_incidents"]), (&1.into(), &0.into()));
}

#[test]
fn a_file_is_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("lines");
    let lines = "CRON[1]: pam_unix(cron:session): session opened\n{\"time\":\"2026-11-21T06:00:00Z\",\"message\":\"done\"}\n";
    std::fs::write(&file, lines.repeat(30)).unwrap();
    let replay = ["--replay", file.to_str().unwrap(), "--warm-up", "0.2", "--duration", "1", "--rate", "30"];
    let (output, said) = tool("load", &[SMALL.as_slice(), &replay].concat());
    assert!(output.status.success(), "{said}");
    assert!(said.contains("verdict   clean"), "{said}");
}

#[test]
fn twice_the_capacity_is_measured_and_judged() {
    let paced = ["--times-capacity", "2", "--warm-up", "0.5", "--duration", "3"];
    let (output, said) = tool("load", &[SMALL.as_slice(), &paced].concat());
    // Whether this machine keeps the guarantees now is not tested, only that they are judged.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    for promise in
        ["every refusal is a 503 with Retry-After", "p99 of what", "memory stays", "recovered within"]
    {
        let line =
            said.lines().find(|line| line.contains(promise)).unwrap_or_else(|| panic!("{promise}: {said}"));
        assert!(line.starts_with("kept ") || line.starts_with("BROKEN "), "{line}");
    }
    let analysed = said.lines().find(|line| line.starts_with("analysed  ")).unwrap();
    let acknowledged = analysed.rsplit_once("acknowledged ").unwrap().1.strip_suffix(" records").unwrap();
    assert!(analysed.starts_with(&format!("analysed  {acknowledged},")), "nothing is lost: {said}");
    assert!(!said.contains("WRONG"), "{said}");
}

#[test]
fn a_soak_tells_what_creeps() {
    let short = [
        "--hours",
        "0.01",
        "--capacity-seconds",
        "2",
        "--share-of-capacity",
        "0.2",
        "--memory-mebibytes",
        "1",
    ];
    let directory = tempfile::tempdir().unwrap();
    let html = directory.path().join("soak.html");
    let page = ["--html", html.to_str().unwrap()];
    let (output, said) = tool("soak", &[SMALL.as_slice(), &short, &page].concat());
    assert_eq!(output.status.code(), Some(1), "a server does not fit into a MiB: {said}");
    assert!(said.contains("CREEPING  memory: "), "{said}");
    assert!(said.contains("flat      open files: "), "{said}");
    assert!(said.contains("verdict   NOT CLEAN"), "{said}");
    assert!(!said.contains("WRONG") && !said.contains("refused   "), "{said}");
    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.contains("CREEPING  memory: ") && html.contains("verdict   NOT CLEAN"), "{html}");
}

#[test]
fn nothing_but_this_machine_is_loaded() {
    let output = Command::new(tool::tool())
        .args(["load", "--url", "http://192.0.2.1:80", "--api-key", "x"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a loopback address"));
}
