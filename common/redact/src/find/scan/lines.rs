//! Sixty-four bytes at a time as sets of bits, made by the widest vectors that the processor has: what of the
//! shapes in [`super::shapes`] ends where, and where a literal's fingerprint may stand.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x16, u8x64};

use super::buckets::LookUp;
use super::fingerprints::{DISGUISES, Fingerprints, LENGTH};
use super::places;
use super::shapes::{Search, Seen, Shapes};
use crate::find::text::Text;

/// Number of bytes examined together.
pub(crate) const LINE: usize = 64;
/// Distance from the `p` of an Airtable token to its full stop.
const TABLED: u32 = 17;
/// Bytes behind a line that are examined with it.
const AHEAD: usize = LENGTH - 1;
/// Lines that are sorted before their content is read: as many sets as the widest vectors hold.
pub(super) const CHUNK: usize = 8;

/// A set for each line of a chunk, behind that of the line before: bit i stands for byte i.
pub(super) type Column = [u64; CHUNK + 1];

/// Which bytes of the lines belong to which class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Classes {
    pub(super) digits: Column,
    pub(super) capitals: Column,
    pub(super) dots: Column,
    pub(super) dashes: Column,
    /// A full stop as far behind a `p` as in a token of Airtable.
    pub(super) tabled: Column,
    /// Starts of `:A`.
    pub(super) bots: Column,
    /// Every `p`.
    pub(super) pats: Column,
    /// Every `@`.
    pub(super) ats: Column,
    /// Possible fingerprints.
    pub(super) fingerprints: Column,
}

/// A line that holds something worth a look.
#[derive(Clone, Copy)]
pub(in crate::find) struct Line<'c> {
    chunk: &'c Chunk,
    /// Its place in the chunk, counted from one.
    index: usize,
    /// Its place in the text.
    pub(super) number: usize,
}

impl Line<'_> {
    /// Offset of the line in the text.
    #[inline]
    pub(in crate::find) fn start(self) -> usize {
        self.number * LINE
    }

    /// Every `@`.
    #[inline]
    pub(super) fn ats(self) -> u64 {
        self.chunk.classes.ats[self.index]
    }

    /// Possible fingerprints.
    #[inline]
    pub(super) fn fingerprints(self) -> u64 {
        self.chunk.classes.fingerprints[self.index]
    }

    /// Adds the shapes in the line to `seen`.
    #[inline]
    pub(in crate::find) fn look_at_shapes(self, text: &Text<'_>, seen: &mut Seen) {
        if self.chunk.shapes.any[self.index] != 0 {
            self.chunk.shapes.in_line(self.index).look(text, self.number, seen);
        }
    }
}

/// Sorts lines.
pub(super) struct Sorter {
    level: Level,
    fingerprints: Fingerprints,
}

/// The lines that were sorted together.
#[derive(Default)]
struct Chunk {
    classes: Classes,
    shapes: Shapes,
    /// Which lines hold anything, one bit each.
    held: u64,
}

impl Sorter {
    pub(super) fn new(witnesses: &[Vec<u8>]) -> Self {
        Self::at(Level::new(), witnesses)
    }

    fn at(level: Level, witnesses: &[Vec<u8>]) -> Self {
        let look_up = dispatch!(level, simd => look_up(simd));
        Self { level, fingerprints: Fingerprints::of(witnesses, look_up) }
    }

    /// Calls `line` for each line of `text` that holds something, with its number. The last one may be short.
    #[inline]
    pub(super) fn each_line(&self, search: Search, text: &[u8], mut line: impl FnMut(Line<'_>)) {
        let mut chunk = Chunk::default();
        let whole = text.len().saturating_sub(AHEAD) / LINE;
        for first in (0..whole).step_by(CHUNK) {
            let count = CHUNK.min(whole - first);
            self.sort(text.get(first * LINE..).unwrap_or_default(), search, &mut chunk);
            chunk.each_line(first, count, &mut line);
        }
        let rest = text.get(whole * LINE..).unwrap_or_default();
        let mut padded = [0; 2 * LINE + AHEAD];
        padded.split_at_mut(rest.len()).0.copy_from_slice(rest);
        self.sort(&padded, search, &mut chunk);
        chunk.each_line(whole, rest.len().div_ceil(LINE), &mut line);
    }

    #[inline]
    fn sort(&self, bytes: &[u8], search: Search, chunk: &mut Chunk) {
        dispatch!(self.level, simd => {
            let held = sort(simd, &self.fingerprints, bytes, &mut chunk.classes);
            chunk.held = held | chunk.shapes.find(simd, &chunk.classes, search);
        });
    }
}

impl Chunk {
    /// Calls `line` for each of the first `count` lines that holds something, and makes the last of them the one
    /// before those that come next.
    #[inline]
    fn each_line(&mut self, first: usize, count: usize, line: &mut impl FnMut(Line<'_>)) {
        for index in places(self.held & ((1 << count) - 1), 0) {
            line(Line { chunk: self, index: index + 1, number: first + index });
        }
        let Classes { digits, capitals, dots, dashes, pats, .. } = &mut self.classes;
        for column in [digits, capitals, dots, dashes, pats] {
            column[0] = column[count.min(CHUNK)];
        }
        self.shapes.go_on_behind(count.min(CHUNK));
    }
}

/// Sorts the lines that `bytes` holds with the bytes needed behind them, at most a chunk. Returns in which of them an `@`
/// or a fingerprint may stand, one bit each.
#[inline(always)]
fn sort<S: Simd>(simd: S, fingerprints: &Fingerprints, bytes: &[u8], classes: &mut Classes) -> u64 {
    let mut held = 0;
    for index in 1..=CHUNK {
        let window = bytes.get((index - 1) * LINE..).and_then(|rest| rest.first_chunk::<{ LINE + AHEAD }>());
        let Some(window) = window else { return held };
        let from: [u8x64<S>; LENGTH] =
            std::array::from_fn(|at| u8x64::from_slice(simd, &window[at..at + LINE]));
        let [some, others] = match look_up(simd) {
            LookUp::SixBits => buckets_by_six_bits(simd, fingerprints, from),
            LookUp::Halves => buckets_by_halves(simd, fingerprints, from),
        };
        let [byte, next, ..] = from;
        let within = |first: u8, last: u8| (byte - first).simd_le(last - first).to_bitmask();
        let is = |wanted: u8| byte.simd_eq(wanted).to_bitmask();
        classes.digits[index] = within(b'0', b'9');
        classes.capitals[index] = within(b'A', b'Z');
        classes.dots[index] = is(b'.');
        classes.dashes[index] = is(b'-');
        classes.bots[index] = is(b':') & next.simd_eq(b'A').to_bitmask();
        classes.pats[index] = is(b'p');
        classes.tabled[index] = classes.dots[index]
            & (classes.pats[index] << TABLED | classes.pats[index - 1] >> (u64::BITS - TABLED));
        classes.ats[index] = is(b'@');
        classes.fingerprints[index] = (some | others).simd_ne(0).to_bitmask();
        held |= u64::from(classes.ats[index] | classes.fingerprints[index] != 0) << (index - 1);
    }
    held
}

/// Byte look-up of the processor: if its vectors are as long as a line, 64 values at once.
#[inline(always)]
fn look_up<S: Simd>(_simd: S) -> LookUp {
    if <S::u8s>::LEN == LINE { LookUp::SixBits } else { LookUp::Halves }
}

/// Which buckets have a fingerprint of the bytes `from` each place of a line on: where vectors are as long as the
/// line they look up 64 values at once.
#[inline(always)]
fn buckets_by_six_bits<S: Simd>(
    simd: S,
    fingerprints: &Fingerprints,
    from: [u8x64<S>; LENGTH],
) -> [u8x64<S>; 2] {
    let six = from.map(|bytes| (bytes & 31) | ((bytes >> 1) & 32));
    let mut found = [u8x64::splat(simd, u8::MAX); 2];
    for (found, half) in found.iter_mut().zip(&fingerprints.halves) {
        for (six, place) in six.iter().zip(half) {
            *found &= u8x64::from_slice(simd, &place.six).swizzle_dyn(*six);
        }
    }
    // Six bits do not identify non-ASCII. The first two bytes of a disguise have the uppermost bit, which is its own;
    // behind two bytes stands ASCII, and a first byte of more has the sixth bit as well.
    let [some, others] = found;
    let [lead, next, third, _] = from;
    let foreign = lead & next & (!third | (lead << 2));
    [some, others & (foreign | !DISGUISES)]
}

/// As [`buckets_by_six_bits`], with vectors that look up 16 values.
#[inline(always)]
fn buckets_by_halves<S: Simd>(
    simd: S,
    fingerprints: &Fingerprints,
    from: [u8x64<S>; LENGTH],
) -> [u8x64<S>; 2] {
    let spread = |table: [u8; 16]| u8x64::block_splat(u8x16::simd_from(simd, table));
    let halves = from.map(|bytes| [bytes & 15, bytes >> 4]);
    let mut found = [u8x64::splat(simd, u8::MAX); 2];
    for (found, half) in found.iter_mut().zip(&fingerprints.halves) {
        for ([low, high], place) in halves.iter().zip(half) {
            *found &= spread(place.low).swizzle_dyn_within_blocks(*low)
                & spread(place.high).swizzle_dyn_within_blocks(*high);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorters(witnesses: &[Vec<u8>]) -> [Sorter; 2] {
        [Level::new(), Level::baseline()].map(|level| Sorter::at(level, witnesses))
    }

    #[test]
    fn every_byte_is_in_its_classes_at_every_place() {
        let text: Vec<u8> = (0..CHUNK * LINE + AHEAD)
            .map(|index| b"SK.-@09:AZ/:[ xp\xce\xd4\xd5"[index * 37 % 251 % 19])
            .collect();
        let at = |index: usize| text[index];
        for sorter in sorters(&[b"skey".to_vec()]) {
            let mut chunk = Chunk::default();
            sorter.sort(&text, Search::default(), &mut chunk);
            for index in 0..CHUNK * LINE {
                let holds = |column: &Column| column[index / LINE + 1] >> (index % LINE) & 1 == 1;
                let (byte, classes) = (at(index), &chunk.classes);
                assert_eq!(holds(&classes.digits), byte.is_ascii_digit());
                assert_eq!(holds(&classes.capitals), byte.is_ascii_uppercase());
                assert_eq!(holds(&classes.dots), byte == b'.');
                assert_eq!(holds(&classes.dashes), byte == b'-');
                let tabled = byte == b'.' && index >= 17 && at(index - 17) == b'p';
                assert_eq!(holds(&classes.tabled), tabled);
                assert_eq!(holds(&classes.bots), byte == b':' && at(index + 1) == b'A');
                assert_eq!(holds(&classes.pats), byte == b'p');
                assert_eq!(holds(&classes.ats), byte == b'@');
            }
        }
    }

    #[test]
    fn a_disguise_is_seen_at_every_place() {
        let written = [
            "\u{200b}x",
            "\u{2060}a",
            "\u{ad}2",
            "\u{feff}=",
            "\u{430}s",
            "\u{3bf}=",
            "\u{ff1d}a",
            "\u{1d5e3}",
        ];
        for sorter in sorters(&[b"skey".to_vec()]) {
            for (at, written) in (0..600).flat_map(|at| written.map(|written| (at, written))) {
                let text = [" ".repeat(at).as_bytes(), written.as_bytes()].concat();
                let mut seen = false;
                sorter.each_line(Search::default(), &text, |line| {
                    seen |= places(line.fingerprints(), line.start()).any(|place| place == at);
                });
                assert!(seen, "{written:?} at {at}");
            }
        }
    }

    #[test]
    fn a_fingerprint_is_seen_at_every_place() {
        for sorter in sorters(&[b"sg.".to_vec(), b"secret".to_vec()]) {
            for (at, written) in (0..1_200).flat_map(|at| ["sg.", "SECRET", "sEcR"].map(|word| (at, word))) {
                let text = [" ".repeat(at).as_bytes(), written.as_bytes()].concat();
                let mut places = Vec::new();
                sorter.each_line(Search::default(), &text, |line| {
                    places.extend(crate::find::scan::places(line.fingerprints(), line.start()));
                });
                assert_eq!(places, [at], "{written}");
            }
        }
    }
}
