//! Inflation alone: gzip bodies as senders make them, in one shot where a body is a single member, and piece by
//! piece where it is not. What is counted is processor time of this thread; rounds take turns, and medians are
//! told.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "it is what the benchmark is for")]

use std::convert::Infallible;
use std::time::Duration;

use benches::bodies::{Form, gzip};
use benches::records::records;
use benches::thread_cpu::timed;
use ingest::inflate;
use ingest::limits::Limits;

/// Records in one body, and how many bodies take turns.
const BODIES: [(usize, u64); 3] = [(10, 400), (1_000, 16), (10_000, 2)];
/// Rounds, each through every body once.
const ROUNDS: usize = 15;

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    for form in Form::ALL {
        for (size, count) in BODIES {
            let plain: Vec<Vec<u8>> = (0..count).map(|seed| form.body(&records(size, seed))).collect();
            let whole = plain.iter().map(|body| gzip(body)).collect::<Vec<_>>();
            measure(form, size, "one member", &plain, &whole);
            let halves = plain.iter().map(|body| {
                let (first, second) = body.split_at(body.len() / 2);
                [gzip(first), gzip(second)].concat()
            });
            measure(form, size, "two members", &plain, &halves.collect::<Vec<_>>());
        }
    }
}

fn measure(form: Form, size: usize, what: &str, plain: &[Vec<u8>], wire: &[Vec<u8>]) {
    let limits = Limits::default();
    let free = |_| Ok::<_, Infallible>(());
    let inflated = |body: &Vec<u8>| inflate(body, &limits, free).unwrap().len();
    let bytes: usize = plain.iter().map(Vec::len).sum();
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let (found, time) = timed(|| wire.iter().map(inflated).sum::<usize>());
            assert_eq!(found, bytes);
            time
        })
        .collect();
    times.sort_unstable();
    let time = times[ROUNDS / 2].as_secs_f64();
    let sent: usize = wire.iter().map(Vec::len).sum();
    println!(
        "{:<13} batches of {size:>6}, {what:<11}: {:>5.0} MB/CPU-s, {:>4.0} ns a record; {:.1} : 1",
        form.name(),
        bytes as f64 / time / 1e6,
        time / (size * plain.len()) as f64 * 1e9,
        bytes as f64 / sent as f64,
    );
}
