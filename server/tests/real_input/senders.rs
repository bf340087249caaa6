//! Senders of lines from a log to Palisade: the OpenTelemetry SDK of Python, and curl.

use serde_json::json;

use super::machine::{bounded, run};
use super::python::Python;
use super::server::Server;

/// The script that a person with a log file and the SDK would write.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real_input/send_lines.py");

fn logs_url(server: &Server, source: &str) -> String {
    server.get(&format!("/infrastructure/sources/{source}"))["logs_url"].as_str().unwrap().to_owned()
}

/// Sends each line of a log as the body of an OTLP record, in protobuf over HTTP.
pub(crate) fn send_by_the_sdk(python: &Python, server: &Server, source: &str, service: &str, log: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log");
    std::fs::write(&file, log).unwrap();
    run(bounded(python.program())
        .args([SCRIPT, service])
        .arg(&file)
        .env("PALISADE_LOGS_URL", logs_url(server, source))
        .env("PALISADE_API_KEY", server.key()));
}

/// Sends each line of a log as the message of a JSON object.
pub(crate) fn send_by_curl(server: &Server, source: &str, program: &str, log: &str) {
    let directory = tempfile::tempdir().unwrap();
    let (body, header) = (directory.path().join("lines.ndjson"), directory.path().join("header"));
    let objects = log
        .lines()
        .map(|line| json!({"timestamp": access_date(line), "message": line, "program": program, "host": "web-1"}))
        .map(|object| format!("{object}\n"));
    std::fs::write(&body, objects.collect::<String>()).unwrap();
    // In a file, as a key on a command line can be read by every user of a machine.
    std::fs::write(&header, format!("Authorization: Bearer {}\n", server.key())).unwrap();
    run(bounded("curl")
        .args([
            "--silent",
            "--show-error",
            "--fail-with-body",
            "--header",
            "Content-Type: application/x-ndjson",
        ])
        .arg("--header")
        .arg(format!("@{}", header.display()))
        .arg("--data-binary")
        .arg(format!("@{}", body.display()))
        .arg(logs_url(server, source)));
}

/// `[21/Nov/2026:01:03:37 +0000]` in the form of the API: shippers read the date of a line and
/// send it with the line.
pub(crate) fn access_date(line: &str) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = line.split_once('[').unwrap().1.split_once(" +0000]").unwrap().0;
    let mut parts = text.splitn(4, ['/', ':']);
    let mut part = || parts.next().unwrap();
    let (day, month, year, clock) = (part(), part(), part(), part());
    let month = MONTHS.iter().position(|name| *name == month).unwrap() + 1;
    format!("{year}-{month:02}-{day}T{clock}.000Z")
}
