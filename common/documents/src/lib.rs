//! Documents, pages and mails to text with position and visibility, archives to their entries, and text to PDF.
//!
//! Documents come from strangers, so PDF, Office documents and archives are parsed in the sandbox only: [`read`], [`inspect`] and
//! [`unpack`] are the ways to do it, and [`sandbox_tasks`] the code that runs there. [`Html`] and [`Mail`] are pure readers of bounded
//! text, which may run anywhere. Code that runs in a sandbox of its own uses [`Archive`] directly. Text that a reader would not see is read too, and marked with the
//! technique that hides it ([`Hiding`]), because programs that extract text see it.
//!
//! [`PdfWriter`] writes new documents. Nothing of a document that was read is part of them but the text that is given.

mod archive;
mod charset;
mod document;
mod error;
mod html;
mod mail;
mod office;
mod pdf;
mod recognize;
mod task;
mod write;

pub use archive::{
    Archive, ArchiveError, Bounds, Entries, Entry, Listed, Listing, RATIO_FROM, Skipped, Unpacked,
};
pub use charset::{decode_text, of_content_type as charset_of};
pub use document::{
    Active, ActiveKind, Document, Hiding, MOST_DETAIL_BYTES, MOST_PAGES, MOST_TEXT_BYTES, Page, Place,
    Position, Run, TextKind, Unread,
};
pub use error::{DocumentError, ListError, ReadError};
pub use html::{Field, Form, Frame, Html, Link, MOST_HTML_BYTES, Refresh, Script};
pub use mail::{Attachment, Body, Header, Headers, Hop, MOST_MAIL_BYTES, Mail, MailError, Mailbox, Part};
pub use recognize::{
    Claim, Format, FormatGroup, claim, formats, group_of_name, has_deceptive_name, recognize, shown_name,
};
pub use task::{MOST_DOCUMENT_BYTES, inspect, read, sandbox_tasks, unpack};
pub use write::{MOST_WRITTEN_BYTES, MOST_WRITTEN_PAGES, PdfWriter, WriteError, without_invisible};

/// Parses a document in this process, for fuzzing.
///
/// # Errors
///
/// As the task in the sandbox.
#[cfg(feature = "unconfined")]
pub fn parse_document(content: &[u8]) -> Result<Document, DocumentError> {
    match recognize(content) {
        Some(format @ (Format::Word | Format::Sheet | Format::Slides)) => office::parse(content, format),
        _ => pdf::parse(content),
    }
}
