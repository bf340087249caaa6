//! Overload and outages: everything that does not fit is a 503 with Retry-After, and passes.

use std::sync::OnceLock;
use std::time::Duration;

use ingest::{AdmissionConfig, IngestConfig};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::Answer;
use crate::harness::{Front, otlp};

const PROTOBUF: &str = "application/x-protobuf";

#[tokio::test]
async fn bytes_in_flight_are_bounded_and_come_back() {
    let body = otlp(10);
    // Room for one: the body, and the read buffer it lies in first.
    let admission = AdmissionConfig { in_flight_bytes: body.len() * 3 };
    let front = Front::start_with(IngestConfig { admission, ..IngestConfig::default() }, None).await;
    let post = front.post(PROTOBUF, body);

    // Held from the head on, before any of the body has arrived.
    let mut first = TcpStream::connect(front.address).await.unwrap();
    first.write_all(post.clone().header("expect", "100-continue").head().as_bytes()).await.unwrap();
    assert_eq!(Answer::read(&mut first, "POST").await.status, 100);
    let refused = post.send().await;
    assert_eq!((refused.status, refused.rpc_status().0), (503, 14));
    assert!((1..=60).contains(&refused.retry_after()));

    // Given back with the connection that held it.
    drop(first);
    let mut answer = post.send().await;
    while answer.status == 503 {
        answer = post.send().await;
    }
    assert_eq!(answer.status, 200);
    assert_eq!(front.log.batches().len(), 1);
}

#[tokio::test]
async fn the_permit_is_held_until_the_batch_is_durable() {
    let body = otlp(10);
    let admission = AdmissionConfig { in_flight_bytes: body.len() * 2 };
    let front = Front::start_with(IngestConfig { admission, ..IngestConfig::default() }, None).await;
    let post = front.post(PROTOBUF, body);
    front.log.hold();
    let mut first = TcpStream::connect(front.address).await.unwrap();
    first.write_all(&post.bytes()).await.unwrap();
    front.log.arrived.notified().await;
    assert_eq!(post.send().await.status, 503);
    front.log.let_through(2);
    assert_eq!(Answer::read(&mut first, "POST").await.status, 200);
    assert_eq!(post.send().await.status, 200);
}

#[tokio::test]
async fn a_log_in_trouble_is_not_sent_anything() {
    let front = Front::start().await;
    let sent = async || front.post_one().send().await;
    front.log.set_usage(|usage| usage.writable = false);
    assert_eq!(sent().await.status, 503);
    front.log.set_usage(|usage| (usage.writable, usage.unreleased_bytes) = (true, usage.capacity_bytes));
    assert_eq!(sent().await.status, 503);
    front
        .log
        .set_usage(|usage| (usage.unreleased_bytes, usage.queued_bytes) = (0, usage.queue_capacity_bytes));
    let answer = sent().await;
    assert_eq!(answer.status, 503);
    assert!(answer.retry_after() >= 1);
    assert!(front.log.batches().is_empty());
    front.log.set_usage(|usage| usage.queued_bytes = 0);
    assert_eq!(sent().await.status, 200);
}

#[tokio::test]
async fn without_the_ledger_known_senders_go_on_for_a_minute() {
    let front = Front::start().await;
    front.ledger.set_unavailable(true);
    let answer = front.post_one().send().await;
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (503, Some("service_unavailable")));
    assert!(answer.retry_after() >= 1);
    front.ledger.set_unavailable(false);
    // The directory leaves a ledger that failed alone for a moment.
    front.clock.advance(Duration::from_secs(2));
    assert_eq!(front.post_one().send().await.status, 200);
    front.ledger.set_unavailable(true);
    front.clock.advance(Duration::from_secs(30));
    assert_eq!(front.post_one().send().await.status, 200);
    front.clock.advance(Duration::from_secs(60));
    assert_eq!(front.post_one().send().await.status, 503);
}

fn recorder() -> &'static PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER.get_or_init(|| {
        let handle = PrometheusBuilder::new().install_recorder().unwrap();
        ingest::describe_metrics();
        handle
    })
}

#[tokio::test]
async fn what_happens_is_counted_under_the_agreed_names() {
    let handle = recorder();
    let front = Front::start().await;
    assert_eq!(front.post(PROTOBUF, otlp(2)).send().await.status, 200);
    assert_eq!(front.post("application/json", "[1]").send().await.status, 400);
    front.log.set_usage(|usage| usage.writable = false);
    assert_eq!(front.post_one().send().await.status, 503);
    let text = handle.render();
    for expected in [
        "ingest_batches_total{format=\"protobuf\",outcome=\"accepted\"}",
        "ingest_batches_total{format=\"json\",outcome=\"refused_malformed\"}",
        "ingest_batches_total{format=\"ndjson\",outcome=\"refused_unavailable\"}",
        "ingest_records_total",
        "ingest_bytes_total{stage=\"wire\"}",
        "ingest_bytes_total{stage=\"inflated\"}",
        "ingest_durable_append_seconds",
        "ingest_queue_bytes",
        "ingest_queue_records",
        "ingest_queue_capacity_bytes",
        "ingest_backpressure_total",
        "http_server_request_duration_seconds",
        "route=\"/api/v1/infrastructure/sources/{source_id}/v1/logs\",method=\"POST\",status=\"200\"",
    ] {
        assert!(text.contains(expected), "{expected} is missing from\n{text}");
    }
    assert!(!text.contains(&front.source.id.to_string()), "a label is not bounded");
}
