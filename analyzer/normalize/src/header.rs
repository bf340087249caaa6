//! The header that logs put before a message: date, time, level, process and thread. Which words are one is decided by their form,
//! since every program has a header of its own.

use super::address;
use crate::word_list::words;

/// The longest header that is passed over, in bytes.
pub(super) const LONGEST: usize = 160;
/// Words that state a level or a source, in small letters.
const WORDS: [&str; 26] = words(
    "alert am auth critical crit debug emerg err error fatal fine info information log logon message notice
     pm severe trace utc verbose warn warning gmt cest",
);
/// Names of values in the headers of databases and services.
const KEYS: [&str; 20] = words(
    "user db database app application client host remote rhost ip pid session line xid tx vxid level time ts
     logger",
);
/// Days and months, as dates without numbers for them are written.
const DATES: [&str; 19] =
    words("mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec");

/// The message behind a line's header.
pub(super) fn message(line: &str) -> &str {
    let mut rest = line;
    while let Some((word, behind)) = first_word(rest) {
        let is_header = is_header_word(word) || is_category(word, behind);
        if !is_header || line.len() - behind.len() > LONGEST {
            break;
        }
        rest = behind;
    }
    rest
}

/// A message without the level before it; `None` if there is none.
pub(super) fn without_level(message: &str) -> Option<&str> {
    let (word, behind) = first_word(message)?;
    let bare = word.trim_matches(['[', ']', ':', '<', '>']);
    (word.len() > bare.len() && is_level(bare)).then_some(behind)
}

/// Whether a text may stand before a message: a header, names of loggers and functions, and other identifiers, and one plain
/// word, but no prose.
pub(super) fn is_prefix(text: &str) -> bool {
    let is_identifier = |word: &str| {
        let bare = word.trim_end_matches([':', ',', '-']);
        let is_joined = bare.contains(['.', '/', '_', '[', '(', '<', '|', ':', '#']);
        is_joined || bare.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
    };
    let plain = text.split_whitespace().filter(|word| !is_identifier(word) && !is_header_word(word));
    !text.contains(['"', '=']) && plain.take(2).count() < 2
}

/// Whether a text is nothing but header; one may also name the user, the database and the client.
pub(super) fn is_header(text: &str) -> bool {
    let is_named = |word: &str| match word.split_once('=') {
        Some((name, _)) => KEYS.contains(&name),
        None => word.contains('@'),
    };
    let is_part = |word: &str| is_header_word(word) || is_address(word) || is_named(word);
    let mut rest = text;
    while let Some((word, behind)) = first_word(rest) {
        if !is_part(word) && !is_category(word, behind) {
            return false;
        }
        rest = behind;
    }
    rest.trim().is_empty() || is_part(rest.trim())
}

/// The first word, where a bracket is one word with all it holds, and the rest.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = match text.as_bytes().first()? {
        b'[' => text.find(']')? + 1,
        b'(' => text.find(')')? + 1,
        _ => text.find(char::is_whitespace)?,
    };
    let (word, rest) = text.split_at_checked(end)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    (!word.is_empty()).then(|| (word, rest.trim_start()))
}

fn is_header_word(word: &str) -> bool {
    let bare = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    if bare.is_empty() || is_level(bare) || is_date(bare) {
        return true;
    }
    let is_bracketed = word.starts_with(['[', '(', '<']) && word.ends_with([']', ')', '>']);
    let has_digit = bare.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = !word.contains(['@', '/', '"', '\'', '=']);
    // The client between brackets belongs to the message.
    let names_client = is_bracketed && bare.split(['[', ' ', '@', '=', ',', ';']).any(is_address);
    !names_client && !is_address(bare) && (is_bracketed || (has_digit && is_plain))
}

/// Whether a word is a part of the program that a level follows: `queries: info: `.
fn is_category(word: &str, behind: &str) -> bool {
    let is_named = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_before_level =
        || first_word(behind).is_some_and(|(next, _)| next.strip_suffix(':').is_some_and(is_level));
    word.strip_suffix(':').is_some_and(is_named) && is_before_level()
}

/// `2026/07/08` or `08/Jul/2026:09:00:01`: a slash is none of a path's where digits and a month are all there is.
fn is_date(word: &str) -> bool {
    let mut parts = word.split(['/', ':', '.']);
    word.contains('/')
        && parts.all(|part| {
            part.bytes().all(|byte| byte.is_ascii_digit()) || DATES.contains(&&*part.to_ascii_lowercase())
        })
}

fn is_address(word: &str) -> bool {
    address(word).is_some()
}

/// The address in a word of a header: alone, with a port, or with one in parentheses.
fn address(word: &str) -> Option<&str> {
    let word = word.split_once('=').map_or(word, |(_, value)| value);
    let word = word.trim_matches([',', ':', '[', ']', '(', ')']);
    let word = word.split_once('(').map_or(word, |(address, _)| address);
    address::written(word).map(|found| found.address)
}

/// The one address in a header.
pub(super) fn only_address(header: &str) -> Option<&str> {
    let mut addresses = header.split_whitespace().flat_map(|word| word.split(',')).filter_map(address);
    let first = addresses.next()?;
    addresses.all(|other| other == first).then_some(first)
}

/// The one user in a header: `user=anna`, or `anna@orders` with the database.
pub(super) fn only_user(header: &str) -> Option<&str> {
    let named = |word: &'_ str| word.contains(['@', '=']);
    let mut users =
        header.split_whitespace().filter(|word| named(word)).flat_map(|word| word.split(',')).filter_map(
            |word| {
                let (name, rest) = word.split_once(['=', '@'])?;
                match word.as_bytes().get(name.len()) {
                    Some(b'=') => matches!(name, "user" | "u").then_some(rest),
                    _ => Some(name),
                }
            },
        );
    let first = users.next().filter(|user| !user.is_empty() && !user.starts_with('['))?;
    users.all(|other| other == first).then_some(first)
}

/// Whether a word is a level, or the name of a day or month.
fn is_level(word: &str) -> bool {
    let is = |known: &&str| word.eq_ignore_ascii_case(known);
    WORDS.iter().chain(&DATES).any(is)
}
