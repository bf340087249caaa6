//! The parts of a message: words and texts in quotes, from left to right.

/// A part of a message.
pub(super) enum Token<'t> {
    Word(&'t str),
    /// Text in quotes, without them.
    Quoted(&'t str),
    /// A quote that does not end: where the client's text ends is unknown.
    Unbalanced,
}

/// Words and quoted texts, from left to right.
pub(super) struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        // Between words stand blanks and punctuation, but for what addresses and names hold.
        let text = self
            .rest
            .trim_start_matches(|letter: char| !is_of_word(letter) && !matches!(letter, '"' | '\'' | '`'));
        let first = text.chars().next()?;
        if matches!(first, '"' | '\'' | '`') {
            let inner = &text[1..];
            let Some(end) = closing_quote(inner, first) else {
                self.rest = "";
                // An apostrophe within a word was passed over with it.
                return Some(Token::Unbalanced);
            };
            self.rest = &inner[end + 1..];
            return Some(Token::Quoted(&inner[..end]));
        }
        let end = text.find(|letter: char| !is_of_word(letter) && letter != '\'').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        let plain = word.trim_end_matches(['\'', ':', '.', '-', ']', '#']);
        // A closing quote that belongs to the word is one.
        if word[plain.len()..].contains('\'') && !word.contains("s'") {
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
