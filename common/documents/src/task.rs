//! Reading in the sandbox: bytes of a PDF in, a document or an error in JSON out.

use std::time::Duration;

use sandbox::{Limits, OutOfSteps, Sandbox, SandboxError, SandboxTask, Steps};

use crate::document::Document;
use crate::error::{DocumentError, ReadError};
use crate::pdf;
use crate::recognize::{Format, recognize};

/// Bytes of a PDF at most.
pub const MOST_PDF_BYTES: u32 = 25 << 20;

/// Reads a PDF. Its text with places takes up to eight times its size in JSON.
const PDF: SandboxTask = SandboxTask {
    name: "documents.pdf",
    limits: Limits {
        memory_bytes: 512 << 20,
        cpu_seconds: 10,
        steps: u64::MAX,
        wall: Duration::from_secs(30),
        assignment_bytes: MOST_PDF_BYTES,
        reply_bytes: 64 << 20,
    },
    run: answer,
};

/// Tasks of this crate, to be handed to [`sandbox::enter_if_asked`].
#[must_use]
pub fn sandbox_tasks() -> Vec<SandboxTask> {
    vec![PDF]
}

fn answer(content: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    let read = pdf::parse(content);
    // Numbers are finite and keys are text: it has a form in JSON.
    Ok(serde_json::to_vec(&read).unwrap_or_default())
}

/// Reads a document in a child process.
///
/// # Errors
///
/// [`ReadError::Document`] if it has no readable text, [`ReadError::Unavailable`] if the sandbox cannot be used.
pub async fn read(sandbox: &Sandbox, content: &[u8]) -> Result<Document, ReadError> {
    if recognize(content) != Some(Format::Pdf) {
        return Err(DocumentError::Format.into());
    }
    let reply = sandbox.run(&PDF, content).await.map_err(failure)?;
    let read: Result<Document, DocumentError> =
        serde_json::from_slice(&reply).map_err(|_| DocumentError::Unreadable)?;
    let document = read?;
    if document.is_within_bounds() { Ok(document) } else { Err(DocumentError::Unreadable.into()) }
}

fn failure(error: SandboxError) -> ReadError {
    if error.is_unavailable() { ReadError::Unavailable(error) } else { DocumentError::Unreadable.into() }
}
