//! Measurement of a stage that is given one body after the other: in the sizes that senders make, in processor time
//! of the thread that does the work.

use criterion::{BatchSize, BenchmarkId, Throughput};

use crate::thread_cpu::criterion;

/// Records in a body, and how many different bodies take turns.
pub const SIZES: [(usize, u64); 3] = [(10, 64), (1_000, 8), (10_000, 2)];

/// Measures a stage in one group for each kind of body. `make` makes a body of so many records from a seed, `give` what
/// the stage takes over, which is not measured, and `work` is the stage.
pub fn measure<K: Copy, I, R>(
    name: &str,
    kinds: &[(&str, K)],
    make: impl Fn(K, usize, u64) -> Vec<u8>,
    give: impl Fn(&[u8]) -> I,
    work: impl Fn(K, I) -> R,
) {
    let mut criterion = criterion();
    for (kind_name, kind) in kinds.iter().copied() {
        let mut group = criterion.benchmark_group(format!("{name}/{kind_name}"));
        for (size, count) in SIZES {
            let bodies: Vec<Vec<u8>> = (0..count).map(|seed| make(kind, size, seed)).collect();
            let mut turns = bodies.iter().cycle();
            group.throughput(Throughput::Elements(size as u64));
            group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
                let input = || give(turns.next().map(Vec::as_slice).unwrap_or_default());
                bencher.iter_batched(input, |input| work(kind, input), BatchSize::SmallInput);
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
