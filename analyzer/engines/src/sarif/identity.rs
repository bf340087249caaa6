//! The identity of a result: parts that stay the same after unrelated edits (section 3.27.2 and appendix B of the standard).

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::lenient::{CappedMap, Words};
use super::result::ToolResult;
use crate::Limits;
use crate::text::cut;

/// Characters of a part that are kept beside its hash. With the 33 of the hash they are below `Limits::NAME`.
const READABLE: usize = 400;

/// The parts of the identity of a result:
///
/// * the fingerprints of a result management system, which identify a result by themselves (section 3.27.16), or else
/// * the path and the partial fingerprints, which only contribute to an identity (section 3.27.17): that of CodeQL is the hash of
///   a line, which can occur in two files; or else
/// * the path and the text at the place, or the message where the tool states no text.
pub(super) fn of(result: &ToolResult, path: &str, snippet: Option<&str>, message: &str) -> Vec<String> {
    if let Some(fingerprints) = joined(&result.fingerprints) {
        return vec![part(&fingerprints)];
    }
    if let Some(fingerprints) = joined(&result.partial_fingerprints) {
        return vec![part(path), part(&fingerprints)];
    }
    let snippet = snippet.map(words).filter(|text| !text.is_empty());
    vec![part(path), part(&snippet.unwrap_or_else(|| without_positions(message)))]
}

/// A part within the bound of an identity. Of a longer text the beginning and the hash, so that texts which differ only behind the
/// bound stay apart.
pub(super) fn part(text: &str) -> String {
    if text.chars().nth(Limits::NAME).is_none() {
        return text.to_owned();
    }
    let hash: String = Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{}:{hash}", cut(text, READABLE))
}

/// The fingerprints in the order of their names, each in its highest version (section 3.5.4.2), because a tool that states two
/// versions will drop the lower one.
fn joined(fingerprints: &CappedMap<Words, { super::result::MAX_FEW }>) -> Option<String> {
    let mut newest: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for (name, values) in &fingerprints.0 {
        let Some(value) = values.0.first().filter(|value| is_fingerprint(value)) else { continue };
        let versioned =
            name.rsplit_once("/v").and_then(|(name, version)| Some((name, version.parse().ok()?)));
        let (name, version) = versioned.unwrap_or((name, 0));
        let kept = newest.entry(name).or_insert((version, value));
        if kept.0 < version {
            *kept = (version, value);
        }
    }
    let text = |(name, (version, value)): (&str, (u64, &str))| format!("{name}/v{version}={value}");
    let texts: Vec<String> = newest.into_iter().map(text).collect();
    (!texts.is_empty()).then(|| texts.join(";"))
}

/// Whether a value can be a fingerprint. Semgrep states the words `requires login` for every result in place of one.
fn is_fingerprint(value: &str) -> bool {
    !value.trim().is_empty()
        && (value.contains(|letter: char| letter.is_ascii_digit()) || !value.contains(char::is_whitespace))
}

/// The words of a text, so that a different indentation is the same text.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of a message without those that are numbers or ranges of numbers, and without positions behind a path.
fn without_positions(message: &str) -> String {
    let kept: Vec<&str> =
        message.split_whitespace().map(without_position).filter(|word| !is_position(word)).collect();
    kept.join(" ")
}

/// `orders.py` of `orders.py:14:5`.
fn without_position(word: &str) -> &str {
    let mut word = word;
    while let Some((before, digits)) = word.rsplit_once(':') {
        if before.is_empty() || digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        word = before;
    }
    word
}

fn is_position(word: &str) -> bool {
    let bare = word.trim_matches(|letter: char| letter.is_ascii_punctuation());
    let is_numeric = |byte: u8| byte.is_ascii_digit() || b":,-".contains(&byte);
    !bare.is_empty() && bare.bytes().all(is_numeric)
}

#[cfg(test)]
mod tests {
    use super::{of, part, without_positions};
    use crate::Limits;
    use crate::sarif::result::ToolResult;

    fn identity(result: &str) -> Vec<String> {
        let result: ToolResult = serde_json::from_str(result).unwrap();
        of(&result, "a.py", Some("  eval( x )\n"), "eval on line 3")
    }

    #[test]
    fn fingerprints_precede_partial_ones_and_the_text() {
        let both = r#"{"fingerprints": {"b": "2", "a/v1": "old", "a/v10": "new"}, "partialFingerprints": {"c": "3"}}"#;
        assert_eq!(identity(both), ["a/v10=new;b/v0=2"]);
        let partial = r#"{"partialFingerprints": {"primaryLocationLineHash": "39fa:1", "column": 4}}"#;
        assert_eq!(identity(partial), ["a.py", "column/v0=4;primaryLocationLineHash/v0=39fa:1"]);
        assert_eq!(identity("{}"), ["a.py", "eval( x )"]);
    }

    #[test]
    fn words_in_place_of_a_fingerprint_are_none() {
        assert_eq!(
            identity(r#"{"fingerprints": {"matchBasedId/v1": "requires login"}}"#),
            ["a.py", "eval( x )"]
        );
        assert_eq!(identity(r#"{"fingerprints": {"a": " ", "b": null}}"#), ["a.py", "eval( x )"]);
    }

    #[test]
    fn a_message_has_no_positions() {
        let stable = "`eval` of x at a.py (line is unsafe, see md5 and CVE-2024-17 of 1.2.3";
        assert_eq!(
            without_positions(
                "`eval` of x at a.py:14:5 (line 12) 7, 3-9 is unsafe, see md5 and CVE-2024-17 of 1.2.3"
            ),
            stable
        );
        assert_eq!(without_positions("12"), "");
    }

    #[test]
    fn a_result_without_text_is_identified_by_its_message() {
        let result = ToolResult::default();
        assert_eq!(of(&result, "a.py", Some(" \n"), "eval on line 3"), ["a.py", "eval on line"]);
        assert_eq!(of(&result, "a.py", None, "eval on line 3"), ["a.py", "eval on line"]);
    }

    #[test]
    fn long_parts_stay_apart() {
        let (one, other) = (part(&"ü".repeat(501)), part(&"ü".repeat(502)));
        assert_ne!(one, other);
        assert!(one.chars().count() <= Limits::NAME);
        assert_eq!(part(&"ü".repeat(500)), "ü".repeat(500));
    }
}
