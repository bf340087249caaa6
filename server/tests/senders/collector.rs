//! The OpenTelemetry Collector with the configuration of the page: records received while the server is down arrive.

use std::path::Path;

use crate::http::Request;
use crate::machine::{Daemon, free_port};
use crate::page::adapted;
use crate::receiver::Receiver;
use crate::server::wait_for;
use crate::skip::{Lacking, skip};

const LOGS: &str = r#"{"resourceLogs":[{
    "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},
    "scopeLogs":[{"logRecords":[{"timeUnixNano":"1795425220000000000","body":{"stringValue":"login failed"}}]}]
}]}"#;

#[test]
fn the_collector_keeps_records_until_the_server_is_back() {
    let program = std::env::var("PALISADE_TEST_COLLECTOR_PROGRAM").unwrap_or_default();
    if program.is_empty() {
        let why = "PALISADE_TEST_COLLECTOR_PROGRAM is not set: deploy/local/collector";
        return skip("the Collector", Lacking::Collector, why);
    }
    let mut receiver = Receiver::start();
    let directory = tempfile::tempdir().unwrap();
    let (at, port) = (directory.path(), free_port());
    let configuration = adapted("OpenTelemetry Collector", 0, &receiver)
        .replace("127.0.0.1:4318", &format!("127.0.0.1:{port}"));
    // It would listen on a fixed port, which may be in use.
    let configuration = format!("{configuration}\n  telemetry:\n    metrics:\n      level: none\n");
    std::fs::write(at.join("config.yaml"), configuration).unwrap();
    receiver.server.kill();
    let arguments = [format!("--config={}", at.join("config.yaml").display())];
    let _daemon = Daemon::start(Path::new(&program), arguments, &at.join("log"));
    let request = Request::new("POST", "/v1/logs")
        .header("content-type", "application/json")
        .body(LOGS.as_bytes().to_vec());
    wait_for("the Collector takes the record", || {
        request.try_send(([127, 0, 0, 1], port).into()).filter(|response| response.status == 200)
    });
    receiver.server.run();
    let evidence = receiver.arrived();
    assert_eq!(evidence["event_time"], "2026-11-23T09:13:40.000Z", "{evidence}");
}
