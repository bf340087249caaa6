//! Questions in the logs of name servers: of BIND, Unbound and dnsmasq.

use super::reading::{Reading, source};
use super::{address, split};

/// The longest date and time before a question, in bytes.
const LONGEST_HEADER: usize = 32;

/// Reads a line of a name server; `None` if it is no question.
pub(super) fn read<'t>(program: &str, line: &'t str) -> Option<Reading<'t>> {
    match program {
        "named" => bind(line),
        "unbound" => unbound(line),
        "dnsmasq" => dnsmasq(line),
        _ => None,
    }
}

/// Reads a line of BIND's own file, which has a header that is its own.
pub(super) fn read_unnamed(line: &str) -> Option<Reading<'_>> {
    const MARK: &str = " queries: info: ";
    let beginning = line.get(..line.floor_char_boundary(LONGEST_HEADER + MARK.len()))?;
    let (header, _) = split::at_first(beginning, MARK)?;
    bind(line.get(header.len() + MARK.len()..)?)
}

/// `client @0x7f11 CLIENT#PORT (NAME): view inside: query: NAME IN TXT +E(0) (SERVER)`. The name holds no blanks.
fn bind(message: &str) -> Option<Reading<'_>> {
    let rest = message.strip_prefix("client ")?;
    let rest = if rest.starts_with('@') { rest.split_once(' ')?.1 } else { rest };
    let (peer, rest) = rest.split_once(' ')?;
    let (address, _) = peer.split_once('#')?;
    let (_, asked) = split::at_first(rest, ": query: ")?;
    let mut words = asked.split(' ');
    question(address, words.next()?, words.nth(1)?)
}

/// `[77:0] info: CLIENT NAME TXT IN`; answers have more words.
fn unbound(message: &str) -> Option<Reading<'_>> {
    let (_, rest) =
        split::at_first(message.strip_prefix('[')?, "] info: ").filter(|(ids, _)| ids.len() < 24)?;
    let mut words = rest.split(' ');
    let (address, name, kind, class) = (words.next()?, words.next()?, words.next()?, words.next()?);
    (class == "IN" && words.next().is_none()).then(|| question(address, name, kind)).flatten()
}

/// `query[TXT] NAME from CLIENT`.
fn dnsmasq(message: &str) -> Option<Reading<'_>> {
    let (kind, rest) = message.strip_prefix("query[")?.split_once("] ")?;
    let (name, address) = rest.split_once(" from ")?;
    question(address, name, kind)
}

fn question<'t>(address: &'t str, name: &'t str, kind: &'t str) -> Option<Reading<'t>> {
    let is_kind =
        !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if !address::is_address(address) || name.contains(' ') || !is_kind {
        return None;
    }
    let mut reading = Reading { fields: Vec::with_capacity(8), log_source: source(None, Some("dns"), None) };
    reading.text("client.address", address::plain_address(address));
    let name = name.strip_suffix('.').unwrap_or(name);
    reading.text("dns.question.name", name);
    reading.text("dns.question.registered_domain", parent(name));
    reading.text("dns.question.type", kind);
    Some(reading)
}

/// The last two labels of a name: who answers, or nearly.
fn parent(name: &str) -> &str {
    let mut dots = memchr::memrchr_iter(b'.', name.as_bytes());
    match dots.nth(1) {
        Some(dot) => &name[dot + 1..],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(reading: Option<Reading<'_>>) -> Option<[String; 4]> {
        let reading = reading?;
        let names =
            ["client.address", "dns.question.name", "dns.question.registered_domain", "dns.question.type"];
        Some(names.map(|name| {
            let found = reading.fields.iter().find(|(own, _)| *own == name);
            found.and_then(|(_, value)| value.to_text()).map(|text| text.into_owned()).unwrap_or_default()
        }))
    }

    #[test]
    fn questions() {
        let expected =
            |kind: &str| Some(["203.0.113.9", "a.b.example.org", "example.org", kind].map(str::to_owned));
        let bind = "client @0x7f118af12098 203.0.113.9#39215 (a.b.example.org): view inside: query: a.b.example.org IN TXT +E(0) (198.51.100.10)";
        assert_eq!(values(read("named", bind)), expected("TXT"));
        let file = format!("25-Nov-2026 14:12:37.763 queries: info: {bind}");
        assert_eq!(values(read_unnamed(&file)), expected("TXT"));
        let unbound = "[2547:0] info: 203.0.113.9 a.b.example.org. AAAA IN";
        assert_eq!(values(read("unbound", unbound)), expected("AAAA"));
        let dnsmasq = "query[A] a.b.example.org from 203.0.113.9";
        assert_eq!(values(read("dnsmasq", dnsmasq)), expected("A"));
    }

    #[test]
    fn other_lines_are_no_questions() {
        for (program, line) in [
            (
                "named",
                "client @0x7f118af12098 203.0.113.9#39215 (example.org): query 'example.org/A/IN' denied",
            ),
            ("named", "client x"),
            ("unbound", "[2547:0] info: 203.0.113.9 a.example.org. A IN NOERROR 0.000223 0 57"),
            ("unbound", "[2547:0] notice: init module 0: validator"),
            ("dnsmasq", "reply a.example.org is 192.0.2.1"),
            ("dnsmasq", "query[A] a.example.org from host"),
            ("shopd", "query[A] a.example.org from 203.0.113.9"),
        ] {
            assert!(read(program, line).is_none(), "{line}");
        }
    }
}
