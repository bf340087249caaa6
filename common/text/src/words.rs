//! Folded text to words.

use std::ops::Range;

use linear_model::Feature;

/// A word of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its spelling, hashed; numbers count as equal where they have as many digits, up to four.
    pub feature: Feature,
    /// First byte in the view.
    pub start: u32,
    /// Byte after its last.
    pub end: u32,
}

impl Word {
    /// Its place in the view.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The words of a folded text. Scripts that are written without spaces give one word for each character.
#[must_use]
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::with_capacity(text.len() / 5);
    let mut start = None;
    for (place, char) in text.char_indices() {
        let alone = !char.is_ascii() && stands_alone(char);
        let inside = if char.is_ascii() {
            char.is_ascii_alphanumeric()
        } else {
            char.is_alphanumeric() || is_mark(char)
        };
        if inside && !alone {
            start.get_or_insert(place);
            continue;
        }
        if let Some(start) = start.take() {
            words.extend(word(text, start..place));
        }
        if inside && alone {
            words.extend(word(text, place..place.saturating_add(char.len_utf8())));
        }
    }
    words.extend(start.and_then(|start| word(text, start..text.len())));
    words
}

/// Digits of a number that tell it from another.
const DIGITS: usize = 4;

fn word(text: &str, range: Range<usize>) -> Option<Word> {
    let spelling = text.get(range.clone())?;
    let digits = spelling.bytes().filter(u8::is_ascii_digit).count();
    let feature = match digits {
        0 => Feature::of(spelling),
        digits if digits == spelling.len() => Feature::of("0000".get(..digits.min(DIGITS))?),
        _ => Feature::of(&spelling.replace(|char: char| char.is_ascii_digit(), "0")),
    };
    Some(Word { feature, start: u32::try_from(range.start).ok()?, end: u32::try_from(range.end).ok()? })
}

/// Whether a character is a word by itself: Han, kana, Hangul syllables, and the scripts of Southeast Asia.
pub(crate) fn stands_alone(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{323af}')
}

/// Vowel signs of the scripts of India, which are parts of words but no letters.
fn is_mark(char: char) -> bool {
    matches!(char, '\u{900}'..='\u{dff}') && unicode_normalization::char::is_combining_mark(char)
}
