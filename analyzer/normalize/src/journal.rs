//! Entries of the journal in its export format (`journalctl --output=export`): one `NAME=value` a line. Fields that are
//! written with their length, as those with control characters are, are left out.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::Entries;

/// An entry with more fields is none the journal wrote.
const MOST_FIELDS: usize = 200;

/// The fields of an entry; `None` for any other text.
pub(super) fn entries(text: &str) -> Option<Entries<'_>> {
    if !text.starts_with("__CURSOR=") && !text.starts_with("__REALTIME_TIMESTAMP=") {
        return None;
    }
    let mut found = Vec::with_capacity(32);
    for line in text.lines().take_while(|line| !line.is_empty()).take(MOST_FIELDS) {
        let Some((name, value)) = line.split_once('=') else { continue };
        if name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_') {
            found.push((Cow::Borrowed(name), Value::String(Cow::Borrowed(value))));
        }
    }
    (found.len() >= 2).then_some(found)
}

/// The text of a `MESSAGE` that its JSON form writes as a list of bytes.
pub(super) fn text_of_bytes(values: &[Value<'_>]) -> Option<String> {
    let byte = |value: &Value<'_>| match value {
        Value::Int(number) => u8::try_from(*number).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = values.iter().map(byte).collect::<Option<_>>()?;
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_its_fields() {
        let text = "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1783501811000000\n_HOSTNAME=web-1\nMESSAGE=a=b c\nlower=x\n\nMESSAGE=next\n";
        let found = entries(text).unwrap();
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(names, ["__CURSOR", "__REALTIME_TIMESTAMP", "_HOSTNAME", "MESSAGE"]);
        assert_eq!(found[3].1.as_str(), Some("a=b c"));
        assert_eq!(entries("MESSAGE=x"), None);
    }

    #[test]
    fn bytes_are_text() {
        assert_eq!(text_of_bytes(&[Value::Int(0x61), Value::Int(0xff)]).as_deref(), Some("a\u{fffd}"));
        assert_eq!(text_of_bytes(&[Value::Int(256)]), None);
    }
}
