//! Which places of a payload may hold a secret: one scan over many texts at once, whatever lies between
//! them. A place that is not named holds none; one that is named is worth a closer look.

use std::ops::Range;

use super::lines::LINE;

/// Which lines of 64 bytes of a payload may hold a secret. Kept from payload to payload it is not allocated
/// anew; its size is a 256th of the payload's.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    texts: Lines,
    names: Lines,
}

impl Candidates {
    /// Whether a text at this place in the payload may hold a match of [`Redactor::find`](crate::Redactor::find).
    #[must_use]
    #[inline]
    pub fn may_match(&self, text: &Range<usize>) -> bool {
        self.texts.any(text)
    }

    /// Whether a key at this place in the payload may be one of
    /// [`Redactor::is_sensitive_key`](crate::Redactor::is_sensitive_key).
    #[must_use]
    #[inline]
    pub fn may_be_sensitive(&self, key: &Range<usize>) -> bool {
        self.names.any(key)
    }

    /// Whether there is anything to look for at this place: a match, or a sensitive key.
    #[must_use]
    #[inline]
    pub fn may_hold_anything(&self, place: &Range<usize>) -> bool {
        self.texts.any(place) || self.names.any(place)
    }

    /// Forgets everything, for a payload of this many bytes.
    pub(super) fn clear(&mut self, length: usize) {
        self.texts.clear(length);
        self.names.clear(length);
    }

    pub(super) fn add_text_line(&mut self, line: usize, found: bool) {
        self.texts.add(line, found);
    }

    pub(super) fn add_text(&mut self, at: usize) {
        self.texts.add(at / LINE, true);
    }

    pub(super) fn add_name(&mut self, at: usize) {
        self.names.add(at / LINE, true);
    }
}

/// A set of lines, one bit each.
#[derive(Clone, Debug, Default)]
struct Lines {
    words: Vec<u64>,
}

impl Lines {
    fn clear(&mut self, length: usize) {
        self.words.clear();
        self.words.resize(length.div_ceil(LINE * 64), 0);
    }

    #[inline]
    fn add(&mut self, line: usize, found: bool) {
        if let Some(word) = self.words.get_mut(line / 64) {
            *word |= u64::from(found) << (line % 64);
        }
    }

    /// Whether the set holds a line of which a part lies within `place`.
    #[inline]
    fn any(&self, place: &Range<usize>) -> bool {
        let Some(last_byte) = place.end.checked_sub(1).filter(|last| *last >= place.start) else {
            return false;
        };
        let (first, last) = (place.start / LINE, last_byte / LINE);
        let from_first = u64::MAX << (first % 64);
        let to_last = u64::MAX >> (63 - last % 64);
        let words = self.words.get(first / 64..=last / 64).unwrap_or_default();
        match words {
            [] => false,
            [word] => word & from_first & to_last != 0,
            [begin, between @ .., end] => {
                begin & from_first != 0 || end & to_last != 0 || between.iter().any(|word| *word != 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_holds_the_lines_it_touches() {
        const LENGTH: usize = 3 * 64 * LINE + 5;
        for line in [0, 1, 62, 63, 64, 65, 127, 128, 191, 192] {
            let mut lines = Lines::default();
            lines.clear(LENGTH);
            lines.add(line, true);
            for start in (0..LENGTH).step_by(23) {
                for length in [0, 1, 2, 63, 64, 65, 500, 5_000, 9_000] {
                    let touched = length > 0 && start < (line + 1) * LINE && start + length > line * LINE;
                    let end = (start + length).min(LENGTH);
                    let expected = touched && start < end;
                    assert_eq!(lines.any(&(start..end)), expected, "line {line}, {start}..{end}");
                }
            }
        }
    }
}
