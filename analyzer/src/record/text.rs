//! Bytes of a message as text. Short strings one by one are slow to check, so what is UTF-8 is found for long runs at
//! once, headers between the strings included, and strings are cut out of the runs. Where a header happens to
//! continue a string that is none, the cut is within a character, and the string is looked at by itself.

use std::borrow::Cow;

use simdutf8::basic::from_utf8;
use simdutf8::compat::from_utf8 as from_utf8_up_to;

/// The texts of one message, which are asked for from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts<'a> {
    message: &'a [u8],
    /// A part of the message that is UTF-8.
    run: &'a str,
}

impl<'a> Texts<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { message, run: "" }
    }

    /// Some bytes of the message as text. What is not UTF-8 is replaced.
    #[inline]
    pub(super) fn text(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match cut(self.run, bytes) {
            Some(text) => Cow::Borrowed(text),
            None => self.text_of_next_run(bytes),
        }
    }

    /// The text that a part of the message begins with, or a part of it.
    #[inline]
    pub(super) fn run(&mut self, bytes: &'a [u8]) -> &'a str {
        let mut at = offset(self.run, bytes);
        if at >= self.run.len() {
            self.find_run(bytes);
            at = 0;
        }
        let run = self.run.get(at..).unwrap_or_default();
        if run.len() <= bytes.len() { run } else { run.get(..bytes.len()).unwrap_or_default() }
    }

    /// Numbers and lengths above 127 end a run, which most messages have few of; a text that does is checked
    /// by itself.
    #[inline(never)]
    fn text_of_next_run(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        // What the run has within its characters is looked for in no other: each byte is gone over twice at most.
        let is_in_run = offset(self.run, bytes).saturating_add(bytes.len()) <= self.run.len();
        if !is_in_run {
            self.find_run(bytes);
        }
        match cut(self.run, bytes) {
            Some(text) => Cow::Borrowed(text),
            None => from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed),
        }
    }

    fn find_run(&mut self, bytes: &'a [u8]) {
        let at = bytes.as_ptr().addr().wrapping_sub(self.message.as_ptr().addr());
        let rest = self.message.get(at..).unwrap_or_default();
        self.run = match from_utf8_up_to(rest) {
            Ok(run) => run,
            Err(error) => from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
    }
}

/// The text that `bytes` are, where they lie in `run`.
#[inline]
fn cut<'a>(run: &'a str, bytes: &'a [u8]) -> Option<&'a str> {
    let at = offset(run, bytes);
    run.get(at..at.checked_add(bytes.len())?)
}

/// How far behind the beginning of a run bytes begin; very far where they begin before it.
#[inline]
fn offset(run: &str, bytes: &[u8]) -> usize {
    bytes.as_ptr().addr().wrapping_sub(run.as_ptr().addr())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

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
            prop_assert_eq!(texts.run(bytes), part);
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
