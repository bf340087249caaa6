//! The append stage: batches into the embedded log, durable. The disk's share is the larger part of the time on the wall.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use benches::log::{self, Log};
use criterion::{BenchmarkId, SamplingMode, Throughput};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut criterion = log::criterion();
    let log = Log::open(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut group = criterion.benchmark_group("append");
    group.sampling_mode(SamplingMode::Flat);
    for (size, at_once) in log::SIZES {
        let batches = log::batches(size, at_once);
        group.throughput(Throughput::Elements((size * at_once) as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| log.release(log.append(&batches).unwrap()));
        });
    }
    group.finish();
    criterion.final_summary();
}
