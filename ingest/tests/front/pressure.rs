//! Overload and outages: everything that does not fit is a 503 with Retry-After, and passes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use durable_log::AppendError;
use ingest::limits::Limits;
use ingest::{AdmissionConfig, IngestConfig};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::body::gzip;
use crate::client::{Answer, Post};
use crate::harness::{Front, otlp};

const PROTOBUF: &str = "application/x-protobuf";

#[tokio::test]
async fn bytes_in_flight_are_bounded_and_come_back() {
    let body = otlp(10);
    // Room for one: the body, and the read buffer that holds it first.
    let admission = AdmissionConfig { in_flight_bytes: body.len() * 3, ..AdmissionConfig::default() };
    let front = Front::start_with(IngestConfig { admission, ..IngestConfig::default() }, None).await;
    let post = front.post(PROTOBUF, body);

    // Held from the head on, before any of the body has arrived.
    let mut first = TcpStream::connect(front.address).await.unwrap();
    first.write_all(post.clone().header("expect", "100-continue").head().as_bytes()).await.unwrap();
    assert_eq!(Answer::read(&mut first, "POST").await.status, 100);
    let refused = post.send().await;
    assert_eq!((refused.status, refused.rpc_status().0), (503, 14));
    assert!((1..=60).contains(&refused.retry_after()));

    // Returned with the connection that held it.
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
    let admission = AdmissionConfig { in_flight_bytes: body.len() * 5 / 2, ..AdmissionConfig::default() };
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
async fn a_disk_that_is_nearly_full_and_a_partition_behind_are_told_before_the_body() {
    let front = Front::start().await;
    let post = front.post_one().header("expect", "100-continue");
    let ask = async || {
        let mut stream = TcpStream::connect(front.address).await.unwrap();
        stream.write_all(post.head().as_bytes()).await.unwrap();
        Answer::read(&mut stream, "POST").await
    };
    let told = |answer: &Answer| answer.json()["message"].as_str().unwrap().to_owned();

    front.log.set_usage(|usage| usage.disk_low = true);
    let answer = ask().await;
    assert_eq!((answer.status, told(&answer).as_str()), (503, "the disk is nearly full"));
    assert!((15..=45).contains(&answer.retry_after()));
    front.log.set_usage(|usage| usage.disk_low = false);
    assert_eq!(ask().await.status, 100);

    let kept = Duration::from_secs(7 * 24 * 3600);
    front.log.say_beforehand(Err(AppendError::Behind { partition: 3, kept }));
    let answer = ask().await;
    assert_eq!((answer.status, told(&answer).as_str()), (503, "too many batches are waiting to be analysed"));
    front.log.say_beforehand(Ok(()));
    assert_eq!(front.post_one().send().await.status, 200);
}

/// Room for this many of these bodies at a time, of which one organization gets four fifths.
const SHARED: usize = 16;
const MOST_OF_ONE: usize = SHARED * 4 / 5;

fn narrow(body: &[u8]) -> IngestConfig {
    let in_flight_bytes = body.len() * SHARED * 8;
    let admission = AdmissionConfig { in_flight_bytes, ..AdmissionConfig::default() };
    IngestConfig { admission, ..IngestConfig::default() }
}

/// Sends a request and does not wait for the answer.
async fn begin(post: &Post) -> TcpStream {
    let mut stream = TcpStream::connect(post.address()).await.unwrap();
    stream.write_all(&post.bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn who_fills_its_share_is_refused_and_leaves_room_for_others() {
    let body = otlp(200);
    let front = Front::start_with(narrow(&body), None).await;
    let (noisy, quiet) = (front.post(PROTOBUF, body.clone()), front.foreign_post(PROTOBUF, body));
    front.log.hold();
    let mut let_in = Vec::new();
    for count in 1..=MOST_OF_ONE {
        let_in.push(begin(&noisy).await);
        front.log.has_seen(count).await;
    }
    for _ in 0..5 {
        let refused = noisy.send().await;
        assert_eq!(refused.rpc_status(), (14, "too many requests are queued".to_owned()));
    }
    for count in 1..=2 {
        let_in.push(begin(&quiet).await);
        front.log.has_seen(MOST_OF_ONE + count).await;
    }
    assert_eq!(noisy.send().await.status, 503);
    front.log.let_through(let_in.len() + 1);
    for mut stream in let_in {
        assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);
    }
    assert_eq!(noisy.send().await.status, 200);
}

#[tokio::test]
async fn large_requests_of_an_organization_do_not_turn_its_little_ones_away() {
    // So large that the weight of the smallest request is negligible.
    let body = otlp(2_000);
    let front = Front::start_with(narrow(&body), None).await;
    let (large, little) = (front.post(PROTOBUF, body), front.post_one());
    front.log.hold();
    let mut waiting = Vec::new();
    for count in 1..=MOST_OF_ONE {
        waiting.push(begin(&large).await);
        front.log.has_seen(count).await;
    }
    assert_eq!(large.send().await.status, 503);
    waiting.push(begin(&little).await);
    front.log.has_seen(MOST_OF_ONE + 1).await;
    // The long wait lowers the bound far below the present length of the queue.
    front.clock.advance(Duration::from_millis(1_500));
    assert_eq!(large.send().await.status, 503);
    waiting.push(begin(&little).await);
    front.log.has_seen(MOST_OF_ONE + 2).await;
    front.log.let_through(waiting.len());
    for mut stream in waiting {
        assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);
    }
}

#[tokio::test]
async fn large_requests_that_have_taken_the_memory_do_not_turn_little_ones_away() {
    // The least budget in which the least request is little.
    let admission = AdmissionConfig { in_flight_bytes: 8 << 20, ..AdmissionConfig::default() };
    let many = 100_000;
    let limits = Limits { records: many, resource_groups: many, scopes: many, ..Limits::default() };
    let config = IngestConfig { admission, limits, ..IngestConfig::default() };
    let front = Front::start_with(config, None).await;
    // Almost nothing on the wire, and held inflated until it is durable: two leave 300 KiB to all.
    let part = otlp(5);
    let body = part.repeat((3_600 << 10) / part.len());
    let large = front.post(PROTOBUF, gzip(&body)).header("content-encoding", "gzip");
    front.log.hold();
    let mut waiting = Vec::new();
    for count in 1..=2 {
        let mut stream = begin(&large).await;
        tokio::select! {
            () = front.log.has_seen(count) => waiting.push(stream),
            answer = Answer::read(&mut stream, "POST") => panic!("{answer:?}"),
        }
    }
    let refused = large.send().await;
    assert_eq!(refused.rpc_status(), (14, "too many bytes are in flight".to_owned()));
    let json = format!("[{{\"message\":\"{}\"}}]", "a".repeat(3_000));
    for (count, little) in (3..).zip([front.post_one(), front.post("application/json", json)]) {
        waiting.push(begin(&little).await);
        front.log.has_seen(count).await;
    }
    front.log.let_through(waiting.len());
    for mut stream in waiting {
        assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);
    }
}

/// Ten times as many senders as fit, each of which retries at once, against one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_noisy_organization_takes_nothing_from_a_quiet_one() {
    let body = otlp(200);
    let front = Front::start_with(narrow(&body), None).await;
    let (noisy, quiet) = (front.post(PROTOBUF, body.clone()), front.foreign_post(PROTOBUF, body));
    front.log.hold();
    let refused = Arc::new(AtomicUsize::new(0));
    let mut crowd = JoinSet::new();
    for _ in 0..SHARED * 10 {
        let (noisy, refused) = (noisy.clone(), refused.clone());
        crowd.spawn(async move {
            loop {
                let answer = noisy.send().await;
                refused.fetch_add(usize::from(answer.status == 503), Ordering::Relaxed);
            }
        });
    }
    let mut seen = 0;
    let mut served = 0;
    while served < 50 {
        let mut waiting = begin(&quiet).await;
        // The log takes one after the other, of either.
        let mut answered = std::pin::pin!(Answer::read(&mut waiting, "POST"));
        let answer = loop {
            tokio::select! {
                answer = &mut answered => break answer,
                () = front.log.has_seen(seen + 1) => front.log.let_through(1),
            }
            seen += 1;
        };
        assert_eq!(answer.status, 200, "after {served}");
        served += 1;
    }
    crowd.abort_all();
    assert!(refused.load(Ordering::Relaxed) > 50, "the other one did not ask for much");
}

#[tokio::test]
async fn a_queue_that_stands_is_shortened_until_it_moves_again() {
    let body = otlp(200);
    let front = Front::start_with(narrow(&body), None).await;
    let post = front.post(PROTOBUF, body);
    // All of them wait half a second each time, behind the writes of the log.
    front.log.set_usage(|usage| usage.queued_bytes = 9 << 20);
    let mut let_in = Vec::new();
    for _ in 0..10 {
        front.log.hold();
        let before = front.log.batches().len();
        let mut waiting = Vec::new();
        for count in 1..=MOST_OF_ONE {
            let mut stream = begin(&post).await;
            tokio::select! {
                () = front.log.has_seen(before + count) => waiting.push(stream),
                answer = Answer::read(&mut stream, "POST") => {
                    assert_eq!(answer.status, 503);
                    assert!(answer.retry_after() >= 1);
                    break;
                }
            }
        }
        let_in.push(waiting.len());
        front.clock.advance(Duration::from_millis(500));
        front.log.let_through(waiting.len());
        for mut stream in waiting {
            assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);
        }
    }
    assert!(let_in[0] == MOST_OF_ONE && (1..=MOST_OF_ONE / 4 + 1).contains(&let_in[9]), "{let_in:?}");
    front.log.set_usage(|usage| usage.queued_bytes = 0);
    front.log.let_through(100);
    for _ in 0..40 {
        front.clock.advance(Duration::from_millis(51));
        assert_eq!(post.send().await.status, 200);
    }
    front.log.hold();
    let before = front.log.batches().len();
    let mut all = Vec::new();
    for count in 1..=MOST_OF_ONE {
        all.push(begin(&post).await);
        front.log.has_seen(before + count).await;
    }
}

#[tokio::test]
async fn refused_senders_are_told_different_seconds() {
    let front = Front::start().await;
    front.log.set_usage(|usage| (usage.queue_capacity_bytes, usage.queued_bytes) = (1, 1));
    let mut told = Vec::new();
    for _ in 0..5 {
        told.push(front.post_one().send().await.retry_after());
    }
    told.sort_unstable();
    assert_eq!(told, [1, 2, 3, 4, 5]);
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
        "palisade_ingest_batches_total{format=\"protobuf\",outcome=\"accepted\"}",
        "palisade_ingest_batches_total{format=\"json\",outcome=\"refused_malformed\"}",
        "palisade_ingest_batches_total{format=\"ndjson\",outcome=\"refused_unavailable\"}",
        "palisade_ingest_records_total",
        "palisade_ingest_bytes_total{stage=\"wire\"}",
        "palisade_ingest_bytes_total{stage=\"inflated\"}",
        "palisade_ingest_durable_append_seconds",
        "palisade_ingest_queue_bytes",
        "palisade_ingest_queue_records",
        "palisade_ingest_queue_capacity_bytes",
        "palisade_ingest_backpressure_total{reason=\"log\"}",
        "palisade_ingest_waiting_limit_bytes",
        "palisade_http_server_request_duration_seconds",
        "route=\"/api/v1/infrastructure/sources/{source_id}/v1/logs\",method=\"POST\",status=\"200\"",
    ] {
        assert!(text.contains(expected), "{expected} is missing from\n{text}");
    }
    assert!(!text.contains(&front.source.id.to_string()), "a label is not bounded");
}
