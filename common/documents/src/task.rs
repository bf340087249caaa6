//! Reading in the sandbox: bytes of a document or archive in, its content or an error in JSON out.

use std::time::Duration;

use sandbox::{Limits, OutOfSteps, Sandbox, SandboxError, SandboxTask, Steps};
use serde::Serialize;

use crate::archive::{ArchiveError, Bounds, Listing, Unpacked};
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

/// Unpacks an archive: the archive, one entry at each depth of archives within it, and the contents that are kept.
const ARCHIVE: SandboxTask = SandboxTask {
    name: "documents.unpack",
    limits: Limits {
        memory_bytes: 512 << 20,
        cpu_seconds: 10,
        steps: u64::MAX,
        wall: Duration::from_secs(30),
        assignment_bytes: MOST_ARCHIVE_BYTES,
        reply_bytes: 64 << 20,
    },
    run: unpack_archive,
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

/// Everything but the contents in JSON, behind its length in four bytes, then the contents.
fn unpack_archive(content: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    let unpacked = Unpacked::read(content, Bounds::default());
    let index = unpacked.as_ref().map(|Unpacked { listing, contents, left_out }| {
        let lengths: Vec<(u32, u32)> =
            contents.iter().map(|(entry, content)| (*entry, content.len() as u32)).collect();
        (listing, lengths, *left_out)
    });
    let index = in_json(&index);
    let mut reply = (index.len() as u32).to_le_bytes().to_vec();
    reply.extend(index);
    unpacked.iter().flat_map(|unpacked| &unpacked.contents).for_each(|(_, content)| reply.extend(content));
    Ok(reply)
}

/// The reply of [`unpack_archive`]; none if it has another form.
fn of_reply(reply: &[u8]) -> Option<Result<Unpacked, ArchiveError>> {
    type Index = (Listing, Vec<(u32, u32)>, u32);
    let (length, rest) = reply.split_first_chunk()?;
    let (index, mut rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let index: Result<Index, ArchiveError> = serde_json::from_slice(index).ok()?;
    let (listing, lengths, left_out) = match index {
        Ok(index) => index,
        Err(error) => return Some(Err(error)),
    };
    let mut contents = Vec::new();
    for (entry, length) in lengths {
        let (content, behind) = rest.split_at_checked(length as usize)?;
        contents.push((entry, content.to_vec()));
        rest = behind;
    }
    let unpacked = Unpacked { listing, contents, left_out };
    (rest.is_empty() && unpacked.is_within_bounds()).then_some(Ok(unpacked))
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

/// Unpacks an archive in a child process: its files, and the contents of those that may have text.
///
/// # Errors
///
/// [`ListError`].
pub async fn unpack(sandbox: &Sandbox, content: &[u8]) -> Result<Unpacked, ListError> {
    if content.len() > MOST_ARCHIVE_BYTES as usize {
        return Err(ArchiveError::TooLarge.into());
    }
    let reply = sandbox.run(&ARCHIVE, content).await.map_err(|error| {
        if error.is_unavailable() { ListError::Unavailable(error) } else { ListError::Unreadable }
    })?;
    Ok(of_reply(&reply).ok_or(ListError::Unreadable)??)
}
