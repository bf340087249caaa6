//! Text against text with wildcards, in either case unless specified otherwise.
//!
//! Case folding: a character is folded to its lower case where that is one character, and an ASCII
//! character never equals another than its own two cases (the Kelvin sign is no k). So the ASCII letters
//! of a text can be put into lower case beforehand, once for all patterns, a literal that is ASCII is
//! compared with it byte by byte, and a match has as many characters as its pattern. `ß` and `SS`, `İ`
//! and `i` are different.

mod anchors;

pub(crate) use anchors::Anchor;

use crate::pattern::{DASHES, Part, Pattern};

use super::literal::Literal;

/// Bytes that are compared at once in the time of comparing one character by itself.
const ONE_BY_ONE: u64 = 32;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct TextMatcher {
    cased: bool,
    shape: Shape,
}

/// The common kinds of patterns, and all others. Literals of the first four are compared byte by byte.
#[derive(Clone, Debug)]
enum Shape {
    Whole(Box<str>),
    Start(Box<str>),
    End(Box<str>),
    Inside(Literal),
    Pieces(Box<Pieces>),
}

/// Without a tail, `head` must be the whole text; otherwise the text begins with `head`, ends with
/// `tail`, and holds `middle` in order between them, without overlap.
#[derive(Clone, Debug)]
struct Pieces {
    head: Piece,
    middle: Vec<Piece>,
    tail: Option<Piece>,
}

/// The part between two runs.
#[derive(Clone, Debug, Default)]
struct Piece {
    atoms: Vec<Atom>,
    /// Number of characters that it matches.
    characters: usize,
}

#[derive(Clone, Debug)]
enum Atom {
    /// These bytes.
    Exact(Literal),
    /// These characters, which are folded and compared: not all of them are ASCII.
    Folded(Box<str>),
    /// Any one character.
    One,
    /// Any one dash.
    Dash,
}

impl TextMatcher {
    pub(crate) fn new(pattern: &Pattern, cased: bool) -> Self {
        let text = |literal: &str| if cased { literal.into() } else { literal.to_ascii_lowercase() };
        let is_plain = |literal: &str| cased || literal.is_ascii();
        let shape = match pattern.parts.as_slice() {
            [] => Shape::Whole(Box::default()),
            [Part::Literal(literal)] if is_plain(literal) => Shape::Whole(text(literal).into()),
            [Part::Literal(literal), Part::Run] if is_plain(literal) => Shape::Start(text(literal).into()),
            [Part::Run, Part::Literal(literal)] if is_plain(literal) => Shape::End(text(literal).into()),
            [Part::Run, Part::Literal(literal), Part::Run] if is_plain(literal) => {
                Shape::Inside(Literal::new(&text(literal)))
            }
            _ => Shape::Pieces(Box::new(Pieces::new(pattern, cased))),
        };
        Self { cased, shape }
    }

    /// Whether upper and lower case differ.
    pub(crate) fn is_cased(&self) -> bool {
        self.cased
    }

    /// Whether only the whole text, its beginning or its end is compared.
    pub(crate) fn is_at_an_edge(&self) -> bool {
        matches!(self.shape, Shape::Whole(_) | Shape::Start(_) | Shape::End(_))
    }

    /// Bytes that are compared at worst when a text of this length is searched, as far as they are compared many at a time:
    /// characters that are compared one by one count for as many as those are quicker.
    pub(crate) fn work(&self, length: u64) -> u64 {
        match &self.shape {
            Shape::Whole(_) | Shape::Start(_) | Shape::End(_) => 0,
            Shape::Inside(literal) => length.saturating_mul(literal.work()),
            Shape::Pieces(pieces) => length.saturating_mul(pieces.work()),
        }
    }

    /// Whether a text matches the pattern. Unless [`TextMatcher::is_cased`], its ASCII letters must be in lower case.
    pub(crate) fn matches(&self, text: &str) -> bool {
        match &self.shape {
            Shape::Whole(literal) => text == &**literal,
            Shape::Start(literal) => text.starts_with(&**literal),
            Shape::End(literal) => text.ends_with(&**literal),
            Shape::Inside(literal) => literal.find(text).is_some(),
            Shape::Pieces(pieces) => pieces.matches(text),
        }
    }
}

impl Pieces {
    fn new(pattern: &Pattern, cased: bool) -> Self {
        let mut pieces = vec![Piece::default()];
        for part in &pattern.parts {
            match (part, pieces.last_mut()) {
                (Part::Literal(text), Some(piece)) => piece.push_literal(text, cased),
                (Part::One, Some(piece)) => piece.push_one(Atom::One),
                (Part::Dash, Some(piece)) => piece.push_one(Atom::Dash),
                _ => pieces.push(Piece::default()),
            }
        }
        let tail = if pieces.len() > 1 { pieces.pop() } else { None };
        let mut pieces = pieces.into_iter();
        let head = pieces.next().unwrap_or_default();
        Self { head, middle: pieces.filter(|piece| piece.characters > 0).collect(), tail }
    }

    fn matches(&self, text: &str) -> bool {
        let Some(start) = self.head.end_at_start(text) else { return false };
        let mut rest = &text[start..];
        let Some(tail) = &self.tail else { return rest.is_empty() };
        let Some(end) = tail.start_at_end(rest) else { return false };
        rest = &rest[..end];
        for piece in &self.middle {
            let Some(end) = piece.end_of_first(rest) else { return false };
            rest = &rest[end..];
        }
        true
    }

    /// Bytes compared for each byte of a text, at worst; of pieces that follow each other each passes over another
    /// part of it.
    fn work(&self) -> u64 {
        self.middle.iter().map(Piece::work).max().unwrap_or(0)
    }
}

impl Piece {
    fn push_literal(&mut self, text: &str, cased: bool) {
        self.characters += text.chars().count();
        self.atoms.push(match (cased, text.is_ascii()) {
            (true, _) => Atom::Exact(Literal::new(text)),
            (false, true) => Atom::Exact(Literal::new(&text.to_ascii_lowercase())),
            (false, false) => Atom::Folded(text.chars().map(fold).collect()),
        });
    }

    fn push_one(&mut self, atom: Atom) {
        self.characters += 1;
        self.atoms.push(atom);
    }

    /// Bytes compared for each byte of a text, at worst.
    fn work(&self) -> u64 {
        match self.atoms.as_slice() {
            [Atom::Exact(literal)] => literal.work(),
            // Tried again at each character.
            _ => u64::try_from(self.characters).unwrap_or(u64::MAX).saturating_mul(ONE_BY_ONE),
        }
    }

    /// End of the piece if the text begins with it.
    fn end_at_start(&self, text: &str) -> Option<usize> {
        self.atoms.iter().try_fold(0, |end, atom| Some(end + atom.end_at_start(&text[end..])?))
    }

    /// Start of the piece if the text ends with it.
    fn start_at_end(&self, text: &str) -> Option<usize> {
        let start = match self.characters.checked_sub(1) {
            None => return Some(text.len()),
            Some(last) => text.char_indices().rev().nth(last)?.0,
        };
        self.end_at_start(&text[start..]).map(|_| start)
    }

    /// End of the first occurrence of the piece.
    fn end_of_first(&self, text: &str) -> Option<usize> {
        let Some(first) = self.atoms.first() else { return Some(0) };
        let mut from = 0;
        while let Some(start) = first.find(&text[from..]).map(|at| from + at) {
            if let Some(length) = self.end_at_start(&text[start..]) {
                return Some(start + length);
            }
            from = start + text[start..].chars().next()?.len_utf8();
        }
        None
    }
}

impl Atom {
    /// Its text, ASCII letters in lower case.
    fn literal(&self) -> Option<String> {
        match self {
            Self::Exact(literal) => Some(literal.as_str().to_ascii_lowercase()),
            Self::Folded(text) => Some(text.to_ascii_lowercase()),
            Self::One | Self::Dash => None,
        }
    }

    fn end_at_start(&self, text: &str) -> Option<usize> {
        match self {
            Self::One => text.chars().next().map(char::len_utf8),
            Self::Dash => text.chars().next().filter(|first| DASHES.contains(first)).map(char::len_utf8),
            Self::Exact(literal) => text.starts_with(literal.as_str()).then_some(literal.as_str().len()),
            Self::Folded(own) => {
                let mut characters = text.chars();
                let same = own.chars().all(|own| characters.next().map(fold) == Some(own));
                same.then(|| text.len() - characters.as_str().len())
            }
        }
    }

    /// The first place where the atom matches.
    fn find(&self, text: &str) -> Option<usize> {
        match self {
            Self::One => (!text.is_empty()).then_some(0),
            Self::Dash => text.find(DASHES),
            Self::Exact(literal) => literal.find(text),
            Self::Folded(_) => text
                .char_indices()
                .map(|(start, _)| start)
                .find(|start| self.end_at_start(&text[*start..]).is_some()),
        }
    }
}

/// The lower case of a character where that is one character and not an ASCII one.
fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) if !single.is_ascii() => single,
        _ => character,
    }
}
