//! Whether a line may hold any of the literals of the tables: nearly all lines hold none, which every other group of
//! four bytes shows.

/// The shortest literal.
const LENGTH: usize = 5;
/// Bytes that are looked up together: of two neighbouring groups of a literal's five bytes, a step of two meets one.
const GROUP: usize = 4;
const STEP: usize = LENGTH - GROUP + 1;
const WORDS: usize = 512;

/// Five bytes of each literal, in two filters.
#[derive(Debug)]
pub(super) struct Gate {
    groups: Box<[u64; WORDS]>,
    wholes: Box<[u64; WORDS]>,
    /// A literal is too short for the filters.
    is_open: bool,
}

impl Gate {
    pub(super) fn of<'l>(literals: impl Iterator<Item = &'l str>) -> Self {
        let mut gate = Self { groups: Box::new([0; WORDS]), wholes: Box::new([0; WORDS]), is_open: false };
        for literal in literals {
            let chosen = literal.as_bytes().windows(LENGTH).max_by_key(|window| rarity(window));
            let Some([one, two, three, four, five]) = chosen else {
                gate.is_open = true;
                continue;
            };
            let (first, second) = ([*one, *two, *three, *four], [*two, *three, *four, *five]);
            for group in [first, second] {
                let (word, bit) = place(hash(group));
                gate.groups[word] |= bit;
            }
            let (word, bit) = place(hash_of_both(first, *five));
            gate.wholes[word] |= bit;
        }
        gate
    }

    /// Whether one of the literals may stand in a line.
    pub(super) fn may_match(&self, line: &[u8]) -> bool {
        let (mut rest, mut before) = (line, None);
        while let Some(group) = rest.first_chunk::<GROUP>() {
            let (word, bit) = place(hash(*group));
            if self.groups[word] & bit != 0 && self.is_whole(*group, before, rest.get(GROUP)) {
                return true;
            }
            before = rest.get(STEP - 1);
            rest = rest.get(STEP..).unwrap_or_default();
        }
        self.is_open
    }

    /// Whether a group is part of the five bytes of a literal, with the byte before it or the one behind.
    #[inline(never)]
    fn is_whole(&self, group: [u8; GROUP], before: Option<&u8>, behind: Option<&u8>) -> bool {
        let has = |first: [u8; GROUP], last: u8| {
            let (word, bit) = place(hash_of_both(first, last));
            self.wholes[word] & bit != 0
        };
        let [one, two, three, four] = group;
        before.is_some_and(|before| has([*before, one, two, three], four))
            || behind.is_some_and(|behind| has(group, *behind))
    }
}

#[inline]
fn hash(group: [u8; GROUP]) -> u32 {
    u32::from_le_bytes(group).wrapping_mul(0x9e37_79b1)
}

fn hash_of_both(group: [u8; GROUP], last: u8) -> u32 {
    (hash(group) ^ u32::from(last)).wrapping_mul(0x85eb_ca77)
}

/// By the high bits, which depend on all bits of what was multiplied.
#[inline]
fn place(hash: u32) -> (usize, u64) {
    ((hash >> 23) as usize % WORDS, 1 << ((hash >> 17) & 63))
}

/// How rarely ordinary lines hold a text: capitals, digits and marks are rarer than small letters and spaces.
fn rarity(text: &[u8]) -> usize {
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

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_line_with_a_literal_passes(
            literals in prop::collection::vec("[ -~é]{5,20}", 1..8),
            chosen in any::<prop::sample::Index>(),
            before in "[ -~é]{0,9}",
            behind in "[ -~é]{0,9}",
        ) {
            let gate = Gate::of(literals.iter().map(String::as_str));
            let line = format!("{before}{}{behind}", chosen.get(&literals));
            prop_assert!(gate.may_match(line.as_bytes()));
        }
    }

    #[test]
    fn ordinary_lines_do_not_pass_and_short_literals_let_all_pass() {
        let gate = Gate::of(["Access denied for user '", "SASL LOGIN authentication failed"].into_iter());
        for line in ["", "GET", "order 5 accepted in 42 ms", "Starting synchronization of 120 orders"] {
            assert!(!gate.may_match(line.as_bytes()), "{line}");
        }
        assert!(Gate::of(["abc"].into_iter()).may_match(b""));
    }
}
