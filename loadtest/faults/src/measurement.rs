//! The report of a mode that measures.

use std::fmt;

use serde_json::Value;

use loadtest::run::Finished;

/// A completed measurement.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) figures: Value,
    /// Whether nothing was missing at the deadline.
    pub(crate) is_complete: bool,
    /// Text of the violations; empty without any.
    pub(crate) violations: String,
}

impl Finished for Measurement {
    fn is_clean(&self) -> bool {
        self.is_complete && self.violations.is_empty()
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}\n{}", self.figures, self.violations)
    }
}
