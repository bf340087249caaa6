//! Addresses as values of fields: with ports, in brackets, or as the list of all forwarders of a request.

use std::borrow::Cow;
use std::net::IpAddr;

use sigma::event::Value;

use super::{is_address, is_dotted, plain_address};

/// The address that a value is, as products write one: alone, with its port or mask, in brackets, behind a
/// scheme or a name, or as the list of all forwarders of a request. Text that has one in it is none.
pub(in super::super) fn in_value(text: &str) -> Option<&str> {
    if is_dotted(text.as_bytes()) {
        return is_somewhere(text).then_some(text);
    }
    // Nothing without a dot or a colon is one, and no more than these follow an address of the longest form.
    let text = text.trim();
    if text.len() < 2 || (text.len() > 64 && !text.contains(',')) {
        return None;
    }
    let address = plain_address(originator(text));
    if is_address(address) {
        return is_somewhere(address).then_some(address);
    }
    [decorated(text), inside(text)].into_iter().flatten().find(|address| is_somewhere(address))
}

/// Without additions: `/198.51.100.7:5001`, `ipv4:198.51.100.7:5001`, `198.51.100.7/32`, `198.51.100.7:5001:X1`,
/// `fe80::1%eth0`.
fn decorated(text: &str) -> Option<&str> {
    const SCHEMES: [&str; 8] = ["/", "ipv4:", "ipv6:", "tcp://", "tcp:", "udp:", "::ffff:", "IP:"];
    let bare = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text).trim();
    let end = bare.find(['/', '%', '#', ' ', ';']).unwrap_or(bare.len());
    let (word, behind) = bare.split_at_checked(end)?;
    // Behind a mark stands a port, a mask or a zone, or a name in brackets, and not a sentence.
    if behind.len() > 1 && behind.bytes().skip(1).any(|byte| byte == b' ') {
        return None;
    }
    if behind.starts_with(' ') && !behind.starts_with(" (") {
        return None;
    }
    let plain = plain_address(word.trim_matches(['[', ']']));
    if is_address(plain) {
        return Some(plain);
    }
    let first = word.split(':').next()?;
    is_dotted(first.as_bytes()).then_some(first)
}

/// Behind a name: `https(198.51.100.7)`, `gateway/198.51.100.7`.
fn inside(text: &str) -> Option<&str> {
    let is_name =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_. ".contains(&byte));
    let (name, rest) = text.split_once(['(', '/'])?;
    let address = plain_address(rest.trim_end_matches(')'));
    (is_name(name) && is_address(address)).then_some(address)
}

/// Whether an address identifies a client: `0.0.0.0` and `::` do not.
fn is_somewhere(address: &str) -> bool {
    !matches!(address, "0.0.0.0" | "::" | "255.255.255.255")
}

/// [`plain_address`] of a text that may be owned.
pub(in super::super) fn plain<'a>(address: &Cow<'a, str>) -> Cow<'a, str> {
    match address {
        Cow::Borrowed(text) => Cow::Borrowed(plain_address(text)),
        Cow::Owned(text) => Cow::Owned(plain_address(text).to_owned()),
    }
}

/// Of `CLIENT, PROXY, PROXY`, as `X-Forwarded-For` and its like have it, the request's origin.
pub(in super::super) fn originator(list: &str) -> &str {
    if !list.contains(',') {
        return list;
    }
    forwarded(list.rsplit(',').map(str::trim), |text| text).unwrap_or(list)
}

/// Every forwarder of a request appends its own peer, so that a client can write
/// anything in front of its own address and nothing behind it: the last public address counts. Where
/// all are private, the last.
pub(in super::super) fn forwarded<T>(
    from_last: impl Iterator<Item = T>,
    text: impl Fn(&T) -> &str,
) -> Option<T> {
    let mut last = None;
    for address in from_last {
        if plain_address(text(&address)).parse::<IpAddr>().is_ok_and(is_public) {
            return Some(address);
        }
        last.get_or_insert(address);
    }
    last
}

fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            !(address.is_private() || address.is_loopback() || address.is_link_local() || is_shared)
        }
        IpAddr::V6(address) => {
            !(address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local())
        }
    }
}

/// The address in the one textual form of RFC 5952, by which records of different programs are about the same client.
pub(in super::super) fn canonical(address: Value<'_>) -> Value<'_> {
    let Value::String(text) = &address else { return address };
    // All IPv4 addresses are in their form.
    if memchr::memchr(b':', text.as_bytes()).is_none() {
        return address;
    }
    match text.parse::<IpAddr>().map(|address| address.to_canonical().to_string()) {
        Ok(canonical) if canonical != *text => Value::String(Cow::Owned(canonical)),
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_passed_it_on_appends_whom_they_had_it_from() {
        for (list, expected) in [
            ("198.51.100.7", "198.51.100.7"),
            ("203.0.113.9, 198.51.100.7", "198.51.100.7"),
            ("198.51.100.7,10.0.0.1,127.0.0.1", "198.51.100.7"),
            ("nonsense, 198.51.100.7:5001, ::1", "198.51.100.7:5001"),
            ("10.0.0.9, 10.0.0.1", "10.0.0.1"),
            ("100.64.0.1, fd00::1", "fd00::1"),
            (",", ""),
        ] {
            assert_eq!(originator(list), expected, "{list}");
        }
    }

    #[test]
    fn addresses_of_one_client_are_the_same_in_every_form() {
        for (written, expected) in [
            ("2001:db8:bad:0:0:0:0:10", "2001:db8:bad::10"),
            ("2001:0DB8::1", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:c633:6407", "198.51.100.7"),
            ("198.51.100.7", "198.51.100.7"),
            ("host:1", "host:1"),
        ] {
            let value = |text: &str| Value::String(Cow::Owned(text.to_owned()));
            assert_eq!(canonical(value(written)), value(expected), "{written}");
        }
    }
}
