//! Splitting text at marks of a few bytes. Lines are short: preparing a general search for each costs more
//! than the search, so one byte of the mark is searched for and the others compared.

/// Texts before and behind the first place of a mark.
pub(super) fn at_first<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let (offset, byte) = anchor(mark)?;
    memchr::memchr_iter(byte, text.as_bytes()).find_map(|at| around(text, mark, at.checked_sub(offset)?))
}

/// Texts before and behind the first place of an ASCII character.
pub(super) fn at_byte(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(byte, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Texts before and behind the last place of a mark.
pub(super) fn at_last<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let (offset, byte) = anchor(mark)?;
    memchr::memrchr_iter(byte, text.as_bytes()).find_map(|at| around(text, mark, at.checked_sub(offset)?))
}

fn around<'t>(text: &'t str, mark: &str, at: usize) -> Option<(&'t str, &'t str)> {
    let (before, rest) = text.split_at_checked(at)?;
    Some((before, rest.strip_prefix(mark)?))
}

/// The byte that is searched for, and its offset in the mark: not a space, of which lines are full.
fn anchor(mark: &str) -> Option<(usize, u8)> {
    let bytes = mark.as_bytes();
    let at = bytes.iter().position(|byte| *byte != b' ').unwrap_or(0);
    Some((at, *bytes.get(at)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn as_the_standard_library_splits(
            text in "[ :/aé]{0,24}",
            mark in prop::sample::select(&[" ", ":", "://", " :", ": ", "  ", "aa", "é", " é ", "a:a"][..]),
        ) {
            prop_assert_eq!(at_first(&text, mark), text.split_once(mark));
            prop_assert_eq!(at_last(&text, mark), text.rsplit_once(mark));
            prop_assert_eq!(at_byte(&text, b':'), text.split_once(':'));
        }
    }
}
