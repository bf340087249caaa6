//! Words of a text with their distances: a label and the value that it names are at most a few words apart.

/// A run of letters and digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Offset of the first byte.
    pub(crate) start: usize,
    /// Offset behind the last byte.
    pub(crate) end: usize,
    /// Place in the text, counted in words. The end of a sentence counts as words, too; see [`SENTENCE`] and [`WALL`].
    pub(crate) place: u32,
    /// Whether it holds an ASCII digit.
    pub(crate) has_digit: bool,
}

/// Extra words that the end of a sentence counts as: a label still reaches the start of the next sentence.
const SENTENCE: u32 = 2;
/// Extra words that a blank line or a placeholder counts as, so that no label reaches beyond.
const WALL: u32 = 64;

/// Splits a text. Letters of scripts written without blanks are separated from all others, so that a number beside
/// them is a word of its own. Linear.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::with_capacity(text.len() / 6 + 1);
    let mut open: Option<(usize, Class, bool)> = None;
    let mut place = 0;
    let mut gap = Gap::default();
    for (at, character) in text.char_indices() {
        let class = class(character);
        let digit = character.is_ascii_digit();
        if let Some((start, before, has_digit)) = open {
            if before == class {
                open = Some((start, before, has_digit || digit));
                continue;
            }
            words.push(Word { start, end: at, place, has_digit });
            gap = Gap { short: at - start <= 3, ..Gap::default() };
            open = None;
        }
        if class == Class::Other {
            gap.read(character, text.as_bytes(), at);
        } else {
            place += 1 + gap.words();
            open = Some((at, class, digit));
        }
    }
    if let Some((start, _, has_digit)) = open {
        words.push(Word { start, end: text.len(), place, has_digit });
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters and digits of scripts that separate words.
    Plain,
    /// Letters of Chinese, Japanese, Korean and Thai.
    Unspaced,
    /// Everything else.
    Other,
}

/// Whether a letter belongs to a script that does not separate words by blanks, or joins them to words of other scripts.
pub(crate) fn is_unspaced(character: char) -> bool {
    class(character) == Class::Unspaced
}

fn class(character: char) -> Class {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() { Class::Plain } else { Class::Other };
    }
    match character {
        '\u{0E00}'..='\u{0E7F}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}' => Class::Unspaced,
        // Marks that stand on a letter belong to its word.
        '\u{0300}'..='\u{036F}' => Class::Plain,
        _ if character.is_alphanumeric() => Class::Plain,
        _ => Class::Other,
    }
}

/// The characters between two words.
#[derive(Default)]
struct Gap {
    /// Whether the word before it is short, as abbreviations are.
    short: bool,
    stop: bool,
    sentence: bool,
    lines: u32,
    wall: bool,
}

impl Gap {
    fn read(&mut self, character: char, bytes: &[u8], at: usize) {
        match character {
            '.' | '!' | '?' => self.stop = !self.short,
            '。' | '！' | '？' => self.sentence = true,
            '\n' => {
                self.lines += 1;
                self.sentence |= self.stop;
            }
            '>' => self.wall |= bytes.get(..at).is_some_and(|before| before.ends_with(b"_REDACTED")),
            _ if character.is_whitespace() => self.sentence |= self.stop,
            _ => self.stop = false,
        }
    }

    fn words(&self) -> u32 {
        if self.wall || self.lines >= 2 {
            return WALL;
        }
        if self.sentence { SENTENCE } else { 0 }
    }
}
