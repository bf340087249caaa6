//! Verify: one claim and ten claims against sources of four sizes, and reading the model.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::hint::black_box;

use benches::thread_cpu::criterion;
use criterion::{BenchmarkId, Throughput};
use verify::{Source, Verify};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static MODEL: &[u8] = include_bytes!("../models/verify.plm");

const SIZES: [(&str, usize); 4] =
    [("1 KiB", 1 << 10), ("4 KiB", 4 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)];

const CLAIM: &str = "In 1931 the new bridge over the river was opened by the mayor of the town. ";

/// Steps for each byte of the sources, and at least, as the product has them.
const STEPS: usize = 16;
const MIN_STEPS: usize = 64 << 10;

/// Sentences that differ in their words, as those of a report do.
fn report(size: usize) -> String {
    let names = [
        "mayor", "bridge", "market", "river", "council", "harbour", "school", "tower", "garden", "theatre",
        "mill",
    ];
    let name = |number: usize| names.get(number % names.len()).copied().unwrap_or_default();
    let sentence = |number: usize| {
        let (one, other, third) = (name(number), name(number / 11), name(number / 5));
        format!(
            "The {one} near the old {other} was opened in {} and cost the {third} {number} euros. ",
            1800 + number % 220
        )
    };
    let text: String = (0..size / 60).map(sentence).collect();
    text.chars().cycle().take(size).collect()
}

fn main() {
    let verify = Verify::load(MODEL).unwrap();
    let ten = CLAIM.repeat(10);
    let mut criterion = criterion();
    let mut group = criterion.benchmark_group("verify");
    for (name, size) in SIZES {
        let content = report(size);
        let budget = (size * STEPS).max(MIN_STEPS);
        let sources = [Source { content: &content, name: "report", url: None }];
        group.throughput(Throughput::Bytes(size as u64));
        for (claims, text) in [("one claim", CLAIM), ("ten claims", &ten)] {
            group.bench_function(BenchmarkId::new(claims, name), |bencher| {
                bencher.iter(|| verify.check(black_box(text), &sources, budget).unwrap());
            });
        }
    }
    group.finish();
    criterion
        .bench_function("verify/load", |bencher| bencher.iter(|| Verify::load(black_box(MODEL)).unwrap()));
    criterion.final_summary();
}
