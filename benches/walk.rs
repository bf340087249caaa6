//! The walk: a body of OTLP in protobuf checked where it lies, which is all that validation does to one. Nothing before
//! it and nothing after it.
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
        "walk",
        &[("otlp_protobuf", Form::OtlpProtobuf)],
        |form, size, seed| form.body(&records(size, seed)),
        |body| BytesMut::from(body),
        |_, body| validate(Format::OtlpProtobuf, body, &Limits::default(), Timestamp::default()).unwrap(),
    );
}
