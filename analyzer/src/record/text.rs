//! Bytes of a message as text. Short strings one by one are slow to check, so what is valid is found for
//! long runs at once, headers between the strings included, and strings are cut out of the runs.

use std::borrow::Cow;

use simdutf8::compat::from_utf8;

/// The texts of one message, which are asked for from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts<'a> {
    message: &'a [u8],
    /// A part of the message that is valid UTF-8.
    valid: &'a str,
}

impl<'a> Texts<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { message, valid: "" }
    }

    /// Some bytes of the message as text. What is not UTF-8 is replaced.
    #[inline]
    pub(super) fn text(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match cut(self.valid, bytes) {
            Some(text) => Cow::Borrowed(text),
            None => self.text_of_next_run(bytes),
        }
    }

    fn text_of_next_run(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        let at = bytes.as_ptr().addr().wrapping_sub(self.message.as_ptr().addr());
        self.valid = self.message.get(at..).map_or("", valid_start);
        cut(self.valid, bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }
}

/// The text that `bytes` are, where they lie in `run`.
#[inline]
fn cut<'a>(run: &'a str, bytes: &'a [u8]) -> Option<&'a str> {
    let at = bytes.as_ptr().addr().wrapping_sub(run.as_ptr().addr());
    run.get(at..at.checked_add(bytes.len())?)
}

/// The longest beginning that is valid. A length of two bytes ends a run, which most messages have few of.
fn valid_start(bytes: &[u8]) -> &str {
    match from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            from_utf8(valid).unwrap_or_default()
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
