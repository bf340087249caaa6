//! Reading JSON, beside simd-json on the same bytes in the same run, in processor time of this thread: the accept path, which
//! checks a body and makes it protobuf in one pass, and analysis, which makes an event of a record whose text is JSON. Of
//! simd-json only the parsing is measured: the rest of both would come on top. Rounds take turns; medians are printed.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "it is what the benchmark is for")]

use std::hint::black_box;
use std::time::Duration;

use benches::bodies::Form;
use benches::events;
use benches::otlp::batch;
use benches::records::records;
use benches::selection::Selection;
use benches::thread_cpu::{median_nanoseconds, timed};
use bytes::BytesMut;
use common::timestamp::Timestamp;
use ingest::limits::Limits;
use ingest::validate::{Format, validate};
use normalize::Room;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use rand::SeedableRng;
use rand::rngs::StdRng;
use simd_json::Buffers;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records that each way reads in a round.
const RECORDS: usize = 10_000;
const ROUNDS: usize = 15;
const RECEIVED: Timestamp = Timestamp(1_793_534_400_000_000_000);

/// One way of reading.
struct Way {
    name: &'static str,
    run: Box<dyn FnMut()>,
    rounds: Vec<Duration>,
}

fn main() {
    let Some(selection) = Selection::of_arguments(ROUNDS) else { return };
    let mut ways: Vec<Way> = ways().into_iter().filter(|way| selection.has(way.name)).collect();
    for _ in 0..selection.rounds {
        for way in &mut ways {
            way.rounds.push(timed(|| (way.run)()).1);
        }
    }
    for way in ways {
        println!("{:<42} {:>7.0} ns a record", way.name, median_nanoseconds(&way.rounds, RECORDS));
    }
}

fn ways() -> Vec<Way> {
    let otlp: Vec<Vec<u8>> = (0..10).map(|seed| Form::OtlpJson.body(&records(RECORDS / 10, seed))).collect();
    let ndjson: Vec<Vec<u8>> = (0..10).map(|seed| Form::Ndjson.body(&records(RECORDS / 10, seed))).collect();
    let mut chance = StdRng::seed_from_u64(20_261_126);
    let audit: Vec<String> = (0..RECORDS).map(|_| events::cloudtrail(&mut chance).0.to_string()).collect();
    let texts = audit.iter().map(|text| AnyValue { value: Some(Any::StringValue(text.clone())) });
    let audited = batch(texts);
    let lines: Vec<Vec<u8>> = audit.into_iter().map(String::into_bytes).collect();
    vec![
        way("otlp_json: validate and transcode", accept(otlp.clone(), Format::Json)),
        way("otlp_json: simd-json, tape", tapes(otlp.clone())),
        way("otlp_json: simd-json, typed", typed(otlp)),
        way("ndjson: validate and transcode", accept(ndjson.clone(), Format::Ndjson)),
        way("ndjson: simd-json, tape of each line", tapes_of_lines(ndjson)),
        way("analysis: normalize records of JSON text", normalized(audited)),
        way("analysis: simd-json, tape of each text", tapes(lines.clone())),
        way("analysis: simd-json, value of each text", values(lines)),
    ]
}

fn way(name: &'static str, run: impl FnMut() + 'static) -> Way {
    Way { name, run: Box::new(run), rounds: Vec::new() }
}

fn accept(bodies: Vec<Vec<u8>>, format: Format) -> impl FnMut() {
    move || {
        for body in &bodies {
            black_box(validate(format, BytesMut::from(&**body), &Limits::default(), RECEIVED).unwrap());
        }
    }
}

/// The bytes are copied, as `validate` is given its own: simd-json unescapes in place.
fn tapes(bodies: Vec<Vec<u8>>) -> impl FnMut() {
    let (mut buffers, mut copy) = (Buffers::default(), Vec::new());
    move || {
        for body in &bodies {
            copy.clone_from(body);
            black_box(simd_json::to_tape_with_buffers(&mut copy, &mut buffers).unwrap());
        }
    }
}

/// The tree of values that borrow from a text, as in events.
fn values(bodies: Vec<Vec<u8>>) -> impl FnMut() {
    let (mut buffers, mut copy) = (Buffers::default(), Vec::new());
    move || {
        for body in &bodies {
            copy.clone_from(body);
            black_box(simd_json::to_borrowed_value_with_buffers(&mut copy, &mut buffers).unwrap());
        }
    }
}

fn tapes_of_lines(bodies: Vec<Vec<u8>>) -> impl FnMut() {
    let mut buffers = Buffers::default();
    move || {
        for body in &bodies {
            let mut copy = body.clone();
            for line in copy.split_mut(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                black_box(simd_json::to_tape_with_buffers(line, &mut buffers).unwrap());
            }
        }
    }
}

fn typed(bodies: Vec<Vec<u8>>) -> impl FnMut() {
    let mut copy = Vec::new();
    move || {
        for body in &bodies {
            copy.clone_from(body);
            black_box(simd_json::from_slice::<ExportLogsServiceRequest>(&mut copy).unwrap());
        }
    }
}

fn normalized(batch: Vec<u8>) -> impl FnMut() {
    move || {
        let mut room = Room::default();
        for record in normalize::record::records(&batch) {
            let normalized = black_box(room.normalize(&record, RECEIVED));
            room.take_back(normalized);
        }
    }
}
