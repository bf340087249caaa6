//! Messages of the family (contracts: guard, redact, verify), in one place, since clients compare them.

use documents::{DocumentError, ReadError};
use guard::GuardError;
use rest::error::{ApiError, Failure};

/// Path of guard below `{app_url}`.
pub(crate) const GUARD: &str = "/api/guard";

/// Messages of failures of the service.
pub(crate) const FAILURES: &[Failure] = &[Failure { path: GUARD, message: "Failed to analyze prompt" }];

/// 400: neither a text nor a PDF is given, or the text is not a string.
pub(crate) fn invalid_text() -> ApiError {
    ApiError::Invalid("Invalid text provided".into())
}

/// 400: a file is not a PDF by its content, or not a data URI.
pub(crate) fn not_a_pdf() -> ApiError {
    ApiError::Invalid("file must be a PDF file (application/pdf)".into())
}

/// 400: a PDF is encrypted, damaged or empty.
pub(crate) fn no_readable_text() -> ApiError {
    ApiError::Invalid("file contains no readable text".into())
}

/// 400: a PDF could not be fetched.
pub(crate) fn unreadable_url(reason: impl std::fmt::Display) -> ApiError {
    ApiError::Invalid(format!("url could not be read: {reason}").into())
}

/// 400: a property has another type.
pub(crate) fn not_a_string(property: &str) -> ApiError {
    ApiError::Invalid(format!("{property} must be a string").into())
}

/// 400: a multipart body is malformed.
pub(crate) fn malformed_form(reason: impl std::fmt::Display) -> ApiError {
    ApiError::Invalid(format!("the multipart body: {reason}").into())
}

/// The inputs of a request are longer than one analysis may read.
pub(crate) fn of_guard(error: GuardError) -> ApiError {
    match error {
        GuardError::Budget { budget, .. } => ApiError::BodyTooLarge { most: budget },
        GuardError::Lexicon | GuardError::Model(_) => ApiError::internal(error),
    }
}

/// A PDF that was not read.
pub(crate) fn of_document(error: ReadError) -> ApiError {
    match error {
        ReadError::Document(DocumentError::Format) => not_a_pdf(),
        ReadError::Document(DocumentError::TooMuchText | DocumentError::TooManyPages) => {
            ApiError::BodyTooLarge { most: documents::MOST_TEXT_BYTES }
        }
        ReadError::Document(_) => no_readable_text(),
        ReadError::Unavailable(_) => ApiError::unavailable(error),
    }
}
