//! When an assessment has changed enough for a new revision: severity, the way it qualified, rules,
//! tactics, or a count that reached the next power of ten. Unchanged content never makes one.

use std::collections::{BTreeMap, BTreeSet};

use common::incident::Qualification;
use common::partition::Position;
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::assess::Knowledge;
use super::facts::magnitude;

/// Reason of the first revision.
pub(crate) const OPENED: &str = "opened";
/// Reason of a revision that is more severe than the one before.
pub(crate) const SEVERITY_RAISED: &str = "severity_raised";

/// Properties of an assessment whose change makes a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signature {
    severity: Severity,
    qualifications: BTreeSet<Qualification>,
    rules: BTreeSet<String>,
    tactics: Vec<String>,
    fact_magnitudes: BTreeMap<String, u32>,
    count_magnitude: u32,
}

impl Signature {
    /// The signature of the present knowledge.
    pub(crate) fn of(knowledge: &Knowledge, event_count: u64) -> Self {
        Self {
            severity: knowledge.severity(),
            qualifications: knowledge.qualifications.clone(),
            rules: knowledge.standing().map(str::to_owned).collect(),
            tactics: knowledge.tactics(),
            fact_magnitudes: knowledge.facts.magnitudes(),
            count_magnitude: magnitude(event_count),
        }
    }

    /// The differences from the signature of the last revision; empty when there are none.
    pub(crate) fn reasons_since(&self, last: Option<&Self>) -> Vec<String> {
        let Some(last) = last else { return vec![OPENED.to_owned()] };
        let mut reasons = Vec::new();
        if self.severity > last.severity {
            reasons.push(SEVERITY_RAISED.to_owned());
        }
        if self.qualifications != last.qualifications {
            reasons.push("qualification_changed".to_owned());
        }
        if self.severity < last.severity {
            reasons.push("severity_lowered".to_owned());
        }
        if !self.rules.is_subset(&last.rules) {
            reasons.push("rules_changed".to_owned());
        }
        if !last.rules.is_subset(&self.rules) {
            reasons.push("rules_withdrawn".to_owned());
        }
        if self.tactics != last.tactics {
            reasons.push("tactics_changed".to_owned());
        }
        for (field, magnitude) in &self.fact_magnitudes {
            if *magnitude > last.fact_magnitudes.get(field).copied().unwrap_or(0) {
                reasons.push(format!("{field}_values_reached_{}", 10_u64.pow(*magnitude)));
            }
        }
        if self.count_magnitude > last.count_magnitude {
            reasons.push(format!("event_count_reached_{}", 10_u64.pow(self.count_magnitude)));
        }
        reasons
    }
}

/// Position and time of a revision in the log.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The record whose folding made it, or the next one to be folded.
    pub position: Position,
    /// The time that is shown.
    pub at: Timestamp,
}
