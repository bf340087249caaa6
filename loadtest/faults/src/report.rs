//! Output of a run: occasional lines of progress, and the report at its end.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::tally::Counts;
use crate::verify::Violation;
use crate::violations::Violations;
use loadtest::run::Finished;

/// A completed run.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Seed of the random generator.
    pub(crate) seed: u64,
    /// Number of kills of the server.
    pub(crate) kills: u32,
    /// Number of those before it was ready.
    pub(crate) early_kills: u32,
    /// Times until it became ready, for each completed start.
    pub(crate) starts: Vec<Duration>,
    /// Counters.
    pub(crate) counts: Counts,
    /// Attacks sent, and sources they were sent to.
    pub(crate) attacks: usize,
    /// See `attacks`.
    pub(crate) sources: usize,
    /// Incidents found at the end.
    pub(crate) incidents: usize,
    /// Time from the last batch to the last incident.
    pub(crate) caught_up_after: Duration,
    /// Violations.
    pub(crate) violations: Violations<Violation>,
    /// Directory of data and log, if they are kept.
    pub(crate) kept: Option<PathBuf>,
}

impl Finished for Report {
    fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let mut starts = self.starts.clone();
        starts.sort_unstable();
        let middle = starts.get(starts.len() / 2).copied().unwrap_or_default();
        let longest = starts.last().copied().unwrap_or_default();
        writeln!(
            f,
            "kills        {}, {} of them before the server was ready; seed {}",
            self.kills, self.early_kills, self.seed
        )?;
        writeln!(
            f,
            "starts       {} ms in the middle, {} ms at most",
            middle.as_millis(),
            longest.as_millis()
        )?;
        writeln!(
            f,
            "acknowledged {} batches, {} records, of {} attacks on {} sources",
            counts.acknowledged.count, counts.records, self.attacks, self.sources
        )?;
        writeln!(f, "answers      {}", counts.acknowledged)?;
        writeln!(
            f,
            "not          {} requests found nobody, {} broke off, {} were refused with 503",
            counts.unreachable, counts.broken, counts.refused
        )?;
        if counts.unfinished > 0 {
            writeln!(
                f,
                "unfinished   {} creations of sources, refused as still running after a kill",
                counts.unfinished
            )?;
        }
        writeln!(f, "repeated     {} batches, {} given up", counts.repeated, counts.given_up)?;
        writeln!(f, "reviews      {}, {}", counts.reviews.count, counts.reviews)?;
        writeln!(
            f,
            "incidents    {}, the last {} ms after the last batch",
            self.incidents,
            self.caught_up_after.as_millis()
        )?;
        self.violations.write(f, self.kept.as_deref(), "none: every acknowledged batch is there exactly once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(violations: Violations<Violation>) -> Report {
        Report {
            seed: 7,
            kills: 2,
            early_kills: 1,
            starts: vec![Duration::from_millis(30), Duration::from_millis(10), Duration::from_millis(20)],
            counts: Counts::default(),
            attacks: 1,
            sources: 1,
            incidents: 1,
            caught_up_after: Duration::ZERO,
            violations,
            kept: None,
        }
    }

    #[test]
    fn a_clean_run_says_so_and_another_says_what_is_wrong() {
        let clean = report(Violations::default());
        assert!(clean.is_clean());
        let text = clean.to_string();
        assert!(text.contains("violations   none") && text.contains("seed 7"), "{text}");
        assert!(text.contains("20 ms in the middle, 30 ms at most"), "{text}");

        let mut violations = Violations::default();
        for _ in 0..52 {
            violations.add(Violation::ReviewLost { incident: "i9".to_owned() });
        }
        let dirty = report(violations);
        assert!(!dirty.is_clean());
        let text = dirty.to_string();
        assert!(text.contains("violations   52"), "{text}");
        assert!(text.contains("REVIEW: incident i9") && text.contains("REVIEW: 42 more"), "{text}");
    }
}
