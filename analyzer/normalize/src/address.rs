//! IP addresses as programs write them into words: alone, with a port, in brackets, with an interface, as IPv4 on an IPv6 socket.
//! Every reader that takes an address from a word of a line takes it from here.

mod value;

use std::net::{IpAddr, SocketAddr};

pub(super) use self::value::{canonical, forwarded, in_value, originator, plain};

/// An address with the text around it in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    /// The address alone; that of IPv4 where it stands on an IPv6 socket.
    pub(super) address: &'t str,
    /// The interface of a link-local address.
    pub(super) zone: Option<&'t str>,
    pub(super) port: Option<&'t str>,
}

/// The address that a word is: `192.0.2.1`, `192.0.2.1:5060`, `192.0.2.1#5060`, `[2001:db8::1]:5060`, `[IPv6:2001:db8::1]`,
/// `fe80::1%eth0`, `::ffff:192.0.2.1`.
pub(super) fn written(word: &str) -> Option<Written<'_>> {
    if is_dotted(word.as_bytes()) {
        return Some(Written { address: word, zone: None, port: None });
    }
    // Most words are none: an address begins with a hexadecimal digit, a bracket or a colon.
    let first = word.bytes().next()?;
    let may_be = match first {
        b'[' => true,
        b':' | b'I' => word.len() > 2,
        _ => first.is_ascii_hexdigit() && word.bytes().any(|byte| matches!(byte, b':' | b'#' | b'%')),
    };
    if !may_be {
        return None;
    }
    if let Some(rest) = word.strip_prefix('[') {
        let (inner, behind) = rest.split_once(']')?;
        let found = bare(inner)?;
        return match behind {
            "" => Some(found),
            _ if found.port.is_some() => None,
            _ => Some(Written { port: Some(port(behind.strip_prefix([':', '#'])?)?), ..found }),
        };
    }
    bare(word)
}

/// The address in a word without brackets.
fn bare(word: &str) -> Option<Written<'_>> {
    let word = word.strip_prefix("IPv6:").unwrap_or(word);
    if let Some(found) = alone(word) {
        return Some(found);
    }
    let (before, behind) = word.rsplit_once(['#', ':'])?;
    let port = Some(port(behind)?);
    // Behind an address of IPv6 without brackets a colon is one of its own, unless too many digits for that follow.
    let is_marked = word.as_bytes().get(before.len()) == Some(&b'#') || behind.len() > 4;
    let found = alone(before).filter(|found| is_marked || !found.address.contains(':'))?;
    Some(Written { port, ..found })
}

/// The address that a text is, perhaps with an interface.
fn alone(text: &str) -> Option<Written<'_>> {
    let (address, zone) = match text.split_once('%') {
        Some((address, zone)) => (address, Some(zone).filter(|zone| is_zone(zone))),
        None => (text, None),
    };
    (is_address(address) && (zone.is_some() || address.len() == text.len())).then(|| Written {
        address: without_prefix(address),
        zone,
        port: None,
    })
}

fn is_zone(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn port(text: &str) -> Option<&str> {
    text.parse::<u16>().is_ok().then_some(text)
}

/// Whether a word is an IP address.
pub(super) fn is_address(word: &str) -> bool {
    is_dotted(word.as_bytes()) || word.parse::<IpAddr>().is_ok()
}

/// Whether a word is an IPv4 address as nearly all are written: the general reader takes several times as long.
pub(super) fn is_dotted(word: &[u8]) -> bool {
    let (mut dots, mut number, mut digits) = (0, 0_u32, 0);
    for byte in word {
        match byte {
            // No number but zero begins with one.
            b'0'..=b'9' if digits == 0 || number > 0 => {
                number = number * 10 + u32::from(byte - b'0');
                digits += 1;
            }
            b'.' if digits > 0 => (dots, number, digits) = (dots + 1, 0, 0),
            _ => return false,
        }
        if number > 255 {
            return false;
        }
    }
    dots == 3 && digits > 0
}

/// The address without a port, brackets, or the prefix of IPv4 addresses on IPv6 sockets; a text that is none as it is.
pub(super) fn plain_address(text: &str) -> &str {
    // Without a colon there is neither a port nor a prefix.
    if memchr::memchr(b':', text.as_bytes()).is_none() {
        return text;
    }
    let mut address = text;
    if !is_address(text) && text.parse::<SocketAddr>().is_ok() {
        address = text.rsplit_once(':').map_or(text, |(address, _)| address).trim_matches(['[', ']']);
    }
    without_prefix(address)
}

/// An address of IPv4 without the prefix that it has on IPv6 sockets.
fn without_prefix(address: &str) -> &str {
    address.strip_prefix("::ffff:").filter(|rest| rest.contains('.')).unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn addresses_are_those_of_the_standard_library(
            parts in prop::collection::vec("0|00|[1-9][0-9]{0,2}|25[0-9]|0[0-9]|", 3..6), end in "|.|:80|a",
        ) {
            let word = parts.join(".") + &end;
            prop_assert_eq!(is_dotted(word.as_bytes()), word.parse::<Ipv4Addr>().is_ok(), "{}", word);
        }

        #[test]
        fn every_address_is_read_in_every_form(address: IpAddr, number: u16) {
            let plain = without_prefix(&address.to_string()).to_owned();
            let own = Written { address: plain.as_str(), zone: None, port: None };
            let port = number.to_string();
            let with_port = Written { port: Some(port.as_str()), ..own };
            let socket = SocketAddr::new(address, number).to_string();
            for (word, expected) in [
                (address.to_string(), own),
                (format!("[{address}]"), own),
                (format!("[IPv6:{address}]"), own),
                (socket, with_port),
                (format!("[{address}]:{number}"), with_port),
                (format!("{address}#{number}"), with_port),
                (format!("{address}%eth0"), Written { zone: Some("eth0"), ..own }),
            ] {
                prop_assert_eq!(written(&word), Some(expected), "{}", word);
            }
        }

        #[test]
        fn no_text_is_read_as_more_than_it_holds(word in "[0-9a-f.:\\[\\]#%]{0,24}") {
            if let Some(found) = written(&word) {
                prop_assert!(is_address(found.address) && word.contains(found.address), "{}", word);
            }
        }
    }

    #[test]
    fn other_words_are_no_addresses() {
        for word in [
            "",
            "::ffff:",
            "192.0.2",
            "192.0.2.1:",
            "192.0.2.1:65536",
            "[192.0.2.1",
            "[192.0.2.1]x",
            "[192.0.2.1:1]:2",
            "17:22:01",
            "std::vec",
            "fe80::1%",
            "fe80::1%a b",
            "192.0.2.1.5060",
            "IPv6:",
            "host:1",
        ] {
            assert_eq!(written(word), None, "{word}");
        }
    }

    #[test]
    fn addresses_lose_what_is_not_the_address() {
        for (sent, expected) in [
            ("198.51.100.7", "198.51.100.7"),
            ("198.51.100.7:5001", "198.51.100.7"),
            ("[2001:db8::17]:5001", "2001:db8::17"),
            ("2001:db8::17", "2001:db8::17"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("host.example.com", "host.example.com"),
        ] {
            assert_eq!(plain_address(sent), expected);
        }
    }
}
