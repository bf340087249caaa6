//! Sixty-four bytes at a time as sets of bits, made by the widest vectors that the processor has: the classes
//! of bytes that the shapes in [`super::shapes`] are made of, and where a literal's fingerprint may stand.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x16, u8x64};

use super::fingerprints::{Fingerprints, LENGTH};

/// How many bytes are looked at together.
pub(crate) const LINE: usize = 64;
/// What stands behind a line and is looked at with it.
const AHEAD: usize = LENGTH - 1;
/// Lines that the vectors sort before what they found is looked at: as many as pay for the call.
const CHUNK: usize = 8;

/// Which bytes of a line belong to which class: bit i stands for byte i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::find) struct Line {
    pub(super) digits: u64,
    pub(super) capitals: u64,
    pub(super) dots: u64,
    pub(super) dashes: u64,
    /// Where `SK` begins.
    pub(super) keys: u64,
    /// Every `@`.
    pub(super) ats: u64,
    /// Where a fingerprint may stand.
    pub(super) fingerprints: u64,
}

/// Sorts lines.
pub(super) struct Sorter {
    level: Level,
    fingerprints: Fingerprints,
}

impl Sorter {
    pub(super) fn new(fingerprints: Fingerprints) -> Self {
        Self { level: Level::new(), fingerprints }
    }

    /// Calls `line` with the number of each line of `text` and what is in it. The last one may be short.
    #[inline]
    pub(super) fn each_line(&self, text: &[u8], mut line: impl FnMut(usize, &Line)) {
        let mut sorted = [Line::default(); CHUNK];
        let whole = text.len().saturating_sub(AHEAD) / LINE;
        for first in (0..whole).step_by(CHUNK) {
            let lines = sorted.get_mut(..CHUNK.min(whole - first)).unwrap_or_default();
            self.sort(text.get(first * LINE..).unwrap_or_default(), lines);
            lines.iter().zip(first..).for_each(|(sorted, number)| line(number, sorted));
        }
        let rest = text.get(whole * LINE..).unwrap_or_default();
        let mut padded = [0; 2 * LINE + AHEAD];
        padded.split_at_mut(rest.len()).0.copy_from_slice(rest);
        let lines = sorted.get_mut(..rest.len().div_ceil(LINE)).unwrap_or_default();
        self.sort(&padded, lines);
        lines.iter().zip(whole..).for_each(|(sorted, number)| line(number, sorted));
    }

    #[inline]
    fn sort(&self, bytes: &[u8], lines: &mut [Line]) {
        dispatch!(self.level, simd => sort(simd, &self.fingerprints, bytes, lines));
    }
}

/// Sorts as many lines as there is room for; `bytes` holds as many, and what is looked at behind them.
#[inline(always)]
fn sort<S: Simd>(simd: S, fingerprints: &Fingerprints, bytes: &[u8], lines: &mut [Line]) {
    let spread = |table: [u8; 16]| u8x64::block_splat(u8x16::simd_from(simd, table));
    let tables = fingerprints.halves.map(|half| half.map(|place| [spread(place.low), spread(place.high)]));
    for (line, start) in lines.iter_mut().zip((0..).step_by(LINE)) {
        let Some(window) = bytes.get(start..).and_then(|rest| rest.first_chunk::<{ LINE + AHEAD }>()) else {
            return;
        };
        let from: [u8x64<S>; LENGTH] =
            std::array::from_fn(|at| u8x64::from_slice(simd, &window[at..at + LINE]));
        let mut found = [u8x64::splat(simd, u8::MAX); 2];
        for place in 0..LENGTH {
            let (low, high) = (from[place] & 15, from[place] >> 4);
            for half in 0..2 {
                let [of_low, of_high] = tables[half][place];
                found[half] &=
                    of_low.swizzle_dyn_within_blocks(low) & of_high.swizzle_dyn_within_blocks(high);
            }
        }
        let [byte, next, ..] = from;
        let within = |first: u8, last: u8| (byte - first).simd_le(last - first).to_bitmask();
        let is = |wanted: u8| byte.simd_eq(wanted).to_bitmask();
        *line = Line {
            digits: within(b'0', b'9'),
            capitals: within(b'A', b'Z'),
            dots: is(b'.'),
            dashes: is(b'-'),
            keys: is(b'S') & next.simd_eq(b'K').to_bitmask(),
            ats: is(b'@'),
            fingerprints: (found[0] | found[1]).simd_ne(0).to_bitmask(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_sorted(level: Level) {
        let sorter = Sorter { level, ..Sorter::new(Fingerprints::of(&[b"skey".to_vec()])) };
        for length in [0, 1, 3, 4, 63, 64, 65, 67, 68, 128, 131, 600, 1_500] {
            let bytes = (0..length).map(|index: usize| (index * 37 % 251) as u8 & 0x7f);
            let text: Vec<u8> =
                bytes.zip("SK.-@09AZ".bytes().cycle()).map(|(one, other)| one.min(other)).collect();
            let mut seen = 0;
            sorter.each_line(&text, |number, line| {
                assert_eq!(number, seen);
                seen += 1;
                for bit in 0..LINE {
                    let at = |index: usize| text.get(number * LINE + index).copied().unwrap_or(0);
                    let byte = at(bit);
                    let holds = |bits: u64| bits >> bit & 1 == 1;
                    assert_eq!(holds(line.digits), byte.is_ascii_digit());
                    assert_eq!(holds(line.capitals), byte.is_ascii_uppercase());
                    assert_eq!(holds(line.dots), byte == b'.');
                    assert_eq!(holds(line.dashes), byte == b'-');
                    assert_eq!(holds(line.keys), byte == b'S' && at(bit + 1) == b'K');
                    assert_eq!(holds(line.ats), byte == b'@');
                }
            });
            assert_eq!(seen, text.len().div_ceil(LINE));
        }
    }

    #[test]
    fn every_byte_is_in_its_classes_at_every_place() {
        assert_sorted(Level::new());
        assert_sorted(Level::baseline());
    }

    fn fingerprints(sorter: &Sorter, text: &[u8]) -> Vec<usize> {
        let mut places = Vec::new();
        sorter.each_line(text, |number, line| {
            let set = (0..LINE).filter(|bit| line.fingerprints >> bit & 1 == 1);
            places.extend(set.map(|bit| number * LINE + bit));
        });
        places
    }

    #[test]
    fn a_fingerprint_is_seen_at_every_place() {
        for level in [Level::new(), Level::baseline()] {
            let witnesses = [b"sg.".to_vec(), b"secret".to_vec()];
            let sorter = Sorter { level, ..Sorter::new(Fingerprints::of(&witnesses)) };
            for (at, written) in (0..200).flat_map(|at| ["sg.", "SECRET", "sEcR"].map(|word| (at, word))) {
                let text = [" ".repeat(at).as_bytes(), written.as_bytes()].concat();
                assert_eq!(fingerprints(&sorter, &text), [at], "{written}");
            }
        }
    }
}
