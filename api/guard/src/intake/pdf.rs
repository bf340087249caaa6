//! PDF files as they are submitted. Their content is read elsewhere, in the sandbox.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use documents::{Format, recognize};
use rest::error::ApiError;

use crate::errors;

/// Largest PDF.
pub(crate) const MAX_PDF_BYTES: usize = 25 * 1024 * 1024;

/// The bytes of a PDF in a data URI (RFC 2397) of the form `data:application/pdf;base64,…`.
pub(super) fn from_data_uri(uri: &str) -> Result<Vec<u8>, ApiError> {
    let (head, data) = uri.split_once(',').ok_or_else(errors::not_a_pdf)?;
    let head = head.to_ascii_lowercase();
    let mut parts = head.split(';').map(str::trim);
    let is_pdf = parts.next() == Some("data:application/pdf") && parts.next_back() == Some("base64");
    if !is_pdf {
        return Err(errors::not_a_pdf());
    }
    if data.len() / 4 * 3 > MAX_PDF_BYTES + 2 {
        return Err(ApiError::BodyTooLarge { most: MAX_PDF_BYTES });
    }
    let bytes = STANDARD.decode(data.trim()).map_err(|_| errors::not_a_pdf())?;
    checked(bytes)
}

/// Bytes that are a PDF by their content, whatever a client calls them.
pub(crate) fn checked(bytes: Vec<u8>) -> Result<Vec<u8>, ApiError> {
    if bytes.len() > MAX_PDF_BYTES {
        return Err(ApiError::BodyTooLarge { most: MAX_PDF_BYTES });
    }
    if recognize(&bytes) == Some(Format::Pdf) { Ok(bytes) } else { Err(errors::not_a_pdf()) }
}
