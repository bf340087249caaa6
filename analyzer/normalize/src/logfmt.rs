//! Lines that are nothing but `name=value` pairs (logfmt). Values are bare words or quoted, with
//! escapes as in JSON.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::{Entries, push_entry};

/// A line with more pairs is none that a program wrote to be read; it is left alone.
const MOST_PAIRS: usize = 500;

/// The pairs of a line; `None` unless the line is made of at least two and of nothing else.
pub(super) fn entries(line: &str) -> Option<Entries<'_>> {
    let mut found = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (name, behind) = name(rest)?;
        let (value, behind) = value(behind)?;
        if found.len() == MOST_PAIRS {
            return None;
        }
        push_entry(&mut found, name, Value::String(value));
        rest = behind.trim_start_matches(' ');
    }
    (found.len() >= 2).then_some(found)
}

/// `name=`, and the text behind it.
fn name(text: &str) -> Option<(&str, &str)> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-@/".contains(byte);
    let end = text.bytes().take_while(is_of_name).count();
    let (name, behind) = text.split_at_checked(end)?;
    let is_name = name.bytes().next().is_some_and(|first| !first.is_ascii_digit() && first != b'-');
    if is_name { Some((name, behind.strip_prefix('=')?)) } else { None }
}

/// A value, and the text behind it: a space or nothing.
fn value(text: &str) -> Option<(Cow<'_, str>, &str)> {
    if let Some(inside) = text.strip_prefix('"') {
        let (value, behind) = quoted(inside)?;
        return (behind.is_empty() || behind.starts_with(' ')).then_some((value, behind));
    }
    let end = text.find(' ').unwrap_or(text.len());
    let (value, behind) = text.split_at(end);
    (!value.contains('"')).then_some((Cow::Borrowed(value), behind))
}

/// The text up to the next quote that is not escaped, without escapes, and the text behind it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut at = 0;
    let mut has_escapes = false;
    loop {
        match text.as_bytes().get(at)? {
            b'\\' => {
                has_escapes = true;
                at += 2;
            }
            b'"' => break,
            _ => at += 1,
        }
    }
    let (value, behind) = (text.get(..at)?, text.get(at + 1..)?);
    let value = if has_escapes { Cow::Owned(unescaped(value)) } else { Cow::Borrowed(value) };
    Some((value, behind))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let written = match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        };
        plain.push(written);
    }
    plain
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
    fn pairs_and_nothing_else() {
        let found = pairs(r#"level=warn msg="a \"b\" = c\n" path=/x?y=1 empty= user.name=é"#).unwrap();
        let expected = [
            ("level", "warn"),
            ("msg", "a \"b\" = c\n"),
            ("path", "/x?y=1"),
            ("empty", ""),
            ("user.name", "é"),
        ];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for line in [
            "",
            "a",
            "a=1",
            "a=1 b",
            "a=1 b c=2",
            "a=\"1 b=2",
            "a=\"1\"x b=2",
            "a=1\"2 b=3",
            "user alice: a=1 b=2",
            "=1 b=2",
            "1=2 3=4",
            "a=\"\\",
        ] {
            assert_eq!(pairs(line), None, "{line}");
        }
        assert_eq!(pairs(&"a=1 ".repeat(MOST_PAIRS + 1)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read(values in prop::collection::vec("[ -~\n\té]{0,12}", 2..6)) {
            let quoted = |value: &String| {
                value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
            };
            let line: Vec<_> = values.iter().enumerate().map(|(n, value)| format!("k{n}=\"{}\"", quoted(value))).collect();
            let found = pairs(&line.join(" ")).unwrap();
            let found: Vec<_> = found.into_iter().map(|(_, value)| value).collect();
            prop_assert_eq!(found, values);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,60}") {
            entries(&text);
            entries(&format!("a=\"{text}"));
        }
    }
}
