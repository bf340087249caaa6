//! Case, compatibility forms, accents, look-alikes and invisible characters: one form of a text for all its spellings.
//!
//! The result does not depend on the case of any letter: each is read as the lower case of its upper case.

mod alike;

use unicode_normalization::char::{compose, decompose_compatible, is_combining_mark};

use crate::Map;

/// Equal letters in a row that count as emphasis: `ignooore` is read as `ignore`.
const EMPHASIS: usize = 3;

/// A folded text.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    /// The text.
    pub text: String,
    /// Its places in the source.
    pub map: Map,
    /// Invisible characters that stood between others: zero width, soft hyphens, directions, variation selectors.
    pub invisible: usize,
    /// Characters in the block of tags, which no font shows: their number.
    pub tags: usize,
    /// Words in which letters of one script stood for those of another.
    pub alike: usize,
}

/// Folds a text.
#[must_use]
pub fn fold(source: &str) -> Folded {
    let mut folder = Folder::default();
    folder.folded.text.reserve(source.len());
    let mut chars = source.chars().peekable();
    while let Some(char) = chars.next() {
        if !char.is_ascii() {
            folder.other(char);
            continue;
        }
        let mut run = 1;
        while char.is_ascii_alphabetic() && chars.next_if(|next| next.eq_ignore_ascii_case(&char)).is_some() {
            run += 1;
        }
        folder.ascii(char.to_ascii_lowercase(), run);
    }
    let folded = folder.folded;
    if folder.foreign { alike::replace(folded) } else { folded }
}

#[derive(Default)]
struct Folder {
    folded: Folded,
    /// Whether a letter was seen that could stand for one of ASCII.
    foreign: bool,
}

impl Folder {
    fn ascii(&mut self, char: char, run: usize) {
        let kept = if run >= EMPHASIS { 1 } else { run };
        self.folded.text.extend(std::iter::repeat_n(char, kept));
        self.folded.map.uneven(kept, run);
    }

    fn other(&mut self, char: char) {
        let length = char.len_utf8();
        if let Some(shown) = tag(char) {
            self.folded.tags += 1;
            self.plain(shown, length);
            return;
        }
        if is_invisible(char) {
            self.folded.invisible += 1;
            self.folded.map.uneven(0, length);
            return;
        }
        if let Some(plain) = alike::drawn_letter(char) {
            self.plain(plain, length);
            return;
        }
        if let Some(syllable) = self.syllable(char) {
            self.folded.text.pop();
            self.folded.text.push(syllable);
            self.folded.map.uneven(0, length);
            return;
        }
        let before = self.folded.text.len();
        match is_caseless(char) {
            true => self.decompose(char),
            false => char.to_uppercase().flat_map(char::to_lowercase).for_each(|char| self.decompose(char)),
        }
        // The first character stands for the whole, the others for nothing: "ss" and "ß" have equal lengths and differ inside.
        let added = self.folded.text.get(before..).unwrap_or_default();
        let first = added.chars().next().map_or(0, char::len_utf8);
        let others = added.len().saturating_sub(first);
        self.folded.map.uneven(first, length);
        self.folded.map.uneven(others, 0);
    }

    fn plain(&mut self, char: char, source: usize) {
        self.folded.text.push(char);
        self.folded.map.uneven(char.len_utf8(), source);
    }

    /// A part of a Korean syllable, joined with the part before it.
    fn syllable(&self, char: char) -> Option<char> {
        if !('\u{1161}'..='\u{11c2}').contains(&char) {
            return None;
        }
        compose(self.folded.text.chars().next_back()?, char)
    }

    fn decompose(&mut self, char: char) {
        if ('\u{ac00}'..='\u{d7a3}').contains(&char) || ('\u{4e00}'..='\u{9fff}').contains(&char) {
            self.folded.text.push(char);
            return;
        }
        decompose_compatible(char, |part| match part {
            part if is_accent(part) => {}
            'ß' => self.folded.text.push_str("ss"),
            '\u{2018}' | '\u{2019}' | '\u{2bc}' => self.folded.text.push('\''),
            part if let Some(syllable) = self.syllable(part) => {
                self.folded.text.pop();
                self.folded.text.push(syllable);
            }
            part if let Some(plain) = alike::drawn_letter(part) => self.folded.text.push(plain),
            part => {
                self.foreign |= alike::may_be_alike(part);
                let lower = part.to_uppercase().flat_map(char::to_lowercase);
                self.folded.text.extend(lower.filter(|part| !is_accent(*part)));
            }
        });
    }
}

/// The character that a tag stands for: the block mirrors ASCII.
fn tag(char: char) -> Option<char> {
    let code = u32::from(char).checked_sub(0xe_0000)?;
    let shown = char::from_u32(code).filter(|shown| (' '..='~').contains(shown))?;
    Some(shown.to_ascii_lowercase())
}

/// Characters without width or ink of their own.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0001}'
            | '\u{e007f}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Marks that are often left out, or piled up as a disguise: accents, points of Hebrew and Arabic, the Arabic filler.
fn is_accent(char: char) -> bool {
    match char {
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{655}' | '\u{640}' | '\u{670}' => true,
        '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' => {
            is_combining_mark(char)
        }
        _ => false,
    }
}

/// Scripts without upper and lower case, for which the tables need not be asked.
fn is_caseless(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{109f}' | '\u{1100}'..='\u{139f}' | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{d7ff}')
}
