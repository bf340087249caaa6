//! Validation of texts that users choose.

use crate::error::DirectoryError;

/// Longest name of an organization, key or source, in characters.
pub(crate) const MAX_NAME: usize = 100;
/// Longest application group, in characters (specification, incident attributes).
pub(crate) const MAX_APPLICATION_GROUP: usize = 100;
/// Longest environment, in characters (specification, incident attributes).
pub(crate) const MAX_ENVIRONMENT: usize = 50;
/// Longest title of a rule or suppression, in characters (Sigma specification, title).
const MAX_TITLE: usize = 256;

/// Refuses a text that is blank, longer than `max` characters, or has characters that change how the text around it is
/// displayed.
///
/// # Errors
/// [`DirectoryError::Invalid`], which names the field.
pub fn check_text(field: &'static str, text: &str, max: usize) -> Result<(), DirectoryError> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > max {
        return Err(DirectoryError::invalid(
            field,
            format!("expected 1 to {max} characters that are not all blank, found {length}"),
        ));
    }
    // They would forge lines in logs and terminals.
    if text.chars().any(char::is_control) {
        return Err(DirectoryError::invalid(field, "control characters are not allowed"));
    }
    direction_fault(text).map_or(Ok(()), |reason| Err(DirectoryError::invalid(field, reason)))
}

/// Refuses a text like [`check_text`], unless it was stored before: a rule that is newer than the row must not stand in the
/// way of other changes, such as disabling it.
pub(crate) fn check_new_text(
    field: &'static str,
    text: &str,
    before: Option<&str>,
    max: usize,
) -> Result<(), DirectoryError> {
    if before == Some(text) { Ok(()) } else { check_text(field, text, max) }
}

/// Refuses the title of a rule or suppression that is too long or has characters that change the direction of text,
/// unless it was stored before.
pub(crate) fn check_title(title: &str, before: Option<&str>) -> Result<(), DirectoryError> {
    if before == Some(title) {
        return Ok(());
    }
    title_fault(title).map_or(Ok(()), |reason| Err(DirectoryError::invalid("yaml", reason)))
}

/// Fault of the title of a Sigma document: it is longer than 256 characters, or has one of the characters of
/// [`direction_fault`].
#[must_use]
pub fn title_fault(title: &str) -> Option<String> {
    let length = title.chars().count();
    if length > MAX_TITLE {
        return Some(format!("expected a title of at most {MAX_TITLE} characters, found {length}"));
    }
    direction_fault(title)
}

/// The bidirectional control (Unicode property `Bidi_Control`) in a text, if there is one: with it a name is displayed as
/// another one.
#[must_use]
pub fn direction_fault(text: &str) -> Option<String> {
    let found = text.chars().find(|character| {
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    });
    found.map(|control| format!("bidirectional controls are not allowed, found U+{:04X}", u32::from(control)))
}
