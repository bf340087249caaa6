//! Interface to field names: the field name in a rule, and the names in events. The tables belong to normalization.

use crate::rule::RuleLogSource;

/// Gives the names events use for a field of a rule.
pub trait FieldMapping: Send + Sync {
    /// Canonical event field names for a Sigma field of a log source; the first that is present counts. Empty means that events
    /// use the name itself. Must depend on its arguments only: it is called when rules are compiled, not when they are matched.
    fn canonical(&self, log_source: &RuleLogSource, field: &str) -> Vec<String>;
}

/// Events that use the field names of the rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeFields;

impl FieldMapping for NativeFields {
    fn canonical(&self, _log_source: &RuleLogSource, _field: &str) -> Vec<String> {
        Vec::new()
    }
}

/// The event fields to read, first present first. Sigma writes field names without the spaces some products have in theirs, so
/// that a name with spaces is tried in both ways.
pub(crate) fn candidates(mapping: &dyn FieldMapping, log_source: &RuleLogSource, field: &str) -> Vec<String> {
    let bare: String = field.chars().filter(|c| *c != ' ').collect();
    let mut names = mapping.canonical(log_source, &bare);
    if names.is_empty() {
        names.push(bare);
        if !names.iter().any(|name| name == field) {
            names.push(field.to_owned());
        }
    }
    names
}
