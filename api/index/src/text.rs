//! Literal, case-insensitive search: how texts are folded, and how a searched text is found.

use memchr::memmem::Finder;

/// Stands after each text; folded texts never contain it.
pub(crate) const BETWEEN: char = '\0';

/// Lowercase by Unicode's simple and special mappings, each character for itself: so the fold of a part of a text is a
/// part of the text's fold, which lowercasing whole words (final sigma) would not give.
fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// The folded texts of a resource in one text.
#[must_use]
pub(crate) fn haystack(texts: &[&str]) -> Box<str> {
    let folded: Vec<String> = texts.iter().map(|text| fold(text).replace(BETWEEN, "\u{fffd}")).collect();
    folded.join("\0").into()
}

/// A searched text.
#[derive(Debug)]
pub struct Needle {
    folded: String,
    finder: Finder<'static>,
}

impl Needle {
    /// A text to search for, in any case. Nothing in it is a wildcard.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let folded = fold(text);
        let finder = Finder::new(folded.as_bytes()).into_owned();
        Self { folded, finder }
    }

    /// Whether a text contains it.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.find(fold(text).as_bytes()).is_some()
    }

    /// Where it begins in a folded text.
    pub(crate) fn find(&self, folded: &[u8]) -> Option<usize> {
        self.finder.find(folded)
    }

    /// Whether it contains the separator, so that no text contains it.
    pub(crate) fn has_separator(&self) -> bool {
        self.folded.contains(BETWEEN)
    }
}
