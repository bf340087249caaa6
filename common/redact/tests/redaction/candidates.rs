//! The scan of a payload: wherever a text or a key lies in it and whatever stands around it, what the search of
//! the text alone finds has been named.

use proptest::prelude::*;
use redact::{Candidates, Policy, Redactor};

use super::pieces;

thread_local! {
    static DEFAULT: Redactor = Redactor::new(&Policy::default()).unwrap();
}

/// Bytes between texts: any bytes, those that look like parts of secrets, and lengths that are digits.
fn around() -> impl Strategy<Value = Vec<u8>> {
    let part = prop::sample::select(vec![
        "",
        "\n",
        "\n\u{10}",
        "\u{12}\n",
        "2",
        "25",
        "4111",
        "A",
        "pass",
        "-----BEGIN ",
        "%20",
        "a://b:c",
        "12-",
        ".",
        "@",
        "x=",
    ]);
    prop_oneof![
        part.prop_map(|part| part.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..80),
        pieces::bytes(),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let key = "([a-zA-Z0-9]{0,6}[._-]?)(pass|Pass|word|Word|pwd|secret|token|Token|sess|id|api|auth|account|shared|access|Access|key|Key|amz|signature|cookie|cookies|set|authorization|cvv|cvc|credential|s|private|signing|base)([._-]?(word|Word|key|Key|access|token|id|ID|signature|cookie|secret|prod|2)){0,3}";
    proptest::string::string_regex(key).unwrap()
}

fn assert_named(redactor: &Redactor, before: &[u8], text: &[u8], behind: &[u8]) -> Result<(), TestCaseError> {
    let payload = [before, text, behind].concat();
    let place = before.len()..before.len() + text.len();
    let mut candidates = Candidates::default();
    redactor.candidates(&payload, &mut candidates);
    let mut matches = Vec::new();
    redactor.find(text, &mut matches);
    for found in matches {
        let named = candidates.may_match(&(place.start + found.start.saturating_sub(96)..place.end));
        prop_assert!(
            named && candidates.may_match(&place),
            "{found:?} in {:?}",
            String::from_utf8_lossy(text)
        );
    }
    let sensitive = std::str::from_utf8(text).is_ok_and(|key| redactor.is_sensitive_key(key));
    prop_assert!(!sensitive || candidates.may_be_sensitive(&place), "{:?}", String::from_utf8_lossy(text));
    Ok(())
}

proptest! {
    #![proptest_config(super::cases())]

    #[test]
    fn every_match_is_named(before in around(), text in pieces::text(), behind in around()) {
        DEFAULT.with(|redactor| assert_named(redactor, &before, text.as_bytes(), &behind))?;
        super::REDACTOR.with(|redactor| assert_named(redactor, &before, text.as_bytes(), &behind))?;
    }

    #[test]
    fn every_match_in_one_piece_is_named(before in around(), text in pieces::secret(), behind in around()) {
        DEFAULT.with(|redactor| assert_named(redactor, &before, text.as_bytes(), &behind))?;
        super::REDACTOR.with(|redactor| assert_named(redactor, &before, text.as_bytes(), &behind))?;
    }

    #[test]
    fn every_sensitive_key_is_named(before in around(), key in key(), behind in around()) {
        DEFAULT.with(|redactor| assert_named(redactor, &before, key.as_bytes(), &behind))?;
    }
}

#[test]
fn what_holds_nothing_is_not_named() {
    let payload =
        b"203.0.113.9 - - [01/Nov/2026:00:00:12 +0000] \"GET /cart/81234?page=3 HTTP/1.1\" 200 51234, \
        session opened for user deploy, Failed password for invalid user bob from 10.20.30.40 port 22 ssh2";
    let mut candidates = Candidates::default();
    DEFAULT.with(|redactor| redactor.candidates(payload, &mut candidates));
    assert!(!candidates.may_match(&(0..payload.len())));
    assert!(candidates.may_be_sensitive(&(0..payload.len())));
}
