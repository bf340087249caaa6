//! Text against text with wildcards, in either case unless told otherwise, without copying the
//! event's text.
//!
//! Case folding: a character is folded to its lower case where that is one character, and an ASCII
//! character never equals another than its own two cases (the Kelvin sign is no k). So an ASCII
//! literal is compared byte by byte in any UTF-8 text, and a match has as many characters as its
//! pattern. `ß` and `SS`, `İ` and `i` are different.

use memchr::{memchr2_iter, memmem};

use crate::pattern::{DASHES, Part, Pattern};

/// A compiled pattern. Without runs, `head` must be the whole text; otherwise the text begins with
/// `head`, ends with `tail`, and holds `middle` in order between them, without overlap.
#[derive(Clone, Debug)]
pub(crate) struct TextMatcher {
    head: Piece,
    middle: Vec<Piece>,
    tail: Option<Piece>,
}

/// What stands between two runs.
#[derive(Clone, Debug, Default)]
struct Piece {
    atoms: Vec<Atom>,
    /// How many characters it matches.
    characters: usize,
}

#[derive(Clone, Debug)]
enum Atom {
    Literal(Literal),
    /// Any one character.
    One,
    /// Any one dash.
    Dash,
}

#[derive(Clone, Debug)]
struct Literal {
    /// Folded unless cased.
    text: String,
    comparison: Case,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Sensitive,
    /// The literal is ASCII: bytes are compared.
    Ascii,
    /// The literal is not: characters are folded and compared.
    Unicode,
}

impl TextMatcher {
    pub(crate) fn new(pattern: &Pattern, cased: bool) -> Self {
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

    pub(crate) fn matches(&self, text: &str) -> bool {
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
}

/// Where in a text a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Anchor {
    /// It is the whole text.
    Whole,
    /// The text begins with it.
    Start,
    /// The text ends with it.
    End,
    /// It is somewhere in it.
    Anywhere,
    /// Some character beyond ASCII is: what one such character is told from another by is not looked at.
    NotAscii,
}

/// A literal of so many bytes tells more than that there is a character beyond ASCII.
const TELLING: usize = 6;

/// An end or a beginning of so many bytes is as good as any longer literal elsewhere.
const GOOD_EDGE: usize = 5;

impl TextMatcher {
    /// An ASCII literal, in lower case, that every text it matches holds, whatever its case, and where.
    pub(crate) fn anchor(&self) -> Option<(Anchor, String)> {
        let literal = |atom: &Atom| match atom {
            Atom::Literal(literal) => Some(literal.text.to_ascii_lowercase()),
            Atom::One | Atom::Dash => None,
        };
        let ascii = |text: &String| text.is_ascii() && !text.is_empty();
        if let (None, [only]) = (&self.tail, self.head.atoms.as_slice())
            && let Some(text) = literal(only).filter(ascii)
        {
            return Some((Anchor::Whole, text));
        }
        let last = self.tail.as_ref().unwrap_or(&self.head).atoms.last();
        let end = last.and_then(literal).filter(ascii).map(|text| (Anchor::End, text));
        let start = self.head.atoms.first().and_then(literal).filter(ascii).map(|text| (Anchor::Start, text));
        let edge = [end, start].into_iter().flatten().max_by_key(|(_, text)| text.len());
        if let Some(edge) = edge.clone().filter(|(_, text)| text.len() >= GOOD_EDGE) {
            return Some(edge);
        }
        let pieces = [&self.head].into_iter().chain(&self.middle).chain(&self.tail);
        let literals: Vec<String> = pieces.flat_map(|piece| &piece.atoms).filter_map(literal).collect();
        let inside = literals.iter().filter_map(|text| longest_ascii(text)).max_by_key(String::len);
        let inside = inside.map(|text| (Anchor::Anywhere, text));
        let best = [edge, inside].into_iter().flatten().max_by_key(|(_, text)| text.len());
        let is_telling = best.as_ref().is_some_and(|(_, text)| text.len() >= TELLING);
        if !is_telling && literals.iter().any(|text| !text.is_ascii()) {
            // An ASCII character never equals one that is not.
            return Some((Anchor::NotAscii, String::new()));
        }
        best
    }
}

fn longest_ascii(text: &str) -> Option<String> {
    let runs = text.split(|character: char| !character.is_ascii());
    runs.filter(|run| !run.is_empty()).max_by_key(|run| run.len()).map(ToOwned::to_owned)
}

impl Piece {
    fn push_literal(&mut self, text: &str, cased: bool) {
        self.characters += text.chars().count();
        let comparison = match (cased, text.is_ascii()) {
            (true, _) => Case::Sensitive,
            (false, true) => Case::Ascii,
            (false, false) => Case::Unicode,
        };
        let text = if cased { text.to_owned() } else { text.chars().map(fold).collect() };
        self.atoms.push(Atom::Literal(Literal { text, comparison }));
    }

    fn push_one(&mut self, atom: Atom) {
        self.characters += 1;
        self.atoms.push(atom);
    }

    /// Where the piece ends if the text begins with it.
    fn end_at_start(&self, text: &str) -> Option<usize> {
        self.atoms.iter().try_fold(0, |end, atom| Some(end + atom.end_at_start(&text[end..])?))
    }

    /// Where the piece starts if the text ends with it.
    fn start_at_end(&self, text: &str) -> Option<usize> {
        let start = match self.characters.checked_sub(1) {
            None => return Some(text.len()),
            Some(last) => text.char_indices().rev().nth(last)?.0,
        };
        self.end_at_start(&text[start..]).map(|_| start)
    }

    /// Where the first occurrence of the piece ends.
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
    fn end_at_start(&self, text: &str) -> Option<usize> {
        match self {
            Self::One => text.chars().next().map(char::len_utf8),
            Self::Dash => text.chars().next().filter(|first| DASHES.contains(first)).map(char::len_utf8),
            Self::Literal(literal) => literal.end_at_start(text),
        }
    }

    /// The first place where the atom matches.
    fn find(&self, text: &str) -> Option<usize> {
        match self {
            Self::One => (!text.is_empty()).then_some(0),
            Self::Dash => text.find(DASHES),
            Self::Literal(literal) => literal.find(text),
        }
    }
}

impl Literal {
    fn end_at_start(&self, text: &str) -> Option<usize> {
        match self.comparison {
            Case::Sensitive => text.starts_with(&self.text).then_some(self.text.len()),
            Case::Ascii => {
                let start = text.as_bytes().get(..self.text.len())?;
                start.eq_ignore_ascii_case(self.text.as_bytes()).then_some(self.text.len())
            }
            Case::Unicode => {
                let mut characters = text.chars();
                let same = self.text.chars().all(|own| characters.next().map(fold) == Some(own));
                same.then(|| text.len() - characters.as_str().len())
            }
        }
    }

    fn find(&self, text: &str) -> Option<usize> {
        let Some(first) = self.text.bytes().next() else { return Some(0) };
        match self.comparison {
            Case::Sensitive => memmem::find(text.as_bytes(), self.text.as_bytes()),
            Case::Ascii => memchr2_iter(first, first.to_ascii_uppercase(), text.as_bytes())
                .find(|start| self.end_at_start(&text[*start..]).is_some()),
            Case::Unicode => text
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
