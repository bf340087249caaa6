//! Text to PDF: `letters (normalized, invisible ones dropped) -> lines (wrapped by width) -> file (pages, font, objects)`.
//!
//! A written file has the text, the part of the font that shows it, and the map from its glyphs back to characters. It has no
//! date, no name of an author and no random id: equal texts give equal bytes.

mod file;
mod letters;
mod lines;
mod typeface;

pub use letters::without_invisible;

use thiserror::Error;

use self::file::File;
use self::typeface::Typeface;

/// Pages of a written document at most: lines of 20 bytes on average in 10 MiB of text.
pub const MOST_WRITTEN_PAGES: usize = 10_000;
/// Bytes of text of a written document at most: three times the 10 MiB that are redacted at once, since a placeholder is longer
/// than a short value.
pub const MOST_WRITTEN_BYTES: usize = 32 << 20;

/// Reason why a text is not written as PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// The font has no glyph for a character. The message does not quote it, since texts are not logged.
    #[error("the text has a character of an unsupported script")]
    UnsupportedScript,
    /// More than [`MOST_WRITTEN_PAGES`] or [`MOST_WRITTEN_BYTES`].
    #[error("the text is too long for one document")]
    TooLong,
    /// The embedded font is damaged.
    #[error("the font cannot be used")]
    Font,
}

/// Writes documents.
pub struct PdfWriter(Typeface);

impl PdfWriter {
    /// Loads the embedded font.
    ///
    /// # Errors
    ///
    /// [`WriteError::Font`].
    pub fn load() -> Result<Self, WriteError> {
        Typeface::load().map(Self)
    }

    /// Writes texts as PDF. Each begins on a page of its own, and continues on further ones where it does not fit; an empty one is
    /// an empty page, and a form feed begins a page too.
    ///
    /// Text is normalized to NFC, lines are wrapped at spaces, and words that are longer than a line between letters. Characters
    /// without a visible form, such as control and format characters, variation selectors and soft hyphens, are left out. Up to
    /// four spaces in a row are kept, twelve at the start of a line, and two empty lines in a row: wider gaps would be read as
    /// columns. The duration is linear in the size of the texts.
    ///
    /// # Errors
    ///
    /// [`WriteError`]; a character that the font cannot show is never replaced by another sign.
    pub fn write<T: AsRef<str>>(&self, pages: &[T]) -> Result<Vec<u8>, WriteError> {
        let bytes = pages.iter().map(|page| page.as_ref().len()).fold(0, usize::saturating_add);
        if bytes > MOST_WRITTEN_BYTES {
            return Err(WriteError::TooLong);
        }
        let mut file = File::new(&self.0);
        for page in pages {
            file.begin_page()?;
            lines::place(page.as_ref(), &self.0, &mut file)?;
        }
        file.finish()
    }
}

#[cfg(test)]
mod tests;
