//! IP addresses: IPv4 with four decimal parts, and IPv6 in every textual form (RFC 4291, section 2.2).

use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::text::Text;
use super::{Examined, Secret};
use crate::entity::EntityType;

/// The longest IPv4 address in text.
const LONGEST_V4: usize = 15;
/// The longest IPv6 address in text, with an IPv4 address at its end.
const LONGEST_V6: usize = 45;

/// Examines the run of digits that begins at `start` as the first part of an IPv4 address.
pub(super) fn examine_v4(text: &Text<'_>, start: usize) -> Option<Secret> {
    let numeric = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    if text.before(start) == b'.' || !text.begins_word(start) {
        return None;
    }
    let run_end = text.run_at_most(start, LONGEST_V4 + 2, numeric);
    let end = if text.before(run_end) == b'.' { run_end - 1 } else { run_end };
    let fits = end - start <= LONGEST_V4 && text.ends_word(end) && !text.masked_at(run_end);
    let valid = fits && parses::<Ipv4Addr>(text.slice(start, end));
    valid.then_some(Secret { start, end, entity: EntityType::IpAddress })
}

/// Examines the colons and hexadecimal digits around the colon at `colon`, to their end: the last of too many are no
/// address either.
pub(super) fn examine_v6(text: &Text<'_>, colon: usize) -> Option<Examined> {
    let start = text.run_back(colon, 5, |byte| byte.is_ascii_hexdigit());
    let run_end = text.run(start, is_v6);
    let next = Examined { secret: None, resume: run_end };
    if !text.begins_word(start) || run_end - start > LONGEST_V6 + 1 {
        return Some(next);
    }
    let end = if without_tail(text, run_end) > start { without_tail(text, run_end) } else { run_end };
    let next_to_masked = text.masked_before(start) || text.masked_at(run_end);
    // The unspecified address `::` is nobody's address, and is an operator in many languages.
    let specified = end - start > b"::".len();
    let valid =
        specified && text.ends_word(end) && !next_to_masked && parses::<Ipv6Addr>(text.slice(start, end));
    let secret = valid.then_some(Secret { start, end, entity: EntityType::IpAddress });
    Some(Examined { secret, ..next })
}

/// A full stop or a single colon at the end is punctuation.
fn without_tail(text: &Text<'_>, end: usize) -> usize {
    match (text.before(end - 1), text.before(end)) {
        (_, b'.') => end - 1,
        (before, b':') if before != b':' => end - 1,
        _ => end,
    }
}

fn is_v6(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b':' || byte == b'.'
}

fn parses<T: FromStr>(written: &[u8]) -> bool {
    std::str::from_utf8(written).is_ok_and(|written| written.parse::<T>().is_ok())
}
