//! Letters that look like those of ASCII, in words that mix scripts.

use unicode_security::skeleton;

use super::Folded;
use crate::Map;

/// Letters that are drawings of ASCII letters and nothing else: small capitals, boxed and regional letters.
const SMALL_CAPITALS: &[(char, char)] = &[
    ('ᴀ', 'a'),
    ('ʙ', 'b'),
    ('ᴄ', 'c'),
    ('ᴅ', 'd'),
    ('ᴇ', 'e'),
    ('ꜰ', 'f'),
    ('ɢ', 'g'),
    ('ʜ', 'h'),
    ('ɪ', 'i'),
    ('ᴊ', 'j'),
    ('ᴋ', 'k'),
    ('ʟ', 'l'),
    ('ᴍ', 'm'),
    ('ɴ', 'n'),
    ('ᴏ', 'o'),
    ('ᴘ', 'p'),
    ('ʀ', 'r'),
    ('ꜱ', 's'),
    ('ᴛ', 't'),
    ('ᴜ', 'u'),
    ('ᴠ', 'v'),
    ('ᴡ', 'w'),
    ('ʏ', 'y'),
    ('ᴢ', 'z'),
];

/// The letter that a drawing shows.
pub(super) fn drawn_letter(char: char) -> Option<char> {
    let boxed = |first: u32| {
        let place = u32::from(char).checked_sub(first).filter(|place| *place < 26)?;
        char::from_u32(u32::from('a') + place)
    };
    match char {
        '\u{250}'..='\u{2af}' | '\u{1d00}'..='\u{1d7f}' | '\u{a730}'..='\u{a7ff}' => {
            SMALL_CAPITALS.iter().find(|(drawn, _)| *drawn == char).map(|(_, plain)| *plain)
        }
        '\u{1f130}'..='\u{1f149}' => boxed(0x1_f130),
        '\u{1f150}'..='\u{1f169}' => boxed(0x1_f150),
        '\u{1f170}'..='\u{1f189}' => boxed(0x1_f170),
        '\u{1f1e6}'..='\u{1f1ff}' => boxed(0x1_f1e6),
        _ => None,
    }
}

/// Whether a letter belongs to a script of which some letters look like those of ASCII.
pub(super) fn may_be_alike(char: char) -> bool {
    matches!(char, '\u{180}'..='\u{2af}' | '\u{370}'..='\u{58f}' | '\u{10a0}'..='\u{10ff}' | '\u{13a0}'..='\u{13ff}'
        | '\u{1d00}'..='\u{1dbf}' | '\u{2c60}'..='\u{2c7f}' | '\u{2c80}'..='\u{2cff}' | '\u{a640}'..='\u{a69f}'
        | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{abbf}')
}

/// Replaces look-alikes in words that have letters of ASCII too. A text with such a word is disguised, so that its words
/// made of look-alikes alone are replaced as well.
pub(super) fn replace(folded: Folded) -> Folded {
    let mut alike = Alike { known: Vec::new() };
    let is_mixed =
        |word: &str| word.chars().any(|char| char.is_ascii_alphabetic()) && word.chars().any(may_be_alike);
    let mixed = parts(&folded.text).filter(|word| is_mixed(word)).count();
    if mixed == 0 {
        return folded;
    }

    let mut text = String::with_capacity(folded.text.len());
    let mut map = Map::default();
    for word in parts(&folded.text) {
        let plain = if word.chars().any(may_be_alike) { alike.plain(word, is_mixed(word)) } else { None };
        let Some(plain) = plain else {
            text.push_str(word);
            map.even(word.len());
            continue;
        };
        text.push_str(&plain);
        // Character by character: words of equal length may differ inside.
        for (new, old) in plain.chars().zip(word.chars()) {
            map.uneven(new.len_utf8(), old.len_utf8());
        }
    }
    let map = map.over(&folded.map);
    Folded { text, map, alike: mixed, ..folded }
}

/// Words and the text between them, in turn.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|char: char| char.is_alphanumeric() != first).unwrap_or(rest.len());
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(part)
    })
}

/// Look-alikes that were already looked up: one text uses few of them.
struct Alike {
    known: Vec<(char, Option<char>)>,
}

/// Letters kept in [`Alike`]: more than two alphabets.
const MAX_KNOWN: usize = 128;

impl Alike {
    /// The word with look-alikes replaced: as far as possible in a mixed word, else all letters or none.
    fn plain(&mut self, word: &str, is_mixed: bool) -> Option<String> {
        let mut plain = String::with_capacity(word.len());
        for char in word.chars() {
            match self.letter(char) {
                Some(letter) => plain.push(letter),
                None if is_mixed => plain.push(char),
                None => return None,
            }
        }
        Some(plain)
    }

    fn letter(&mut self, char: char) -> Option<char> {
        if char.is_ascii() {
            return Some(char);
        }
        if let Some((_, letter)) = self.known.iter().find(|(known, _)| *known == char) {
            return *letter;
        }
        let letter = look(char).or_else(|| char.to_uppercase().next().and_then(look));
        if self.known.len() < MAX_KNOWN {
            self.known.push((char, letter));
        }
        letter
    }
}

/// The letter of ASCII that a letter looks like.
fn look(char: char) -> Option<char> {
    let mut buffer = [0; 4];
    let mut shape = skeleton(char.encode_utf8(&mut buffer));
    let first = shape.next().filter(char::is_ascii_alphabetic)?;
    shape.next().is_none().then(|| first.to_ascii_lowercase())
}
