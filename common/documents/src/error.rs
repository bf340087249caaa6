//! Failures of reading.

use sandbox::SandboxError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::archive::ArchiveError;

/// Reason why a document has no readable text. It is reported to users, and never treated as an empty document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentError {
    /// Its content is of a format that is not read.
    #[error("is of an unsupported format")]
    Format,
    /// It needs a password.
    #[error("is encrypted")]
    Encrypted,
    /// Its structure cannot be read.
    #[error("is broken")]
    Broken,
    /// It contains no text, where text is required: only images, shapes or glyphs without characters.
    #[error("contains no text")]
    NoText,
    /// More than [`MOST_PAGES`](crate::MOST_PAGES).
    #[error("has too many pages")]
    TooManyPages,
    /// More than [`MOST_TEXT_BYTES`](crate::MOST_TEXT_BYTES).
    #[error("has too much text")]
    TooMuchText,
    /// Reading it exceeds a limit of the sandbox, or crashes.
    #[error("cannot be read within the limits")]
    Unreadable,
}

/// Failure of [`read`](crate::read).
#[derive(Debug, Error)]
pub enum ReadError {
    /// The document is at fault.
    #[error("the document {0}")]
    Document(#[from] DocumentError),
    /// The sandbox is not available. The document was not parsed; another attempt may succeed.
    #[error("the document cannot be read now")]
    Unavailable(#[source] SandboxError),
}

/// Failure of [`unpack`](crate::unpack).
#[derive(Debug, Error)]
pub enum ListError {
    /// The archive is at fault.
    #[error("the archive {0}")]
    Archive(#[from] ArchiveError),
    /// Reading it exceeds a limit of the sandbox, or crashes.
    #[error("the archive cannot be read within the limits")]
    Unreadable,
    /// The sandbox is not available. The archive was not read; another attempt may succeed.
    #[error("the archive cannot be read now")]
    Unavailable(#[source] SandboxError),
}
