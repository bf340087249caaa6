//! The report of a chaos run, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chaos::answers::Counts;
use crate::chaos::compare::MAY_DIFFER;
use crate::chaos::faults::Tallied;
use crate::chaos::tenants::Watched;
use crate::violations::Violations;
use loadtest::histogram::Histogram;
use loadtest::run::Finished;

/// A completed run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) seed: u64,
    /// Number of processes of each role, and their stores.
    pub(crate) deployment: String,
    pub(crate) faults: Tallied,
    /// Duration of the load under faults.
    pub(crate) lasted: Duration,
    pub(crate) batches: u64,
    pub(crate) records: u64,
    pub(crate) ingest: Counts,
    pub(crate) api: Counts,
    pub(crate) tenant_checks: Watched,
    pub(crate) reviewed: Reviewed,
    /// Incidents compared.
    pub(crate) incidents: usize,
    /// Times of recovery by kind of fault; `None` is never.
    pub(crate) recoveries: BTreeMap<String, Vec<Option<Duration>>>,
    pub(crate) refused_starts: u64,
    /// Lines of level ERROR in the processes' logs, by the name of the process.
    pub(crate) error_lines: BTreeMap<String, u64>,
    pub(crate) violations: Violations,
    /// Directory of data and logs, if they are kept.
    pub(crate) kept: Option<PathBuf>,
}

/// Results of the reviews.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reviewed {
    /// Changes stored.
    pub(crate) changes: u64,
    /// Changes that were stored although their answer was lost.
    pub(crate) unanswered: u64,
    /// Times until another process listed a change, without disturbance.
    pub(crate) listed: Histogram,
    /// Time from the last batch of a phase to its last incident.
    pub(crate) caught_up: Vec<Duration>,
}

impl Finished for Outcome {
    fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }
}

impl Outcome {
    /// Faults carried out.
    pub(crate) fn fault_count(&self) -> u64 {
        self.faults.values().sum()
    }

    /// The whole as JSON.
    pub(crate) fn json(&self) -> Value {
        let faults: BTreeMap<String, u64> = self
            .faults
            .iter()
            .map(|((victim, action), count)| (format!("{victim} {action}"), *count))
            .collect();
        let recoveries: BTreeMap<&String, Value> = self
            .recoveries
            .iter()
            .map(|(what, times)| {
                let seconds: Vec<Option<f64>> =
                    times.iter().map(|time| time.map(|time| time.as_secs_f64())).collect();
                (what, json!({"seconds": seconds}))
            })
            .collect();
        let violations: Vec<Value> = self
            .violations
            .iter()
            .map(|(kind, of_a_kind)| {
                let first: Vec<String> = of_a_kind.first.iter().map(ToString::to_string).collect();
                json!({"kind": kind, "count": of_a_kind.count, "first": first})
            })
            .collect();
        let Watched { incidents, foreign_incidents, foreign_sources, .. } = &self.tenant_checks;
        json!({
            "seed": self.seed,
            "deployment": self.deployment,
            "faults": {"total": self.fault_count(), "by_kind": faults},
            "lasted_seconds": self.lasted.as_secs_f64(),
            "acknowledged": {"batches": self.batches, "records": self.records},
            "ingest": side(&self.ingest),
            "api": side(&self.api),
            "tenants": {
                "incidents_listed": incidents,
                "foreign_incidents_refused": foreign_incidents,
                "foreign_sources_refused": foreign_sources,
            },
            "reviews": {
                "stored": self.reviewed.changes,
                "stored_without_answer": self.reviewed.unanswered,
                "listed_elsewhere_ms": self.reviewed.listed.json(),
            },
            "caught_up_seconds": self.reviewed.caught_up.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
            "incidents_compared": self.incidents,
            "may_differ": MAY_DIFFER.iter().map(|(field, why)| json!({"field": field, "why": why})).collect::<Vec<_>>(),
            "recoveries": recoveries,
            "starts_given_up_while_a_store_was_away": self.refused_starts,
            "error_lines": self.error_lines,
            "violations": violations,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "deployment   {}; seed {}", self.deployment, self.seed)?;
        writeln!(f, "faults       {} in {} s", self.fault_count(), self.lasted.as_secs())?;
        for (victim, actions) in by_victim(&self.faults) {
            writeln!(f, "  {victim}: {actions}")?;
        }
        writeln!(f, "acknowledged {} batches, {} records", self.batches, self.records)?;
        write_side(f, "ingestion", &self.ingest)?;
        write_side(f, "API", &self.api)?;
        let Watched { incidents, foreign_incidents, foreign_sources, .. } = &self.tenant_checks;
        writeln!(
            f,
            "tenants      {incidents} incidents in lists looked at, {foreign_incidents} foreign incidents and {foreign_sources} foreign sources refused"
        )?;
        writeln!(
            f,
            "reviews      {} stored, {} of them without an answer; listed elsewhere after {:.0} ms in the middle, {:.0} ms at p99",
            self.reviewed.changes,
            self.reviewed.unanswered,
            self.reviewed.listed.quantile_ms(0.5),
            self.reviewed.listed.quantile_ms(0.99)
        )?;
        let caught_up: Vec<String> =
            self.reviewed.caught_up.iter().map(|took| format!("{:.1}", took.as_secs_f64())).collect();
        writeln!(f, "caught up    {} s after the last batch of each phase", caught_up.join(", "))?;
        writeln!(f, "recovery")?;
        for (what, times) in &self.recoveries {
            writeln!(f, "  {what}: {}", recovery(times))?;
        }
        if self.refused_starts > 0 {
            writeln!(
                f,
                "starts       {} given up while a store was away, and repeated",
                self.refused_starts
            )?;
        }
        writeln!(f, "compared     {} incidents, field by field", self.incidents)?;
        self.violations.write(f, self.kept.as_deref(), "none")
    }
}

fn by_victim(faults: &Tallied) -> BTreeMap<&str, String> {
    let mut by_victim: BTreeMap<&str, String> = BTreeMap::new();
    for ((victim, action), count) in faults {
        let actions = by_victim.entry(victim).or_default();
        if !actions.is_empty() {
            actions.push_str(", ");
        }
        actions.push_str(&format!("{action} {count}"));
    }
    by_victim
}

fn write_side(f: &mut fmt::Formatter<'_>, name: &str, counts: &Counts) -> fmt::Result {
    writeln!(
        f,
        "{name:<12} {} answered as expected, p50 {:.0} ms, p99 {:.0} ms, longest {:.0} ms",
        counts.done,
        counts.took.quantile_ms(0.5),
        counts.took.quantile_ms(0.99),
        counts.took.greatest_ms()
    )?;
    writeln!(
        f,
        "             {} refused with Retry-After, {} refused without, {} other statuses; {} found nobody, {} broke off, {} without an answer in time",
        counts.refused,
        counts.refused_without,
        counts.wrong,
        counts.unreachable,
        counts.broken,
        counts.silent
    )
}

fn side(counts: &Counts) -> Value {
    json!({
        "done": counts.done,
        "refused_with_retry_after": counts.refused,
        "refused_without_retry_after": counts.refused_without,
        "other_statuses": counts.wrong,
        "unreachable": counts.unreachable,
        "broken": counts.broken,
        "silent": counts.silent,
        "milliseconds": counts.took.json(),
    })
}

/// Median and maximum of times; the number that never came.
fn recovery(times: &[Option<Duration>]) -> String {
    let came: Vec<f64> = times.iter().flatten().map(Duration::as_secs_f64).collect();
    let middle = came.get(came.len() / 2).copied().unwrap_or_default();
    let longest = came.last().copied().unwrap_or_default();
    let never = times.len() - came.len();
    let never = if never > 0 { format!(", {never} times not within a minute") } else { String::new() };
    format!("{middle:.2} s in the middle, {longest:.2} s at most, {} times{never}", came.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violations::Violation;

    #[test]
    fn a_clean_run_says_so_and_another_says_what_is_wrong() {
        let mut outcome = Outcome::default();
        outcome.faults.insert(("kafka".to_owned(), "kill"), 2);
        outcome.recoveries.insert("x".to_owned(), vec![Some(Duration::from_secs(2)), None]);
        assert!(outcome.is_clean());
        let text = outcome.to_string();
        assert!(text.contains("violations   none") && text.contains("kafka: kill 2"), "{text}");
        assert!(text.contains("1 times not within a minute"), "{text}");
        outcome.violations.add(Violation::OnlyUnderFaults { incident: "i9".to_owned() });
        assert!(!outcome.is_clean());
        assert!(outcome.to_string().contains("EXTRA: i9 is there under faults only"));
        assert_eq!(outcome.json()["violations"][0]["count"], 1);
    }
}
