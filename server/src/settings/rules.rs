//! Settings of detection: sources of rules, and the operator's choices in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use process::settings::{OutOfBounds, within};
use serde::{Deserialize, Serialize};

/// Settings of detection.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RuleSettings {
    /// Whether the built-in rules are used. Default true.
    pub built_in: bool,
    /// Directories with Sigma rules of the operator (`*.yml`, `*.yaml`, read recursively). Default none.
    pub directories: Vec<PathBuf>,
    /// Environments of sources, by exact name, in which the severity of incidents is one step lower. Default none: the
    /// operator decides whether attacks on test systems matter less.
    pub milder_environments: BTreeSet<String>,
    /// Handling of rules that cannot be used. Default `stop`.
    pub refused: Refused,
    /// Placeholders: values of `%name%` in rules with the modifier `expand`, each a list, in which wildcards apply.
    /// Names are case-sensitive. At most 1,000 names and 1 MiB of text. Default none: rules with an undefined
    /// placeholder cannot be used.
    pub placeholders: BTreeMap<String, Vec<String>>,
}

/// Handling of rules that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Refused {
    /// The server does not start, so that rules are never left out silently.
    #[default]
    Stop,
    /// The server starts without them; each is logged, and their number is a metric.
    LeaveOut,
}

/// Most placeholders, and most bytes of their names and values: all rules together are 6 MB.
const MAX_PLACEHOLDERS: usize = 1_000;
const MAX_PLACEHOLDER_BYTES: usize = 1024 * 1024;

impl Default for RuleSettings {
    fn default() -> Self {
        Self {
            built_in: true,
            directories: Vec::new(),
            refused: Refused::default(),
            placeholders: BTreeMap::new(),
            milder_environments: BTreeSet::new(),
        }
    }
}

impl RuleSettings {
    /// Whether placeholders are within their bounds.
    pub(super) fn check(&self) -> Result<(), OutOfBounds> {
        within("rules.placeholders (names)", &self.placeholders.len(), &(0..=MAX_PLACEHOLDERS))?;
        let values = self.placeholders.values().flatten();
        let bytes = self.placeholders.keys().chain(values).map(String::len).sum();
        within("rules.placeholders (bytes)", &bytes, &(0..=MAX_PLACEHOLDER_BYTES))
    }

    /// The placeholders in the form of the compiler.
    pub(crate) fn placeholders(&self) -> sigma::Placeholders {
        let mut placeholders = sigma::Placeholders::default();
        for (name, values) in &self.placeholders {
            placeholders.define(name, values);
        }
        placeholders
    }
}
