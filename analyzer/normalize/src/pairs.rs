//! Lines made of named values in the many ways of appliances: `name=value, name="value"`, `name:"value"; …`, with
//! tabs or bars between them, and a few words in front. Bare values end where the mark between pairs stands. Stricter
//! than it looks: a name that stands twice, or anything that is no pair, and the line is left alone.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::{Entries, push_entry};

/// A line with more is none that an appliance wrote.
const MOST: usize = 300;
/// Fewer pairs are a sentence with an example in it.
const FEWEST: usize = 3;
const LONGEST_NAME: usize = 48;
/// Longest text before the first pair.
const LONGEST_OPENING: usize = 160;
/// Longest part kept.
const LONGEST_SUMMARY: usize = 64;
/// Names are compared with each other up to so many.
const COMPARED: usize = 64;

/// The pairs of a line, behind its opening.
pub(super) fn entries(line: &str) -> Option<Entries<'_>> {
    let start = start(line)?;
    let (opening, rest) = line.split_at_checked(start)?;
    if opening.contains(['"', '\'', '=', '{']) {
        return None;
    }
    let rest = rest.trim_end_matches([']', ' ', ';', ',', '|']);
    let equals = sign(rest)?;
    let mut found: Entries<'_> = Vec::new();
    let summary = summary(opening);
    if !summary.is_empty() {
        push_entry(&mut found, "event.summary", Value::String(summary.into()));
    }
    let mut at = rest;
    let mut mark = None;
    while !at.is_empty() {
        let (name, behind) = name(at, equals, mark)?;
        let is_rest =
            matches!(name, "msg" | "message") && mark == Some(b' ') && !behind.starts_with(['"', '\'']);
        let (value, behind) = if is_rest { (behind.into(), "") } else { value(behind, &mut mark, equals)? };
        let is_known = found.iter().take(COMPARED).any(|(own, _)| own == name);
        if is_known || found.len() == MOST {
            return None;
        }
        push_entry(&mut found, name, Value::String(value));
        at = behind;
    }
    (found.len() >= FEWEST).then_some(found)
}

/// The end of the words in front, which names the event; numbers and times stand before it.
fn summary(opening: &str) -> &str {
    let words = opening.trim_matches([' ', ':', '-', ',', '[', '|']);
    let mut from = words.len().saturating_sub(LONGEST_SUMMARY);
    while !words.is_char_boundary(from) {
        from += 1;
    }
    let end = words.get(from..).unwrap_or_default();
    // Not from the middle of a word.
    let end = if from == 0 { end } else { end.split_once(' ').map_or("", |(_, rest)| rest) };
    if end.bytes().any(|byte| byte.is_ascii_alphabetic()) { end } else { "" }
}

/// Start of the first pair's name.
fn start(line: &str) -> Option<usize> {
    let window = line.as_bytes().get(..LONGEST_OPENING + LONGEST_NAME).unwrap_or(line.as_bytes());
    let equals = memchr::memchr(b'=', window).or_else(|| {
        let colons = line.starts_with('[').then_some(window)?;
        colons.windows(2).position(|mark| mark == b":\"")
    })?;
    let before = window.get(..equals)?;
    // Names of more than one word stand in quotes or at the start of the line.
    let begin = before.iter().rposition(|byte| !is_of_name(*byte)).map_or(0, |at| at + 1);
    let opens_with_quote = line.as_bytes().get(begin) == Some(&b'"');
    let begin = if opens_with_quote { begin } else { quoted_start(before, begin) };
    let is_opening = begin == 0
        || begin
            .checked_sub(1)
            .and_then(|at| before.get(at))
            .is_some_and(|byte| b" [|,;:\t\"".contains(byte));
    (is_opening && begin <= LONGEST_OPENING).then_some(begin)
}

/// A name in quotes begins with its quote.
fn quoted_start(before: &[u8], begin: usize) -> usize {
    if before.last() != Some(&b'"') {
        return begin;
    }
    let inside = before.get(..before.len() - 1).unwrap_or_default();
    memchr::memrchr(b'"', inside).unwrap_or(begin)
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-@/".contains(&byte)
}

/// Separator of names and values: the first of the two behind the first name.
fn sign(rest: &str) -> Option<u8> {
    let at = rest.bytes().skip(1).position(|byte| !is_of_name(byte) && byte != b' ' && byte != b'"')? + 1;
    rest.as_bytes().get(at).copied().filter(|byte| matches!(byte, b'=' | b':'))
}

/// A name and the text behind its sign.
fn name(text: &str, equals: u8, mark: Option<u8>) -> Option<(&str, &str)> {
    let window = text.as_bytes().get(..LONGEST_NAME).unwrap_or(text.as_bytes());
    let end = memchr::memchr(equals, window)?;
    let (name, behind) = (text.get(..end)?, text.get(end + 1..)?);
    let name = name.trim_matches(['"', ' ']);
    let starts_well =
        name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || b"_@".contains(&first));
    // Words may stand in a name where no space ends a value.
    let has_words = mark.is_some_and(|mark| mark != b' ');
    let is_name = starts_well && name.bytes().all(|byte| is_of_name(byte) || (has_words && byte == b' '));
    is_name.then_some((name, behind))
}

/// A value, and the next name. The first value shows the mark between pairs, which all others have, too.
fn value<'t>(text: &'t str, mark: &mut Option<u8>, equals: u8) -> Option<(Cow<'t, str>, &'t str)> {
    let text = text.trim_start_matches(' ');
    for quote in ['"', '\''] {
        let Some(inside) = text.strip_prefix(quote) else { continue };
        let end = end_of_quoted(inside, quote)?;
        let (value, behind) = (inside.get(..end)?, inside.get(end + 1..)?);
        let value = if value.contains('\\') {
            Cow::Owned(value.replace("\\\"", "\"").replace("\\\\", "\\"))
        } else {
            value.into()
        };
        if behind.is_empty() {
            return Some((value, behind));
        }
        mark.get_or_insert(b' ');
        let first = behind.bytes().find(|byte| b",;|\t ".contains(byte))?;
        let marked = behind
            .trim_start_matches(' ')
            .bytes()
            .next()
            .filter(|byte| b",;|\t".contains(byte))
            .unwrap_or(first);
        return Some((
            value,
            behind
                .trim_start_matches(' ')
                .strip_prefix(char::from(marked))
                .or_else(|| behind.strip_prefix(' '))?
                .trim_start_matches(' '),
        ));
    }
    let is_mark = |byte: &u8| b",;|\t ".contains(byte);
    if mark.is_none() {
        *mark = Some(between(text, equals).unwrap_or(b' ')).filter(is_mark);
    }
    let between = (*mark)?;
    match memchr::memchr(between, text.as_bytes()) {
        None => Some((text.trim().into(), "")),
        Some(end) => {
            let (value, behind) = (text.get(..end)?, text.get(end + 1..)?);
            (!value.contains(['"'])).then_some((value.trim().into(), behind.trim_start_matches([' ', '\t'])))
        }
    }
}

/// The mark in front of the second name: the last one that is no space before its sign, else a space.
fn between(text: &str, equals: u8) -> Option<u8> {
    let sign = memchr::memchr(equals, text.as_bytes())?;
    let before = text.as_bytes().get(..sign)?;
    let marks = before.iter().rev().find(|byte| b",;|\t".contains(byte)).copied();
    Some(marks.unwrap_or(b' '))
}

fn end_of_quoted(text: &str, quote: char) -> Option<usize> {
    let quote = u8::try_from(quote).ok()?;
    let mut at = 0;
    loop {
        match text.as_bytes().get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(line: &str) -> Option<Vec<(String, String)>> {
        let pair = |(name, value): (Cow<'_, str>, Value<'_>)| {
            (name.into_owned(), value.as_str().unwrap_or_default().to_owned())
        };
        Some(entries(line)?.into_iter().map(pair).collect())
    }

    #[test]
    fn every_mark_between_pairs() {
        let expected = [("user", "alice"), ("src", "198.51.100.7"), ("result", "bad password")];
        for line in [
            "user=alice, src=198.51.100.7, result=bad password",
            "user=alice,src=198.51.100.7,result=bad password",
            "user=\"alice\", src=\"198.51.100.7\", result=\"bad password\"",
            "user=alice;src=198.51.100.7;result=bad password;",
            "user=alice|src=198.51.100.7|result=bad password",
            "user=alice\tsrc=198.51.100.7\tresult=bad password",
            "user='alice' src='198.51.100.7' result='bad password'",
            "Login refused: user=alice, src=198.51.100.7, result=bad password",
            "[user:\"alice\"; src:\"198.51.100.7\"; result:\"bad password\"]",
            "[user=\"alice\" src=\"198.51.100.7\" result=\"bad password\"]",
            "\"user\"=\"alice\",\"src\"=\"198.51.100.7\",\"result\"=\"bad password\"",
        ] {
            let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let found = pairs(line).map(|mut found| {
                found.retain(|(name, _)| name != "event.summary");
                found
            });
            assert_eq!(found.as_deref(), Some(&expected[..]), "{line}");
        }
    }

    #[test]
    fn other_lines_are_left_alone() {
        for line in [
            "",
            "a=1",
            "a=1, b=2",
            "user alice logged in from 198.51.100.7",
            "a=1, b=2, a=3",
            "said \"x\": a=1, b=2, c=3",
            "a=1 b c=2 d=3",
            "a=\"1, b=2, c=3",
            "GET /?a=1&b=2&c=3 HTTP/1.1",
        ] {
            assert_eq!(pairs(line), None, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_without_a_panic(text in "[a-c=:\"', ;|\\\\\\[\\]é]{0,40}") {
            entries(&text);
            entries(&format!("a=1, b=\"{text}"));
        }
    }
}
