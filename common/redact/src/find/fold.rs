//! Text written so that it reads as another one: characters without width within names and tokens, and letters
//! that look like those of ASCII. A copy of such a text without the disguise, its skeleton in the sense of UTS #39, is
//! searched as well, and matches there are mapped back.
//!
//! A *disguise* is a character of [`Meaning`]. It counts beside ASCII, since a word of one script is ordinary
//! text, and where two wide letters stand side by side. Where one counts, all disguises next to it without a gap count, too. So
//! Persian, emoji and prose in Greek, Russian or Japanese stay as they are, and a word made of look-alikes only is not seen through.
//!
//! The copy is no longer than the text and is dropped after the search. No table of offsets is kept: the text is
//! folded once more where something was found.

mod letters;

use std::ops::RangeInclusive;

use letters::looks_like;

use super::Finder;
use super::overlap::merge;
use super::pass::Pass;
use super::text::Text;
use crate::entity::{EntitySet, Match};

/// Ranges of the characters that are disguises by themselves. Rarer letters count only where they touch one of these: each
/// further first byte makes the scan stop more often at numbers in payloads.
const TRIGGERS: [RangeInclusive<char>; 7] = [
    '\u{ad}'..='\u{ad}',
    '\u{391}'..='\u{3c9}',
    '\u{405}'..='\u{458}',
    '\u{200b}'..='\u{206f}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{ff5e}',
    '\u{1d400}'..='\u{1d7ff}',
];
/// U+FEFF, which begins a text and hides nothing there.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Meaning of a disguise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Nothing: it has no width.
    Nothing,
    /// A letter of another script that looks like this one.
    Letter(u8),
    /// A letter or digit of a compatibility block: fullwidth or mathematical.
    Wide(u8),
    /// A fullwidth sign.
    Sign(u8),
}

/// A disguise and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Disguise {
    start: usize,
    end: usize,
    meaning: Meaning,
}

/// Searches the text without its disguises and adds matches there of these types, in places of the text itself.
pub(super) fn find(finder: &Finder, text: &Text<'_>, entities: EntitySet, matches: &mut Vec<Match>) {
    let folded = folded(text);
    let folded = Text::new(&folded);
    let mut found = Vec::new();
    Pass::new(finder, &folded, &mut found).run();
    text.count_as_well(&folded);
    found.retain(|found| entities.contains(found.entity));
    if found.is_empty() {
        return;
    }
    merge(&mut found);
    unfold(text, &mut found);
    matches.append(&mut found);
}

/// The text without its disguises: no longer than it.
pub(crate) fn folded(text: &Text<'_>) -> Vec<u8> {
    let mut copy = Vec::with_capacity(text.len());
    let mut at = 0;
    each(text, |disguise| {
        copy.extend_from_slice(text.slice(at, disguise.start));
        copy.extend(disguise.meaning.written());
        at = disguise.end;
    });
    copy.extend_from_slice(text.slice(at, text.len()));
    copy
}

/// The characters that the scan looks for.
pub(super) fn triggers() -> impl Iterator<Item = char> {
    TRIGGERS.into_iter().flatten().filter(|character| Meaning::of(*character).is_some())
}

/// Whether a disguise stands at `at` that counts by its neighbours; behind one of two bytes stands ASCII, so that text in
/// Greek or Russian is searched once. Only bytes of the text that holds it are needed for a yes.
pub(super) fn counts(text: &Text<'_>, at: usize) -> bool {
    let bytes = text.bytes();
    let goes_on = |disguise: &Disguise| {
        disguise.end - disguise.start > 2 || bytes.get(disguise.end).is_some_and(u8::is_ascii)
    };
    disguise(bytes, at).filter(goes_on).is_some_and(|disguise| disguise.counts(bytes))
}

/// Whether there is nothing at `at` but the mark that begins a text.
pub(super) fn is_byte_order_mark(text: &Text<'_>, at: usize) -> bool {
    at == 0 && text.has(at, BYTE_ORDER_MARK)
}

/// Calls `fold` for every disguise that counts, and for those that touch one, from left to right.
fn each(text: &Text<'_>, mut fold: impl FnMut(Disguise)) {
    let bytes = text.bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = text.run(at, |byte| byte.is_ascii());
        let mut counts = false;
        let mut end = at;
        while let Some(disguise) = disguise(bytes, end) {
            counts |= disguise.counts(bytes);
            end = disguise.end;
        }
        if counts {
            disguises(bytes, at).take_while(|disguise| disguise.start < end).for_each(&mut fold);
        }
        at = text.run(end.max(at + 1), is_continuation);
    }
}

/// The disguises that stand side by side from `at` on.
fn disguises(bytes: &[u8], at: usize) -> impl Iterator<Item = Disguise> {
    std::iter::successors(disguise(bytes, at), |before| disguise(bytes, before.end))
}

/// Moves matches of the folded text, sorted and apart, to their places in the text itself.
fn unfold(text: &Text<'_>, found: &mut [Match]) {
    let mut ends = found.iter_mut().flat_map(|found| [(false, &mut found.start), (true, &mut found.end)]);
    let mut next = ends.next();
    // The bytes `folded..` of the folded text stand for the bytes `at..` of the text.
    let (mut folded, mut at) = (0, 0);
    let mut settle = |start: usize, end: usize, is_one: bool| {
        let length = if is_one { 1 } else { end - start };
        while let Some((is_end, place)) = &mut next {
            // The byte in question: the first one, or the last one, of a match.
            let byte = **place - usize::from(*is_end);
            if byte >= folded + length {
                break;
            }
            **place = match (is_one, *is_end) {
                (true, true) => end,
                (true, false) => start,
                (false, is_end) => start + (byte - folded) + usize::from(is_end),
            };
            next = ends.next();
        }
        folded += length;
    };
    each(text, |disguise| {
        settle(at, disguise.start, false);
        if disguise.meaning.written().is_some() {
            settle(disguise.start, disguise.end, true);
        }
        at = disguise.end;
    });
    settle(at, text.len(), false);
}

/// The disguise that begins at `at`.
fn disguise(bytes: &[u8], at: usize) -> Option<Disguise> {
    let (character, length) = character(bytes, at)?;
    Some(Disguise { start: at, end: at + length, meaning: Meaning::of(character)? })
}

/// A character of two to four bytes, and how many they are.
fn character(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = bytes.get(at..)?;
    let (lead, behind) = rest.split_first()?;
    let length = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let behind =
        behind.get(..length - 1).filter(|behind| behind.iter().all(|byte| is_continuation(*byte)))?;
    let first = u32::from(*lead) & (0x7f >> length);
    let code = behind.iter().fold(first, |code, byte| code << 6 | u32::from(*byte & 0x3f));
    Some((char::from_u32(code)?, length))
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

impl Disguise {
    /// Whether its neighbours make it one: letters, digits or `_`; for other signs than letters, any sign as
    /// well, and for a sign a blank.
    fn counts(self, bytes: &[u8]) -> bool {
        let before = self.start.checked_sub(1).and_then(|before| bytes.get(before));
        let beside = [before, bytes.get(self.end)].into_iter().flatten();
        let is_wide = |place: usize| {
            disguise(bytes, place).is_some_and(|next| matches!(next.meaning, Meaning::Wide(_)))
        };
        let mut beside = beside.copied();
        match self.meaning {
            Meaning::Nothing => beside.any(|byte| byte.is_ascii_graphic()),
            Meaning::Sign(_) => beside.any(|byte| byte.is_ascii_graphic() || byte == b' '),
            Meaning::Letter(_) => self.is_within_word(bytes),
            Meaning::Wide(_) => beside.any(is_word) || is_wide(self.end),
        }
    }

    /// Whether two letters, digits or `_` stand on one side, or one of these, and ASCII on the other side. One alone is
    /// frequent beside the numbers of a payload.
    fn is_within_word(self, bytes: &[u8]) -> bool {
        let byte = |place: Option<usize>| place.and_then(|place| bytes.get(place)).copied().unwrap_or(0);
        let before = [1, 2].map(|distance| byte(self.start.checked_sub(distance)));
        let behind = [0, 1].map(|distance| byte(Some(self.end + distance)));
        let in_print = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
        let sides = [(before, behind), (behind, before)];
        sides
            .into_iter()
            .any(|([next, further], [other, _])| is_word(next) && (is_word(further) || in_print(other)))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Meaning {
    fn of(character: char) -> Option<Self> {
        /// A to Z and a to z in each of the mathematical alphabets.
        const LETTERS: u32 = 52;
        let code = u32::from(character);
        let meaning = match character {
            // Soft hyphen, joiners and marks of direction, invisible operators.
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => {
                Self::Nothing
            }
            // Selectors of variants; the mark that begins a text.
            '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => Self::Nothing,
            '\u{ff01}'..='\u{ff5e}' => {
                let byte = low(code - 0xff01 + u32::from(b'!'));
                if byte.is_ascii_alphanumeric() { Self::Wide(byte) } else { Self::Sign(byte) }
            }
            '\u{1d400}'..='\u{1d6a3}' => {
                let letter = low((code - 0x1d400) % LETTERS);
                Self::Wide(if letter < 26 { b'A' + letter } else { b'a' + letter - 26 })
            }
            '\u{1d7ce}'..='\u{1d7ff}' => Self::Wide(b'0' + low((code - 0x1d7ce) % 10)),
            _ => Self::Letter(looks_like(character)?),
        };
        Some(meaning)
    }

    /// Its replacement in the folded text.
    fn written(self) -> Option<u8> {
        match self {
            Self::Nothing => None,
            Self::Letter(byte) | Self::Wide(byte) | Self::Sign(byte) => Some(byte),
        }
    }
}

/// A number that is known to be small.
fn low(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests;
