//! What texts that people choose may look like.

use crate::error::DirectoryError;

/// Longest name of an organization, key or source, in characters.
pub(crate) const MAX_NAME: usize = 100;
/// Longest application group, in characters (specification, incident attributes).
pub(crate) const MAX_APPLICATION_GROUP: usize = 100;
/// Longest environment, in characters (specification, incident attributes).
pub(crate) const MAX_ENVIRONMENT: usize = 50;

/// Refuses a text that is blank, longer than `max` characters, or has control characters: they would
/// forge lines in logs and terminals.
pub(crate) fn check_text(field: &'static str, text: &str, max: usize) -> Result<(), DirectoryError> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > max {
        return Err(DirectoryError::invalid(
            field,
            format!("expected 1 to {max} characters that are not all blank, found {length}"),
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(DirectoryError::invalid(field, "control characters are not allowed"));
    }
    Ok(())
}
