//! Messages of the family (contracts: guard, redact, verify), in one place, since clients compare them.

use ::conceal::ConcealError;
use documents::{DocumentError, ReadError, WriteError};
use guard::GuardError;
use rest::error::{ApiError, Failure};
use verify::VerifyError;

/// Path of guard below `{app_url}`.
pub(crate) const GUARD: &str = "/api/guard";

/// Path of redact below `{app_url}`.
pub(crate) const REDACT: &str = "/api/redact";

/// Path of verify below `{app_url}`.
pub(crate) const VERIFY: &str = "/api/verify";

/// Messages of failures of the service.
pub(crate) const FAILURES: &[Failure] = &[
    Failure { path: GUARD, message: "Failed to analyze prompt" },
    Failure { path: REDACT, message: "Failed to redact text" },
    Failure { path: VERIFY, message: "Failed to verify text" },
];

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

/// 400: a property is neither true nor false.
pub(crate) fn not_a_boolean(property: &str) -> ApiError {
    ApiError::Invalid(format!("{property} must be true or false").into())
}

/// 400: the types to remove are not a list of phrases.
pub(crate) fn invalid_entities() -> ApiError {
    ApiError::Invalid("entities must be a non-empty array of strings".into())
}

/// 400: more phrases than one request may have.
pub(crate) fn too_many_entities(phrases: usize, bytes: usize) -> ApiError {
    ApiError::Invalid(
        format!("entities must have at most {phrases} strings of {bytes} bytes together").into(),
    )
}

/// 400: the format of the reply is unknown.
pub(crate) fn unknown_format() -> ApiError {
    ApiError::Invalid("format must be json or pdf".into())
}

/// 400: the text to verify is missing, empty or not a string.
pub(crate) fn text_required() -> ApiError {
    ApiError::Invalid("text is required and must be a string".into())
}

/// 400: the sources are missing, empty or not an array.
pub(crate) fn sources_required() -> ApiError {
    ApiError::Invalid("sources is required and must be a non-empty array".into())
}

/// 400: a source has no text.
pub(crate) fn content_required() -> ApiError {
    ApiError::Invalid("Each source must have a 'content' field (string)".into())
}

/// 400: more sources than one request may have.
pub(crate) fn too_many_sources() -> ApiError {
    ApiError::Invalid(format!("sources must have at most {} elements", verify::MAX_SOURCES).into())
}

/// 400: a property is longer than replies can repeat for each claim.
pub(crate) fn too_long(property: &str, most: usize) -> ApiError {
    ApiError::Invalid(format!("{property} must have at most {most} bytes").into())
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

/// The inputs of a request are longer than one redaction may read.
pub(crate) fn of_conceal(error: ConcealError) -> ApiError {
    match error {
        ConcealError::TooLarge { most, .. } => ApiError::BodyTooLarge { most },
    }
}

/// A text that is not written as PDF.
pub(crate) fn of_writing(error: WriteError) -> ApiError {
    match error {
        WriteError::UnsupportedScript => {
            ApiError::Invalid("file cannot be written as PDF: unsupported script".into())
        }
        WriteError::TooLong => ApiError::BodyTooLarge { most: documents::MOST_WRITTEN_BYTES },
        WriteError::Font => ApiError::internal(error),
    }
}

/// The text and the sources of a request are longer than one check may read.
pub(crate) fn of_verify(error: VerifyError) -> ApiError {
    match error {
        VerifyError::Bytes => ApiError::BodyTooLarge { most: verify::MAX_BYTES },
        VerifyError::Sources => too_many_sources(),
        VerifyError::Model(_) => ApiError::internal(error),
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
