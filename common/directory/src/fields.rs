//! What texts that people choose may look like.

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
pub(crate) fn check_text(field: &'static str, text: &str, max: usize) -> Result<(), DirectoryError> {
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
    check_direction(field, text)
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
    let length = title.chars().count();
    if length > MAX_TITLE {
        let reason = format!("expected a title of at most {MAX_TITLE} characters, found {length}");
        return Err(DirectoryError::invalid("yaml", reason));
    }
    check_direction("yaml", title)
}

/// Refuses bidirectional controls (Unicode property `Bidi_Control`): with them a name is displayed as another one.
fn check_direction(field: &'static str, text: &str) -> Result<(), DirectoryError> {
    let found = text.chars().find(|character| {
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    });
    found.map_or(Ok(()), |control| {
        let reason = format!("bidirectional controls are not allowed, found U+{:04X}", u32::from(control));
        Err(DirectoryError::invalid(field, reason))
    })
}
