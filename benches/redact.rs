//! The redact stage: the sanitizing of whole batches as ingestion does it, and single texts as the rest of the
//! service has them redacted, with the default policy.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::hint::black_box;

use benches::bodies::Form;
use benches::records::records;
use benches::thread_cpu::criterion;
use criterion::{BatchSize, BenchmarkId, Throughput};
use ingest::sanitize::{MaskedValues, Sanitizer};
use redact::{Policy, Redactor};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records in a batch, and how many batches take turns. One record in fifty holds a secret.
const BATCHES: [(usize, u64); 3] = [(10, 64), (1_000, 16), (10_000, 2)];

const TEXTS: [(&str, &str); 3] = [
    ("a short one without", "session opened for user deploy"),
    (
        "a line without",
        "203.0.113.9 - - [01/Nov/2026:00:00:12 +0000] \"GET /cart/8123?page=2 HTTP/1.1\" 200 512",
    ),
    (
        "a line with a password",
        "login of alice failed: password=\"0f1e2d3c4b5a\" was rejected by the directory",
    ),
];

fn main() {
    let mut criterion = criterion();
    let mut group = criterion.benchmark_group("redact/batches");
    let sanitizer = Sanitizer::new(Redactor::new(&Policy::default()).unwrap().into());
    for (size, count) in BATCHES {
        let fresh: Vec<Vec<u8>> =
            (0..count).map(|seed| Form::OtlpProtobuf.body(&records(size, seed))).collect();
        let mut turns = fresh.iter().cycle();
        let bytes = fresh.iter().map(Vec::len).sum::<usize>() / fresh.len();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            let batch = || turns.next().unwrap().clone();
            bencher.iter_batched_ref(
                batch,
                |batch| sanitizer.sanitize(batch, &mut MaskedValues::ignored()),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();

    let redactor = Redactor::new(&Policy::default()).unwrap();
    let mut group = criterion.benchmark_group("redact/texts");
    let long = "GET /orders/81234?page=3 status=200 rows=17 in 42 ms from 10.20.30.40; ".repeat(64);
    for (name, text) in TEXTS.into_iter().chain([("4.5 KiB without", long.as_str())]) {
        let mut matches = Vec::new();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| redactor.find(black_box(text.as_bytes()), &mut matches));
        });
    }
    group.finish();
    criterion.final_summary();
}
