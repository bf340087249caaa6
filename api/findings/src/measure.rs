//! Metrics of findings.

use metrics::{counter, describe_counter};

use crate::import::Imported;
use crate::merge::Outcome;
use crate::recorder::Recorded;

const RECORDED: &str = "palisade_finding_observations_total";
const IMPORTED: &str = "palisade_finding_import_results_total";
const TRIAGES: &str = "palisade_finding_triages_total";

/// Describes each metric to the recorder, and starts the counters at 0: one that is born at 1 has not increased, as Prometheus
/// sees it.
pub(crate) fn describe() {
    describe_counter!(RECORDED, "Observations recorded as findings, by outcome.");
    describe_counter!(IMPORTED, "Results of imported files, by outcome.");
    describe_counter!(TRIAGES, "Automated triages that have ended, by result.");
    for outcome in Outcome::ALL {
        counter!(RECORDED, "outcome" => outcome.as_str()).increment(0);
        counter!(IMPORTED, "outcome" => outcome.as_str()).increment(0);
    }
    counter!(IMPORTED, "outcome" => "rejected").increment(0);
    for result in ["unverifiable", "failed"] {
        counter!(TRIAGES, "result" => result).increment(0);
    }
}

/// Observations were recorded.
pub(crate) fn recorded(recorded: &[Recorded]) {
    for outcome in Outcome::ALL {
        let count = recorded.iter().filter(|one| one.outcome == outcome).count() as u64;
        counter!(RECORDED, "outcome" => outcome.as_str()).increment(count);
    }
}

/// A file was imported.
pub(crate) fn imported(imported: &[Imported]) {
    for one in imported {
        let outcome = match one {
            Imported::Finding { outcome, .. } => outcome.as_str(),
            Imported::Rejected(_) => "rejected",
        };
        counter!(IMPORTED, "outcome" => outcome).increment(1);
    }
}

/// A triage has ended.
pub(crate) fn triaged(result: &'static str) {
    counter!(TRIAGES, "result" => result).increment(1);
}
