//! The parts of a message: words and texts in quotes, from left to right.

/// A part of a message.
pub(super) enum Token<'t> {
    Word(&'t str),
    /// Text in quotes, without them.
    Quoted(&'t str),
}

/// Words and quoted texts, from left to right.
pub(super) struct Tokens<'t> {
    rest: &'t str,
    /// The quotes of which one did not end: where it began is unknown, so these are marks like others.
    unbalanced: [bool; 3],
    open: Option<usize>,
}

/// Marks that quote.
const QUOTES: [char; 3] = ['"', '\'', '`'];

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text, unbalanced: [false; 3], open: None }
    }

    /// What is not yet read.
    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// How many bytes from the end the first quote stands that does not end and is no apostrophe.
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
        // Between words stand blanks and punctuation, but for what addresses and names hold. Each quote fails to end once at most.
        let text = loop {
            let text =
                self.rest.trim_start_matches(|letter: char| !is_of_word(letter) && !self.is_quote(letter));
            if !self.is_quote(text.chars().next()?) {
                break text;
            }
            if let Some((quoted, rest)) = self.quoted(text) {
                self.rest = rest;
                return Some(Token::Quoted(quoted));
            }
            self.rest = text;
        };
        let end = text.find(|letter: char| !is_of_word(letter) && letter != '\'').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
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

/// Where a quote closes that no backslash escapes.
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
