//! Reading in the sandbox: bytes of a document or archive in, its content or an error in JSON out.

use std::time::Duration;

use sandbox::{Limits, OutOfSteps, Sandbox, SandboxError, SandboxTask, Steps};
use serde::Serialize;

use crate::archive::{ArchiveError, Bounds, Listing};
use crate::document::Document;
use crate::error::{DocumentError, ListError, ReadError};
use crate::recognize::{Format, recognize};
use crate::{office, pdf};

/// Bytes of a document at most.
pub const MOST_DOCUMENT_BYTES: u32 = 25 << 20;
/// Bytes of an archive at most.
const MOST_ARCHIVE_BYTES: u32 = 64 << 20;

/// Reads a document. Its text with places takes up to eight times its size in JSON.
const DOCUMENT: SandboxTask = SandboxTask {
    name: "documents.read",
    limits: Limits {
        memory_bytes: 512 << 20,
        cpu_seconds: 10,
        steps: u64::MAX,
        wall: Duration::from_secs(30),
        assignment_bytes: MOST_DOCUMENT_BYTES,
        reply_bytes: 64 << 20,
    },
    run: read_document,
};

/// Lists an archive: the archive, and one entry at each depth of archives within it.
const ARCHIVE: SandboxTask = SandboxTask {
    name: "documents.list",
    limits: Limits {
        memory_bytes: 512 << 20,
        cpu_seconds: 10,
        steps: u64::MAX,
        wall: Duration::from_secs(30),
        assignment_bytes: MOST_ARCHIVE_BYTES,
        reply_bytes: 32 << 20,
    },
    run: list_archive,
};

/// Tasks of this crate, to be handed to [`sandbox::enter_if_asked`].
#[must_use]
pub fn sandbox_tasks() -> Vec<SandboxTask> {
    vec![DOCUMENT, ARCHIVE]
}

fn read_document(content: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    let read = match recognize(content) {
        Some(Format::Pdf) => pdf::parse(content),
        Some(format @ (Format::Word | Format::Sheet | Format::Slides)) => office::parse(content, format),
        _ => Err(DocumentError::Format),
    };
    Ok(in_json(&read))
}

fn list_archive(content: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    Ok(in_json(&Listing::read(content, Bounds::default())))
}

/// Numbers are finite and keys are text: every reply has a form in JSON.
fn in_json(reply: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(reply).unwrap_or_default()
}

/// Reads the text of a PDF or an Office document in a child process.
///
/// # Errors
///
/// [`ReadError::Document`] if it has no readable text, [`ReadError::Unavailable`] if the sandbox cannot be used.
pub async fn read(sandbox: &Sandbox, content: &[u8]) -> Result<Document, ReadError> {
    let document = inspect(sandbox, content).await?;
    if document.has_text() { Ok(document) } else { Err(DocumentError::NoText.into()) }
}

/// Reads a document as [`read`], and accepts one without text: its active content may matter.
///
/// # Errors
///
/// As [`read`], without `NoText`.
pub async fn inspect(sandbox: &Sandbox, content: &[u8]) -> Result<Document, ReadError> {
    let is_read =
        matches!(recognize(content), Some(Format::Pdf | Format::Word | Format::Sheet | Format::Slides));
    if !is_read {
        return Err(DocumentError::Format.into());
    }
    let reply = sandbox.run(&DOCUMENT, content).await.map_err(failure)?;
    let read: Result<Document, DocumentError> =
        serde_json::from_slice(&reply).map_err(|_| DocumentError::Unreadable)?;
    let document = read?;
    if document.is_within_bounds() { Ok(document) } else { Err(DocumentError::Unreadable.into()) }
}

fn failure(error: SandboxError) -> ReadError {
    if error.is_unavailable() { ReadError::Unavailable(error) } else { DocumentError::Unreadable.into() }
}

/// Lists an archive in a child process.
///
/// # Errors
///
/// [`ListError`].
pub async fn list(sandbox: &Sandbox, content: &[u8]) -> Result<Listing, ListError> {
    if content.len() > MOST_ARCHIVE_BYTES as usize {
        return Err(ArchiveError::TooLarge.into());
    }
    let reply = sandbox.run(&ARCHIVE, content).await.map_err(|error| {
        if error.is_unavailable() { ListError::Unavailable(error) } else { ListError::Unreadable }
    })?;
    let listing: Result<Listing, ArchiveError> =
        serde_json::from_slice(&reply).map_err(|_| ListError::Unreadable)?;
    let listing = listing?;
    if listing.is_within_bounds() { Ok(listing) } else { Err(ListError::Unreadable) }
}
