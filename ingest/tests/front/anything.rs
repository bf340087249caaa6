//! Whatever is sent, the response is one of the contract's, and only a 200 stores something.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

use crate::harness::{Front, otlp, path_of};

#[derive(Debug, Clone)]
struct Sent {
    method: &'static str,
    known_source: bool,
    known_key: bool,
    content_type: &'static str,
    encoding: Option<&'static str>,
    body: Vec<u8>,
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let json = "(\\[|\\{|\\}|\\]|,|:|\"a\"|\"resourceLogs\"|1|null|\n){0,12}";
    let cut_protobuf = (0..80_usize).prop_map(|length| {
        let mut body = otlp(1);
        body.truncate(length);
        body
    });
    prop_oneof![vec(any::<u8>(), 0..100), json.prop_map(String::into_bytes), cut_protobuf]
}

fn sent() -> impl Strategy<Value = Sent> {
    let types = ["application/x-protobuf", "application/json", "application/x-ndjson", "text/plain"];
    let fields = (
        prop_oneof![9 => Just("POST"), 1 => select(vec!["GET", "PUT", "BREW"])],
        prop::bool::weighted(0.9),
        prop::bool::weighted(0.9),
        select(types.to_vec()),
        weighted(0.2, select(vec!["identity", "gzip", "br"])),
        body(),
    );
    fields.prop_map(|(method, known_source, known_key, content_type, encoding, body)| Sent {
        method,
        known_source,
        known_key,
        content_type,
        encoding,
        body,
    })
}

async fn check(front: &Front, sent: Sent) -> Result<(), TestCaseError> {
    let before = front.log.batches().len();
    let mut post = front.post(sent.content_type, sent.body).method(sent.method);
    if !sent.known_source {
        post = post.path(&path_of("00000000-0000-4000-8000-000000000000"));
    }
    if !sent.known_key {
        post = post.header("authorization", "Bearer pal_live_nobody");
    }
    if let Some(encoding) = sent.encoding {
        post = post.header("content-encoding", encoding);
    }
    let answer = post.send().await;
    prop_assert!([200, 400, 401, 404, 405, 413, 415].contains(&answer.status), "{answer:?}");
    let batches = front.log.batches();
    let left = &batches[before..];
    prop_assert!(left.len() <= usize::from(answer.status == 200), "{answer:?}");
    prop_assert!(left.iter().all(|(_, batch)| batch.headers.record_count > 0));
    Ok(())
}

#[test]
fn every_request_is_answered_by_the_contract() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let front = runtime.block_on(Front::start());
    proptest!(ProptestConfig::with_cases(256), |(sent in sent())| {
        runtime.block_on(check(&front, sent))?;
    });
}
