//! Intake of a request: its body, in JSON or as a form, becomes texts to judge. Nothing is stored or logged.

mod choices;
mod form;
mod json;
mod pdf;
mod shape;
mod sources;

#[cfg(feature = "unserved")]
pub(crate) use form::read_whole;
pub(crate) use pdf::{MAX_PDF_BYTES, checked as checked_pdf};
pub(crate) use sources::{MAX_SOURCES_BODY, Named, Statement};

use std::time::Duration;

use axum::extract::Request;
use bytes::Bytes;
use common::ids::OrganizationId;
use rest::body::{self, Bounds};
use rest::error::ApiError;

use crate::engines::Output;
use crate::errors;
use crate::room::{Held, Room};

/// Largest text and largest system prompt.
pub(crate) const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// Largest body: the largest PDF in base64, a text and a system prompt.
pub(crate) const MAX_BODY_BYTES: usize = 36 * 1024 * 1024;
/// Time limit for the arrival of a body: the largest one at 5 Mbit/s.
const ARRIVAL: Duration = Duration::from_secs(60);
/// Longest URL of a PDF (contracts: PDF by URL).
const MAX_URL_BYTES: usize = 2048;

/// Properties of a request, whichever way they came.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    pub(crate) text: Option<String>,
    /// Bytes of a PDF.
    pub(crate) file: Option<Vec<u8>>,
    pub(crate) url: Option<String>,
    /// Only of guard.
    pub(crate) system_prompt: Option<String>,
    /// Only of redact, like the following.
    pub(crate) entities: Option<Vec<String>>,
    pub(crate) rewrite: bool,
    pub(crate) output: Output,
}

/// Analysis that a request asks for. Properties of the other are ignored like unknown ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Analysis {
    Guard,
    Redact,
}

/// A request that was read, and the memory of its body.
pub(crate) struct Intake {
    pub(crate) properties: Properties,
    pub(crate) held: Held,
}

/// Reads a request.
pub(crate) async fn read(
    room: &Room,
    organization: OrganizationId,
    request: Request,
    analysis: Analysis,
) -> Result<Intake, ApiError> {
    check_size(&request, MAX_BODY_BYTES)?;
    let form = form::boundary(request.headers());
    match form {
        Some(_) => body::check_coding(request.headers())?,
        None => body::check_json(request.headers())?,
    }
    let (raw, held) = receive(room, organization, request, MAX_BODY_BYTES).await?;
    let properties = match form {
        Some(boundary) => form::read(raw, &boundary, analysis).await?,
        None => json::read(&raw, analysis)?,
    };
    Ok(Intake { properties: properties.checked()?, held })
}

/// Reads a text with its sources, in JSON only.
pub(crate) async fn statement(
    room: &Room,
    organization: OrganizationId,
    request: Request,
) -> Result<Statement, ApiError> {
    check_size(&request, MAX_SOURCES_BODY)?;
    body::check_json(request.headers())?;
    let (raw, _held) = receive(room, organization, request, MAX_SOURCES_BODY).await?;
    sources::read(&raw)
}

/// Refuses a body that is announced as too large, whatever its type: 413 comes before 415.
fn check_size(request: &Request, bytes: usize) -> Result<(), ApiError> {
    body::largest(request.headers(), bounds(bytes)).map(|_| ())
}

fn bounds(bytes: usize) -> Bounds {
    Bounds { bytes, arrival: ARRIVAL }
}

/// Receives a body of at most so many bytes, within the memory of the organization.
async fn receive(
    room: &Room,
    organization: OrganizationId,
    request: Request,
    bytes: usize,
) -> Result<(Bytes, Held), ApiError> {
    let bounds = bounds(bytes);
    let held = room.body(organization, body::largest(request.headers(), bounds)?).await?;
    Ok((body::receive(request, bounds).await?, held))
}

impl Properties {
    /// Refuses properties that are too large, and a request without input.
    fn checked(self) -> Result<Self, ApiError> {
        for text in [&self.text, &self.system_prompt].into_iter().flatten() {
            if text.len() > MAX_TEXT_BYTES {
                return Err(ApiError::BodyTooLarge { most: MAX_TEXT_BYTES });
            }
        }
        if self.url.as_ref().is_some_and(|url| url.len() > MAX_URL_BYTES) {
            return Err(errors::unreadable_url(format_args!(
                "expected at most {MAX_URL_BYTES} bytes, found more"
            )));
        }
        let has_text = self.text.as_ref().is_some_and(|text| !text.trim().is_empty());
        if has_text || self.file.is_some() || self.url.is_some() {
            return Ok(self);
        }
        Err(errors::invalid_text())
    }
}
