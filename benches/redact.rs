//! Redaction alone: the sanitizing of whole batches as ingestion does it, and single texts as the rest of the
//! service has them redacted, with the default policy. What is counted is processor time of this thread, not
//! the clock on the wall; rounds take turns, and medians are told.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "it is what the benchmark is for")]

use std::hint::black_box;
use std::time::Duration;

use benches::bodies::Form;
use benches::records::records;
use benches::thread_cpu::timed;
use ingest::sanitize::sanitize;
use redact::{Policy, Redactor};

/// Records in one batch, and batches that take turns.
const BATCHES: [(usize, u64); 2] = [(10, 400), (1_000, 16)];
/// Rounds, each through everything once; of the batches, fresh copies are made outside of the time counted.
const ROUNDS: usize = 15;
/// How often the single texts are searched in a round.
const TEXTS: u32 = 20_000;

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let only_batches = std::env::args().any(|argument| argument == "--batches");
    let redactor = Redactor::new(&Policy::default()).unwrap();
    for (size, count) in BATCHES {
        batches(&redactor, size, count);
    }
    if only_batches {
        return;
    }
    let long = "GET /orders/81234?page=3 status=200 rows=17 in 42 ms from 10.20.30.40; ".repeat(64);
    for (name, text) in [
        ("a short text without", "session opened for user deploy"),
        (
            "a line without",
            "203.0.113.9 - - [01/Nov/2026:00:00:12 +0000] \"GET /cart/8123?page=2 HTTP/1.1\" 200 512",
        ),
        (
            "a line with a password",
            "login of alice failed: password=\"0f1e2d3c4b5a\" was rejected by the directory",
        ),
        ("4.5 KiB without", &long),
    ] {
        text_alone(&redactor, name, text);
    }
}

/// Batches of OTLP in protobuf, of which one record in fifty holds a secret.
fn batches(redactor: &Redactor, size: usize, count: u64) {
    let fresh: Vec<Vec<u8>> = (0..count).map(|seed| Form::OtlpProtobuf.body(&records(size, seed))).collect();
    let bytes: usize = fresh.iter().map(Vec::len).sum();
    let mut masked = 0;
    let times = (0..ROUNDS).map(|_| {
        let mut bodies = fresh.clone();
        let (found, time) =
            timed(|| bodies.iter_mut().map(|body| sanitize(redactor, body).masked).sum::<u32>());
        masked = found;
        time
    });
    let time = median(times.collect());
    let total = size as f64 * count as f64;
    println!(
        "batches of {size:>5}: {:>6.0} MB/CPU-s, {:>5.0} ns a record of {:.0} bytes; {masked} places masked in {total} records",
        bytes as f64 / time / 1e6,
        time / total * 1e9,
        bytes as f64 / total,
    );
}

fn text_alone(redactor: &Redactor, name: &str, text: &str) {
    let mut matches = Vec::new();
    let times = (0..ROUNDS).map(|_| {
        let search = || (0..TEXTS).for_each(|_| redactor.find(black_box(text.as_bytes()), &mut matches));
        timed(search).1
    });
    let time = median(times.collect()) / f64::from(TEXTS);
    println!("find, {name}: {:.0} ns, {:.0} MB/CPU-s", time * 1e9, text.len() as f64 / time / 1e6);
}

/// The median in seconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}
