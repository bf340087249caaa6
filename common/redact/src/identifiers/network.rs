//! URLs, and addresses of IP and of network cards.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use memchr::memmem;

use super::entity::Entity;
use super::form::stands_alone;
use super::overlap::{Candidate, Rank};
use super::page::Page;

/// The longest URL that is read, in characters, so that each is read in bounded time: longer ones end there.
const LONGEST_URL: usize = 4096;
/// The longest form of an IPv6 address, in bytes (RFC 4291 with an embedded IPv4 address).
const LONGEST_IP: usize = 45;

/// URLs with a scheme, or beginning with `www.`, sorted and apart. Linear.
#[must_use]
pub fn urls(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut urls: Vec<Range<usize>> = Vec::new();
    let heads = memmem::find_iter(bytes, b"://").map(|at| {
        let scheme = bytes.get(at.saturating_sub(16)..at).unwrap_or_default();
        let letters =
            scheme.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+').count();
        (at - letters, at + 3, letters > 1)
    });
    let hosts = memmem::find_iter(bytes, b"www.").map(|at| (at, at + 4, true));
    let mut heads: Vec<_> = heads.chain(hosts).filter(|(.., whole)| *whole).collect();
    heads.sort_unstable();
    for (start, body, _) in heads {
        if urls.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let end = url_end(text, start, body);
        if end > body {
            urls.push(start..end);
        }
    }
    urls
}

/// End of the URL that begins at `start`. In a line of separated values, the separator before it ends it as well, although
/// commas and semicolons may be part of a URL.
fn url_end(text: &str, start: usize, body: usize) -> usize {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    let separator = before.filter(|letter| matches!(letter, ',' | ';'));
    let rest = text.get(body..).unwrap_or_default();
    let inside = |letter: &char| {
        !letter.is_whitespace()
            && !matches!(letter, '<' | '>' | '"' | '`' | '\\' | '|' | '，' | '。' | '」' | '）')
            && Some(*letter) != separator
    };
    let length: usize = rest.chars().take(LONGEST_URL).take_while(inside).map(char::len_utf8).sum();
    let url = rest.get(..length).unwrap_or_default();
    let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', ')', ']', '}', '*']);
    body + url.len()
}

/// Addresses and URLs.
pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    for url in &page.urls {
        found.push(candidate(url.start, url.end, Entity::Url, "URL"));
    }
    let mut at = 0;
    for word in &page.words {
        let bytes = page.bytes();
        let hex = bytes.get(word.start..word.end).unwrap_or_default().iter().all(u8::is_ascii_hexdigit);
        if word.start < at || !hex || page.is_in_url(word.start, word.end) {
            continue;
        }
        if let Some(address) = mac(bytes, word.start).or_else(|| ip(page.text, word.start)) {
            at = address.end;
            found.push(address);
        }
    }
}

fn candidate(start: usize, end: usize, entity: Entity, reason: &'static str) -> Candidate {
    Candidate { start, end, entity, reason, rank: Rank::Place, distance: 0 }
}

fn ip(text: &str, word: usize) -> Option<Candidate> {
    let bytes = text.as_bytes();
    let colons = bytes.get(word.saturating_sub(2)..word) == Some(b"::");
    let start = if colons { word - 2 } else { word };
    let run = bytes.get(start..)?.iter().take(LONGEST_IP + 1);
    let length = run.take_while(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':')).count();
    let run = text.get(start..start + length)?.trim_end_matches('.');
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'_')) {
        return None;
    }
    // A port may follow an address of version 4.
    let four = run.split(':').next()?;
    let length = if four.parse::<Ipv4Addr>().is_ok() {
        four.len()
    } else {
        let six = run.trim_end_matches(':');
        let six = if run.ends_with("::") { run } else { six };
        (six.len() > 4 && six.parse::<Ipv6Addr>().is_ok()).then_some(six.len())?
    };
    let joined = bytes.get(start + length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (!joined).then(|| candidate(start, start + length, Entity::IpAddress, "IP address"))
}

/// Six pairs joined by colons or dashes, or three groups of four joined by full stops.
fn mac(bytes: &[u8], start: usize) -> Option<Candidate> {
    let separator = *bytes.get(start + 2)?;
    let (group, count, separator) = match separator {
        b':' | b'-' => (2, 6, separator),
        _ if bytes.get(start + 4) == Some(&b'.') => (4, 3, b'.'),
        _ => return None,
    };
    let end = start + group * count + count - 1;
    let address = bytes.get(start..end)?;
    let mut groups = address.split(|byte| *byte == separator);
    let fits = groups.all(|part| part.len() == group && part.iter().all(u8::is_ascii_hexdigit));
    let colon = bytes.get(end) == Some(&b':');
    let whole = fits && !colon && stands_alone(bytes, start, end);
    whole.then(|| candidate(start, end, Entity::MacAddress, "hardware address"))
}
