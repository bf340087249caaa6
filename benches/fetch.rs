//! The fetch stage: batches out of the embedded log, as who follows it closely has them: from memory.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use benches::log::{self, Log};
use common::partition::Offset;
use criterion::{BenchmarkId, Throughput};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut criterion = log::criterion();
    let log = Log::open(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut group = criterion.benchmark_group("fetch");
    for (size, at_once) in log::SIZES {
        let last = log.append(&log::batches(size, at_once)).unwrap();
        let from = Offset(last.0 + 1 - at_once as u64);
        group.throughput(Throughput::Elements((size * at_once) as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| assert_eq!(log.fetch(from).unwrap().len(), at_once));
        });
        log.release(last);
    }
    group.finish();
    criterion.final_summary();
}
