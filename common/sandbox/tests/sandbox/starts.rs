//! The time that a start takes.

use crate::{Test, block_on, one_at_a_time};

/// Starts that are measured.
const STARTS: usize = 100;

pub(crate) fn tests() -> Vec<Test> {
    vec![("a_start_takes_milliseconds", milliseconds)]
}

fn milliseconds() {
    let mut times = block_on(async {
        let sandbox = one_at_a_time();
        let mut times = Vec::with_capacity(STARTS);
        for _ in 0..STARTS {
            let begun = tokio::time::Instant::now();
            sandbox.probe().await.unwrap();
            times.push(begun.elapsed());
        }
        times
    });
    times.sort_unstable();
    let (median, high) = (times[STARTS / 2], times[STARTS * 99 / 100]);
    println!("start of a sandbox: median {median:?}, 99th percentile {high:?}");
    // Far above the expected values, because tests run beside each other in builds without optimization.
    assert!(median.as_millis() < 500, "{times:?}");
}
