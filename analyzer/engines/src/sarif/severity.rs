//! Severity of a result.

use super::document::Properties;
use crate::Level;

/// The level of a result (section 3.27.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatedLevel {
    Error,
    Warning,
    Note,
    None,
}

impl StatedLevel {
    /// The level named by the word of the standard.
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "error" => Some(Self::Error),
            "warning" => Some(Self::Warning),
            "note" => Some(Self::Note),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// The severity of a result without a CVSS score. The standard does not relate its levels to severities: this mapping is
    /// ours, and leaves `critical` to scores, because tools write `error` for everything that they are sure of.
    pub(super) fn severity(self) -> Level {
        match self {
            Self::Error => Level::High,
            Self::Warning => Level::Medium,
            Self::Note => Level::Low,
            Self::None => Level::Informational,
        }
    }
}

/// The severity of `security-severity`, a CVSS score as text or number (a convention of GitHub code scanning).
pub(super) fn of_properties(properties: &Properties) -> Option<Level> {
    let score: f64 = properties.security_severity.0.first()?.trim().parse().ok()?;
    score.is_finite().then(|| Level::of_score(score))
}

#[cfg(test)]
mod tests {
    use super::{StatedLevel, of_properties};
    use crate::Level;

    #[test]
    fn a_level_has_a_severity() {
        let severity = |word: &str| StatedLevel::parse(word).map(StatedLevel::severity);
        assert_eq!(severity("error"), Some(Level::High));
        assert_eq!(severity("warning"), Some(Level::Medium));
        assert_eq!(severity("note"), Some(Level::Low));
        assert_eq!(severity("none"), Some(Level::Informational));
        assert_eq!(severity("Error"), None);
    }

    #[test]
    fn a_score_is_text_or_number() {
        let level = |json: &str| {
            of_properties(&serde_json::from_str(&format!("{{\"security-severity\": {json}}}")).unwrap())
        };
        assert_eq!(level("\"9.8\""), Some(Level::Critical));
        assert_eq!(level("7"), Some(Level::High));
        assert_eq!(level("\" 4.0 \""), Some(Level::Medium));
        assert_eq!(level("0.0"), Some(Level::Informational));
        for none in ["null", "\"high\"", "\"NaN\"", "[]", "{}"] {
            assert_eq!(level(none), None, "{none}");
        }
    }
}
