//! The address that a line names as its peer: the only one in it, wherever it stands. Text that a client chose may hold another
//! address, and such text looks like the program's own: so where two addresses stand in a line, none is taken, unless a
//! pair such as `lip=192.0.2.1` or `user=192.0.2.1` marks one as not the peer's.

use std::net::IpAddr;
use std::ops::Range;

use super::super::address;
use super::super::login_words::each_word;
use super::names::USER;
use crate::word_list::words;

/// Words before an address that is not the peer's.
const OTHER: [&str; 23] = words(
    "to lip local server servers srv dst dest destination target listen listening on dstip laddr localip
     version upstream proxy backend gateway nas into",
);
/// Words between such a word and the address.
const BETWEEN: [&str; 14] = words("ipv4 ipv6 ip address addr host hostname at the port name tcp udp ssl");
/// Words behind which a program puts its peer.
const PEER: [&str; 8] = ["from", "rhost", "client", "host", "remote", "peer", "by", "hostname"];
/// Words before the address that are read.
const MOST_WORDS_BEFORE: usize = 4;

/// The peer of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer<'t> {
    /// The line names none.
    None,
    /// Several, or a host without an address: text of a client's choice may be one of them.
    Disputed,
    /// The only one, and its place.
    At(usize, &'t str),
}

/// The peer of a line, of which a part is known to be a user's name.
pub(super) fn of<'t>(line: &'t str, name: &Range<usize>) -> Peer<'t> {
    let mut found: Option<(&str, usize)> = None;
    for (at, address) in addresses(line) {
        let before = line.get(..at).unwrap_or_default();
        if name.contains(&at) || is_pair_of_other(before) {
            continue;
        }
        match found {
            Some((known, _)) if known != address => return Peer::Disputed,
            _ => found = Some((address, at)),
        }
    }
    match found {
        Some((_, at)) if is_of_other(line.get(..at).unwrap_or_default()) => Peer::None,
        Some(_) if names_another_host(line) => Peer::Disputed,
        Some((address, at)) => Peer::At(at, address),
        None => Peer::None,
    }
}

/// The addresses of hosts in a line, with their places.
fn addresses(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, run) = next_run(line, from)?;
            from = start + run.len();
            if let Some((at, address)) = in_run(line, start, run) {
                // The text behind the address is examined as well.
                from = start + at + address.len();
                return Some((start + at, address));
            }
        }
    })
    .filter(|(_, address)| is_host(address))
}

/// The next text of the letters that addresses are made of.
fn next_run(line: &str, from: usize) -> Option<(usize, &str)> {
    let is_of_address = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let bytes = line.as_bytes();
    let start = from + bytes.get(from..)?.iter().position(is_of_address)?;
    let length =
        bytes.get(start..)?.iter().position(|byte| !is_of_address(byte)).unwrap_or(bytes.len() - start);
    line.get(start..start + length).map(|run| (start, run))
}

/// The first address in such a text, and its place there.
fn in_run<'t>(line: &'t str, start: usize, run: &'t str) -> Option<(usize, &'t str)> {
    let is_of_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let end = run.trim_end_matches([':', '.']);
    if end.len() < 4 {
        return None;
    }
    let is_joined_before = is_of_word(start.checked_sub(1).and_then(|at| line.as_bytes().get(at)));
    let is_joined_behind = is_of_word(line.as_bytes().get(start + run.len()));
    // `IP:2001:db8::1`: the end of a word and its colon are none of the address.
    let skipped = if is_joined_before { end.find(':').map_or(end.len(), |at| at + 1) } else { 0 };
    let whole = end.get(skipped..).filter(|text| text.contains(':') && !is_joined_behind);
    if let Some(found) = whole.and_then(address::written).filter(|found| has_form(found.address)) {
        return Some((skipped + end.get(skipped..)?.find(found.address)?, found.address));
    }
    let mut at = 0;
    for part in run.split(':') {
        let is_joined = (at == 0 && is_joined_before) || (at + part.len() == run.len() && is_joined_behind);
        let bare = without_port(part.trim_end_matches('.'));
        if !is_joined && address::is_dotted(bare.as_bytes()) {
            return Some((at, bare));
        }
        at += part.len() + 1;
    }
    None
}

/// `192.0.2.1.49152`: the port of a client is none of the low ones, and no fifth number of another address.
fn without_port(text: &str) -> &str {
    match text.rsplit_once('.') {
        Some((address, port)) if port.len() > 3 && port.parse::<u16>().is_ok() => address,
        _ => text,
    }
}

/// A word such as `1::2` or `Add::Bad` is a separator or a name.
fn has_form(address: &str) -> bool {
    let has_digit = || address.bytes().any(|byte| byte.is_ascii_digit());
    let is_long = || address.len() > 5 && has_digit();
    address.contains('.') || address == "::1" || (address.contains(':') && is_long())
}

/// Whether an address can be a host's: a version such as `128.0.0.0` is none.
fn is_host(address: &str) -> bool {
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            let [_, second, third, fourth] = address.octets();
            [second, third, fourth] != [0; 3] && !address.is_multicast() && !address.is_broadcast()
        }
        Ok(IpAddr::V6(address)) => !address.is_unspecified() && !address.is_multicast(),
        Err(_) => false,
    }
}

/// Whether the name of a pair before an address, `NAME=`, marks it as not the peer's. No text of a client's choice
/// stands between the sign and the address; before a bracket or a slash it may end: `USER[ADDRESS]`.
fn is_pair_of_other(before: &str) -> bool {
    let Some(name) = before.trim_end_matches(['"', '\'']).strip_suffix('=') else {
        return false;
    };
    let start =
        name.rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_')).map_or(0, |at| at + 1);
    let mut is_other = false;
    each_word(name.get(start..).unwrap_or_default(), |word| {
        is_other |= OTHER.contains(&word) || USER.contains(&word);
    });
    is_other
}

/// Whether the words before an address say that it is not the peer's.
fn is_of_other(before: &str) -> bool {
    let is_of_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    // Behind a bracket or a comma another part begins.
    let before = before.strip_suffix("::ffff:").unwrap_or(before);
    // The host of a URL is asked and does not ask.
    let transports = ["tcp", "udp", "tls", "ssl"];
    if before.strip_suffix("://").is_some_and(|scheme| !transports.iter().any(|name| scheme.ends_with(name)))
    {
        return true;
    }
    let part = before.rsplit([',', ';', ')', ']', '}', '|', '>']).next().unwrap_or_default();
    let words = part.rsplit(|letter: char| !is_of_word(letter)).filter(|word| !word.is_empty());
    for word in words.take(MOST_WORDS_BEFORE) {
        let (mut is_other, mut is_between) = (false, true);
        each_word(word, |word| {
            is_other |= OTHER.contains(&word);
            is_between &= BETWEEN.contains(&word);
        });
        if is_other || !is_between {
            return is_other;
        }
    }
    false
}

/// Whether the peer is named by a host name without an address, so that the address is part of another text.
fn names_another_host(line: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find(['=', ' ']) {
        let (before, behind) = rest.split_at(at);
        rest = behind.get(1..).unwrap_or_default();
        let word = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        if super::is_one_of(word, &PEER) && is_lone_host(rest) {
            return true;
        }
    }
    false
}

/// Whether a text begins with a host name that no address in brackets follows.
fn is_lone_host(text: &str) -> bool {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    let end = text.find(|letter| !is_of_name(letter)).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    let name = name.trim_end_matches('.');
    let last = name.rsplit_once('.').map_or("", |(_, last)| last);
    let is_name = last.len() > 1
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !behind.starts_with(['@', ':', '/']);
    is_name && !behind.trim_start().starts_with(['[', '(', '<'])
}
