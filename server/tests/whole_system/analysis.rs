//! Lag of analysis, and partitions that cannot be analysed, in metrics and readiness.

use serde_json::Value;

use crate::lines::{Form, failed_logins};
use crate::server::{Server, wait_for};

/// The greatest lag of any partition, seconds.
fn lag(server: &Server) -> f64 {
    let lags = server.metric("palisade_analysis_lag_seconds");
    assert!(!lags.is_empty(), "every partition has a lag");
    lags.into_iter().map(|(_, lag)| lag).fold(0.0, f64::max)
}

fn analysis(details: &Value, list: &str) -> Option<String> {
    let found = details[list].as_array()?.iter().find(|entry| entry["check"] == "analysis")?;
    Some(found["reason"].as_str()?.to_owned())
}

#[test]
fn lag_grows_where_nobody_analyses_and_never_takes_ingestion_out() {
    let mut server = Server::start_with(&["--role", "ingest,api"]);
    assert!(lag(&server) < f64::EPSILON, "nothing waits");
    let source = server.source("edge");
    let body = || Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.7"));
    assert_eq!(server.ingest(&source, "application/x-ndjson", body()).status, 200);
    let first = wait_for("the batch waits", || Some(lag(&server)).filter(|lag| *lag > 0.0));
    wait_for("it waits longer", || (lag(&server) > first + 1.0).then_some(()));
    let (status, details) = server.readiness(|_, details| analysis(details, "degraded").is_some());
    assert_eq!(status, 200, "ingestion and the API go on: {details}");
    let reason = analysis(&details, "degraded").unwrap();
    assert!(reason.contains("unowned"), "{reason}");
    let blocked = server.metric("palisade_analysis_partitions_blocked");
    let unowned = blocked.iter().find(|(labels, _)| labels.contains("unowned")).unwrap();
    assert!(unowned.1 >= 1.0, "{blocked:?}");

    // An analyzer starts and reduces it to zero.
    server.kill();
    server.begin_with(&[]);
    server.readiness(|status, details| status == 200 && analysis(details, "degraded").is_none());
    server.incidents(&source, |incidents| incidents.len() == 1);
    wait_for("nothing waits any more", || (lag(&server) < f64::EPSILON).then_some(()));
}
