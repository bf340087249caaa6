//! What became of the cases, and how it is told.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::abuse::cases::Case;
use crate::abuse::ground::Seen;
use crate::load::report::{Report as Aftermath, percentiles};

const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// What became of a case.
pub(crate) struct Verdict {
    pub(crate) case: &'static Case,
    pub(crate) seen: Seen,
    pub(crate) took: Duration,
    /// How much more memory the server used at most; `None` where its process is not known.
    pub(crate) grown_bytes: Option<u64>,
    pub(crate) processor_seconds: Option<f64>,
    /// What the processor time that is allowed is multiplied with.
    pub(crate) processor_factor: f64,
    /// Requests of the well-behaved client that were not acknowledged meanwhile.
    pub(crate) hurt: u64,
}

impl Verdict {
    /// Whether everything was as it must be.
    pub(crate) fn is_good(&self) -> bool {
        let seen = &self.seen.outcomes;
        let answered =
            !seen.is_empty() && seen.keys().all(|what| self.case.expected.contains(&what.as_str()));
        answered && self.is_within_memory() && self.is_within_processor() && self.hurt == 0
    }

    fn is_within_memory(&self) -> bool {
        self.grown_bytes.is_none_or(|grown| grown <= self.case.mebibytes << 20)
    }

    fn is_within_processor(&self) -> bool {
        let allowed = self.case.processor_seconds * self.processor_factor;
        self.processor_seconds.is_none_or(|used| used <= allowed)
    }

    fn json(&self) -> Value {
        json!({
            "case": self.case.name, "good": self.is_good(), "seconds": self.took.as_secs_f64(), "seen": self.seen.outcomes,
            "expected": self.case.expected,
            "grown_mebibytes": self.grown_bytes.map(|grown| grown as f64 / MEBIBYTE),
            "allowed_mebibytes": self.case.mebibytes,
            "processor_seconds": self.processor_seconds,
            "allowed_processor_seconds": self.case.processor_seconds * self.processor_factor,
            "well_behaved_requests_that_failed": self.hurt,
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen: Vec<String> =
            self.seen.outcomes.iter().map(|(what, times)| format!("{what} x{times}")).collect();
        let mark = |is_good: bool| if is_good { "" } else { "!" };
        let grown = self
            .grown_bytes
            .map_or_else(|| "?".to_owned(), |grown| format!("{:.0}", grown as f64 / MEBIBYTE));
        let used = self.processor_seconds.map_or_else(|| "?".to_owned(), |used| format!("{used:.2}"));
        write!(
            f,
            "{:<4} {:<36} {:>5.1} s {:>6} of {:>3} MiB{} {:>6} of {:>6.1} CPU-s{}  {}",
            if self.is_good() { "good" } else { "BAD" },
            self.case.name,
            self.took.as_secs_f64(),
            grown,
            self.case.mebibytes,
            mark(self.is_within_memory()),
            used,
            self.case.processor_seconds * self.processor_factor,
            mark(self.is_within_processor()),
            seen.join(", ")
        )?;
        if !self.is_good() {
            write!(f, "; expected {}", self.case.expected.join(", "))?;
        }
        if self.hurt > 0 {
            write!(f, "; {} requests of the well-behaved client failed", self.hurt)?;
        }
        Ok(())
    }
}

/// What became of all of them, and of the well-behaved client.
pub(crate) struct Report {
    pub(crate) verdicts: Vec<Verdict>,
    /// Its requests, and whether everything acknowledged was found.
    pub(crate) aftermath: Aftermath,
    /// Open files that this tool may have.
    pub(crate) most_files: Option<u64>,
}

impl Report {
    /// Whether every case was good, and the well-behaved client never the worse for it.
    pub(crate) fn is_clean(&self) -> bool {
        let refused: u64 = self.aftermath.phases.iter().map(|done| done.counts.refused).sum();
        !self.verdicts.is_empty()
            && self.verdicts.iter().all(Verdict::is_good)
            && self.aftermath.is_clean()
            && refused == 0
    }

    /// The whole as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "clean": self.is_clean(),
            "cases": self.verdicts.iter().map(Verdict::json).collect::<Vec<_>>(),
            "well_behaved": self.aftermath.json(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for verdict in &self.verdicts {
            writeln!(f, "{verdict}")?;
        }
        let good = self.verdicts.iter().filter(|verdict| verdict.is_good()).count();
        writeln!(f, "{good} of {} cases good", self.verdicts.len())?;
        if let Some(files) = self.most_files {
            writeln!(f, "open files this tool may have: {files}")?;
        }
        for done in &self.aftermath.phases {
            writeln!(
                f,
                "well-behaved client: {} of {} requests acknowledged, {}",
                done.counts.accepted,
                done.counts.sent,
                percentiles(&done.counts.latency)
            )?;
        }
        write!(f, "{}", self.aftermath)
    }
}
