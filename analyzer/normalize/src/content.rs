//! A text whose lines are read one by one, or of which only the first counts.

use std::cell::OnceCell;

/// A text and its first line, which is located at most once.
pub(super) struct Content<'t> {
    pub(super) text: &'t str,
    first_line: OnceCell<&'t str>,
}

impl<'t> Content<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, first_line: OnceCell::new() }
    }

    /// The programs read here escape line breaks, so text behind one was not written by them.
    pub(super) fn first_line(&self) -> &'t str {
        self.first_line.get_or_init(|| {
            let end = memchr::memchr2(b'\n', b'\r', self.text.as_bytes());
            end.map_or(self.text, |end| &self.text[..end])
        })
    }
}
