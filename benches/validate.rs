//! The validate stage: an inflated body walked, or transcoded from JSON, into a batch. Nothing before it
//! and nothing after it.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use benches::bodies::Form;
use benches::records::records;
use benches::thread_cpu::criterion;
use bytes::BytesMut;
use criterion::{BatchSize, BenchmarkId, Throughput};
use ingest::limits::Limits;
use ingest::validate::{Format, validate};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records in a batch, and how many different bodies take turns.
const SIZES: [(usize, u64); 3] = [(10, 64), (1_000, 8), (10_000, 2)];

fn format(form: Form) -> Format {
    match form {
        Form::OtlpProtobuf => Format::OtlpProtobuf,
        Form::OtlpJson => Format::Json,
        Form::Ndjson => Format::Ndjson,
    }
}

fn main() {
    let mut criterion = criterion();
    for form in Form::ALL {
        let mut group = criterion.benchmark_group(format!("validate/{}", form.name()));
        for (size, bodies) in SIZES {
            let bodies: Vec<Vec<u8>> = (0..bodies).map(|seed| form.body(&records(size, seed))).collect();
            let mut turns = bodies.iter().cycle();
            group.throughput(Throughput::Elements(size as u64));
            group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
                // The stage takes the body over; copying it is not measured.
                let body = || BytesMut::from(turns.next().unwrap().as_slice());
                let run = |body| validate(format(form), body, &Limits::default()).unwrap();
                bencher.iter_batched(body, run, BatchSize::SmallInput);
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
