//! Words and signs of a text.

use std::ops::Range;

/// The longest token, in bytes: longer runs of letters are no words of a language and are cut.
const LONGEST: usize = 64;
/// The longest URL or address, in bytes from its first sign on: a longer one is cut, so that each is read in bounded time.
const LONGEST_MARKED: usize = 1024;

/// A word, a sign, or the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The token as written; `"\n"` for one or more ends of lines.
    pub text: &'a str,
    /// Offset of its first byte.
    pub start: usize,
    /// How its letters look.
    pub look: Look,
    /// Whether a blank stands before it.
    pub apart: bool,
}

impl Token<'_> {
    /// Its bytes in the text.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// How the letters of a token look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// Small letters only.
    Lower,
    /// A capital, then small letters.
    Capital,
    /// Capitals only, at least two.
    Upper,
    /// Capitals and small letters in another order: `McDonald`, `iPhone`.
    Mixed,
    /// Letters of a script without cases.
    Caseless,
    /// Digits, perhaps with letters.
    Number,
    /// A handle, hash tag, address or URL.
    Marked,
    /// A sign.
    Sign,
    /// The end of a line.
    Line,
}

/// Splits a text. Apostrophes, dashes and marks within a word belong to it, an English genitive does not; a Chinese
/// character is a token of its own. Linear.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(text.len() / 5 + 1);
    let (mut at, mut apart) = (0, true);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if first == '\n' || first == '\r' {
            let repeated = tokens.last().is_some_and(|last| last.look == Look::Line);
            if !repeated {
                tokens.push(Token { text: "\n", start: at, look: Look::Line, apart });
            }
            (at, apart) = (at + 1, true);
            continue;
        }
        if first.is_whitespace() {
            (at, apart) = (at + first.len_utf8(), true);
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let length = length(rest, first, before).max(first.len_utf8());
        let token = rest.get(..length).unwrap_or_default();
        tokens.push(Token { text: token, start: at, look: look(token), apart });
        (at, apart) = (at + length, false);
    }
    tokens
}

fn length(rest: &str, first: char, before: Option<char>) -> usize {
    if matches!(first, '@' | '#') {
        let tag = rest.char_indices().skip(1).find(|(_, letter)| !letter.is_alphanumeric() && *letter != '_');
        return tag.map_or(rest.len(), |(at, _)| at).min(floor(rest));
    }
    if is_unspaced(first) || !is_word(first) {
        return first.len_utf8();
    }
    let mut end = 0;
    let mut letters = rest.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let inner = matches!(letter, '\'' | '’' | '-' | '‐' | '·')
            && next.is_some_and(|next| is_word(next) && !is_unspaced(next));
        if !(is_word(letter) || inner) || is_unspaced(letter) || at >= LONGEST {
            break;
        }
        end = at + letter.len_utf8();
    }
    let word = rest.get(..end).unwrap_or_default();
    if let Some(host) = rest.get(end..).filter(|tail| tail.starts_with("://") || tail.starts_with('@')) {
        // A URL or an address is one token, of which nothing is a name here.
        let host = host.get(..host.floor_char_boundary(LONGEST_MARKED)).unwrap_or_default();
        let ends = |letter| ends_marked(letter, host.starts_with('@'), before);
        return end + host.find(ends).unwrap_or(host.len());
    }
    let genitive = ["'s", "’s", "'S", "'m", "’m", "'ll", "'re", "'ve", "'d"];
    genitive
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .map_or(end, |stem| if stem.is_empty() { end } else { stem.len() })
}

/// Whether a letter ends a URL or an address behind `before`: a blank, a sign that is part of neither, and the separator of a
/// line of separated values, which is no part of an address.
fn ends_marked(letter: char, is_address: bool, before: Option<char>) -> bool {
    let separates = matches!(letter, ',' | ';') && (is_address || before == Some(letter));
    letter.is_whitespace() || separates || matches!(letter, '|' | '<' | '>' | '"' | '\\')
}

fn floor(rest: &str) -> usize {
    rest.floor_char_boundary(LONGEST)
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '\u{0300}'..='\u{036F}') || letter == '_'
}

/// Chinese characters and Japanese syllables.
#[must_use]
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}')
}

fn look(token: &str) -> Look {
    let mut letters = token.chars();
    let first = letters.next().unwrap_or(' ');
    if matches!(first, '@' | '#') && token.len() > 1 || token.contains("://") || token.contains('@') {
        return Look::Marked;
    }
    if !is_word(first) {
        return Look::Sign;
    }
    if token.bytes().any(|byte| byte.is_ascii_digit()) {
        return Look::Number;
    }
    let (mut upper, mut lower) = (0, 0);
    for letter in token.chars() {
        upper += usize::from(letter.is_uppercase());
        lower += usize::from(letter.is_lowercase());
    }
    match (upper, lower) {
        (0, 0) => Look::Caseless,
        (0, _) => Look::Lower,
        (1, 0) => Look::Capital,
        (_, 0) => Look::Upper,
        (1, _) if first.is_uppercase() => Look::Capital,
        _ if token.split(['-', '\'', '’']).all(|part| {
            part.chars().next().is_none_or(char::is_uppercase)
                && part.chars().skip(1).all(|letter| !letter.is_uppercase())
        }) =>
        {
            Look::Capital
        }
        _ => Look::Mixed,
    }
}
