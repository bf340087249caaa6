//! The severity a drain record states about itself: the fields that may hold it, and the OTLP
//! severity number of its word.

/// Names that hold a severity, the most trusted first; letter case does not matter.
const NAMES: [&[u8]; 4] = [b"level", b"severity", b"severity_text", b"levelname"];

/// Words and their severity numbers (OpenTelemetry logs data model, SeverityNumber and Appendix B;
/// `critical` as the Python and .NET SDKs have it).
const WORDS: [(&[u8], u64); 20] = [
    (b"trace", 1),
    (b"verbose", 1),
    (b"debug", 5),
    (b"info", 9),
    (b"information", 9),
    (b"informational", 9),
    (b"notice", 10),
    (b"warn", 13),
    (b"warning", 13),
    (b"error", 17),
    (b"err", 17),
    (b"severe", 17),
    (b"crit", 18),
    (b"alert", 19),
    (b"critical", 21),
    (b"fatal", 21),
    (b"panic", 21),
    (b"dpanic", 21),
    (b"emerg", 21),
    (b"emergency", 21),
];

/// Rank of the field `name` as a holder of the severity: lower is better, `None` is unsuitable.
#[inline]
pub(super) fn rank(name: &[u8]) -> Option<usize> {
    // The lengths of the names; most fields end here.
    if !matches!(name.len(), 5 | 8 | 9 | 13) {
        return None;
    }
    NAMES.iter().position(|candidate| candidate.eq_ignore_ascii_case(name))
}

/// The severity number of a word in any letter case; 0, unspecified, for unknown words.
#[inline]
pub(super) fn number(word: &[u8]) -> u64 {
    let known = WORDS.iter().find(|(candidate, _)| candidate.eq_ignore_ascii_case(word));
    known.map_or(0, |(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_ignore_case() {
        for (expected, name) in NAMES.iter().enumerate() {
            assert_eq!(rank(&name.to_ascii_uppercase()), Some(expected));
        }
        assert_eq!(rank(b"levels"), None);
        assert_eq!((number(b"WARNING"), number(b"Err"), number(b"loud"), number(b"")), (13, 17, 0, 0));
    }
}
