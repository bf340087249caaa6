//! The parts of a message: words, paths and texts in quotes, from left to right.

use super::super::address;

/// A part of a message.
pub(super) enum Token<'t> {
    Word(&'t str),
    /// Text in quotes, without them.
    Quoted(&'t str),
    /// A path from the root, such as that of a request, which the client chose.
    Path(&'t str),
}

/// Words, paths and quoted texts, from left to right.
pub(super) struct Tokens<'t> {
    rest: &'t str,
    /// The quotes of which one did not end: where it began is unknown, so these are marks like others.
    unbalanced: [bool; 3],
    open: Option<usize>,
    /// A clause ends between the last part and the one before.
    is_paused: bool,
    ends_sentence: bool,
    is_first: bool,
    /// The last part is the value of a pair, `NAME=`.
    is_value: bool,
}

/// Marks that quote.
const QUOTES: [char; 3] = ['"', '\'', '`'];

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            unbalanced: [false; 3],
            open: None,
            is_paused: false,
            ends_sentence: false,
            is_first: true,
            is_value: false,
        }
    }

    /// Unread text.
    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// Whether a mark that ends a clause stands before the last part.
    pub(super) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Whether the last part is the value of a pair, `NAME=VALUE`.
    pub(super) fn is_value(&self) -> bool {
        self.is_value
    }

    /// The path at the start of a text, behind the marks that were passed over: a slash behind a word is none of a path's, and
    /// neither is the one that some programs put before an address.
    fn path(&self, text: &'t str, passed: &str) -> Option<&'t str> {
        let before = passed.strip_suffix('/')?;
        let is_start = before.ends_with([' ', '=']) || (before.is_empty() && self.is_first);
        let word = text.split([' ', '"', '\'', '?']).next()?.trim_end_matches([',', ';', ':', '.', ')', ']']);
        (is_start && !word.is_empty() && address::written(word).is_none()).then_some(word)
    }

    /// Bytes from the first quote that is not closed and is no apostrophe to the end.
    pub(super) fn behind_unbalanced(&self) -> Option<usize> {
        self.open
    }

    /// The text behind a quote at the start and its length, where it ends.
    fn quoted(&mut self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let kind = QUOTES.iter().position(|quote| text.starts_with(*quote))?;
        let inner = text.get(1..)?;
        match closing_quote(inner, QUOTES[kind]) {
            Some(end) => Some((inner.get(..end)?, inner.get(end + 1..)?)),
            None => {
                self.unbalanced[kind] = true;
                self.open.get_or_insert(text.len());
                None
            }
        }
    }

    fn is_quote(&self, letter: char) -> bool {
        QUOTES.iter().zip(self.unbalanced).any(|(quote, is_unbalanced)| letter == *quote && !is_unbalanced)
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        // Between words stand blanks and punctuation, except within addresses and names. Each quote fails to end once at most.
        let from = self.rest;
        let text = loop {
            let text =
                self.rest.trim_start_matches(|letter: char| !is_of_word(letter) && !self.is_quote(letter));
            if !self.is_quote(text.chars().next()?) {
                break text;
            }
            if let Some((quoted, rest)) = self.quoted(text) {
                self.rest = rest;
                self.is_first = false;
                return Some(Token::Quoted(quoted));
            }
            self.rest = text;
        };
        let passed = from.get(..from.len() - text.len()).unwrap_or_default();
        let path = self.path(text, passed);
        self.is_value = passed.trim_end_matches(['[', '<', '(']) == "=";
        self.is_paused = passed.contains([',', ';', '(']) || std::mem::take(&mut self.ends_sentence);
        self.is_first = false;
        if let Some(path) = path {
            self.rest = text.get(path.len()..)?;
            return Some(Token::Path(path));
        }
        let end = text.find(|letter: char| !is_of_word(letter) && letter != '\'').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        self.ends_sentence = word.ends_with('.');
        let plain = word.trim_end_matches(['\'', ':', '.', '-', ']', '#']);
        // A closing quote that belongs to the word is one. Marks alone are passed over, so that every word ends behind its start.
        if !plain.is_empty() && word[plain.len()..].contains('\'') && !word.contains("s'") {
            self.rest = &text[plain.len()..];
        }
        let plain = if word.starts_with('[') && word.ends_with(']') {
            word
        } else {
            plain.trim_start_matches(['[', '@'])
        };
        Some(Token::Word(plain))
    }
}

/// Offset of a closing quote without a backslash.
fn closing_quote(inner: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in inner.char_indices() {
        if letter == quote && !is_escaped {
            return Some(at);
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    None
}

/// Letters of words, host names and addresses.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | ':' | '-' | '_' | '%' | '@' | '\\' | '#')
}
