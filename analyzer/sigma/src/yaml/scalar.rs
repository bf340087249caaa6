//! Scalars by the core schema of YAML 1.2.2 (section 10.3.2): plain text that reads as null, a boolean or a number is
//! one; quoted and block text is text.

use saphyr_parser::{ScalarStyle, Tag};

use super::Node;
use crate::refusal::Cause;

/// The value of a scalar.
pub(super) fn resolve(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Node, Cause> {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { plain(text) } else { Ok(Node::Text(text.to_owned())) };
    };
    refuse_foreign(tag)?;
    match (tag.suffix.as_str(), plain(text)?) {
        ("str", _) => Ok(Node::Text(text.to_owned())),
        ("null", node @ Node::Null) | ("bool", node @ Node::Bool(_)) | ("int", node @ Node::Int(_)) => {
            Ok(node)
        }
        ("float", node @ Node::Double(_)) => Ok(node),
        (_, _) => Err(Cause::Yaml(format!("`{text}` is not a value of the tag `{tag}`").into())),
    }
}

/// Refuses the tag of a collection unless it names the collection's own kind in the core schema.
pub(super) fn refuse_tag(tag: Option<&Tag>, own: &str) -> Result<(), Cause> {
    let Some(tag) = tag else { return Ok(()) };
    refuse_foreign(tag)?;
    if tag.suffix == own { Ok(()) } else { Err(Cause::Yaml(format!("unexpected tag `{tag}`").into())) }
}

fn refuse_foreign(tag: &Tag) -> Result<(), Cause> {
    if tag.is_yaml_core_schema() {
        return Ok(());
    }
    Err(Cause::Yaml(format!("expected a value without a tag of its own, found `{tag}`").into()))
}

fn plain(text: &str) -> Result<Node, Cause> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Node::Null),
        "true" | "True" | "TRUE" => return Ok(Node::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Node::Bool(false)),
        _ => {}
    }
    if let Some(number) = whole(text)? {
        return Ok(Node::Int(number));
    }
    match fraction(text) {
        Some(number) if number.is_finite() => Ok(Node::Double(number)),
        Some(_) => Err(Cause::Yaml(format!("expected a finite number, found `{text}`").into())),
        None => Ok(Node::Text(text.to_owned())),
    }
}

/// A whole number: decimal without leading zeros, or hexadecimal, octal and binary by prefix.
fn whole(text: &str) -> Result<Option<i128>, Cause> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'o', ..] => (8, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        // Identifiers such as `007` are text.
        [b'0', _, ..] => return Ok(None),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Ok(None);
    }
    let signed = if text.starts_with('-') { format!("-{digits}") } else { digits.to_owned() };
    let number = i128::from_str_radix(&signed, radix);
    number.map(Some).map_err(|_| {
        Cause::Yaml("a whole number of more than 128 bits: put it in quotes if it is text".into())
    })
}

fn fraction(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    match digits {
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    let is_number = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-' | b'+'));
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    let is_identifier =
        digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || !has_digit || is_identifier || digits.starts_with(['-', '+']) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_reads_by_the_core_schema() {
        let table = [
            ("", Node::Null),
            ("~", Node::Null),
            ("Null", Node::Null),
            ("TRUE", Node::Bool(true)),
            ("yes", Node::Text("yes".into())),
            ("0", Node::Int(0)),
            ("-17", Node::Int(-17)),
            ("+5", Node::Int(5)),
            ("0x1F", Node::Int(31)),
            ("-0o17", Node::Int(-15)),
            ("0b101", Node::Int(5)),
            ("007", Node::Text("007".into())),
            ("0x", Node::Text("0x".into())),
            ("1.5", Node::Double(1.5)),
            ("1e3", Node::Double(1000.0)),
            (".5", Node::Double(0.5)),
            ("1.2.3", Node::Text("1.2.3".into())),
            ("--1", Node::Text("--1".into())),
            ("+-1", Node::Text("+-1".into())),
            ("infinity", Node::Text("infinity".into())),
            ("e", Node::Text("e".into())),
            ("2026-11-23", Node::Text("2026-11-23".into())),
        ];
        for (text, expected) in table {
            assert_eq!(resolve(text, ScalarStyle::Plain, None).unwrap(), expected, "{text}");
            let quoted = resolve(text, ScalarStyle::SingleQuoted, None).unwrap();
            assert_eq!(quoted, Node::Text(text.to_owned()));
        }
        for text in
            [".inf", "-.INF", ".nan", "1e999", &"9".repeat(40), "0xffffffffffffffffffffffffffffffffff"]
        {
            assert!(resolve(text, ScalarStyle::Plain, None).is_err(), "{text}");
        }
    }
}
