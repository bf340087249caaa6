//! The transcoding: a body in JSON checked and made into protobuf in one pass. Nothing before it and nothing after it.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use benches::bodies::Form;
use benches::records::records;
use benches::stage;
use bytes::BytesMut;
use common::timestamp::Timestamp;
use ingest::limits::Limits;
use ingest::validate::{Format, validate};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    stage::measure(
        "transcode",
        &[("otlp_json", (Form::OtlpJson, Format::Json)), ("ndjson", (Form::Ndjson, Format::Ndjson))],
        |(form, _), size, seed| form.body(&records(size, seed)),
        |body| BytesMut::from(body),
        |(_, format), body| validate(format, body, &Limits::default(), Timestamp::default()).unwrap(),
    );
}
