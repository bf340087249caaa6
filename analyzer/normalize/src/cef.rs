//! ArcSight's Common Event Format: `CEF:0|vendor|product|version|class|name|severity|key=value …`. The
//! keys keep their names; those of subject, origin and action get the canonical ones beside them.

use std::borrow::Cow;

use sigma::event::Value;

use super::reading::Reading;
use super::reading::Structure;
use super::{dictionary, time, web};

/// Names of the header's parts behind the version of the format, as consumers of it call them.
const HEADER: [&str; 6] =
    ["DeviceVendor", "DeviceProduct", "DeviceVersion", "DeviceEventClassID", "Name", "Severity"];

/// Canonical field of a key with text.
fn name_of_text(key: &str) -> Option<&'static str> {
    Some(match key {
        "cs-referer" => "http.request.header.referer",
        "destinationDnsDomain" => "destination.domain",
        "dhost" => "destination.domain",
        "dst" => "destination.address",
        "duser" => "user.target.name",
        "dvchost" => "host.name",
        "filePath" => "file.path",
        "fname" => "file.name",
        "proto" => "network.transport",
        "reason" => "event.reason",
        "requestClientApplication" => "user_agent.original",
        "requestMethod" => "http.request.method",
        "shost" => "source.domain",
        "sproc" => "process.name",
        "src" => "source.address",
        "suser" => "user.name",
        _ => return None,
    })
}

/// Canonical field of a number.
fn name_of_number(key: &str) -> Option<&'static str> {
    Some(match key {
        "dpid" | "spid" => "process.pid",
        "dpt" => "destination.port",
        "spt" => "source.port",
        _ => return None,
    })
}

/// Reads a line; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Structure<'_>> {
    behind_name(line.strip_prefix("CEF:")?)
}

/// The same behind the name of the format.
pub(super) fn behind_name(text: &str) -> Option<Structure<'_>> {
    let mut rest = text.trim_start_matches(' ');
    let version = part(&mut rest)?;
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let mut entries = Vec::with_capacity(24);
    for name in HEADER {
        entries.push((Cow::Borrowed(name), Value::String(unescaped(part(&mut rest)?))));
    }
    let mut reading = Reading::default();
    let mut moment = None;
    extension(rest, &mut |key, value| {
        let value = unescaped(value);
        if value.is_empty() {
            // It has no meaning.
        } else if let Some(name) = name_of_text(key) {
            reading.push(name, Value::String(value.clone()));
        } else if let Some(name) = name_of_number(key) {
            reading.number(name, &value);
        } else if key == "request" {
            web::with(value.clone(), &mut reading, web::target);
        } else if key == "rt" {
            moment = time::of_value(&Value::String(value.clone()));
        }
        entries.push((Cow::Borrowed(key), Value::String(value)));
    });
    dictionary::complete(&entries, &mut reading);
    let act = entries.iter().find(|(name, _)| name == "act").map(|(_, value)| value.clone());
    if let Some(act) = act.filter(|act| act.as_str().is_some_and(|text| !text.is_empty())) {
        reading.word_of_device(act);
    }
    Some(Structure { entries, reading, time: moment })
}

/// The text up to the next bar that is not escaped.
fn part<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let mut at = 0;
    loop {
        match rest.as_bytes().get(at)? {
            b'\\' => at += 2,
            b'|' => break,
            _ => at += 1,
        }
    }
    let (part, behind) = (rest.get(..at)?, rest.get(at + 1..)?);
    *rest = behind;
    Some(part)
}

/// Walks `key=value key=value`: values may hold spaces, equals signs in them are escaped, so that a
/// value ends before the word that the next bare equals sign follows.
fn extension<'t>(text: &'t str, found: &mut dyn FnMut(&'t str, &'t str)) {
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-[]".contains(byte);
    let mut open: Option<(&str, usize)> = None;
    // Start of a word that may be a key; none behind an equals sign.
    let mut word = Some(0);
    let mut at = 0;
    let is_mark = |byte: &u8| matches!(byte, b'\\' | b' ' | b'=');
    let next = |at: usize| Some(at + text.as_bytes().get(at..)?.iter().position(is_mark)?);
    while let Some(mark) = next(at) {
        at = mark;
        match text.as_bytes()[at] {
            b'\\' => at += 1,
            b' ' => word = Some(at + 1),
            _ => {
                let Some(start) = word.take() else {
                    at += 1;
                    continue;
                };
                let key = text.get(start..at).unwrap_or_default();
                if !key.is_empty() && key.as_bytes().iter().all(is_of_key) {
                    if let Some((name, from)) = open {
                        found(name, text.get(from..start).unwrap_or_default().trim_end_matches(' '));
                    }
                    open = Some((key, at + 1));
                }
            }
        }
        at += 1;
    }
    if let Some((name, from)) = open {
        found(name, text.get(from..).unwrap_or_default().trim_end());
    }
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n' | 'r') => plain.push('\n'),
            Some(other @ ('\\' | '|' | '=')) => plain.push(other),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r"CEF:0|Example|Fire\|wall|1.0|100|blocked \\ it|8|src=198.51.100.7 spt=50122 dst=10.0.0.5 dpt=443 suser=alice act=blocked request=https://shop.example.com/a?b\=1 requestMethod=GET msg=two words and a\=b rt=1783501811000";

    #[test]
    fn keys_keep_their_names_and_get_canonical_ones() {
        let found = read(LINE).unwrap();
        let own = |name: &str| found.entries.iter().find(|(own, _)| own == name).unwrap().1.clone();
        for (name, expected) in [
            ("DeviceProduct", "Fire|wall"),
            ("Name", r"blocked \ it"),
            ("src", "198.51.100.7"),
            ("msg", "two words and a=b"),
            ("request", "https://shop.example.com/a?b=1"),
        ] {
            assert_eq!(own(name), Value::String(expected.into()), "{name}");
        }
        let value = |name: &str| found.reading.fields.iter().find(|(own, _)| *own == name).unwrap().1.clone();
        for (name, expected) in [
            ("source.address", "198.51.100.7"),
            ("client.address", "198.51.100.7"),
            ("destination.address", "10.0.0.5"),
            ("user.name", "alice"),
            ("http.request.method", "GET"),
            ("url.path", "/a"),
        ] {
            assert_eq!(value(name), Value::String(expected.into()), "{name}");
        }
        let both = ["firewall_denied", "blocked"].map(|word| Value::String(word.into()));
        assert_eq!(value("event.action"), Value::Array(both.to_vec()), "ours and the device's own");
        assert_eq!(value("process.name"), Value::String("Fire|wall".into()));
        assert_eq!(value("source.port"), Value::Int(50122));
        assert_eq!(found.time.map(|time| time.0), Some(1_783_501_811_000_000_000));
    }

    #[test]
    fn other_lines_are_not_cef() {
        for line in
            ["", "CEF:", "CEF:0", "CEF:0|a|b|c|d|e", "CEF:x|a|b|c|d|e|f|", "cef:0|a|b|c|d|e|f|", "CEF:0|a\\"]
        {
            assert!(read(line).is_none(), "{line}");
        }
        assert!(read("CEF:0|a|b|c|d|e|f|").is_some_and(|found| found.entries.len() == HEADER.len()));
    }
}
