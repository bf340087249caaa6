//! Choices of redact in a request.

use rest::error::ApiError;
use serde_json::Value;

use crate::errors;

/// Most phrases of `entities`, and their bytes together: more than one for each type and language.
const MAX_PHRASES: usize = 256;
const MAX_PHRASE_BYTES: usize = 16 * 1024;

/// The phrases of an array.
pub(super) fn entities(value: Value) -> Result<Vec<String>, ApiError> {
    let phrases: Vec<String> = serde_json::from_value(value).map_err(|_| errors::invalid_entities())?;
    if phrases.is_empty() {
        return Err(errors::invalid_entities());
    }
    let bytes: usize = phrases.iter().map(String::len).sum();
    if phrases.len() > MAX_PHRASES || bytes > MAX_PHRASE_BYTES {
        return Err(errors::too_many_entities(MAX_PHRASES, MAX_PHRASE_BYTES));
    }
    Ok(phrases)
}

/// The same, of a part of a form.
pub(super) fn entities_of_json(json: &str) -> Result<Vec<String>, ApiError> {
    serde_json::from_str(json).map_err(|_| errors::invalid_entities()).and_then(entities)
}

/// `true` or `false` of a part of a form.
pub(super) fn boolean(name: &str, word: &str) -> Result<bool, ApiError> {
    word.trim().parse().map_err(|_| errors::not_a_boolean(name))
}

/// Accepts the formats of replies.
pub(super) fn check_format(word: &str) -> Result<(), ApiError> {
    match word {
        "json" => Ok(()),
        "pdf" => Err(errors::no_pdf_output()),
        _ => Err(errors::unknown_format()),
    }
}
