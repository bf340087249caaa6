//! Reader of last resort: a message of an unknown program that says that a login failed, and from which address.
//!
//! Nothing is known of the program, so the message must say everything: a wording of failure and one of authentication, no
//! wording of success, and one address in a place where programs put their peer. Text in quotes is the client's and is read for
//! nothing but an address that fills the quotes. Text without quotes may be the client's as well, such as a user name with
//! blanks: so few words before the address may be none of those that such messages are made of.

mod peers;
mod tokens;
mod wording;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use self::peers::{Peers, parse};
use self::tokens::{Token, Tokens};
use self::wording::{Wording, is_one_of};
use super::services::header;

/// The longest message that is read, in bytes.
const LONGEST: usize = 1024;

/// A failed login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure<'t> {
    pub(super) address: &'t str,
    pub(super) user: Option<&'t str>,
}

/// Reads a line; `None` where it does not certainly say that a login from one address failed.
pub(super) fn read(line: &str) -> Option<Failure<'_>> {
    if line.len() > LONGEST || !may_be(line.as_bytes()) {
        return None;
    }
    let mut wording = Wording::default();
    let mut peers = Peers::default();
    let mut user = None;
    let mut before: [&str; 2] = ["", ""];
    for token in Tokens::new(header::message(line)) {
        match token {
            Token::Word(word) => {
                let is_address = peers.look_at(word, before);
                let says_something = wording.look_at(word, before[1]);
                if !is_address {
                    peers.pass(word, says_something);
                }
                if is_one_of(before[1], &["user", "username", "login", "account", "uname"]) && is_name(word) {
                    user.get_or_insert(word);
                }
                before = [before[1], word];
            }
            Token::Quoted(text) => {
                peers.look_at(text, before);
                if is_one_of(before[1], &["user", "username", "login", "account", "uname", "for"])
                    && parse(text).is_none()
                    && !text.is_empty()
                {
                    user.get_or_insert(text);
                }
                before = [before[1], ""];
            }
            Token::Unbalanced => return None,
        }
    }
    let address = peers.only()?;
    wording.says_failure().then_some(Failure { address, user: user.filter(|user| *user != address) })
}

/// Whether a line may say that a login from an address failed: what rules out nearly all lines must be cheap.
fn may_be(line: &[u8]) -> bool {
    may_hold_address(line) && STEMS.as_ref().is_some_and(|stems| stems.is_match(line))
}

/// Whether a line has three dots between digits, as IPv4 addresses do, or three colons with nothing but digits of an IPv6
/// address between them. A time of day has two.
fn may_hold_address(line: &[u8]) -> bool {
    let is_digit = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_digit);
    let dots = memchr::memchr_iter(b'.', line);
    let joining = dots.filter(|at| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)));
    joining.take(3).count() == 3 || has_joined_colons(line)
}

fn has_joined_colons(line: &[u8]) -> bool {
    let (mut before, mut joined) = (0, 0);
    for at in memchr::memchr_iter(b':', line) {
        let between = line.get(before..at).unwrap_or_default();
        // A bracket closes an address before a port.
        let is_of_address = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b']';
        let is_joined = joined > 0 && between.len() <= 6 && between.iter().skip(1).all(is_of_address);
        joined = if is_joined { joined + 1 } else { 1 };
        if joined == 3 {
            return true;
        }
        before = at;
    }
    false
}

/// Parts of the words of failure.
static STEMS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let stems = [
        "fail",
        "invalid",
        "denied",
        "incorrect",
        "wrong",
        "refus",
        "reject",
        "unauthori",
        "unsuccess",
        "mismatch",
        "unknown",
        "bad ",
        "not ",
        "n't ",
        "no such",
        "nonexist",
    ];
    AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).build(stems).ok()
});

fn is_name(word: &str) -> bool {
    const PROSE: [&str; 14] = [
        "from",
        "for",
        "failed",
        "failure",
        "is",
        "was",
        "not",
        "name",
        "and",
        "with",
        "attempt",
        "unknown",
        "authentication",
        "does",
    ];
    !is_one_of(word, &PROSE) && parse(word).is_none()
}

#[cfg(test)]
mod left_out;

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, SocketAddr};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_line_with_an_address_may_hold_one(address: IpAddr, zeros in 0..8_usize, port: u16) {
            // Few random addresses have a group of zeros that is left out.
            let address = match address {
                IpAddr::V4(_) => address,
                IpAddr::V6(address) => {
                    let mut segments = address.segments();
                    segments.iter_mut().skip(1).take(zeros).for_each(|segment| *segment = 0);
                    IpAddr::from(segments)
                }
            };
            for word in [address.to_string(), SocketAddr::new(address, port).to_string()] {
                let line = format!("09:10:11 {word}: refused");
                prop_assert!(parse(&word).is_none() || may_hold_address(line.as_bytes()), "{}", line);
            }
        }
    }

    #[test]
    fn times_of_day_are_no_addresses() {
        for (line, expected) in [
            ("login from 198.51.100.7 failed", true),
            ("login from 2001:db8::9 failed", true),
            ("login from ::1 failed", false),
            ("login from ::ffff:198.51.100.7 failed", true),
            ("login from [fe80::1]:22 failed", true),
            ("2026-07-08 09:10:11 job: failed: no such file: report", false),
            ("version 1.9 of com.example.shop failed", false),
        ] {
            assert_eq!(may_hold_address(line.as_bytes()), expected, "{line}");
        }
    }
}
