//! Disguised text: a match in ASCII is found behind a disguise of it as well, and text of ASCII holds none.

use proptest::prelude::*;

use super::{found, pieces};

const NO_WIDTH: [&str; 6] = ["\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{200b}\u{feff}"];

/// Look-alikes of letters.
const LOOK_ALIKES: [(char, char); 8] = [
    ('a', '\u{430}'),
    ('e', '\u{435}'),
    ('o', '\u{43e}'),
    ('p', '\u{440}'),
    ('s', '\u{455}'),
    ('k', '\u{3ba}'),
    ('A', '\u{391}'),
    ('B', '\u{412}'),
];

/// Whether every match in `text` is within one in `disguised`, whose bytes from `at` on stand so much further.
fn covers(text: &str, disguised: &str, at: usize) -> Result<(), TestCaseError> {
    let longer = disguised.len() - text.len();
    let moved = |place: usize| if place > at { place + longer } else { place };
    let behind = found(disguised.as_bytes());
    for own in found(text.as_bytes()) {
        let (start, end) = (if own.start == at { at } else { moved(own.start) }, moved(own.end));
        let covered = behind.iter().any(|found| found.start <= start + longer && found.end >= end);
        prop_assert!(covered, "{own:?} of {text:?} is not in {behind:?} of {disguised:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(super::cases())]

    #[test]
    fn a_character_without_width_hides_nothing(
        text in pieces::secret().prop_filter("ASCII", |text| text.is_ascii()),
        place in any::<prop::sample::Index>(),
        hidden in prop::sample::select(NO_WIDTH.to_vec()),
    ) {
        let at = place.index(text.len());
        prop_assume!(text.as_bytes()[at].is_ascii_graphic());
        let disguised = [&text[..at], hidden, &text[at..]].concat();
        covers(&text, &disguised, at)?;
    }

    #[test]
    fn a_look_alike_hides_nothing(text in pieces::text(), place in any::<prop::sample::Index>()) {
        prop_assume!(text.is_ascii());
        let letters: Vec<_> = text
            .char_indices()
            .filter_map(|(at, letter)| Some((at, LOOK_ALIKES.iter().find(|(own, _)| *own == letter)?.1)))
            .filter(|(at, _)| {
                let word = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
                word(at + 1) && word(at + 2)
            })
            .collect();
        prop_assume!(!letters.is_empty());
        let (at, letter) = letters[place.index(letters.len())];
        let disguised = [&text[..at], letter.encode_utf8(&mut [0; 4]), &text[at + 1..]].concat();
        covers(&text, &disguised, at)?;
    }
}
