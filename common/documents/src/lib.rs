//! Documents to text with position and visibility.
//!
//! Documents come from strangers, so they are parsed in the sandbox only: [`read`] is the way to do it, and
//! [`sandbox_tasks`] the code that runs there. Text that a reader would not see is read too, and marked with the
//! technique that hides it ([`Hiding`]), because programs that extract text see it.

mod document;
mod error;
mod pdf;
mod recognize;
mod task;

pub use document::{
    Attached, AttachedKind, Document, Hiding, Line, MOST_PAGES, MOST_TEXT_BYTES, Page, Place,
};
pub use error::{DocumentError, ReadError};
pub use recognize::{Format, recognize};
pub use task::{MOST_PDF_BYTES, read, sandbox_tasks};

/// Parses a PDF in this process, for fuzzing.
///
/// # Errors
///
/// As the task in the sandbox.
#[cfg(feature = "unconfined")]
pub fn parse_pdf(content: &[u8]) -> Result<Document, DocumentError> {
    pdf::parse(content)
}
