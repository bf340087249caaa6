//! Settings of findings, with defaults and units.

use serde::{Deserialize, Serialize};

/// Settings of findings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Credits of an automated triage that has a result. Default 1.
    pub triage_price: u64,
    /// The read index behind lists.
    pub index: index::Settings,
}

impl Default for Config {
    fn default() -> Self {
        Self { triage_price: 1, index: index::Settings::default() }
    }
}
