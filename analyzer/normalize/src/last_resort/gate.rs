//! The cheap check before a line is read: it needs an address and parts of words of failure and of authentication.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Whether a line may say that a login from an address failed: what rules out nearly all lines must be cheap.
pub(super) fn may_be(line: &[u8]) -> bool {
    let has =
        |stems: &LazyLock<Option<AhoCorasick>>| stems.as_ref().is_some_and(|stems| stems.is_match(line));
    may_hold_address(line) && has(&FAILURE) && has(&AUTHENTICATION)
}

/// Whether a line has three dots between digits, as IPv4 addresses do, or three colons with nothing but digits of an IPv6
/// address between them. A time of day has two.
pub(super) fn may_hold_address(line: &[u8]) -> bool {
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
static FAILURE: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    automaton(&[
        "fail",
        "invalid",
        "denied",
        "deny",
        "denies",
        "incorrect",
        "wrong",
        "refus",
        "reject",
        "unauthori",
        "unauthent",
        "unsuccess",
        "mismatch",
        "unknown",
        "bad",
        "not",
        "n't",
        "no such",
        "nonexist",
        "non-exist",
        "illegal",
        "forbidden",
        "unable",
        "unrecogni",
        "insufficient",
        "block",
        "error",
        "violation",
        "lock",
        "exceed",
        "too many",
        "revoked",
    ])
});

/// Parts of the words about authentication.
static AUTHENTICATION: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    automaton(&[
        "auth",
        "login",
        "logon",
        "log in",
        "log on",
        "logged",
        "log-",
        "sign",
        "pass",
        "credential",
        "user",
        "account",
        "pam",
        "sasl",
        "aaa",
        "kerberos",
        "ntlm",
        "chap",
        "eap",
        "tsig",
        "otp",
        "uname",
        "peer",
        "principal",
        "identity",
        "pin",
        "token",
        "key",
        "secret",
    ])
});

fn automaton(stems: &[&str]) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).build(stems).ok()
}
