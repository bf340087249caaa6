//! Output of a run: occasional lines of progress, and the report at its end.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::tally::Counts;
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
    pub(crate) violations: Violations,
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
        let Self { seed, kills, early_kills, attacks, sources, incidents, .. } = self;
        let Counts { acknowledged, records, unreachable, broken, refused, .. } = &self.counts;
        let Counts { unfinished, repeated, given_up, reviews, .. } = &self.counts;
        let mut starts: Vec<u128> = self.starts.iter().map(Duration::as_millis).collect();
        starts.sort_unstable();
        let middle = starts.get(starts.len() / 2).copied().unwrap_or_default();
        let longest = starts.last().copied().unwrap_or_default();
        let batches = acknowledged.count;
        let last = self.caught_up_after.as_millis();
        writeln!(f, "kills        {kills}, {early_kills} of them before the server was ready; seed {seed}")?;
        writeln!(f, "starts       {middle} ms in the middle, {longest} ms at most")?;
        writeln!(
            f,
            "acknowledged {batches} batches, {records} records, of {attacks} attacks on {sources} sources"
        )?;
        writeln!(f, "answers      {acknowledged}")?;
        writeln!(
            f,
            "not          {unreachable} requests found nobody, {broken} broke off, {refused} were refused with 503"
        )?;
        if *unfinished > 0 {
            writeln!(
                f,
                "unfinished   {unfinished} creations of sources, refused as still running after a kill"
            )?;
        }
        writeln!(f, "repeated     {repeated} batches, {given_up} given up")?;
        writeln!(f, "reviews      {}, {reviews}", reviews.count)?;
        writeln!(f, "incidents    {incidents}, the last {last} ms after the last batch")?;
        self.violations.write(f, self.kept.as_deref(), "none: every acknowledged batch is there exactly once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violations::Violation;

    fn report(violations: Violations) -> Report {
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
