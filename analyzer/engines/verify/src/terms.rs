//! A text to its terms: words in lower case, and numbers with their separators.

use linear_model::Feature;

/// A word or a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// Its spelling in lower case, hashed.
    pub(crate) feature: Feature,
    /// Its spelling in lower case, without separators of thousands.
    pub(crate) spelling: String,
}

impl Term {
    /// Its value, where it is a number.
    pub(crate) fn number(&self) -> Option<f64> {
        self.spelling.starts_with(|char: char| char.is_ascii_digit()).then(|| self.spelling.parse().ok())?
    }
}

/// The terms of a text, in order.
pub(crate) fn terms(text: &str) -> Vec<Term> {
    text.split(|char: char| !char.is_alphanumeric() && !matches!(char, '.' | ',' | '\'' | '’'))
        .map(|part| part.trim_matches(|char: char| !char.is_alphanumeric()))
        .filter(|part| !part.is_empty())
        .map(term)
        .collect()
}

fn term(part: &str) -> Term {
    let mut spelling = part.to_lowercase().replace('’', "'");
    if spelling.starts_with(|char: char| char.is_ascii_digit()) {
        spelling = spelling.replace(',', "");
    }
    Term { feature: Feature::of(&spelling), spelling }
}
