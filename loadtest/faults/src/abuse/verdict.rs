//! Results of the cases, and their report.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::abuse::cases::Case;
use crate::abuse::seen::Seen;
use loadtest::load::phase::Done;
use loadtest::load::plan::Output;
use loadtest::load::report::{Report as Aftermath, percentiles, write};
use loadtest::resources::MEBIBYTE;
use loadtest::run::Finished;

/// Processor seconds that any case may take: the resolution of processor times is a hundredth of a second,
/// and the case before leaves some work.
const PROCESSOR_FLOOR: f64 = 0.05;
/// The same per second of the case: the well-behaved client's twenty small requests, their
/// analysis, and the server's own background work.
const PROCESSOR_FLOOR_A_SECOND: f64 = 0.02;
/// MiB that the server may keep of its peak, besides those of a case: its allocator retains some of
/// it, and the well-behaved client's batches are remembered.
pub(crate) const KEPT_MEBIBYTES: u64 = 64;
/// Longest answer to the well-behaved client, seconds from the request: exporters of
/// OpenTelemetry give an export up after ten by default and send it again, so that a longer one is an agent's
/// loss; a shorter bound would fail the run when the disk stalls for some seconds.
const SLOWEST_SECONDS: f64 = 10.0;
/// Bound of the 99th percentile, seconds. Speed is measured by other modes: with every core busy
/// with abuse and the disk with other work, an answer waits for a bomb or two, of half a second in a debug build,
/// and for some writes.
const MOST_SECONDS: f64 = 2.0;

/// Result of a case.
pub(crate) struct Verdict {
    pub(crate) case: &'static Case,
    pub(crate) seen: Seen,
    pub(crate) took: Duration,
    /// Growth of the server's peak memory over its minimum before the case. Memory
    /// left by an earlier case counts: measured from there, it would be room for the next one. `None`
    /// if its process is not known.
    pub(crate) grown_bytes: Option<u64>,
    pub(crate) processor_seconds: Option<f64>,
    /// Factor of the allowed processor time.
    pub(crate) processor_factor: f64,
    /// Share of a full run's work that was requested of the server, above 0 and up to 1.
    pub(crate) share: f64,
    /// Requests of the well-behaved client that were not acknowledged during the case.
    pub(crate) hurt: u64,
}

impl Verdict {
    /// Whether all bounds held.
    pub(crate) fn is_good(&self) -> bool {
        let seen = &self.seen.outcomes;
        let answered =
            !seen.is_empty() && seen.keys().all(|what| self.case.expected.contains(&what.as_str()));
        answered && self.is_within_memory() && self.is_within_processor() && self.hurt == 0
    }

    fn is_within_memory(&self) -> bool {
        self.grown_bytes.is_none_or(|grown| grown <= self.allowed_mebibytes() << 20)
    }

    fn allowed_mebibytes(&self) -> u64 {
        self.case.mebibytes + KEPT_MEBIBYTES
    }

    fn is_within_processor(&self) -> bool {
        self.processor_seconds.is_none_or(|used| used <= self.allowed_processor_seconds())
    }

    fn allowed_processor_seconds(&self) -> f64 {
        let floor = PROCESSOR_FLOOR + PROCESSOR_FLOOR_A_SECOND * self.took.as_secs_f64();
        (self.case.processor_seconds * self.share + floor) * self.processor_factor
    }

    fn json(&self) -> Value {
        json!({
            "case": self.case.name, "good": self.is_good(), "seconds": self.took.as_secs_f64(), "seen": self.seen.outcomes,
            "expected": self.case.expected, "returns": self.seen.returns,
            "grown_mebibytes": self.grown_bytes.map(|grown| grown as f64 / MEBIBYTE),
            "allowed_mebibytes": self.allowed_mebibytes(),
            "processor_seconds": self.processor_seconds,
            "allowed_processor_seconds": self.allowed_processor_seconds(),
            "share": self.share,
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
            self.allowed_mebibytes(),
            mark(self.is_within_memory()),
            used,
            self.allowed_processor_seconds(),
            mark(self.is_within_processor()),
            seen.join(", ")
        )?;
        if !self.is_good() {
            write!(f, "; expected {}", self.case.expected.join(", "))?;
        }
        if self.seen.returns > 0 {
            write!(f, "; told to come back {} times before", self.seen.returns)?;
        }
        if self.hurt > 0 {
            write!(f, "; {} requests of the well-behaved client failed", self.hurt)?;
        }
        Ok(())
    }
}

/// Results of all cases, and of the well-behaved client.
pub(crate) struct Report {
    pub(crate) verdicts: Vec<Verdict>,
    /// Its requests, and whether everything acknowledged was found.
    pub(crate) aftermath: Aftermath,
    /// Limit of open files of this tool.
    pub(crate) most_files: Option<u64>,
    /// Whether it was ended early: an untried case is no success.
    pub(crate) interrupted: bool,
}

impl Finished for Report {
    /// Whether every case succeeded, and the well-behaved client was unaffected.
    fn is_clean(&self) -> bool {
        !self.interrupted
            && !self.verdicts.is_empty()
            && self.verdicts.iter().all(Verdict::is_good)
            && self.aftermath.is_clean()
            && self.aftermath.phases.iter().all(|done| harm(done).is_empty())
    }
}

impl Report {
    /// Writes the requested files; the plots show the well-behaved client and the server.
    pub(crate) fn write(&self, output: &Output) -> std::io::Result<()> {
        write(output, &self.json(), || self.aftermath.page(&self.to_string()))
    }

    fn json(&self) -> Value {
        let harm: Vec<String> = self.aftermath.phases.iter().flat_map(harm).collect();
        json!({
            "clean": self.is_clean(), "interrupted": self.interrupted,
            "cases": self.verdicts.iter().map(Verdict::json).collect::<Vec<_>>(),
            "harm": harm,
            "well_behaved": self.aftermath.json(),
        })
    }
}

/// Violations seen by the well-behaved client.
fn harm(done: &Done) -> Vec<String> {
    let (counts, service) = (&done.counts, &done.counts.service);
    let mut harm = Vec::new();
    if counts.refused > 0 {
        harm.push(format!("{} requests were refused", counts.refused));
    }
    // Number of requests due while all connections wait for answers of the longest allowed time.
    let behind = done.phase.pace.rate_at(done.lasted).unwrap_or(0.0) * SLOWEST_SECONDS;
    if done.unsent > behind as u64 {
        harm.push(format!("{} requests were due and never sent", done.unsent));
    }
    for (name, found_ms, most) in [
        ("p99", service.quantile_ms(0.99), MOST_SECONDS),
        ("slowest", service.greatest_ms(), SLOWEST_SECONDS),
    ] {
        let found = found_ms / 1e3;
        if found > most {
            harm.push(format!("{name} {found:.1} s of {most:.1} s at most"));
        }
    }
    harm
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
                "well-behaved client: {} of {} requests acknowledged, {} never sent, {}",
                done.counts.accepted,
                done.counts.sent,
                done.unsent,
                percentiles(&done.counts.service)
            )?;
            for harm in harm(done) {
                writeln!(f, "HARM      {harm}")?;
            }
        }
        if self.interrupted {
            writeln!(f, "INTERRUPTED before its time")?;
        }
        write!(f, "{}", self.aftermath)?;
        writeln!(f, "abuse     {}", if self.is_clean() { "borne" } else { "NOT BORNE" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abuse::cases::CASES;
    use crate::abuse::well_behaved;
    use loadtest::load::confirm::Confirmed;
    use loadtest::load::phase::Phase;
    use loadtest::load::results::Counts;
    use loadtest::load::schedule::Pace;

    fn done(times_taken: &[(u64, u64)], unsent: u64) -> Done {
        let phase = Phase {
            name: "good",
            pace: Pace::steady(20.0, false),
            duration: Duration::from_secs(60),
            connections: 2,
        };
        let mut counts = Counts::default();
        for (milliseconds, times) in times_taken {
            (0..*times).for_each(|_| counts.service.record(Duration::from_millis(*milliseconds)));
        }
        let lasted = phase.duration;
        Done { phase, lasted, counts, unsent, usage: None, own_processor_seconds: 0.0 }
    }

    #[test]
    fn a_client_that_waits_or_does_not_get_to_send_is_hurt() {
        assert!(harm(&done(&[(5, 1000), (900, 20), (8_000, 5)], 200)).is_empty());
        assert_eq!(harm(&done(&[(5, 1000), (20_000, 1)], 0)), ["slowest 20.0 s of 10.0 s at most"]);
        assert_eq!(harm(&done(&[(5, 100), (4_000, 10)], 0)), ["p99 4.0 s of 2.0 s at most"]);
        assert_eq!(harm(&done(&[(5, 100)], 201)), ["201 requests were due and never sent"]);
        let mut refused = done(&[(5, 100)], 0);
        refused.counts.refused = 1;
        assert_eq!(harm(&refused), ["1 requests were refused"]);
    }

    #[test]
    fn a_case_that_sends_less_may_take_less() {
        let verdict = |share, processor_seconds| Verdict {
            processor_seconds: Some(processor_seconds),
            share,
            ..good()
        };
        let most = CASES[0].processor_seconds;
        assert!(verdict(1.0, most).is_good());
        assert!(!verdict(1.0, most + 0.1).is_good());
        assert!(verdict(1.0 / 16.0, most / 16.0).is_good());
        assert!(!verdict(1.0 / 16.0, most / 8.0).is_good());
    }

    #[test]
    fn a_case_may_take_memory_beside_what_is_kept() {
        let verdict = |grown_mebibytes: u64| Verdict { grown_bytes: Some(grown_mebibytes << 20), ..good() };
        let most = CASES[0].mebibytes + KEPT_MEBIBYTES;
        assert!(verdict(most).is_good() && !verdict(most + 1).is_good());
    }

    fn good() -> Verdict {
        Verdict {
            case: &CASES[0],
            seen: Seen::of("413"),
            took: Duration::ZERO,
            grown_bytes: None,
            processor_seconds: None,
            processor_factor: 1.0,
            share: 1.0,
            hurt: 0,
        }
    }

    #[test]
    fn a_run_that_was_interrupted_is_not_clean() {
        let aftermath = Aftermath {
            load: well_behaved(1),
            seed: 1,
            phases: Vec::new(),
            looks: Vec::new(),
            confirmed: Confirmed::default(),
            promises: Vec::new(),
            kept: None,
        };
        let mut report = Report { verdicts: vec![good()], aftermath, most_files: None, interrupted: false };
        assert!(report.is_clean());
        report.interrupted = true;
        assert!(!report.is_clean() && report.to_string().contains("INTERRUPTED"));
        assert_eq!(report.json()["interrupted"], true);
    }
}
