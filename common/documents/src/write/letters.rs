//! Text to the signs that are placed on a page.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// A sign of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// A character with a visible form, or a space at which no line is broken.
    Letter(char),
    /// So many spaces at which a line may be broken.
    Spaces(usize),
    /// The end of a line.
    LineBreak,
    /// The end of a page.
    PageBreak,
}

/// Spaces for a tab. Its column is not kept: the font is proportional.
const TAB: usize = 4;
const NO_BREAK_SPACE: char = '\u{a0}';

/// The signs of a text in NFC: fonts have glyphs for composed letters.
pub(super) fn signs(text: &str) -> impl Iterator<Item = Sign> + '_ {
    let mut after_return = false;
    text.nfc().filter_map(move |letter| {
        // The line feed of a pair; the return has ended the line.
        let is_second = after_return && letter == '\n';
        after_return = letter == '\r';
        if is_second { None } else { sign(letter) }
    })
}

fn sign(letter: char) -> Option<Sign> {
    match letter {
        ' ' => Some(Sign::Spaces(1)),
        '\t' => Some(Sign::Spaces(TAB)),
        '\n' | '\r' | '\u{b}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(Sign::LineBreak),
        '\u{c}' => Some(Sign::PageBreak),
        NO_BREAK_SPACE | '\u{2007}' | '\u{202f}' => Some(Sign::Letter(NO_BREAK_SPACE)),
        _ if is_invisible(letter) => None,
        _ if letter.is_whitespace() => Some(Sign::Spaces(1)),
        _ => Some(Sign::Letter(letter)),
    }
}

/// Text without the characters that a written document does not have. A search for values in a text that is written needs it:
/// a value that such a character divides is whole on the page.
#[must_use]
pub fn without_invisible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_invisible) {
        Cow::Owned(text.chars().filter(|letter| !is_invisible(*letter)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Control characters that are no white space, and characters that change others, or their direction, and have no form of their
/// own. Without the blank letters of Hangul, which belong to a script.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'..='\u{84}'
            | '\u{86}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
