//! Literals anywhere in a text, searched at sixty-four places at a time: of each a few rare bytes in a row are its fingerprint,
//! and vectors find possible places. Worth it while fingerprints are so few, or so rare, that almost no place has to be
//! examined; the others are in `grams`.

mod buckets;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x16, u8x64};

use self::buckets::Print;
use super::marks::Marks;
use super::tables::Sought;

/// Bytes of a fingerprint; shorter literals are followed by any.
const LENGTH: usize = 3;
/// Bytes that are compared at once before a literal is as a whole.
const ROW: usize = 4;
/// Number of buckets that fingerprints share, one bit each in the tables of one half. A bucket lets through every mixture
/// of the bytes in it.
const BUCKETS: usize = 2 * BITS;
const BITS: usize = 8;
/// Number of places that are examined together.
const LINE: usize = 64;
/// The bytes at these places, and behind the last.
type Window = [u8; LINE + ROW];

/// Least average number of places for each candidate: then examining candidates takes no longer than examining all places.
const PLACES_FOR_ONE: f64 = 16.0;

/// The same number above which half of the buckets costs more than twice the work.
const WORTH_HALF: f64 = 64.0;

/// Literals, found by fingerprints.
#[derive(Clone, Debug)]
pub(super) struct Fingerprints {
    level: Level,
    /// One half where it has buckets enough.
    tables: Vec<[Table; LENGTH]>,
    buckets: Vec<Vec<Entry>>,
    literals: Box<[Sought]>,
    /// Bytes of the shortest literal.
    least: usize,
}

/// One byte of fingerprints: which buckets have a byte with this lower or upper half.
#[derive(Clone, Copy, Debug, Default)]
struct Table {
    low: [u8; 16],
    high: [u8; 16],
}

/// A literal in a bucket.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its rarest bytes, and which bits of them count.
    row: u32,
    counts: u32,
    /// Their offset in the literal.
    at: u32,
    literal: u32,
}

impl Fingerprints {
    /// Of literals, each with the rules that look for it; nothing where there are none, or too many to be rare.
    pub(super) fn of(literals: &[Sought]) -> Option<Self> {
        let least = literals.iter().map(|(text, _)| text.len()).min()?;
        let texts: Vec<&[u8]> = literals.iter().map(|(text, _)| &**text).collect();
        let starts = buckets::starts(&texts)?;
        let prints: Vec<Print> =
            texts.iter().zip(&starts).map(|(text, at)| buckets::print(text, *at)).collect();
        let mut different = prints.clone();
        // An entry that is followed by any byte comes first.
        different.sort_unstable();
        different.dedup();
        let half = buckets::ends(&different, BITS, 1.0 / WORTH_HALF);
        let (ends, share) = half.or_else(|| buckets::ends(&different, BUCKETS, 1.0 / PLACES_FOR_ONE))?;
        if share + buckets::everyday_share(&different) > 1.0 / PLACES_FOR_ONE {
            return None;
        }
        let halves = ends.len().div_ceil(BITS);
        let (mut tables, mut buckets) =
            (vec![[Table::default(); LENGTH]; halves], vec![Vec::new(); halves * BITS]);
        for (literal, (print, at)) in prints.iter().zip(starts).enumerate() {
            let place = different.binary_search(print).ok()?;
            let bucket = ends.partition_point(|end| *end <= place);
            tables[bucket / BITS]
                .iter_mut()
                .zip(print)
                .for_each(|(table, byte)| table.add(*byte, 1 << (bucket % BITS)));
            buckets[bucket].push(Entry::of(texts[literal], at, literal));
        }
        Some(Self { level: Level::new(), tables, buckets, literals: literals.into(), least })
    }

    /// Whether they are few enough for one half of the buckets, which is half of the work.
    pub(super) fn take_one_look(&self) -> bool {
        self.tables.len() == 1
    }

    /// Marks the rules whose literals are in a text.
    pub(super) fn mark(&self, text: &[u8], marks: &mut Marks) {
        if text.len() < self.least {
            return;
        }
        match self.tables.as_slice() {
            [one] => dispatch!(self.level, simd => self.mark_by(simd, &[one], text, marks)),
            [one, other] => dispatch!(self.level, simd => self.mark_by(simd, &[one, other], text, marks)),
            _ => {}
        }
    }

    #[inline(always)]
    fn mark_by<S: Simd, const HALVES: usize>(
        &self,
        simd: S,
        tables: &[&[Table; LENGTH]; HALVES],
        text: &[u8],
        marks: &mut Marks,
    ) {
        let mut padded: Window = [0; LINE + ROW];
        for start in (0..text.len()).step_by(LINE) {
            let rest = text.get(start..).unwrap_or_default();
            let window = rest.first_chunk().unwrap_or_else(|| {
                let (used, unused) = padded.split_at_mut(rest.len().min(LINE + ROW));
                used.copy_from_slice(rest);
                unused.fill(0);
                &padded
            });
            let found = tables.map(|tables| find(simd, tables, window));
            let any = found.iter().fold(u8x64::splat(simd, 0), |any, found| any | *found);
            let mut places = any.simd_ne(0).to_bitmask();
            if places == 0 {
                continue;
            }
            let mut buckets = [[0; LINE]; 2];
            found.iter().zip(&mut buckets).for_each(|(found, buckets)| found.store_slice(buckets));
            while places != 0 {
                let at = places.trailing_zeros() as usize;
                places &= places - 1;
                let row = window.get(at..).and_then(|row| row.first_chunk()).copied().unwrap_or_default();
                let of_place = u16::from_le_bytes([buckets[0][at], buckets[1][at]]);
                self.confirm(text, start + at, u32::from_le_bytes(row), of_place, marks);
            }
        }
    }

    /// Marks the rules whose literals occur around a place.
    fn confirm(&self, text: &[u8], place: usize, row: u32, mut buckets: u16, marks: &mut Marks) {
        while buckets != 0 {
            let bucket = buckets.trailing_zeros() as usize;
            buckets &= buckets - 1;
            let entries = self.buckets.get(bucket).map_or(&[][..], Vec::as_slice);
            for entry in entries.iter().filter(|entry| (entry.row ^ row) & entry.counts == 0) {
                let Some((literal, rules)) = self.literals.get(entry.literal as usize) else { continue };
                let start = place.checked_sub(entry.at as usize);
                let around = start.and_then(|start| text.get(start..));
                if around.is_some_and(|around| around.starts_with(literal)) {
                    marks.set_all(rules);
                }
            }
        }
    }
}

/// For each place the buckets of which a fingerprint may begin there.
#[inline(always)]
fn find<S: Simd>(simd: S, tables: &[Table; LENGTH], window: &Window) -> u8x64<S> {
    let spread = |table: [u8; 16]| u8x64::block_splat(u8x16::simd_from(simd, table));
    let mut found = u8x64::splat(simd, u8::MAX);
    for (place, Table { low, high }) in tables.iter().enumerate() {
        let bytes = u8x64::from_slice(simd, &window[place..place + LINE]);
        found &= spread(*low).swizzle_dyn_within_blocks(bytes & 15)
            & spread(*high).swizzle_dyn_within_blocks(bytes >> 4);
    }
    found
}

impl Entry {
    fn of(text: &[u8], at: usize, literal: usize) -> Self {
        let row = text.iter().skip(at).take(ROW);
        let join = |row: u32, byte: &u8| row << 8 | u32::from(*byte);
        let unused = u32::BITS.saturating_sub(8 * u32_of(row.len()));
        Self {
            row: row.rev().fold(0, join),
            counts: u32::MAX >> unused,
            at: u32_of(at),
            literal: u32_of(literal),
        }
    }
}

/// Values of rules are kilobytes at most, and few.
fn u32_of(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Table {
    fn add(&mut self, byte: Option<u8>, bucket: u8) {
        match byte {
            None => self.low.iter_mut().chain(&mut self.high).for_each(|buckets| *buckets |= bucket),
            Some(byte) => {
                self.low[usize::from(byte & 15)] |= bucket;
                self.high[usize::from(byte >> 4)] |= bucket;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &[String], text: &str) -> Option<Vec<u32>> {
        let sought: Vec<Sought> =
            (0..).zip(literals).map(|(rule, text)| (text.as_bytes().into(), Box::from([rule]))).collect();
        let mut marks = Marks::default();
        let fingerprints = Fingerprints::of(&sought)?;
        let [by_vectors, one_by_one] = [Level::new(), Level::baseline()].map(|level| {
            marks.start(literals.len());
            Fingerprints { level, ..fingerprints.clone() }.mark(text.as_bytes(), &mut marks);
            marks.ascending().to_vec()
        });
        assert_eq!(by_vectors, one_by_one, "whatever the processor can do");
        Some(by_vectors)
    }

    proptest! {
        #[test]
        fn what_is_inside_is_found(
            literals in prop::collection::vec("[\\x00~|{}é]{1,6}", 1..9),
            before in 0..150_usize,
            text in "[\\x00~|{}é]{0,9}",
            after in "[ae]{0,80}|",
        ) {
            let text = format!("{}{text}{after}", "a".repeat(before));
            let expected = (0..).zip(&literals).filter(|(_, literal)| text.contains(literal.as_str()));
            let expected: Vec<u32> = expected.map(|(rule, _)| rule).collect();
            if let Some(found) = found(&literals, &text) {
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn what_would_be_seen_everywhere_is_not_taken() {
        assert_eq!(found(&["e", "t", " "].map(str::to_owned), "e"), None);
        assert_eq!(found(&["~".to_owned(), "${jndi".to_owned()], "a${jndi"), Some(vec![1]));
        let many: Vec<String> =
            (0..3_000_u32).map(|number| format!("{:x}", number.wrapping_mul(0x9e37_79b9))).collect();
        assert_eq!(found(&many, ""), None);
        assert_eq!(found(&[], "a"), None);
    }
}
