//! Bodies on the wire: gzip, chunks, lengths that lie, sizes at the limits, senders that dawdle.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use ingest::limits::Limits;
use ingest::{IngestConfig, PaceConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Answer, Post};
use crate::harness::{Front, otlp};

const NDJSON: &str = "application/x-ndjson";
const PROTOBUF: &str = "application/x-protobuf";

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn limited(limits: Limits) -> IngestConfig {
    IngestConfig { limits, ..IngestConfig::default() }
}

async fn send_raw(post: &Post, front: &Front, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    stream.write_all(post.open_head().as_bytes()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    Answer::read(&mut stream, "POST").await
}

#[tokio::test]
async fn gzip_of_several_members_is_one_body() {
    let front = Front::start().await;
    let members = [gzip(b"{\"a\":1}\n{\"a\":"), gzip(b""), gzip(b"2}\n")].concat();
    let answer = front.post(NDJSON, members).header("content-encoding", "gzip").send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let sent = otlp(3);
    let answer = front.post(PROTOBUF, gzip(&sent)).header("content-encoding", "gzip").send().await;
    assert_eq!(answer.status, 200);
    let batches = front.log.batches();
    assert_eq!(batches[0].1.headers.record_count, 2);
    assert_eq!(batches[1].1.payload, sent);
}

#[tokio::test]
async fn what_is_not_gzip_is_refused_whole() {
    let front = Front::start().await;
    let whole = gzip(b"{\"a\":1}\n");
    let trailing = [whole.as_slice(), b"{\"b\":2}\n"].concat();
    for body in [b"{\"a\":1}\n".to_vec(), trailing, whole[..whole.len() - 1].to_vec(), vec![]] {
        let answer = front.post(NDJSON, body).header("content-encoding", "gzip").send().await;
        assert_eq!(answer.status, 400, "{answer:?}");
    }
    assert!(front.log.batches().is_empty());
}

#[tokio::test]
async fn sizes_are_limited_before_and_after_gzip() {
    let body = otlp(20);
    let front =
        Front::start_with(limited(Limits { wire_bytes: body.len(), ..Limits::default() }), None).await;
    assert_eq!(front.post(PROTOBUF, body.clone()).send().await.status, 200);
    let longer = [body.as_slice(), &[0x12, 0]].concat();
    let answer = front.post(PROTOBUF, longer.clone()).send().await;
    assert_eq!((answer.status, answer.rpc_status().0), (413, 3));
    // Without a declared length the limit is found while reading.
    let chunked = front.post(PROTOBUF, "").header("transfer-encoding", "chunked");
    let chunks = [format!("\r\n{:x}\r\n", longer.len()).as_bytes(), &longer, b"\r\n0\r\n\r\n"].concat();
    assert_eq!(send_raw(&chunked, &front, &chunks).await.status, 413);

    let front =
        Front::start_with(limited(Limits { inflated_bytes: body.len(), ..Limits::default() }), None).await;
    assert_eq!(front.post(PROTOBUF, gzip(&body)).header("content-encoding", "gzip").send().await.status, 200);
    let answer = front.post(PROTOBUF, gzip(&longer)).header("content-encoding", "gzip").send().await;
    assert_eq!(answer.status, 413);
    // An uncompressed body has the same limit.
    assert_eq!(front.post(PROTOBUF, longer).send().await.status, 413);
    assert_eq!(front.log.batches().len(), 1);
}

#[tokio::test]
async fn what_grows_beyond_the_log_is_refused_for_good() {
    // Within every other limit, and more than four times as long in protobuf.
    let record = format!("{{\"n\":[{}-1]}}\n", "-1,".repeat(100));
    let body = record.repeat(100);
    let front = Front::start_with(limited(Limits { batch_bytes: 100_000, ..Limits::default() }), None).await;
    let answer = front.post("application/x-ndjson", body).send().await;
    assert_eq!(answer.status, 413);
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("at most 100000 batch bytes are accepted, found 1"), "{message}");
    assert_eq!(front.post("application/x-ndjson", record.repeat(50)).send().await.status, 200);
    assert_eq!(front.log.batches().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_read_even_after_a_body_that_nobody_wanted() {
    let front = Front::start().await;
    let huge = front.post(PROTOBUF, vec![0; 12 << 20]);
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    // The sender may find the connection closed; the answer must have arrived all the same.
    let _outcome = stream.write_all(&huge.bytes()).await;
    let answer = Answer::read(&mut stream, "POST").await;
    assert_eq!((answer.status, answer.header("connection")), (413, Some("close")));
    let small = front.post(PROTOBUF, vec![0; 100_000]).without("authorization");
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    for _ in 0..2 {
        stream.write_all(&small.bytes()).await.unwrap();
        let answer = Answer::read(&mut stream, "POST").await;
        assert_eq!((answer.status, answer.header("connection")), (401, None));
    }
}

#[tokio::test]
async fn chunked_bodies_need_no_length() {
    let front = Front::start().await;
    let post = front.post(NDJSON, "").header("transfer-encoding", "chunked");
    let answer = send_raw(&post, &front, b"\r\n5\r\n{\"a\":\r\n4\r\n1}\n\n\r\n0\r\n\r\n").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(front.log.batches()[0].1.headers.record_count, 1);
}

#[tokio::test]
async fn a_body_shorter_than_its_length_is_refused() {
    let front = Front::start().await;
    let post = front.post(NDJSON, "");
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    let head = post.open_head() + "content-length: 100\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(b"{\"a\":1}\n").await.unwrap();
    stream.shutdown().await.unwrap();
    let answer = Answer::read(&mut stream, "POST").await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(front.log.batches().is_empty());
}

#[tokio::test]
async fn lengths_that_contradict_each_other_are_refused() {
    let front = Front::start().await;
    let post = front.post(NDJSON, "").header("content-length", "8");
    let answer = send_raw(&post, &front, b"content-length: 9\r\n\r\n{\"a\":1}\n").await;
    assert_eq!(answer.status, 400);
    assert!(front.log.batches().is_empty());
}

#[tokio::test]
async fn senders_that_dawdle_are_cut_off_and_may_try_again() {
    let pace = PaceConfig {
        body: Duration::from_millis(60),
        grace: Duration::from_millis(20),
        ..PaceConfig::default()
    };
    let front = Front::start_with(IngestConfig { pace, ..IngestConfig::default() }, None).await;
    let post = front.post_one();
    let bytes = post.bytes();
    let mut stream = TcpStream::connect(front.address).await.unwrap();
    stream.write_all(&bytes[..bytes.len() - 1]).await.unwrap();
    let answer = Answer::read(&mut stream, "POST").await;
    assert_eq!((answer.status, answer.header("connection")), (503, Some("close")));
    assert!(answer.retry_after() >= 1);
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    assert!(front.log.batches().is_empty());
}

/// Large bodies are prepared on another thread, without any other difference.
#[tokio::test]
async fn large_bodies_arrive_as_they_were_sent() {
    let front = Front::start().await;
    let large = otlp(10_000);
    assert!(large.len() > 256 * 1024, "{} bytes are not large", large.len());
    assert_eq!(front.post(PROTOBUF, large.clone()).send().await.status, 200);
    let answer = front.post(PROTOBUF, gzip(&large)).header("content-encoding", "gzip").send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(front.post(PROTOBUF, otlp(10_001)).send().await.status, 413);
    let batches = front.log.batches();
    assert_eq!(batches.len(), 2);
    for (_, batch) in batches {
        assert_eq!((batch.headers.record_count, &batch.payload), (10_000, &large.clone().into()));
    }
}
