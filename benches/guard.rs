//! The guard: each of its stages for texts of four sizes. Facts include views, from which they are made, and judge
//! includes everything.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::hint::black_box;

use benches::thread_cpu::criterion;
use criterion::{BenchmarkId, Throughput};
use guard::{Guard, Input, Reader};
use text::{Vocabulary, views};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static MODEL: &[u8] = include_bytes!("../models/guard.plm");

const SIZES: [(&str, usize); 4] =
    [("256 B", 256), ("1 KiB", 1 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)];

/// An ordinary mail, with words of the lexicon that make no attack.
const MAIL: &str = "Hi Anna, please ignore my previous email, the attachment was wrong. The meeting about the budget is \
    at 10:30 in room 204, and the new instructions for travel are on the intranet. Thanks, Tom\n";

fn main() {
    let guard = Guard::load(MODEL).unwrap();
    let reader = Reader::new().unwrap();
    let vocabulary =
        Vocabulary::new(["please", "the", "about"].into_iter(), ["ignore", "instructions"].into_iter());
    let mut criterion = criterion();
    let mut group = criterion.benchmark_group("guard");
    for (name, size) in SIZES {
        let text: String = MAIL.chars().cycle().take(size).collect();
        let reads = reader.read(&text, &[]);
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::new("views", name), |bencher| {
            bencher.iter(|| views(black_box(&text), &vocabulary));
        });
        group.bench_function(BenchmarkId::new("facts", name), |bencher| {
            bencher.iter(|| reader.read(black_box(&text), &[]));
        });
        group.bench_function(BenchmarkId::new("score of the views", name), |bencher| {
            bencher
                .iter(|| reads.iter().map(|read| guard.margins_of_view(read).chunk).fold(f32::MIN, f32::max));
        });
        group.bench_function(BenchmarkId::new("score", name), |bencher| {
            bencher.iter(|| guard.margin(black_box(&text)));
        });
        group.bench_function(BenchmarkId::new("judge", name), |bencher| {
            bencher.iter(|| guard.judge(&[Input::text(black_box(&text))], "", size, &str::to_owned).unwrap());
        });
    }
    group.finish();
    criterion.final_summary();
}
