//! Invisible characters of a text, such as the joiners of Persian words and emoji, back in its redacted form. Values are searched for
//! in the text without them, so that none hides behind them; the rest of the text must stay as it was given.

use std::ops::Range;

/// The redacted form of `given`. `searched` is `given` without some of its characters, `redacted` is `searched` with its values
/// replaced; `values` are their bytes in `searched`, in order, with the bytes of their replacements in `redacted`.
pub(super) fn restored<'v>(
    given: &str,
    searched: &str,
    redacted: &str,
    values: impl Iterator<Item = (&'v Range<usize>, &'v Range<usize>)>,
) -> String {
    let mut places = Places { given, searched, at: 0, found: 0 };
    let mut written = String::with_capacity(redacted.len() + given.len().saturating_sub(searched.len()));
    for (value, replacement) in values {
        // Characters in front of a value are not part of it, characters within it are.
        written.push_str(places.up_to(value.start));
        written.push_str(places.removed());
        written.push_str(redacted.get(replacement.clone()).unwrap_or_default());
        places.up_to(value.end);
    }
    written.push_str(places.up_to(searched.len()));
    written.push_str(places.removed());
    written
}

/// A place in a text, and the same place in the text without some characters.
struct Places<'t> {
    given: &'t str,
    searched: &'t str,
    /// Bytes of `given` that were read.
    at: usize,
    /// Bytes of `searched` that were read.
    found: usize,
}

impl<'t> Places<'t> {
    /// The given text up to a place of the searched one.
    fn up_to(&mut self, place: usize) -> &'t str {
        self.read(|places, _| places.found < place)
    }

    /// The characters before the next one that was searched.
    fn removed(&mut self) -> &'t str {
        self.read(|places, is_searched| !is_searched && places.at < places.given.len())
    }

    /// Reads characters as long as a condition holds, to which the place is passed and whether the next character was searched.
    fn read(&mut self, goes_on: impl Fn(&Self, bool) -> bool) -> &'t str {
        let start = self.at;
        while let Some(next) = self.given.get(self.at..).and_then(|rest| rest.chars().next()) {
            // A removed character occurs nowhere in the searched text, so that equal characters are the same one.
            let is_searched = self.searched.get(self.found..).is_some_and(|rest| rest.starts_with(next));
            if !goes_on(self, is_searched) {
                break;
            }
            self.at += next.len_utf8();
            self.found += if is_searched { next.len_utf8() } else { 0 };
        }
        self.given.get(start..self.at).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_characters_return_around_values_and_not_within_them() {
        let given = "\u{200c}a\u{200d}b 12\u{ad}34\u{200b} c\u{200d}56\u{feff}";
        let searched = "ab 1234 c56";
        let redacted = "ab <N> c<LONGER>";
        let values = [(3..7, 3..6), (9..11, 8..16)];
        let values = values.iter().map(|(value, replacement)| (value, replacement));
        let expected = "\u{200c}a\u{200d}b <N>\u{200b} c\u{200d}<LONGER>\u{feff}";
        assert_eq!(restored(given, searched, redacted, values), expected);
        assert_eq!(restored(given, searched, searched, [].into_iter()), given);
    }
}
