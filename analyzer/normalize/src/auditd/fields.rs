//! The fields of an audit record: `name=value`, `name="value"`, and a program's report in single quotes,
//! whose fields count as the record's. Text of a user is in quotes, or in hexadecimal digits
//! where it holds anything that could be mistaken, so that no value imitates a field.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sigma::event::Value;

use crate::record::Entries;
use crate::word_list::words;

/// Fields that may be written in hexadecimal digits, sorted. Those of `EXECVE` are arguments.
const ENCODED: [&str; 22] = words(
    "acct apparmor cmd comm cwd data device dir exe file grp key name new-disk new-net ocomm old-disk path
     proctitle profile unit vm",
);
/// A record with more fields is none the kernel wrote: an `EXECVE` is split into several before.
const MOST_FIELDS: usize = 1_000;

/// Reads the text behind time and serial number. Words that are no field are passed over.
pub(super) fn read<'t>(text: &'t str, is_command: bool, into: &mut Entries<'t>) {
    let mut rest = text;
    for _ in 0..MOST_FIELDS {
        // Enriched records go on behind a group separator.
        rest = rest.trim_start_matches([' ', '\x1d', ',']);
        let end = rest.find([' ', '\x1d', '=']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if let Some(report) = behind.strip_prefix("='").filter(|_| name == "msg") {
            rest = report;
            continue;
        }
        match behind.strip_prefix('=') {
            Some(behind) => {
                let name = name.trim_start_matches('(');
                let (value, behind) = value(name, behind, is_command);
                if !name.is_empty() {
                    into.push((Cow::Borrowed(name), Value::String(value)));
                }
                rest = behind;
            }
            None if behind.is_empty() => return,
            None => rest = behind,
        }
    }
}

/// The verdict of SELinux and the permissions it is about, which stand in no fields: `avc:  denied  { read } for`.
/// Named as the audit userspace's parsing library names them.
pub(super) fn access(text: &str) -> Option<(&str, &str)> {
    // A program's report has it behind its own fields.
    let (_, text) = text.split_once("avc:")?;
    let (result, rest) = text.trim_start().split_once(' ')?;
    let (permissions, _) = rest.trim_start().strip_prefix("{ ")?.split_once(" }")?;
    Some((result, permissions))
}

fn value<'t>(name: &str, text: &'t str, is_command: bool) -> (Cow<'t, str>, &'t str) {
    if let Some(inside) = text.strip_prefix('"') {
        let (value, behind) = inside.split_once('"').unwrap_or((inside, ""));
        return (Cow::Borrowed(value), behind);
    }
    let end = text.find([' ', '\x1d']).unwrap_or(text.len());
    let (value, behind) = text.split_at(end);
    // The end of a report, or of a list in brackets, is not of the value; `(null)` is.
    let value = value.trim_end_matches(['\'', ',']);
    let value = if value.starts_with('(') { value } else { value.trim_end_matches(')') };
    let encoded = if is_command { is_argument(name) } else { ENCODED.binary_search(&name).is_ok() };
    match decoded(value).filter(|_| encoded) {
        Some(text) => (Cow::Owned(text), behind),
        None => (Cow::Borrowed(value), behind),
    }
}

/// `a0`, or `a1[2]` for a part of a long one.
fn is_argument(name: &str) -> bool {
    argument(name).is_some()
}

fn argument(name: &str) -> Option<(usize, usize)> {
    let rest = name.strip_prefix('a')?;
    match rest.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((number, part)) => Some((number.parse().ok()?, part.parse().ok()?)),
        None => Some((rest.parse().ok()?, 0)),
    }
}

/// Hexadecimal digits, upper-case as the daemon writes them, as text. Zero bytes part arguments.
fn decoded(value: &str) -> Option<String> {
    let digits = value.as_bytes();
    let is_hexadecimal = |byte: &u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte);
    if digits.is_empty() || !digits.len().is_multiple_of(2) || !digits.iter().all(is_hexadecimal) {
        return None;
    }
    let mut bytes = bytes_of(value);
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    for byte in &mut bytes {
        if matches!(byte, 0 | 1) {
            *byte = b' ';
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes_of(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?);
    digits.as_bytes().chunks_exact(2).map_while(byte).collect()
}

/// The arguments of an `EXECVE`, parted by spaces; the parts of a long argument are put together. `None`
/// where there are none.
pub(super) fn command_line<'t>(entries: &Entries<'t>) -> Option<Cow<'t, str>> {
    let mut arguments = entries.iter().filter_map(|(name, value)| {
        let (number, part) = argument(name)?;
        match value {
            Value::String(text) => Some((number, part, text)),
            _ => None,
        }
    });
    let (_, _, first) = arguments.next()?;
    let mut line: Option<String> = None;
    for (_, part, text) in arguments {
        let line = line.get_or_insert_with(|| first.clone().into_owned());
        if part == 0 {
            line.push(' ');
        }
        line.push_str(text);
    }
    Some(line.map_or_else(|| first.clone(), Cow::Owned))
}

/// `struct sockaddr` in hexadecimal digits: family in the machine's order, port in the network's.
pub(super) fn socket_address(digits: &str) -> Option<(IpAddr, u16)> {
    // The longest is that of a unix socket, which has no address.
    let bytes = bytes_of(digits.get(..digits.len().min(64))?);
    let port = u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]);
    let address = match bytes.get(..2)? {
        [2, 0] | [0, 2] => {
            let address: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            IpAddr::V4(Ipv4Addr::from(address))
        }
        [10, 0] | [0, 10] => {
            let address: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            IpAddr::V6(Ipv6Addr::from(address)).to_canonical()
        }
        _ => return None,
    };
    Some((address, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_fields_are_sorted() {
        assert!(ENCODED.is_sorted());
    }

    #[test]
    fn addresses_of_sockets() {
        for (digits, expected) in [
            ("02000016C63364070000000000000000", Some("198.51.100.7 22")),
            ("0A0001BB0000000020010DB800000000000000000000001700000000", Some("2001:db8::17 443")),
            ("01002F72756E2F7800", None),
            ("0200", None),
            ("", None),
            ("zz", None),
            ("é", None),
        ] {
            let found = socket_address(digits).map(|(address, port)| format!("{address} {port}"));
            assert_eq!(found.as_deref(), expected, "{digits}");
        }
    }
}
