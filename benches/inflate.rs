//! The inflate stage: gzip bodies as senders make them, in one shot where a body is a single member, and piece by
//! piece where it is not.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use std::convert::Infallible;

use benches::bodies::{Form, gzip};
use benches::records::records;
use benches::thread_cpu::criterion;
use criterion::measurement::Measurement;
use criterion::{BenchmarkGroup, BenchmarkId, Throughput};
use ingest::inflate;
use ingest::limits::Limits;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Records in one body, and how many bodies take turns.
const BODIES: [(usize, u64); 3] = [(10, 64), (1_000, 16), (10_000, 2)];

fn main() {
    let mut criterion = criterion();
    for form in Form::ALL {
        let mut group = criterion.benchmark_group(format!("inflate/{}", form.name()));
        for (size, count) in BODIES {
            let plain: Vec<Vec<u8>> = (0..count).map(|seed| form.body(&records(size, seed))).collect();
            let one = plain.iter().map(|body| gzip(body)).collect();
            let two = plain.iter().map(|body| {
                let (first, second) = body.split_at(body.len() / 2);
                [gzip(first), gzip(second)].concat()
            });
            let bytes = plain.iter().map(Vec::len).sum::<usize>() / plain.len();
            group.throughput(Throughput::Bytes(bytes as u64));
            measure(&mut group, "one member", size, one);
            measure(&mut group, "two members", size, two.collect());
        }
        group.finish();
    }
    criterion.final_summary();
}

fn measure<M: Measurement>(group: &mut BenchmarkGroup<'_, M>, what: &str, size: usize, wire: Vec<Vec<u8>>) {
    let limits = Limits::default();
    let mut turns = wire.iter().cycle();
    group.bench_function(BenchmarkId::new(what, size), |bencher| {
        bencher.iter(|| inflate(turns.next().unwrap(), &limits, |_| Ok::<_, Infallible>(())).unwrap());
    });
}
