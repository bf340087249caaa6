//! Meaning of 200, and metadata of a batch.

use std::io::ErrorKind;
use std::time::Duration;

use aegis::aegis128x2::Aegis128X2Mac;
use common::partition::Partition;
use common::pepper::Pepper;
use durable_log::AppendError;
use ingest::{DIGEST_PURPOSE, IDEMPOTENCY_PURPOSE};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::Answer;
use crate::harness::{Front, NOW, otlp};

#[tokio::test]
async fn nothing_is_acknowledged_before_it_is_durable() {
    let front = Front::start().await;
    front.log.hold();
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    stream.write_all(&front.post_one().bytes()).await.unwrap();
    front.log.arrived.notified().await;
    tokio::task::yield_now().await;
    assert_eq!(stream.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    front.log.let_through(1);
    assert_eq!(Answer::read(&mut stream, "POST").await.status, 200);
}

#[tokio::test]
async fn everything_the_log_refuses_is_to_be_sent_again() {
    let front = Front::start().await;
    let cause = || "a secret path".to_owned();
    let errors = [
        AppendError::QueueFull { queued: 1, capacity: 1 },
        AppendError::Full { used: 1, capacity: 1 },
        AppendError::Behind { partition: 3, kept: Duration::from_secs(7 * 24 * 3600) },
        AppendError::Poisoned { cause: cause() },
        AppendError::Unknown { cause: cause() },
        AppendError::Closed,
        AppendError::TooLarge { found: 2, limit: 1 },
        AppendError::NoSuchPartition { partition: 9, partitions: 4 },
    ];
    for error in errors {
        front.log.fail_with(Some(error.clone()));
        let answer = front.post_one().send().await;
        assert_eq!(answer.status, 503, "{error}");
        assert!((1..=60).contains(&answer.retry_after()), "{error}");
        let body = answer.json();
        assert_eq!((&body["code"], &body["error"]["code"]), (&14.into(), &"service_unavailable".into()));
        assert!(!body.to_string().contains("secret"), "{body}");
        let answer = front.post("application/x-protobuf", otlp(1)).send().await;
        assert_eq!((answer.status, answer.rpc_status().0), (503, 14));
    }
    assert!(front.log.batches().is_empty());
    front.log.fail_with(None);
    assert_eq!(front.post_one().send().await.status, 200);
}

#[tokio::test]
async fn a_batch_carries_all_that_its_payload_does_not_say() {
    let front = Front::start().await;
    let body = otlp(3);
    let post = front.post("application/x-protobuf", body.clone());
    assert_eq!(post.clone().header("idempotency-key", "abc").send().await.status, 200);
    assert_eq!(front.post_one().send().await.status, 200);

    let batches = front.log.batches();
    let (partition, batch) = &batches[0];
    let pepper = Pepper::new([7; 32]);
    let headers = &batch.headers;
    assert_eq!(*partition, Partition::of_source(front.source.id, 4));
    assert_eq!((headers.organization, headers.source), (front.source.organization, front.source.id));
    assert_eq!((headers.application_group.as_str(), headers.environment.as_str()), ("shop", "staging"));
    assert_eq!(headers.received_at, NOW);
    assert_eq!(headers.digest, digest(&pepper, &body));
    assert_eq!(headers.idempotency, Some(pepper.hash(IDEMPOTENCY_PURPOSE, &[b"abc"])));
    assert_eq!((headers.record_count, headers.every_record_timed, headers.tick), (3, true, false));
    assert_eq!(batch.payload, body);

    let headers = &batches[1].1.headers;
    assert_eq!((headers.idempotency, headers.every_record_timed), (None, false));
}

/// The digest is of the body as sent, so that redaction does not make two batches equal; the
/// payload holds no secret.
#[tokio::test]
async fn secrets_are_masked_before_anything_is_stored() {
    let front = Front::start().await;
    let secret = format!("ghp_{}", "wX7k2Q".repeat(6));
    let body = format!("{{\"message\":\"token {secret} leaked\"}}\n");
    let answer = front.post("application/x-ndjson", body.clone()).send().await;
    assert_eq!(answer.status, 200);
    let batches = front.log.batches();
    let batch = &batches[0].1;
    let payload = String::from_utf8_lossy(&batch.payload);
    assert!(payload.contains("leaked") && !payload.contains(&secret), "{payload}");
    assert_eq!(batch.headers.digest, digest(&Pepper::new([7; 32]), body.as_bytes()));
}

fn digest(pepper: &Pepper, body: &[u8]) -> [u8; 32] {
    let secret = pepper.hash(DIGEST_PURPOSE, &[]);
    let (key, nonce) = (secret[..16].try_into().unwrap(), secret[16..].try_into().unwrap());
    let mut digest = Aegis128X2Mac::new_with_nonce(key, nonce);
    digest.update(body);
    digest.finalize()
}
