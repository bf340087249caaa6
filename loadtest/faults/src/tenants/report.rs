//! The report of a run: as text, as JSON, and on request as a page.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::journal::Record;
use super::look::Look;
use loadtest::histogram::Histogram;
use loadtest::load::overload::Promise;
use loadtest::load::page;
use loadtest::load::plan::Output;
use loadtest::load::plot::{Series, plot, time_ticks};
use loadtest::load::report::write;
use loadtest::resources::MEBIBYTE;
use loadtest::run::Finished;

/// Measurements of a phase.
pub(crate) struct Measured {
    /// Seconds of the hostile organization's activity, after the warm-up.
    pub(crate) seconds: f64,
    pub(crate) is_quiet: bool,
    /// Answers to its requests, by status.
    pub(crate) hostile: BTreeMap<String, u64>,
    pub(crate) victims: Vec<Record>,
    /// From the end of the warm-up on.
    pub(crate) looks: Vec<Look>,
    /// Memory of the server at the end of the warm-up.
    pub(crate) resident_before: Option<u64>,
    /// Organizations with one small rule, in the phase that has them.
    pub(crate) small_organizations: Option<u64>,
    /// The reason if the server exited unexpectedly.
    pub(crate) ended: Option<String>,
}

/// A completed phase.
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) measured: Measured,
    pub(crate) promises: Vec<Promise>,
    /// The directory of the server's data and log, if it is kept.
    pub(crate) kept: Option<PathBuf>,
}

impl Phase {
    /// Whether every promise was kept.
    pub(crate) fn is_clean(&self) -> bool {
        self.promises.iter().all(|promise| promise.kept != Some(false))
    }

    fn json(&self) -> Value {
        let measured = &self.measured;
        json!({
            "phase": self.name,
            "clean": self.is_clean(),
            "seconds": measured.seconds,
            "hostile_answers": measured.hostile,
            "victims": measured.victims.iter().map(victim_json).collect::<Vec<_>>(),
            "resident_bytes_before": measured.resident_before,
            "promises": self.promises.iter().map(Promise::json).collect::<Vec<_>>(),
            "looks": measured.looks.iter().map(Look::json).collect::<Vec<_>>(),
        })
    }
}

fn victim_json(victim: &Record) -> Value {
    json!({
        "attacks": victim.attacks, "seen": victim.seen(),
        "requests": victim.requests, "failures": victim.failures, "complaints": victim.complaints,
        "detection_ms": victim.detection.json(), "ingest_ms": victim.ingest.json(),
        "api_ms": victim.api.json(), "rule_check_ms": victim.rule_checks.json(),
    })
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let measured = &self.measured;
        writeln!(f, "{} ({:.1} s)", self.name, measured.seconds)?;
        for (number, victim) in measured.victims.iter().enumerate() {
            writeln!(
                f,
                "  victim {}  detection {}; ingest {}; API {}; rule check {}",
                number + 1,
                text(&victim.detection),
                text(&victim.ingest),
                text(&victim.api),
                text(&victim.rule_checks)
            )?;
        }
        for promise in &self.promises {
            writeln!(f, "  {promise}")?;
        }
        if let Some(kept) = &self.kept {
            writeln!(f, "  data and log: {}", kept.display())?;
        }
        Ok(())
    }
}

fn text(histogram: &Histogram) -> String {
    if histogram.count() == 0 {
        return "none".to_owned();
    }
    format!("p50 {:.0} p99 {:.0} ms", histogram.quantile_ms(0.5), histogram.quantile_ms(0.99))
}

/// A completed run.
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) phases: Vec<Phase>,
    /// Whether it was interrupted.
    pub(crate) interrupted: bool,
}

impl Finished for Report {
    /// Whether every promise of every phase was kept.
    fn is_clean(&self) -> bool {
        !self.interrupted && !self.phases.is_empty() && self.phases.iter().all(Phase::is_clean)
    }
}

impl Report {
    /// Writes the requested files.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn write(&self, output: &Output) -> std::io::Result<()> {
        let whole = json!({
            "seed": self.seed, "clean": self.is_clean(), "interrupted": self.interrupted,
            "phases": self.phases.iter().map(Phase::json).collect::<Vec<_>>(),
        });
        write(output, &whole, || {
            page::page("Palisade with a hostile organization", &self.to_string(), &self.plots())
        })
    }

    fn plots(&self) -> String {
        self.phases.iter().map(plots).collect::<Vec<_>>().join("\n")
    }
}

fn plots(phase: &Phase) -> String {
    let looks = &phase.measured.looks;
    let ticks = time_ticks(looks.last().map_or(0.0, |look| look.at));
    let line = |name: &'static str, value: fn(&Look) -> Option<f64>| {
        Series::of(name, looks, |look| Some((look.at, value(look)?)))
    };
    let memory = line("resident", |look| Some(look.resident_bytes? as f64 / MEBIBYTE));
    let lag = line("reported lag", |look| look.lag_seconds);
    let unseen = line("oldest attack without an incident", |look| Some(look.unseen_seconds));
    [
        plot(&format!("{}: memory of the server", phase.name), "MiB", &[memory], &ticks),
        plot(&format!("{}: delay of analysis", phase.name), "s", &[lag, unseen], &ticks),
    ]
    .join("\n")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for phase in &self.phases {
            write!(f, "{phase}")?;
        }
        let clean = self.phases.iter().filter(|phase| phase.is_clean()).count();
        writeln!(f, "{clean} of {} phases keep every promise", self.phases.len())?;
        if self.interrupted {
            writeln!(f, "INTERRUPTED before its time")?;
        }
        writeln!(f, "tenants   {}", if self.is_clean() { "isolated" } else { "NOT ISOLATED" })
    }
}
