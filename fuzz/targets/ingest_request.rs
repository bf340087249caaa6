//! Whole requests through the front door: any head and any body get one of the documented answers,
//! gzip changes nothing about a body, and a batch answered with 200 is in the log.
//!
//! The input is an optional line of headers, `name: value` separated by `|`, an empty line, and the
//! body; missing parts are those of a well-behaved sender.

#![no_main]

use std::io::Write;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use common::clock::ManualClock;
use common::partition::{Offset, Partition};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Authenticator, Directory, NewKey, NewSource, SourceLookup};
use durable_log::DurableLog;
use durable_log::memory::MemoryLog;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use ingest::{Dependencies, Ingest, IngestConfig};
use ledger::memory::MemoryLedger;
use libfuzzer_sys::fuzz_target;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use palisade_fuzz::otlp;
use prost::Message;
use redact::{Policy, Redactor};
use tokio::runtime::Runtime;

/// Possible answers to a request while the log takes batches.
const ANSWERS: [u16; 7] = [200, 400, 401, 404, 405, 413, 415];
/// Possible answers to the body of a well-headed request.
const BODY_ANSWERS: [u16; 3] = [200, 400, 413];

struct Front {
    runtime: Runtime,
    ingest: Arc<Ingest>,
    log: Arc<MemoryLog>,
    path: String,
    authorization: String,
}

static FRONT: LazyLock<Front> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let clock = Arc::new(ManualClock::new(Timestamp(1_783_501_811_000_000_000)));
    let pepper = Pepper::new([7; 32]);
    let ledger = Arc::new(MemoryLedger::new());
    let directory = Arc::new(Directory::new(ledger, clock.clone(), pepper.clone()));
    let (source, key) = runtime.block_on(async {
        let organization = directory.create_organization("ours").await.expect("an organization").id;
        let source = directory.create_source(organization, NewSource::named("web")).await.expect("a source");
        let new = NewKey { name: "fuzz".to_owned(), ..NewKey::default() };
        (source.id, directory.create_key(organization, new).await.expect("a key").1)
    });
    let log = Arc::new(MemoryLog::new(4));
    let dependencies = Dependencies {
        log: log.clone(),
        authenticator: Arc::new(Authenticator::new(directory.clone(), clock.clone())),
        sources: Arc::new(SourceLookup::new(directory)),
        redactor: Arc::new(Redactor::new(&Policy::default()).expect("the default policy")),
        pepper,
        clock,
        random: Arc::new(|| 0),
        statistics: Arc::default(),
    };
    Front {
        runtime,
        ingest: Ingest::build(IngestConfig::default(), dependencies).expect("two threads"),
        log,
        path: format!("/api/v1/infrastructure/sources/{source}/v1/logs"),
        authorization: format!("Bearer {}", key.expose()),
    }
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let front = &*FRONT;
    if choice & 0x80 != 0 {
        let (head, body) = match rest.windows(2).position(|pair| pair == b"\n\n") {
            Some(end) => (&rest[..end], &rest[end + 2..]),
            None => (&[][..], rest),
        };
        if let Some(request) = front.odd(head, body) {
            let status = front.answer(request);
            assert!(ANSWERS.contains(&status), "{status} is not documented");
        }
        return;
    }
    let content_type =
        ["application/x-protobuf", "application/json", "application/x-ndjson"][usize::from(*choice) % 3];
    let as_it_is = front.answer(front.usual(content_type, None, rest));
    assert!(BODY_ANSWERS.contains(&as_it_is), "{as_it_is} is not documented");
    let squeezed = front.answer(front.usual(content_type, Some("gzip"), &gzip(rest)));
    assert_eq!(squeezed, as_it_is, "gzip changes the answer");
    let claimed = front.answer(front.usual(content_type, Some("gzip"), rest));
    assert!(BODY_ANSWERS.contains(&claimed), "{claimed} is not documented");
});

impl Front {
    fn usual(&self, content_type: &str, encoding: Option<&str>, body: &[u8]) -> Request<Full<Bytes>> {
        let mut request = Request::post(&self.path)
            .header("authorization", &self.authorization)
            .header("content-type", content_type);
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        request.body(Full::new(Bytes::copy_from_slice(body))).expect("the head is well formed")
    }

    /// A request whose head is made of any headers that HTTP can carry at all. Two names mean more:
    /// `method` and `path`.
    fn odd(&self, head: &[u8], body: &[u8]) -> Option<Request<Full<Bytes>>> {
        let mut request = self.usual("application/json", None, body);
        for line in head.split(|byte| *byte == b'|') {
            let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            match name {
                b"method" => *request.method_mut() = Method::from_bytes(value).ok()?,
                b"path" => *request.uri_mut() = std::str::from_utf8(value).ok()?.parse().ok()?,
                _ => {
                    let name = HeaderName::from_bytes(name).ok()?;
                    let value = HeaderValue::from_bytes(value).ok()?;
                    let headers = request.headers_mut();
                    // The same header twice comes only from two lines of the input.
                    if headers.get(&name).is_some_and(|held| *held != value) && replaces(&value) {
                        headers.insert(name, value);
                    } else {
                        headers.append(name, value);
                    }
                }
            }
        }
        Some(request)
    }

    /// The status; a 200 is held against the log.
    fn answer(&self, request: Request<Full<Bytes>>) -> u16 {
        self.runtime.block_on(async {
            let status = self.ingest.handle(request).await.status().as_u16();
            let mut batches = Vec::new();
            for partition in (0..self.log.partitions()).map(Partition) {
                let end = self.log.end(partition).await.expect("the partition exists");
                if end > Offset(0) {
                    let held = self.log.fetch(partition, end, usize::MAX, Duration::ZERO).await;
                    batches.extend(held.into_iter().flatten());
                    self.log.release(partition, end);
                }
            }
            assert!(batches.is_empty() || status == 200, "{status}, and yet it is in the log");
            assert!(batches.len() <= 1, "one request became several batches");
            for entry in batches {
                let request = ExportLogsServiceRequest::decode(&entry.batch.payload[..]);
                let request = request.expect("prost reads what is in the log");
                let count = otlp::records(&request).count();
                assert!(count > 0, "an empty batch is not kept");
                assert_eq!(entry.batch.headers.record_count as usize, count);
            }
            status
        })
    }
}

/// Half of all values replace those of a well-behaved sender, the others stand beside it.
fn replaces(value: &HeaderValue) -> bool {
    value.len().is_multiple_of(2)
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    // Two members, which together are one body.
    let (first, second) = plain.split_at(plain.len() / 2);
    let member = |part: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(part).and_then(|()| encoder.finish()).expect("memory takes everything")
    };
    [member(first), member(second)].concat()
}
