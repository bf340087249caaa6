//! Severity and risk level of a finding.

common::words!(
    /// Severity or risk level of a finding, in ascending order. The base score of CVSS 3.1 gives the first (section 5 of its
    /// specification: low below 4.0, medium below 7.0, high below 9.0); facts about the target give the second.
    Level {
        /// No effect on security by itself.
        Informational = "informational",
        /// CVSS 0.1 to 3.9.
        Low = "low",
        /// CVSS 4.0 to 6.9.
        Medium = "medium",
        /// CVSS 7.0 to 8.9.
        High = "high",
        /// CVSS 9.0 to 10.0.
        Critical = "critical",
    }
);

impl Level {
    /// The level of a CVSS score from 0.0 to 10.0; a score outside of it counts as the nearest bound.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        match score {
            score if score >= 9.0 => Self::Critical,
            score if score >= 7.0 => Self::High,
            score if score >= 4.0 => Self::Medium,
            score if score > 0.0 => Self::Low,
            _ => Self::Informational,
        }
    }
}
