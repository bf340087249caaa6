//! The address that a message names as its peer.

use std::net::IpAddr;

use super::super::client;
use super::wording::is_one_of;

/// Names before an address that is the peer's.
const PEER: [&str; 34] = [
    "cli",
    "from",
    "client",
    "ip",
    "address",
    "addr",
    "host",
    "hostname",
    "rhost",
    "peer",
    "remote",
    "src",
    "source",
    "rip",
    "by",
    "for",
    "at",
    "ipaddr",
    "ipaddress",
    "ip_address",
    "ip-address",
    "remote_ip",
    "remote_addr",
    "remoteaddr",
    "remoteip",
    "client_ip",
    "clientip",
    "client_addr",
    "source_ip",
    "sourceip",
    "src_ip",
    "srcip",
    "via",
    "hostip",
];
/// Names before an address that is not the peer's.
const OTHER: [&str; 16] = [
    "to",
    "lip",
    "local",
    "server",
    "dst",
    "dest",
    "destination",
    "listen",
    "listening",
    "on",
    "dstip",
    "dst_ip",
    "laddr",
    "version",
    "upstream",
    "proxy",
];

/// Words of such messages that say nothing else here.
const ORDINARY: [&str; 45] = [
    "a",
    "an",
    "the",
    "to",
    "of",
    "in",
    "on",
    "at",
    "by",
    "is",
    "was",
    "has",
    "been",
    "with",
    "and",
    "while",
    "during",
    "due",
    "attempt",
    "attempts",
    "attempted",
    "request",
    "connection",
    "session",
    "remote",
    "new",
    "name",
    "method",
    "method:",
    "type",
    "service",
    "protocol",
    "port",
    "realm",
    "domain",
    "database",
    "principal",
    "identity",
    "email",
    "plain",
    "cram-md5",
    "id",
    "message",
    "reason",
    "event",
];
/// Words before the address that may be others: a user, and the part of the program that writes.
const MOST_OTHER_WORDS: usize = 3;

/// The addresses of a message.
#[derive(Default)]
pub(super) struct Peers<'t> {
    /// Behind a name of the peer.
    named: Option<&'t str>,
    /// Elsewhere.
    other: Option<&'t str>,
    is_ambiguous: bool,
    /// Words before the address that such messages are not made of.
    other_words: usize,
}

impl<'t> Peers<'t> {
    /// Takes in a word, if it is an address, and returns whether it is one.
    pub(super) fn look_at(&mut self, word: &'t str, [_, before]: [&str; 2]) -> bool {
        let Some(address) = parse(word) else { return false };
        let place = if is_one_of(before, &OTHER) {
            return true;
        } else if is_one_of(before, &PEER) {
            &mut self.named
        } else {
            &mut self.other
        };
        match place {
            Some(known) if *known != address => self.is_ambiguous = true,
            known => *known = Some(address),
        }
        true
    }

    /// Takes in a word beside the addresses.
    pub(super) fn pass(&mut self, word: &str, says_something: bool) {
        let is_known =
            says_something || is_one_of(word, &ORDINARY) || is_one_of(word, &PEER) || is_one_of(word, &OTHER);
        // Numbers and identifiers are the program's; what a client writes to name another is made of words.
        let is_identifier =
            word.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'|' | b'.'));
        let has_address = self.named.is_some() || self.other.is_some();
        if !is_known && !is_identifier && !has_address {
            self.other_words += 1;
            self.is_ambiguous |= self.other_words > MOST_OTHER_WORDS;
        }
    }

    /// The peer, where there is one.
    pub(super) fn only(&self) -> Option<&'t str> {
        let disagree = self.named.is_some_and(|named| self.other.is_some_and(|other| other != named));
        if self.is_ambiguous || disagree {
            return None;
        }
        self.named.or(self.other)
    }
}

/// The address in a word, perhaps with a port and an interface.
pub(super) fn parse(word: &str) -> Option<&str> {
    // Most words are none: an address begins with a hexadecimal digit, a bracket or a colon.
    let first = word.bytes().next()?;
    if !(first.is_ascii_hexdigit() || matches!(first, b'[' | b':')) {
        return None;
    }
    let inner = word.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(word);
    let inner = inner.split_once(['%', '#']).map_or(inner, |(address, _)| address);
    // A word such as `::` or `1:2` is a separator or a time.
    let has_form = inner.contains('.') || inner.bytes().filter(|byte| *byte == b':').count() > 2;
    client::address_in(inner).filter(|address| has_form && is_peer(address))
}

/// Whether an address can be a peer's: none that stands for any address.
fn is_peer(address: &str) -> bool {
    address.parse::<IpAddr>().is_ok_and(|address| !address.is_unspecified() && !address.is_multicast())
}
