//! Texts as they lie in a payload: behind the byte of their length, whatever that is, the scan of the payload names each
//! text in which something is found.

use redact::{Candidates, Match, Policy, Redactor};

use super::generate::Chance;
use super::{disguised, notations, secrets, unseen};

/// Possible ends of a text: nothing, the next field, a quote.
const BEHIND: [&[u8]; 3] = [b"", b"\x12\x07\n\x05later", b"\""];

/// Whether the scan names the text at any place and behind any byte.
fn unnamed(redactor: &Redactor, text: &[u8], candidates: &mut Candidates) -> Option<u8> {
    (0..=u8::MAX).find(|length| {
        BEHIND.iter().any(|behind| {
            let payload = [b"\n", &[*length][..], text, behind].concat();
            redactor.candidates(&payload, candidates);
            !candidates.may_match(&(2..2 + text.len()))
        })
    })
}

#[test]
fn no_byte_before_a_text_hides_what_is_in_it() {
    let redactor = Redactor::new(&Policy::default()).unwrap();
    let (mut chance, mut candidates, mut matches) = (Chance(6), Candidates::default(), Vec::<Match>::new());
    let tables = [secrets::TABLE, unseen::TABLE, notations::TABLE, disguised::TABLE, BEGINNINGS].concat();
    let mut failures = Vec::new();
    for template in tables.iter().flat_map(|(_, templates)| *templates) {
        let text = chance.fill(template).text;
        redactor.find(text.as_bytes(), &mut matches);
        if !matches.is_empty()
            && let Some(length) = unnamed(&redactor, text.as_bytes(), &mut candidates)
        {
            failures.push(format!("behind {length}: {text}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Texts that begin with the relevant part.
const BEGINNINGS: &[(&str, &[&str])] = &[(
    "beginnings",
    &[
        "name: DB_PASSWORD\nvalue: {p}\nnote: x",
        "name=DB_PASSWORD value={p} note=x",
        "key=DB_PASSWORD, value={p}",
        "ParameterKey=DBPassword,ParameterValue={p}",
        "--password\",\"{p}\"",
        "--password {p}",
        "-password {p}",
        "password \"{p}\" create user",
        "authorization: basic {t24}",
        "chpasswd <<< 'root:{p}'",
    ],
)];
