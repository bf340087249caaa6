//! Bytes of a message as text. Short strings one by one are slow to check, so ASCII is found for
//! long runs at once, headers between the strings included, and strings are cut out of the runs.

use std::borrow::Cow;

use simdutf8::basic::from_utf8;

/// The texts of one message, which are asked for from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts<'a> {
    message: &'a [u8],
    /// A part of the message that is ASCII.
    run: &'a str,
}

impl<'a> Texts<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { message, run: "" }
    }

    /// Some bytes of the message as text. Invalid UTF-8 is replaced.
    #[inline]
    pub(super) fn text(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match cut(self.run, bytes) {
            Some(text) => Cow::Borrowed(text),
            None => self.text_of_next_run(bytes),
        }
    }

    /// The ASCII that a part of the message begins with.
    #[inline]
    pub(super) fn run(&mut self, bytes: &'a [u8]) -> &'a str {
        let mut at = bytes.as_ptr().addr().wrapping_sub(self.run.as_ptr().addr());
        if at >= self.run.len() {
            self.find_run(bytes);
            at = 0;
        }
        let run = self.run.get(at..).unwrap_or_default();
        run.get(..bytes.len()).unwrap_or(run)
    }

    /// Numbers and lengths above 127 end a run, which most messages have few of; a text that does is checked
    /// by itself.
    #[inline(never)]
    fn text_of_next_run(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        self.find_run(bytes);
        match cut(self.run, bytes) {
            Some(text) => Cow::Borrowed(text),
            None => from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed),
        }
    }

    fn find_run(&mut self, bytes: &'a [u8]) {
        let at = bytes.as_ptr().addr().wrapping_sub(self.message.as_ptr().addr());
        let rest = self.message.get(at..).unwrap_or_default();
        self.run = from_utf8(&rest[..ascii_length(rest)]).unwrap_or_default();
    }
}

/// The text that `bytes` are, where they lie in `run`.
#[inline]
fn cut<'a>(run: &'a str, bytes: &'a [u8]) -> Option<&'a str> {
    let at = bytes.as_ptr().addr().wrapping_sub(run.as_ptr().addr());
    run.get(at..at.checked_add(bytes.len())?)
}

/// Number of ASCII bytes before the first other.
fn ascii_length(bytes: &[u8]) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Whole rows are one comparison each for processors with vectors.
    let (rows, _) = bytes.as_chunks::<64>();
    let is_ascii = |row: &&[u8; 64]| row.iter().fold(0, |all, byte| all | byte) < 0x80;
    let in_rows = 64 * rows.iter().take_while(is_ascii).count();
    let (words, rest) = bytes[in_rows..].as_chunks::<8>();
    let high = |word: &[u8; 8]| u64::from_le_bytes(*word) & HIGH;
    match words.iter().position(|word| high(word) != 0) {
        Some(at) => in_rows + 8 * at + (high(&words[at]).trailing_zeros() / 8) as usize,
        None => {
            let in_rest = rest.iter().take_while(|byte| byte.is_ascii()).count();
            in_rows + 8 * words.len() + in_rest
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ascii_ends_where_it_ends(start in prop::collection::vec(0..=127_u8, 0..200), rest: Vec<u8>) {
            let bytes = [start, rest].concat();
            prop_assert_eq!(ascii_length(&bytes), bytes.iter().take_while(|byte| byte.is_ascii()).count());
        }

        #[test]
        fn runs_are_of_the_part_alone(
            start in "[a-z]{0,80}", part in "[a-z]{0,80}|\\PC{0,9}", end in "[a-z]{0,80}", asked: bool,
        ) {
            let message = [start.as_str(), &part, &end].concat();
            let mut texts = Texts::new(message.as_bytes());
            if asked {
                texts.text(&message.as_bytes()[..start.len()]);
            }
            let bytes = &message.as_bytes()[start.len()..start.len() + part.len()];
            let ascii: String = part.chars().take_while(char::is_ascii).collect();
            prop_assert_eq!(texts.run(bytes), ascii);
        }

        #[test]
        fn each_part_is_what_it_is_alone(
            parts in prop::collection::vec(
                prop_oneof![
                    "\\PC{0,9}".prop_map(String::into_bytes),
                    "[a-z]{0,40}".prop_map(String::into_bytes),
                    prop::collection::vec(any::<u8>(), 0..6)
                ],
                0..12
            ),
        ) {
            let message = parts.concat();
            let mut texts = Texts::new(&message);
            let mut rest = message.as_slice();
            for part in &parts {
                let (bytes, behind) = rest.split_at(part.len());
                prop_assert_eq!(texts.text(bytes), String::from_utf8_lossy(part));
                rest = behind;
            }
        }
    }
}
