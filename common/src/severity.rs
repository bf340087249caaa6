//! Severities.

use crate::words;

words!(
    /// Severity of an incident (specification, Infrastructure incident). `Unknown` ranks below `Low`.
    #[derive(Default)]
    Severity {
        /// The qualifying rule states no level.
        #[default]
        Unknown = "unknown",
        /// Worth knowing.
        Low = "low",
        /// Worth a look today.
        Medium = "medium",
        /// Worth a look now.
        High = "high",
        /// Drop everything.
        Critical = "critical",
    }
);

impl Severity {
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
