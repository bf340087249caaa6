//! A literal within a text, found by that of its bytes which texts of logs have least of.

use memchr::memchr_iter;

/// Characters of command lines, paths and addresses, the most common first; others are rarer than these.
const COMMON: &[u8] = b"e \\itsaornclmdpu.-:/h0_123=\"gbfwv4y56789x,;k'()";

/// A text that is searched for in others, and its byte that is searched for first.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    text: Box<str>,
    rarest: u32,
}

impl Literal {
    pub(super) fn new(text: &str) -> Self {
        let rarest = text.bytes().enumerate().min_by_key(|(_, byte)| commonness(*byte));
        // Values of rules are kilobytes at most.
        let rarest = rarest.map_or(0, |(at, _)| u32::try_from(at).unwrap_or(0));
        Self { text: text.into(), rarest }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Bytes compared for each byte of another text where nearly all of the literal occurs at many places; a part of it,
    /// because several are compared at once and such texts are rare.
    pub(super) fn work(&self) -> u64 {
        1 + u64::try_from(self.text.len()).unwrap_or(u64::MAX) / 8
    }

    /// The first place of the text.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let (own, text) = (self.text.as_bytes(), text.as_bytes());
        let last = text.len().checked_sub(own.len())?;
        let rarest = self.rarest as usize;
        let Some(byte) = own.get(rarest) else { return Some(0) };
        let places = text.get(rarest..=last + rarest)?;
        memchr_iter(*byte, places).find(|start| text.get(*start..).is_some_and(|rest| rest.starts_with(own)))
    }
}

/// Frequency of a byte, about: the greater the commoner.
pub(crate) fn commonness(byte: u8) -> usize {
    let place = COMMON.iter().position(|common| *common == byte);
    place.map_or(0, |place| COMMON.len() - place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_where_they_first_stand() {
        let table = [
            ("", "", Some(0)),
            ("", "a", Some(0)),
            ("a", "", None),
            ("ab", "aab", Some(1)),
            ("exe", "cmd.exe", Some(4)),
            ("abc", "ab", None),
            ("aé", "eaé", Some(1)),
            ("zz", "zaz", None),
        ];
        for (literal, text, expected) in table {
            assert_eq!(Literal::new(literal).find(text), expected, "{literal:?} in {text:?}");
            assert_eq!(text.find(literal), expected, "{literal:?} in {text:?}");
        }
    }
}
