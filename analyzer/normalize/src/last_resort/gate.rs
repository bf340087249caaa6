//! The cheap check before a line is read: it needs an address and parts of words of failure and of authentication.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Whether a line may say that a login from an address failed: a check that rules out nearly all lines must be cheap.
pub(super) fn may_be(line: &[u8]) -> bool {
    let has =
        |stems: &LazyLock<Option<AhoCorasick>>| stems.as_ref().is_some_and(|stems| stems.is_match(line));
    may_hold_address(line) && has(&FAILURE) && has(&AUTHENTICATION)
}

/// Whether a line has three dots between digits, as IPv4 addresses do, or three colons with nothing but digits of an IPv6
/// address between them. A time of day has two.
pub(super) fn may_hold_address(line: &[u8]) -> bool {
    let is_digit = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_digit);
    let (mut dots, mut colons) = (0, Colons::default());
    memchr::memchr2_iter(b'.', b':', line).any(|at| {
        if line.get(at) == Some(&b':') {
            return colons.add(line, at) == 3;
        }
        dots += usize::from(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)));
        dots == 3
    })
}

/// Colons with nothing but parts of an address between them.
#[derive(Default)]
struct Colons {
    last: usize,
    joined: usize,
}

impl Colons {
    /// Adds the next colon of a line; returns the number of colons joined with it.
    fn add(&mut self, line: &[u8], at: usize) -> usize {
        let between = line.get(self.last..at).unwrap_or_default();
        // A bracket closes an address before a port.
        let is_of_address = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b']';
        let is_joined = self.joined > 0 && between.len() <= 6 && between.iter().skip(1).all(is_of_address);
        self.joined = if is_joined { self.joined + 1 } else { 1 };
        self.last = at;
        self.joined
    }
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
