//! How bad something is.

use serde::{Deserialize, Serialize};

/// Severity of an incident (specification, Infrastructure incident). `Unknown` ranks below `Low`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The qualifying rule states no level.
    #[default]
    Unknown,
    /// Worth knowing.
    Low,
    /// Worth a look today.
    Medium,
    /// Worth a look now.
    High,
    /// Drop everything.
    Critical,
}

impl Severity {
    /// Every severity, mildest first.
    pub const ALL: [Self; 5] = [Self::Unknown, Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word the API uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// The severity named by the API's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == word)
    }

    /// One step worse; `Critical` and `Unknown` stay what they are.
    #[must_use]
    pub fn raised(self) -> Self {
        match self {
            Self::Low => Self::Medium,
            Self::Medium => Self::High,
            Self::High | Self::Critical => Self::Critical,
            Self::Unknown => Self::Unknown,
        }
    }

    /// One step milder; `Low` and `Unknown` stay what they are.
    #[must_use]
    pub fn lowered(self) -> Self {
        match self {
            Self::Critical => Self::High,
            Self::High => Self::Medium,
            Self::Medium | Self::Low => Self::Low,
            Self::Unknown => Self::Unknown,
        }
    }
}
