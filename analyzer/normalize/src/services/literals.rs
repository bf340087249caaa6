//! Search for the literals of the tables in a line. Nearly all lines hold none, which every fourth group of four bytes shows.

/// The shortest literal that is searched for, in bytes.
pub(super) const SHORTEST: usize = 7;
/// Bytes that are looked up together: of the four groups in seven bytes of a literal, a step of four meets one.
const GROUP: usize = 4;
const STEP: usize = GROUP;
const _: () = assert!(GROUP + STEP == SHORTEST + 1, "every window holds a group that is looked up");
/// Groups that are looked up in one turn.
const ROW: usize = 4;
/// Words of a filter: 8 KiB, so that a few thousand groups leave most of it empty and it stays in the processor's cache.
const WORDS: usize = 1024;
/// Places for groups, a few times as many as there are groups.
const OFFSETS: usize = 4096;

/// Seven bytes in a row, the first one lowest.
type Window = u64;
/// The bytes of a window among eight.
const OF_WINDOW: u64 = u64::MAX >> 8;

/// Literals, each found by the rarest of its windows.
#[derive(Debug)]
pub(super) struct Literals {
    /// The groups of all windows, by their hashes.
    groups: Box<[u64; WORDS]>,
    /// By the hash of a group, a bit for each place that it has in a window.
    offsets: Box<[u8; OFFSETS]>,
    /// The windows by their hashes.
    windows: Box<[u64; WORDS]>,
    /// The windows in order, each with its literal and its place in it.
    places: Vec<(Window, usize, usize)>,
    texts: Vec<Box<str>>,
}

impl Literals {
    /// Prepares literals of at least [`SHORTEST`] bytes; shorter ones are never found.
    pub(super) fn of<'l>(literals: impl Iterator<Item = &'l str>) -> Self {
        let texts: Vec<Box<str>> = literals.map(Box::from).collect();
        let mut places = Vec::with_capacity(texts.len());
        let mut groups = Box::new([0; WORDS]);
        let mut offsets = Box::new([0; OFFSETS]);
        let mut windows = Box::new([0; WORDS]);
        for (literal, text) in texts.iter().enumerate() {
            let all = text.as_bytes().array_windows::<SHORTEST>().enumerate();
            let Some((offset, bytes)) = all.max_by_key(|(_, bytes)| rarity(bytes)) else { continue };
            for (place, group) in bytes.array_windows::<GROUP>().enumerate() {
                add(&mut groups, hash(*group));
                offsets[place_of_offsets(*group)] |= 1 << place;
            }
            let Some(window) = window_at(text.as_bytes(), offset) else { continue };
            add(&mut windows, hash_of_window(window));
            places.push((window, literal, offset));
        }
        places.sort_unstable();
        Self { groups, offsets, windows, places, texts }
    }

    /// Adds the numbers of the literals that stand in a line, in any order; one that stands in it twice may be added twice.
    pub(super) fn find(&self, line: &[u8], found: &mut Vec<usize>) {
        let (groups, _) = line.as_chunks::<GROUP>();
        // Several in a row, so that the loop costs less than its body.
        let (rows, rest) = groups.as_chunks::<ROW>();
        for (number, row) in rows.iter().enumerate() {
            for (place, group) in row.iter().enumerate() {
                self.look_up(line, number * ROW + place, *group, found);
            }
        }
        for (place, group) in rest.iter().enumerate() {
            self.look_up(line, rows.len() * ROW + place, *group, found);
        }
    }

    #[inline(always)]
    fn look_up(&self, line: &[u8], number: usize, group: [u8; GROUP], found: &mut Vec<usize>) {
        if has(&self.groups, hash(group)) {
            self.find_around(line, number * STEP, group, found);
        }
    }

    /// Adds the literals of which a group of the window stands at a place.
    #[inline(never)]
    fn find_around(&self, line: &[u8], at: usize, group: [u8; GROUP], found: &mut Vec<usize>) {
        let mut offsets = self.offsets[place_of_offsets(group)];
        while offsets != 0 {
            let start = at.checked_sub(offsets.trailing_zeros() as usize);
            offsets &= offsets - 1;
            let Some((start, window)) = start.and_then(|start| Some((start, window_at(line, start)?))) else {
                continue;
            };
            if has(&self.windows, hash_of_window(window)) {
                self.find_at(line, start, window, found);
            }
        }
    }

    /// Adds the literals with a window that stands at a place.
    #[inline(never)]
    fn find_at(&self, line: &[u8], start: usize, window: Window, found: &mut Vec<usize>) {
        let first = self.places.partition_point(|(other, ..)| *other < window);
        let places = self.places.iter().skip(first).take_while(|(other, ..)| *other == window);
        found.extend(places.filter_map(|(_, literal, offset)| {
            let text = self.texts.get(*literal)?.as_bytes();
            let at = start.checked_sub(*offset)?;
            line.get(at..)?.starts_with(text).then_some(*literal)
        }));
    }
}

/// The window at a place. Eight bytes are read at once but where the line ends behind seven.
#[inline]
fn window_at(line: &[u8], start: usize) -> Option<Window> {
    let rest = line.get(start..)?;
    if let Some(eight) = rest.first_chunk::<8>() {
        return Some(u64::from_le_bytes(*eight) & OF_WINDOW);
    }
    let [first, second, third, last @ ..] = *rest.first_chunk::<SHORTEST>()?;
    let first = u32::from_le_bytes([first, second, third, 0]);
    Some(u64::from(u32::from_le_bytes(last)) << 24 | u64::from(first))
}

fn add(filter: &mut [u64; WORDS], hash: u64) {
    let (word, bit) = place(hash);
    filter[word] |= bit;
}

#[inline]
fn has(filter: &[u64; WORDS], hash: u64) -> bool {
    let (word, bit) = place(hash);
    filter[word] & bit != 0
}

#[inline]
fn hash(group: [u8; GROUP]) -> u64 {
    u64::from(u32::from_le_bytes(group)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[inline]
fn place_of_offsets(group: [u8; GROUP]) -> usize {
    (hash(group) >> 40) as usize % OFFSETS
}

#[inline]
fn hash_of_window(window: Window) -> u64 {
    (window ^ (window >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// By the high bits, which depend on all bits of the factors.
#[inline]
fn place(hash: u64) -> (usize, u64) {
    ((hash >> 54) as usize % WORDS, 1 << ((hash >> 48) & 63))
}

/// Rarity of a window in ordinary lines: that of the most common of its groups.
fn rarity(window: &[u8; SHORTEST]) -> (usize, usize) {
    let most_common = window.array_windows::<GROUP>().map(|group| rarity_of_bytes(group)).min();
    (most_common.unwrap_or_default(), rarity_of_bytes(window))
}

/// Capitals, digits and marks are rarer than small letters and spaces.
fn rarity_of_bytes(text: &[u8]) -> usize {
    let of_byte = |byte: &u8| match byte {
        b' ' | b'a' | b'e' | b'i' | b'o' | b'n' | b'r' | b's' | b't' | b'd' | b'c' | b'l' => 0,
        b'a'..=b'z' => 1,
        _ => 3,
    };
    text.iter().map(of_byte).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &[&str], line: &str) -> Vec<usize> {
        let mut found = Vec::new();
        Literals::of(literals.iter().copied()).find(line.as_bytes(), &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Few letters, so that literals overlap and hold each other.
    const LITERALS: [&str; 8] =
        ["abababa", "bababab", "aabbaabb", "abababab", "b-aaaaaa", "é-abababa", "aaaaaaa", "a b a b a b"];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn exactly_the_literals_of_a_line_are_found(line in "([ab]{0,12}|[ab é-]{0,9}|aabbaabb|é-abababa|a b a b a b){0,6}") {
            let expected: Vec<usize> = (0..LITERALS.len()).filter(|index| line.contains(LITERALS[*index])).collect();
            prop_assert_eq!(found(&LITERALS, &line), expected);
        }
    }

    #[test]
    fn a_literal_is_found_at_every_place() {
        let literals = ["Access denied for user '", "SASL LOGIN authentication failed"];
        for before in 0..9 {
            for behind in 0..9 {
                let line = format!("{}{}{}", "x".repeat(before), literals[1], "x".repeat(behind));
                assert_eq!(found(&literals, &line), [1], "{line}");
            }
        }
        for line in ["", "GET", "order 5 accepted in 42 ms", "Access denied for user"] {
            assert!(found(&literals, line).is_empty(), "{line}");
        }
    }
}
