//! Choices of redact in a request.

use rest::error::ApiError;

use super::shape::Shape;
use crate::engines::Output;
use crate::errors;

/// Most phrases of `entities`: those that one search reads, which is more than one for each type.
const MAX_PHRASES: usize = redact::identifiers::phrases::MOST_PHRASES;
/// Most bytes of all phrases: enough for lists of values in several of them.
const MAX_PHRASE_BYTES: usize = 16 * 1024;

/// The phrases of an array.
pub(super) fn entities(value: Shape) -> Result<Vec<String>, ApiError> {
    let Shape::List(elements) = value else { return Err(errors::invalid_entities()) };
    let text = |element| match element {
        Shape::Text(text) => Ok(text),
        _ => Err(errors::invalid_entities()),
    };
    let phrases = elements.into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
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

/// The format of the reply.
pub(super) fn format(word: &str) -> Result<Output, ApiError> {
    match word {
        "json" => Ok(Output::Json),
        "pdf" => Ok(Output::Pdf),
        _ => Err(errors::unknown_format()),
    }
}
