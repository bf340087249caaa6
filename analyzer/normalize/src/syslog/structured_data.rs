//! Structured data of RFC 5424 (section 6.3): `[id name="value" …]…`. In values, `\` escapes a quote, a
//! bracket and itself.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::Entries;

/// Structured data, and the text behind it; `None` if it does not end.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while bytes.get(at) == Some(&b'[') {
        let mut quoted = false;
        loop {
            at += 1;
            match bytes.get(at)? {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b']' if !quoted => break,
                _ => {}
            }
        }
        at += 1;
    }
    text.split_at_checked(at)
}

/// Structured data as a map of maps; `None` if there is none.
pub(super) fn read(data: &str) -> Option<Value<'_>> {
    let mut elements = Vec::new();
    let mut rest = data;
    while let Some(inside) = rest.strip_prefix('[') {
        let end = inside.find([' ', ']'])?;
        let (id, behind) = inside.split_at(end);
        let (parameters, behind) = parameters(behind)?;
        elements.push((Cow::Borrowed(id), Value::Map(parameters)));
        rest = behind;
    }
    (!elements.is_empty()).then_some(Value::Map(elements))
}

/// ` name="value" …]`, and the text behind it.
fn parameters(text: &str) -> Option<(Entries<'_>, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(' ');
        if let Some(behind) = rest.strip_prefix(']') {
            return Some((found, behind));
        }
        let (name, value) = rest.split_once("=\"")?;
        let (value, behind) = quoted(value)?;
        found.push((Cow::Borrowed(name), Value::String(value)));
        rest = behind;
    }
}

/// The text up to the closing quote, without escapes, and the text behind it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut unescaped: Option<String> = None;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' if !escaped => {
                let value = unescaped.map_or(Cow::Borrowed(&text[..at]), Cow::Owned);
                return Some((value, &text[at + 1..]));
            }
            '\\' if !escaped => {
                escaped = true;
                unescaped.get_or_insert_with(|| text[..at].to_owned());
                continue;
            }
            // Before anything else a backslash stands for itself.
            '"' | '\\' | ']' => {}
            _ if escaped => unescaped.iter_mut().for_each(|text| text.push('\\')),
            _ => {}
        }
        escaped = false;
        unescaped.iter_mut().for_each(|text| text.push(character));
    }
    None
}
