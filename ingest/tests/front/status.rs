//! Every status of the endpoint, its headers and body, and the precedence of refusals.

use ingest::IngestConfig;
use ingest::limits::Limits;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use prost::Message;

use crate::client::Post;
use crate::harness::{Front, otlp, path_of};

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";
const PROTOBUF: &str = "application/x-protobuf";

#[tokio::test]
async fn every_format_is_accepted_and_answered_in_kind() {
    let front = Front::start().await;
    let answer = front.post(PROTOBUF, otlp(2)).send().await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b""[..]));
    assert_eq!(answer.header("content-type"), Some(PROTOBUF));
    let bodies = [
        (JSON, "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{},{}]}]}]}"),
        (JSON, "[{\"a\":1},{\"a\":2}]"),
        (NDJSON, "{\"a\":1}\n{\"a\":2}\n"),
        ("application/ndjson; charset=utf-8", "{\"a\":1}\n{\"a\":2}"),
    ];
    for (content_type, body) in bodies {
        let answer = front.post(content_type, body).send().await;
        assert_eq!(answer.status, 200, "{content_type}: {answer:?}");
        assert_eq!(answer.json(), serde_json::json!({}));
    }
    let counts: Vec<_> = front.log.batches().iter().map(|(_, batch)| batch.headers.record_count).collect();
    assert_eq!(counts, [2; 5]);
}

#[tokio::test]
async fn empty_batches_are_acknowledged_and_leave_nothing() {
    let front = Front::start().await;
    for (content_type, body) in [(PROTOBUF, ""), (JSON, "{}"), (JSON, "[]"), (JSON, "{\"resourceLogs\":[]}")]
    {
        let answer = front.post(content_type, body).send().await;
        assert_eq!(answer.status, 200, "{content_type} {body:?}: {answer:?}");
    }
    assert_eq!(front.post(NDJSON, "").send().await.status, 400);
    assert!(front.log.batches().is_empty());
}

/// Corrects one fault after the other, and checks the next refusal.
#[tokio::test]
async fn refusals_win_in_the_order_of_the_contract() {
    let limits = Limits { wire_bytes: 100, inflated_bytes: 200, records: 2, ..Limits::default() };
    let front = Front::start_with(IngestConfig { limits, ..IngestConfig::default() }, None).await;
    let unknown = path_of("00000000-0000-4000-8000-000000000000");
    let good_key = format!("Bearer {}", front.key);

    let mut post = Post::to(front.address, &path_of("not-an-id")).method("GET").body("x".repeat(101));
    post = post.header("content-type", "text/plain").header("content-encoding", "br");
    assert_eq!(post.send().await.status, 405);
    post = post.method("POST");
    assert_eq!(post.send().await.status, 401);
    post = post.header("authorization", &format!("Bearer {}", front.narrow_key));
    assert_eq!(post.send().await.status, 403);
    post = post.header("authorization", &good_key);
    assert_eq!(post.send().await.status, 400);
    post = post.path(&unknown);
    assert_eq!(post.send().await.status, 404);
    post = post.path(&front.path());
    assert_eq!(post.send().await.status, 415);
    post = post.header("content-type", NDJSON);
    assert_eq!(post.send().await.status, 415);
    post = post.without("content-encoding");
    assert_eq!(post.send().await.status, 413);
    post = post.body("{}\n{}\n{}\nx");
    assert_eq!(post.send().await.status, 400);
    post = post.body("{}\n{}\n{}\n");
    assert_eq!(post.send().await.status, 413);
    assert!(front.log.batches().is_empty(), "a refused batch left something behind");
    post = post.body("{}\n{}\n");
    assert_eq!(post.send().await.status, 200);
}

#[tokio::test]
async fn only_post_is_a_method_of_this_path() {
    let front = Front::start().await;
    for method in ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "PROPFIND"] {
        let answer = front.post_one().method(method).send().await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
}

#[tokio::test]
async fn keys_must_be_known() {
    let front = Front::start().await;
    let wrong = ["Bearer pal_live_nonsense", "Bearer ", "Basic dTpw", "Bearer", ""];
    for authorization in wrong {
        let answer = front.post_one().header("authorization", authorization).send().await;
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")));
        assert_eq!(answer.json()["error"]["code"], "unauthorized");
        assert_eq!(answer.json()["code"], 16);
    }
}

#[tokio::test]
async fn missing_disabled_and_foreign_sources_look_the_same() {
    let front = Front::start().await;
    let missing = front.post_one().path(&path_of("00000000-0000-4000-8000-000000000000")).send().await;
    let disabled = front.post_one().path(&path_of(&front.disabled_source.to_string())).send().await;
    let foreign =
        front.post_one().header("authorization", &format!("Bearer {}", front.foreign_key)).send().await;
    for answer in [&missing, &disabled, &foreign] {
        assert_eq!(answer.status, 404);
        assert_eq!(answer.json()["message"], missing.json()["message"]);
        assert_eq!(answer.json()["error"]["code"], "not_found");
    }
    assert!(front.log.batches().is_empty());
}

#[tokio::test]
async fn source_ids_are_uuids_as_we_print_them() {
    let front = Front::start().await;
    for id in ["", "x", "..", "%7B%7D", "67e5504410b1426f9247bb680e5fe0c8"] {
        let answer = front.post_one().path(&path_of(id)).send().await;
        assert_eq!(
            (answer.status, answer.json()["error"]["code"].as_str()),
            (400, Some("invalid_request")),
            "{id}"
        );
    }
    let upper = path_of(&front.source.id.to_string().to_uppercase());
    assert_eq!(front.post_one().path(&upper).send().await.status, 200);
}

#[tokio::test]
async fn unsupported_types_and_encodings_say_what_is_supported() {
    let front = Front::start().await;
    let answer = front.post("text/plain", "{}").send().await;
    assert_eq!(answer.status, 415);
    assert!(answer.json()["message"].as_str().unwrap().contains("application/x-ndjson"));
    assert_eq!(front.post_one().without("content-type").send().await.status, 415);
    assert_eq!(
        front.post_one().header("content-type", "application/json; charset=utf-16").send().await.status,
        415
    );
    let answer = front.post_one().header("content-encoding", "zstd").send().await;
    assert_eq!((answer.status, answer.header("accept-encoding")), (415, Some("gzip, identity")));
    assert_eq!(front.post_one().header("content-encoding", "identity").send().await.status, 200);
}

#[tokio::test]
async fn protobuf_senders_are_refused_in_protobuf() {
    let front = Front::start().await;
    let answer = front.post(PROTOBUF, "\x0a\x7f").send().await;
    assert_eq!(answer.status, 400);
    let (code, message) = answer.rpc_status();
    assert_eq!(code, 3);
    assert!(!message.is_empty());
    let answer = front.post(PROTOBUF, otlp(1)).without("authorization").send().await;
    assert_eq!((answer.status, answer.rpc_status().0), (401, 16));
    let answer = front.post(PROTOBUF, otlp(1)).method("PUT").send().await;
    assert_eq!((answer.status, answer.rpc_status().0), (405, 12));
}

#[tokio::test]
async fn a_bad_record_is_named_by_its_index() {
    let front = Front::start().await;
    let answer = front.post(NDJSON, "{}\n{}\n[]\n").send().await;
    assert_eq!(answer.status, 400);
    assert!(answer.json()["message"].as_str().unwrap().contains("record 2"), "{answer:?}");
    assert!(front.log.batches().is_empty());
}

#[tokio::test]
async fn request_ids_are_echoed_and_otherwise_made() {
    let front = Front::start().await;
    let answer = front.post_one().header("x-request-id", "abc-123").send().await;
    assert_eq!(answer.header("x-request-id"), Some("abc-123"));
    let answer = front.post("text/plain", "").header("x-request-id", "not a token").send().await;
    let made = answer.header("x-request-id").unwrap();
    assert_eq!(made.len(), 36);
    assert_eq!(answer.json()["error"]["request_id"], made);
}

#[tokio::test]
async fn idempotency_keys_are_bounded() {
    let front = Front::start().await;
    let longest = "k".repeat(255);
    assert_eq!(front.post_one().header("idempotency-key", &longest).send().await.status, 200);
    assert_eq!(front.post_one().header("idempotency-key", &(longest + "k")).send().await.status, 400);
    assert_eq!(front.post_one().header("idempotency-key", "").send().await.status, 400);
    assert_eq!(front.log.batches().len(), 1);
}

/// The clock of these tests is set to 2023-11-14, see `harness::NOW`.
#[tokio::test]
async fn a_bsd_date_of_a_drain_object_is_its_time() {
    let front = Front::start().await;
    let dates = ["Jul  8 09:10:11", "Jul 08 09:10:11", "2023 Jul 8 09:10:11", "Jul  8 2023 09:10:11"];
    for date in dates {
        let body = serde_json::json!([{"date": date, "message": "m"}]).to_string();
        assert_eq!(front.post(JSON, body).send().await.status, 200);
    }
    let batches = front.log.batches();
    assert_eq!(batches.len(), dates.len());
    let expected = common::timestamp::Timestamp::parse_rfc3339("2023-07-08T09:10:11Z").unwrap();
    for ((_, batch), date) in batches.iter().zip(dates) {
        let payload = ExportLogsServiceRequest::decode(&batch.payload[..]).unwrap();
        let time = payload.resource_logs[0].scope_logs[0].log_records[0].time_unix_nano;
        assert_eq!(time, expected.0.cast_unsigned(), "{date}");
        assert!(batch.headers.every_record_timed, "{date}");
    }
}
