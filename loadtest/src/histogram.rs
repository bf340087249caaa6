//! A histogram of times, of a fixed size: buckets as wide as a sixty-fourth of their
//! value, so that every percentile is exact to 1.6 %.

use std::time::Duration;

use serde_json::{Value, json};

/// Buckets per doubling of the value; values below this number have a bucket of their own.
const BUCKETS_A_DOUBLING: u64 = 64;
/// Upper bound of times, 38 hours; longer ones are counted as this. No run waits so long for an answer.
const MOST_MICROSECONDS: u64 = (1 << 37) - 1;
/// Number of buckets: 30 doublings above the first 64, which have one each.
const BUCKETS: usize = 2048;

/// Counted times.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    greatest: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, greatest: 0 }
    }
}

impl Histogram {
    /// Counts a time.
    pub fn record(&mut self, time: Duration) {
        let microseconds = u64::try_from(time.as_micros()).unwrap_or(u64::MAX).min(MOST_MICROSECONDS);
        if let Some(count) = self.counts.get_mut(bucket(microseconds)) {
            *count += 1;
        }
        self.total += 1;
        self.greatest = self.greatest.max(microseconds);
    }

    /// Number of counted times.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The longest time, milliseconds; 0 when nothing was counted.
    pub fn greatest_ms(&self) -> f64 {
        self.greatest as f64 / 1e3
    }

    /// The longest time of each non-empty bucket, in milliseconds, and its count.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.map(|(index, count)| (largest_in(index as u64) as f64 / 1e3, *count))
    }

    /// The usual percentiles, milliseconds.
    pub fn json(&self) -> Value {
        json!({
            "p50": self.quantile_ms(0.5), "p90": self.quantile_ms(0.9), "p99": self.quantile_ms(0.99),
            "max": self.greatest_ms(),
        })
    }

    /// The time, in milliseconds, that a share of 0 to 1 of all times does not exceed; 0 when nothing was
    /// counted.
    pub fn quantile_ms(&self, share: f64) -> f64 {
        let wanted = (share.clamp(0.0, 1.0) * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return largest_in(index as u64).min(self.greatest) as f64 / 1e3;
            }
        }
        0.0
    }
}

fn bucket(value: u64) -> usize {
    let doubling = value.max(1).ilog2().saturating_sub(BUCKETS_A_DOUBLING.ilog2());
    (u64::from(doubling) * BUCKETS_A_DOUBLING + (value >> doubling)) as usize
}

/// The largest value of a bucket.
fn largest_in(index: u64) -> u64 {
    let doubling = (index / BUCKETS_A_DOUBLING).saturating_sub(1);
    let within = index - doubling * BUCKETS_A_DOUBLING;
    ((within + 1) << doubling) - 1
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn every_value_is_in_a_bucket_that_is_narrow() {
        let mut last = 0;
        for power in 0..36 {
            for value in [1 << power, (1 << power) + 1, (1 << power) * 2 - 1, (1 << power) * 3 / 2] {
                let index = bucket(value);
                assert!(index < BUCKETS, "{value}");
                let largest = largest_in(index as u64);
                assert!(largest >= value && (largest - value) * 64 <= value, "{value} {largest}");
            }
            assert!(bucket(1 << power) > last || power == 0, "2^{power}");
            last = bucket(1 << power);
        }
        assert_eq!(largest_in(BUCKETS as u64 - 1), MOST_MICROSECONDS);
    }

    #[test]
    fn quantiles_agree_with_sorting() {
        let mut chance = StdRng::seed_from_u64(5);
        let mut times: Vec<u64> = (0..20_000).map(|_| 1 << chance.random_range(0..30)).collect();
        for time in &mut times {
            *time += chance.random_range(0..*time);
        }
        let mut histogram = Histogram::default();
        for time in &times {
            histogram.record(Duration::from_micros(*time));
        }
        times.sort_unstable();
        for share in [0.001, 0.5, 0.9, 0.99, 0.9999, 1.0] {
            let exact = times[(share * times.len() as f64).ceil() as usize - 1] as f64 / 1e3;
            let found = histogram.quantile_ms(share);
            assert!(found >= exact && found <= exact * 1.017, "{share}: {found}, exactly {exact}");
        }
        assert_eq!(histogram.count(), 20_000);
        assert_eq!(Histogram::default().quantile_ms(0.5), 0.0);
    }
}
