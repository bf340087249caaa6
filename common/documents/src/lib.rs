//! Documents to text with position and visibility, and text to PDF.
//!
//! Documents come from strangers, so they are parsed in the sandbox only: [`read`] is the way to do it, and
//! [`sandbox_tasks`] the code that runs there. Text that a reader would not see is read too, and marked with the
//! technique that hides it ([`Hiding`]), because programs that extract text see it.
//!
//! [`PdfWriter`] writes new documents. Nothing of a document that was read is part of them but the text that is given.

mod charset;
mod document;
mod error;
mod html;
mod pdf;
mod recognize;
mod task;
mod write;

pub use document::{
    Active, ActiveKind, Document, Hiding, MOST_DETAIL_BYTES, MOST_PAGES, MOST_TEXT_BYTES, Page, Place,
    Position, Run, TextKind, Unread,
};
pub use error::{DocumentError, ReadError};
pub use html::{Field, Form, Frame, Html, Link, MOST_HTML_BYTES, Refresh, Script};
pub use recognize::{Claim, Format, FormatGroup, claim, formats, recognize};
pub use task::{MOST_PDF_BYTES, read, sandbox_tasks};
pub use write::{MOST_WRITTEN_BYTES, MOST_WRITTEN_PAGES, PdfWriter, WriteError, without_invisible};

/// Parses a PDF in this process, for fuzzing.
///
/// # Errors
///
/// As the task in the sandbox.
#[cfg(feature = "unconfined")]
pub fn parse_pdf(content: &[u8]) -> Result<Document, DocumentError> {
    pdf::parse(content)
}
