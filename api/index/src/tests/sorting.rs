//! Parts of a list in the order of a key, of more resources than a sample has.

use std::cmp::Reverse;
use std::sync::OnceLock;

use ledger::Seq;
use proptest::prelude::*;

use super::{Notes, note};
use crate::{Item, Match, OrganizationIndex, Part, Scan, by_key, by_key_and_id};

const NOTES: u32 = 20_000;

fn index() -> &'static OrganizationIndex<Notes> {
    static INDEX: OnceLock<OrganizationIndex<Notes>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = OrganizationIndex::new(2, usize::MAX);
        (0..NOTES).for_each(|number| index.put(&note(number, i64::from(number)), Seq(1)));
        index
    })
}

/// Keys of notes: spread, few, those of the order itself, its reverse, and two that no sample of every fifth note tells apart.
fn key(kind: u8, number: u32) -> u32 {
    let spread = number.wrapping_mul(0x9E37_79B1).rotate_left(13);
    match kind {
        0 => spread,
        1 => spread % 5,
        2 => number,
        3 => NOTES - number,
        4 if (NOTES - 1 - number).is_multiple_of(5) => 0,
        4 => spread,
        _ if (NOTES - 1 - number).is_multiple_of(5) => u32::MAX,
        _ => number,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_part_is_that_of_the_sorted_list(
        kind in 0_u8..6,
        offset in prop_oneof![Just(0_usize), 0..25_000_usize],
        limit in prop_oneof![1..101_usize, Just(30_000)],
        of_seven in prop_oneof![Just(7_u32), 1..7_u32],
        narrow in any::<bool>(),
    ) {
        let is_wanted = |number: u32| number % 7 < of_seven && (!narrow || number.is_multiple_of(301));
        let matches = |item: &Item<'_, Notes>| if is_wanted(item.place.id()) { Match::Yes } else { Match::No };
        let of = |item: &Item<'_, Notes>| key(kind, item.place.id());
        let (scan, part) = (Scan::default(), Part { offset, limit });
        let mut wanted: Vec<u32> = (0..NOTES).rev().filter(|number| is_wanted(*number)).collect();
        let text = |number: &u32| note(*number, i64::from(*number)).text;

        wanted.sort_by_key(|number| Reverse(key(kind, *number)));
        let (rows, total) = by_key(index(), &scan, matches, of, part);
        prop_assert_eq!(total, wanted.len());
        let expected: Vec<String> = wanted.iter().skip(offset).take(limit).map(text).collect();
        prop_assert_eq!(rows.iter().map(|row| row.as_str().to_owned()).collect::<Vec<_>>(), expected);

        wanted.sort_by_key(|number| (key(kind, *number), *number));
        let (rows, total) = by_key_and_id(index(), &scan, matches, of, part);
        prop_assert_eq!(total, wanted.len());
        let expected: Vec<String> = wanted.iter().skip(offset).take(limit).map(text).collect();
        prop_assert_eq!(rows.iter().map(|row| row.as_str().to_owned()).collect::<Vec<_>>(), expected);
    }
}
