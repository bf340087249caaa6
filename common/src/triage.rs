//! What a person has said about an incident.

use serde::{Deserialize, Serialize};

/// Where the review of an incident or finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriageStatus {
    /// Nobody has looked yet.
    New,
    /// Automated triage is running. Findings only; never an incident's state.
    Triaging,
    /// Looked at, nothing decided.
    Triaged,
    /// Somebody works on it.
    InProgress,
    /// Closed, with a resolution.
    Resolved,
}

impl TriageStatus {
    /// Every status, in the order of a review.
    pub const ALL: [Self; 5] = [Self::New, Self::Triaging, Self::Triaged, Self::InProgress, Self::Resolved];

    /// The word the API uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Triaging => "triaging",
            Self::Triaged => "triaged",
            Self::InProgress => "in_progress",
            Self::Resolved => "resolved",
        }
    }

    /// The status named by the API's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// How a review ended. Present exactly when the status is [`TriageStatus::Resolved`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriageResolution {
    /// The cause is gone.
    Fixed,
    /// Known, and lived with.
    AcceptedRisk,
    /// Nothing of the kind happened.
    FalsePositive,
    /// Another one tells the same story.
    Duplicate,
    /// True, and nothing will be done.
    WontFix,
}

impl TriageResolution {
    /// Every resolution.
    pub const ALL: [Self; 5] =
        [Self::Fixed, Self::AcceptedRisk, Self::FalsePositive, Self::Duplicate, Self::WontFix];

    /// The word the API uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::AcceptedRisk => "accepted_risk",
            Self::FalsePositive => "false_positive",
            Self::Duplicate => "duplicate",
            Self::WontFix => "wont_fix",
        }
    }

    /// The resolution named by the API's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resolution| resolution.as_str() == word)
    }
}
