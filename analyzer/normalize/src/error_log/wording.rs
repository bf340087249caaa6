//! Refused logins in the words of applications, which agree on little but these.

use crate::login_words::Wording;
use crate::{address, split};

/// Most bytes of a message's own words: the rest is data.
const LONGEST_OPENING: usize = 120;

/// Whether a message reports a refused login: a word of failure directly beside one of authentication. The error of another
/// service that refuses the application itself ("Access denied for user") has none.
pub(super) fn says_login_failed(message: &str) -> bool {
    let mut end = message.len().min(LONGEST_OPENING);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    Wording::of(&message[..end]).is_adjacent()
}

/// The user name that a message gives; empty if it gives none.
pub(super) fn user(message: &str) -> &str {
    const MARKS: [&str; 5] = ["user=", "username=", "for user ", "username ", "user "];
    let Some((mark, rest)) =
        MARKS.iter().find_map(|mark| split::at_first(message, mark).map(|(_, rest)| (*mark, rest)))
    else {
        return "";
    };
    for quote in ['"', '\''] {
        if let Some((user, _)) = rest.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return user;
        }
    }
    let end = [' ', ',', ';'];
    if !mark.ends_with('=')
        && let Some((user, _)) = split::at_last(rest, " from ")
    {
        return user;
    }
    rest.split(end).next().unwrap_or_default().trim_end_matches(['.', ':'])
}

/// The address a message names as the client's, where it holds no other.
pub(super) fn only_address(message: &str) -> Option<&str> {
    const INTRODUCTIONS: [&str; 10] =
        ["from", "client", "ip", "address", "addr", "rhost", "host", "remote_addr", "remote", "ipaddress"];
    let separators = |c: char| c.is_whitespace() || "=()[],;\"'".contains(c);
    let mut found = None;
    let mut before = "";
    for word in message.split(separators).filter(|word| !word.is_empty()) {
        if let Some(address) = address::written(word.trim_end_matches(['.', ':'])) {
            let is_introduced = INTRODUCTIONS.iter().any(|word| before.eq_ignore_ascii_case(word));
            if found.is_some() || !is_introduced {
                return None;
            }
            found = Some(address.address);
        }
        before = word.trim_end_matches(':');
    }
    found
}
