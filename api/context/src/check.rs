//! Checks and their outcomes.
//!
//! A check is described once, in [`crate::weights`]. An engine reports the outcome of each check of an origin exactly once, so that a
//! reader of a result sees what was looked at, what was found, and what could not be looked at.

use std::borrow::Cow;
use std::cmp::Reverse;

use common::words;
use serde::{Deserialize, Serialize};

use crate::artifact::{Dimension, Severity, ThreatType};

/// Threats of one check at most; further matches are counted in the last one.
pub(crate) const MAX_THREATS: usize = 4;

/// Description of a check.
#[derive(Debug, PartialEq, Eq)]
pub struct Spec {
    /// Name in replies.
    pub id: &'static str,
    /// Part of the score that it changes.
    pub dimension: Dimension,
    /// Points of the dimension: added if passed, for identity; else taken if failed. Of a check with a threat whose severity
    /// varies, the points follow the severity, and this is 0.
    pub points: i16,
    /// Threat that a failure is, with its severity.
    pub threat: Option<(ThreatType, Severity)>,
    /// Whether a result is never better than `caution` without it.
    pub is_required: bool,
    /// Purpose, in a sentence.
    pub about: &'static str,
}

words! {
    /// How a check ended.
    OutcomeWord {
        /// Nothing was found.
        Passed = "passed",
        /// Something was found.
        Failed = "failed",
        /// The check could not be made.
        NotPossible = "not_possible",
    }
}

/// A threat with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Threat {
    /// Type.
    #[serde(rename = "type")]
    pub kind: ThreatType,
    /// Severity.
    pub severity: Severity,
    /// Rule and location, without an excerpt of the content.
    pub detail: String,
    /// Excerpt of the content: at most 160 characters, redacted. Never stored.
    #[serde(skip)]
    pub excerpt: Option<String>,
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was found, or trust was earned.
    Passed {
        /// Points earned.
        points: i16,
        /// Evidence that a reader of the result sees: an entry of the operator's lists, digests of archives.
        evidence: Option<String>,
    },
    /// Something was found.
    Failed {
        /// Points taken, at least 0.
        points: i16,
        /// Threats, the most severe first.
        threats: Vec<Threat>,
        /// Statement of the reason.
        reason: String,
    },
    /// The check could not be made.
    NotPossible {
        /// Statement of the reason.
        reason: String,
    },
}

/// A check with its outcome.
#[derive(Clone, Debug)]
pub struct Check {
    /// The check.
    pub spec: &'static Spec,
    /// Its outcome.
    pub outcome: Outcome,
}

/// A check as it is stored and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// Name.
    pub id: Cow<'static, str>,
    /// Part of the score.
    pub dimension: Dimension,
    /// Outcome.
    pub outcome: OutcomeWord,
    /// Change of the dimension.
    pub points: i16,
    /// Type of the most severe threat.
    pub threat: Option<ThreatType>,
    /// Reason of a failure, of a check that was not possible, or of trust by a list of the operator; digests of the archives
    /// that were read.
    pub reason: Option<String>,
}

const fn spec(id: &'static str, dimension: Dimension, about: &'static str) -> Spec {
    Spec { id, dimension, points: 0, threat: None, is_required: false, about }
}

/// A check of content.
pub(crate) const fn content(id: &'static str, about: &'static str) -> Spec {
    spec(id, Dimension::Content, about)
}

/// A check of behavior.
pub(crate) const fn behavior(id: &'static str, about: &'static str) -> Spec {
    spec(id, Dimension::Behavior, about)
}

/// A check of identity.
pub(crate) const fn identity(id: &'static str, about: &'static str) -> Spec {
    spec(id, Dimension::Identity, about)
}

impl Spec {
    /// Its failure is a threat.
    pub(crate) const fn threat(self, kind: ThreatType, severity: Severity) -> Self {
        Self { threat: Some((kind, severity)), ..self }
    }

    /// Points of its own.
    pub(crate) const fn worth(self, points: i16) -> Self {
        Self { points, ..self }
    }

    /// Without it a result is never better than `caution`.
    pub(crate) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }
}

impl Spec {
    /// The check passed.
    pub(crate) fn passed(&'static self) -> Check {
        let points = if self.dimension == Dimension::Identity && self.points > 0 { self.points } else { 0 };
        Check { spec: self, outcome: Outcome::Passed { points, evidence: None } }
    }

    /// The check passed, with evidence that a reader of the result sees.
    pub(crate) fn passed_by(&'static self, evidence: String) -> Check {
        Check {
            spec: self,
            outcome: Outcome::Passed { points: self.points.max(0), evidence: Some(evidence) },
        }
    }

    /// Nothing was found, and no trust was earned.
    pub(crate) fn neutral(&'static self) -> Check {
        Check { spec: self, outcome: Outcome::Passed { points: 0, evidence: None } }
    }

    /// The check failed, for a reason that is no threat or the one that the check describes.
    pub(crate) fn failed(&'static self, reason: impl Into<String>) -> Check {
        let reason = reason.into();
        let threats = self
            .threat
            .map(|(kind, severity)| vec![Threat { kind, severity, detail: reason.clone(), excerpt: None }]);
        self.failed_with(threats.unwrap_or_default(), reason)
    }

    /// The check failed, with other points than those that it earns.
    pub(crate) fn lost(&'static self, points: i16, reason: impl Into<String>) -> Check {
        Check { spec: self, outcome: Outcome::Failed { points, threats: Vec::new(), reason: reason.into() } }
    }

    /// The check failed with these threats.
    pub(crate) fn failed_with(&'static self, mut threats: Vec<Threat>, reason: impl Into<String>) -> Check {
        threats.sort_by_key(|threat| Reverse(threat.severity));
        let further = threats.len().saturating_sub(MAX_THREATS);
        threats.truncate(MAX_THREATS);
        if let Some(last) = threats.last_mut().filter(|_| further > 0) {
            last.detail.push_str(&format!(" (and {further} further)"));
        }
        let by_severity = threats.first().map_or(0, |threat| crate::weights::points_of(threat.severity));
        let points = if self.points < 0 { -self.points } else { by_severity };
        Check { spec: self, outcome: Outcome::Failed { points, threats, reason: reason.into() } }
    }

    /// The check could not be made.
    pub(crate) fn not_possible(&'static self, reason: impl Into<String>) -> Check {
        Check { spec: self, outcome: Outcome::NotPossible { reason: reason.into() } }
    }
}

impl Check {
    /// Its threats.
    #[must_use]
    pub fn threats(&self) -> &[Threat] {
        match &self.outcome {
            Outcome::Failed { threats, .. } => threats,
            Outcome::Passed { .. } | Outcome::NotPossible { .. } => &[],
        }
    }

    /// Change of its dimension.
    #[must_use]
    pub(crate) fn points(&self) -> i16 {
        match &self.outcome {
            Outcome::Passed { points, .. } => *points,
            Outcome::Failed { points, .. } => -points,
            Outcome::NotPossible { .. } => 0,
        }
    }

    /// As it is stored and shown.
    #[must_use]
    pub(crate) fn record(&self) -> CheckRecord {
        let (outcome, reason) = match &self.outcome {
            Outcome::Passed { evidence, .. } => (OutcomeWord::Passed, evidence.clone()),
            Outcome::Failed { reason, .. } => (OutcomeWord::Failed, Some(reason.clone())),
            Outcome::NotPossible { reason } => (OutcomeWord::NotPossible, Some(reason.clone())),
        };
        CheckRecord {
            id: Cow::Borrowed(self.spec.id),
            dimension: self.spec.dimension,
            outcome,
            points: self.points(),
            threat: self.threats().first().map(|threat| threat.kind),
            reason,
        }
    }
}
