//! Behaviour of a server under overload: its guarantees, and whether they held.

use std::fmt;

use serde_json::{Value, json};

use crate::load::observe::Look;
use crate::load::phase::Done;

/// Latency bound of accepted requests, milliseconds from sending: an admitted request is served.
const MOST_P99_MS: f64 = 250.0;
/// Largest growth of memory in an overload relative to capacity before it.
const MOST_GROWTH: f64 = 0.10;
/// Time after the end of the overload from which no request is refused or slow.
const MOST_RECOVERY_SECONDS: f64 = 5.0;

/// A guarantee of the server, and the measured result.
#[derive(Clone, Debug)]
pub struct Promise {
    pub name: &'static str,
    pub found: String,
    /// `None` if it could not be measured.
    pub kept: Option<bool>,
}

impl Promise {
    pub fn json(&self) -> Value {
        json!({"promise": self.name, "found": self.found, "kept": self.kept})
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.kept {
            Some(true) => "kept    ",
            Some(false) => "BROKEN  ",
            None => "unknown ",
        };
        write!(f, "{verdict} {}: {}", self.name, self.found)
    }
}

/// The guarantees for an overload; the phases are those of capacity, overload and afterwards.
pub fn promises(phases: &[Done], looks: &[Look]) -> Vec<Promise> {
    let of = |name: &'static str| phases.iter().find(move |done| done.phase.name == name);
    let Some(overload) = of("overload") else { return Vec::new() };
    let counts = &overload.counts;
    let p99 = counts.service.quantile_ms(0.99);
    let mut promises = vec![
        Promise {
            name: "every refusal is a 503 with Retry-After",
            found: format!("{} refusals, {} other answers or none", counts.refused, counts.wrong()),
            kept: Some(counts.wrong() == 0),
        },
        Promise {
            name: "p99 of what was accepted is at most 250 ms",
            found: format!("{p99:.1} ms from sending to the answer"),
            kept: Some(p99 <= MOST_P99_MS),
        },
    ];
    let growth = growth(looks);
    promises.push(Promise {
        name: "memory stays within 10 % of that at capacity",
        found: growth
            .map_or_else(|| "not looked at: no process id".to_owned(), |it| format!("{:+.1} %", it * 100.0)),
        kept: growth.map(|growth| growth <= MOST_GROWTH),
    });
    let recovered = recovery_seconds(looks);
    promises.push(Promise {
        name: "recovered within 5 s after the load dropped",
        found: recovered.map_or_else(|| "never".to_owned(), |seconds| format!("{seconds:.0} s")),
        kept: Some(recovered.is_some_and(|seconds| seconds <= MOST_RECOVERY_SECONDS)),
    });
    promises
}

/// Peak memory in the overload against the peak at capacity.
fn growth(looks: &[Look]) -> Option<f64> {
    let most_of = |phase: &str| {
        let looks = looks.iter().filter(|look| look.phase == phase);
        looks.filter_map(|look| look.usage).map(|usage| usage.resident_bytes).max()
    };
    let (before, overload) = (most_of("capacity")?, most_of("overload")?);
    Some(overload as f64 / before.max(1) as f64 - 1.0)
}

/// Seconds of the phase after the overload until the last one outside the bounds; `None` when
/// that is its last second.
fn recovery_seconds(looks: &[Look]) -> Option<f64> {
    let after: Vec<&Look> = looks.iter().filter(|look| look.phase == "afterwards").collect();
    let is_well = |look: &Look| look.refused == 0 && look.wrong == 0 && look.p99_ms <= MOST_P99_MS;
    let well = after.iter().rev().take_while(|look| is_well(look)).count();
    (well > 0).then(|| after.iter().take(after.len() - well).fold(0.0, |sum, look| sum + look.seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Usage;

    fn look(phase: &'static str, refused: u64, mebibytes: u64) -> Look {
        let usage = Usage { resident_bytes: mebibytes << 20, ..Usage::default() };
        Look { phase, refused, seconds: 1.0, usage: Some(usage), ..Look::default() }
    }

    #[test]
    fn recovery_counts_to_the_last_refusal() {
        let looks = |refused: &[u64]| -> Vec<Look> {
            refused.iter().map(|refused| look("afterwards", *refused, 1)).collect()
        };
        assert_eq!(recovery_seconds(&looks(&[0, 0, 0])), Some(0.0));
        assert_eq!(recovery_seconds(&looks(&[9, 0, 1, 0, 0])), Some(3.0));
        assert_eq!(recovery_seconds(&looks(&[0, 1])), None);
        assert_eq!(recovery_seconds(&[]), None);
    }

    #[test]
    fn growth_is_that_over_the_capacity() {
        let phases =
            [("warm-up", 900), ("capacity", 150), ("capacity", 200), ("overload", 230), ("overload", 100)];
        let looks: Vec<Look> = phases.map(|(phase, size)| look(phase, 0, size)).to_vec();
        assert!((growth(&looks).unwrap() - 0.15).abs() < 0.001);
        assert_eq!(growth(&looks[..3]), None);
    }
}
