//! Which bytes of a body need care, one bit each, set by the widest vectors that the processor has: a few kilobytes
//! at a time and just before they are read. A text is then checked by a word or two of bits instead of its bytes.
//! The walkers define the care.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

/// Number of bytes that are examined together, and share a word of bits.
const LINE: usize = 64;
/// Lines that are sorted before they are read: 4 KiB, which stay in the nearest cache until then.
const LINES: usize = 64;
const WINDOW: usize = LINE * LINES;

/// Reason why a byte needs care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// It is not ASCII.
    NotAscii,
    /// It ends the plain part of a JSON string: a quote, a backslash or a control character.
    NotPlain,
}

/// The bytes of a text that need care, queried from left to right.
pub(super) struct Marks<'a> {
    text: &'a [u8],
    care: Care,
    level: Level,
    /// The position of the first byte that `words` covers.
    first: usize,
    /// Bit i of a word represents byte i of its line; the last word stays zero.
    words: [u64; LINES + 1],
}

impl<'a> Marks<'a> {
    pub(super) fn new(text: &'a [u8], care: Care) -> Self {
        let mut marks = Self { text, care, level: Level::new(), first: 0, words: [0; LINES + 1] };
        marks.sort_at(0);
        marks
    }

    /// Whether any byte of `part`, a slice of the text, needs care.
    #[inline]
    pub(super) fn any(&mut self, part: &[u8]) -> bool {
        let start = part.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
        let within = start.wrapping_sub(self.first);
        if part.len() > LINE || within > WINDOW - LINE {
            let end = start.saturating_add(part.len());
            return self.next_before(start, end) < end;
        }
        let beyond = u64::MAX.checked_shl(part.len() as u32).unwrap_or(0);
        self.from(within) & !beyond != 0
    }

    /// The position of the next byte at `at` or after it that needs care; the length of the text if there is none.
    #[inline]
    pub(super) fn next(&mut self, at: usize) -> usize {
        let within = at.wrapping_sub(self.first);
        if within <= WINDOW - LINE {
            let marks = self.from(within);
            if marks != 0 {
                return at + marks.trailing_zeros() as usize;
            }
        }
        self.next_before(at, self.text.len())
    }

    /// The bits of the 64 bytes at this distance from the first one, those after the window unset.
    #[inline]
    fn from(&self, within: usize) -> u64 {
        let (line, bit) = (within / LINE, within % LINE);
        let [word, next] = [0, 1].map(|ahead| self.words.get(line + ahead).copied().unwrap_or(0));
        word >> bit | next << 1 << (LINE - 1 - bit)
    }

    /// The position of the next byte at `at` or after it that needs care, or `end`.
    fn next_before(&mut self, mut at: usize, end: usize) -> usize {
        while at < end {
            if !(self.first..self.first + WINDOW).contains(&at) {
                self.sort_at(at);
            }
            let marks = self.from(at - self.first);
            if marks != 0 {
                return end.min(at + marks.trailing_zeros() as usize);
            }
            at = (at + LINE).min(self.first + WINDOW);
        }
        end
    }

    /// Moves the window to `at`.
    #[inline(never)]
    fn sort_at(&mut self, at: usize) {
        self.first = at / LINE * LINE;
        let rest = self.text.get(self.first..).unwrap_or_default();
        dispatch!(self.level, simd => match self.care {
            Care::NotAscii => sort(simd, rest, &mut self.words, |bytes| bytes.simd_ge(0x80).to_bitmask()),
            Care::NotPlain => sort(simd, rest, &mut self.words, |bytes| {
                (bytes.simd_eq(b'"') | bytes.simd_eq(b'\\') | bytes.simd_lt(b' ')).to_bitmask()
            }),
        });
    }
}

/// Sets the bits of the lines that `bytes` begins with, as many as there are words but for the last.
#[inline(always)]
fn sort<S: Simd>(simd: S, bytes: &[u8], words: &mut [u64; LINES + 1], care: impl Fn(u8x64<S>) -> u64) {
    let (lines, rest) = bytes.as_chunks::<LINE>();
    let mut sorted = 0;
    for (word, line) in words.iter_mut().take(LINES).zip(lines) {
        *word = care(u8x64::from_slice(simd, line));
        sorted += 1;
    }
    if let Some(word) = words.get_mut(sorted).filter(|_| sorted < LINES) {
        let mut padded = [b' '; LINE];
        padded.split_at_mut(rest.len()).0.copy_from_slice(rest);
        *word = care(u8x64::from_slice(simd, &padded));
        words.iter_mut().skip(sorted + 1).for_each(|word| *word = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of both kinds, by the vectors that there are and by the least.
    fn marks(text: &[u8]) -> impl Iterator<Item = (Care, Marks<'_>)> {
        let kinds = [Care::NotAscii, Care::NotPlain].into_iter();
        let all = kinds.flat_map(|care| [Level::new(), Level::baseline()].map(|level| (care, level)));
        all.map(move |(care, level)| {
            let mut marks = Marks { level, ..Marks::new(text, care) };
            marks.sort_at(0);
            (care, marks)
        })
    }

    fn needs_care(byte: u8, care: Care) -> bool {
        match care {
            Care::NotAscii => !byte.is_ascii(),
            Care::NotPlain => matches!(byte, b'"' | b'\\' | ..b' '),
        }
    }

    /// Bytes of which few need care, at distances up to several windows.
    fn text() -> Vec<u8> {
        let mut text = vec![b'~'; 3 * WINDOW + 17];
        for (index, byte) in
            [0, 0x1f, b'"', b'\\', 0x80, 0xff, b'\n', 0xc3].iter().cycle().take(78).enumerate()
        {
            text[index * index * 2] = *byte;
        }
        text
    }

    #[test]
    fn the_next_byte_that_needs_care_is_found_from_everywhere() {
        let text = text();
        for (care, mut marks) in marks(&text) {
            let steps = [1, 7, 100, 5_000].into_iter().flat_map(|step| (0..=text.len()).step_by(step));
            for at in steps {
                let rest = &text[at..];
                let length = rest.iter().position(|byte| needs_care(*byte, care));
                assert_eq!(marks.next(at), at + length.unwrap_or(rest.len()), "{care:?} from {at}");
            }
        }
    }

    #[test]
    fn a_part_that_needs_care_is_told_from_one_that_does_not() {
        let text = text();
        for (care, mut marks) in marks(&text) {
            for length in [0, 1, 5, 63, 64, 65, 300, WINDOW, WINDOW + 1] {
                for part in text.windows(length.max(1)).step_by(3).map(|part| &part[..length]) {
                    let expected = part.iter().any(|byte| needs_care(*byte, care));
                    assert_eq!(marks.any(part), expected, "{care:?}, {length} bytes");
                }
            }
        }
    }
}
