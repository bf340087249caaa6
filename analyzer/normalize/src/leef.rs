//! QRadar's Log Event Extended Format: `LEEF:1.0|vendor|product|version|event|` and attributes with tabs
//! between them; in 2.0 the header may name another separator. The keys keep their names; those of subject,
//! origin and action get the canonical ones beside them.

use std::borrow::Cow;

use sigma::event::Value;

use super::reading::Reading;
use super::reading::Structure;
use super::{dictionary, time, web};

/// Names of the header's parts behind the version of the format.
const HEADER: [&str; 4] = ["DeviceVendor", "DeviceProduct", "DeviceVersion", "EventID"];
/// A line with more attributes is none that a device wrote; the rest is left out.
const MOST_ATTRIBUTES: usize = 500;

/// Keys of texts, and their names in normalized events.
const TEXTS: [(&str, &str); 6] = [
    ("dst", "destination.address"),
    ("identHostName", "host.name"),
    ("proto", "network.transport"),
    ("src", "source.address"),
    ("userAgent", "user_agent.original"),
    ("usrName", "user.name"),
];

/// Reads a line; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Structure<'_>> {
    let (version, mut rest) = line.strip_prefix("LEEF:")?.split_once('|')?;
    let mut entries = Vec::with_capacity(24);
    for name in HEADER {
        let (part, behind) = rest.split_once('|')?;
        entries.push((Cow::Borrowed(name), Value::String(Cow::Borrowed(part))));
        rest = behind;
    }
    let separator = match version {
        "1.0" => '\t',
        "2.0" => {
            // Left out by some; then the text behind the bar is the first attribute.
            let named = rest.split_once('|').and_then(|(name, behind)| Some((separator(name)?, behind)));
            let (separator, behind) = named.unwrap_or(('\t', rest));
            rest = behind;
            separator
        }
        _ => return None,
    };
    let mut reading = Reading::default();
    let mut moment = None;
    let pairs = rest.split(separator).filter_map(|pair| pair.split_once('=')).take(MOST_ATTRIBUTES);
    for (key, text) in pairs {
        let (key, text) = (key.trim(), text.trim());
        match key {
            "srcPort" => reading.number("source.port", text),
            "dstPort" => reading.number("destination.port", text),
            "url" => web::target(text, &mut reading),
            "devTime" => moment = time::of_value(&Value::String(Cow::Borrowed(text))),
            _ => {
                let known = TEXTS.iter().find(|(name, _)| *name == key);
                known.iter().for_each(|(_, name)| reading.text(name, text));
            }
        }
        entries.push((Cow::Borrowed(key), Value::String(Cow::Borrowed(text))));
    }
    dictionary::complete(&entries, &mut reading);
    Some(Structure { entries, reading, time: moment })
}

/// A character, or its number in hexadecimal behind `x` or `0x`.
fn separator(name: &str) -> Option<char> {
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (None, _) => Some('\t'),
        (Some(only), None) => Some(only),
        _ => {
            let digits = name.strip_prefix("0x").or_else(|| name.strip_prefix('x'))?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn field<'s>(found: &'s Structure<'_>, name: &str) -> Option<&'s str> {
        let own = found.reading.fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
        own.or_else(|| found.entries.iter().find(|(own, _)| own == name).map(|(_, value)| value))?.as_str()
    }

    #[test]
    fn every_separator() {
        for line in [
            "LEEF:1.0|Fence|Gate|4.2|login-failed|src=198.51.100.7\tusrName=alice b\tsrcPort=4711\tdevTime=1783501811000",
            "LEEF:2.0|Fence|Gate|4.2|login-failed||src=198.51.100.7\tusrName=alice b\tsrcPort=4711\tdevTime=1783501811000",
            "LEEF:2.0|Fence|Gate|4.2|login-failed|^|src=198.51.100.7^usrName=alice b^srcPort=4711^devTime=1783501811000",
            "LEEF:2.0|Fence|Gate|4.2|login-failed|0x7C|src=198.51.100.7|usrName=alice b|srcPort=4711|devTime=1783501811000",
            "LEEF:2.0|Fence|Gate|4.2|login-failed|x5e|src=198.51.100.7^usrName=alice b^srcPort=4711^devTime=1783501811000",
        ] {
            let found = read(line).unwrap_or_else(|| panic!("not read: {line}"));
            assert_eq!(field(&found, "DeviceVendor"), Some("Fence"), "{line}");
            assert_eq!(field(&found, "EventID"), Some("login-failed"), "{line}");
            assert_eq!(field(&found, "client.address"), Some("198.51.100.7"), "{line}");
            assert_eq!(field(&found, "user.name"), Some("alice b"), "{line}");
            assert!(found.reading.fields.contains(&("source.port", Value::Int(4711))), "{line}");
            assert!(found.time.is_some(), "{line}");
        }
    }

    #[test]
    fn other_lines_are_left_alone() {
        for line in ["LEEF:", "LEEF:1.0|a|b|c", "LEEF:3.0|a|b|c|d|e=f", "LEEF 1.0|a|b|c|d|"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,40}") {
            read(&format!("LEEF:2.0|a|b|c|d|{text}"));
            read(&format!("LEEF:{text}|b|c|d|x|y=z"));
        }
    }
}
