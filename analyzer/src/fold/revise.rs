//! When an assessment has changed enough for a new revision: severity, the way it qualified, rules,
//! tactics, or a count that reached the next power of ten. Unchanged content never makes one.

use std::collections::{BTreeMap, BTreeSet};

use common::incident::{Assessment, IncidentHead, Qualification, Revision};
use common::partition::Position;
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::assess::Knowledge;
use super::facts::magnitude;
use crate::identity::{digest, hex};

/// Why the first revision is made.
pub(crate) const OPENED: &str = "opened";
/// Why a revision is made that is more severe than the one before.
pub(crate) const SEVERITY_RAISED: &str = "severity_raised";

/// What a revision is judged by.
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
    /// The signature of what is known now.
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

    /// Why this differs from what the last revision said; empty when it does not.
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

/// Where and when in the log a revision is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The record whose folding made it, or the next one to be folded.
    pub position: Position,
    /// The time that is shown.
    pub at: Timestamp,
}

/// Makes the next revision of an incident, before anybody has looked at the policies.
pub(crate) fn revision(
    head: &IncidentHead,
    assessment: Assessment,
    reasons: Vec<String>,
    moment: Moment,
    rules_version: &str,
) -> Revision {
    let content = serde_json::to_vec(&assessment).unwrap_or_default();
    Revision {
        revision: head.analysis.revision,
        created_at: moment.at,
        reasons,
        content_hash: hex(&digest(&[&content])),
        position: moment.position,
        rules_version: rules_version.to_owned(),
        policies_version: 0,
        event_count: head.analysis.event_count,
        assessment,
        after_resolution: head.triage.resolved.is_some(),
    }
}
