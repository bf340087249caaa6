//! The format of a document, by its content. Names and declared types are claims of the sender.

/// Format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable Document Format.
    Pdf,
}

/// Bytes in which a PDF's header may begin: some servers and mail programs put lines before it, and viewers accept
/// that.
const HEADER_WITHIN: usize = 1024;

/// The format, if it is a known one.
#[must_use]
pub fn recognize(content: &[u8]) -> Option<Format> {
    const HEADER: &[u8] = b"%PDF-";
    let start = content.get(..HEADER_WITHIN + HEADER.len()).unwrap_or(content);
    start.windows(HEADER.len()).any(|bytes| bytes == HEADER).then_some(Format::Pdf)
}
