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

/// Whether a line has three dots between digits, as IPv4 addresses do, or as many colons as IPv6 addresses have.
fn may_hold_address(line: &[u8]) -> bool {
    let is_digit = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_digit);
    let dots = memchr::memchr_iter(b'.', line);
    let joining = dots.filter(|at| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)));
    joining.take(3).count() == 3 || memchr::memchr_iter(b':', line).take(3).count() == 3
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
    AhoCorasick::builder().ascii_case_insensitive(true).build(stems).ok()
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
