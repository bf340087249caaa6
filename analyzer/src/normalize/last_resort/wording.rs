//! Words of failure, of authentication and of success.

/// Beginnings of words of failure, in small letters.
const FAILURE: [&str; 26] = [
    "authfail",
    "fail",
    "invalid",
    "incorrect",
    "wrong",
    "bad",
    "denied",
    "deny",
    "refus",
    "reject",
    "unauthori",
    "unsuccessful",
    "mismatch",
    "unknown",
    "unauthenticated",
    "illegal",
    "disallowed",
    "forbidden",
    "unable",
    "cannot",
    "nonexist",
    "non-exist",
    "blocked",
    "unrecogni",
    "insufficient",
    "badauth",
];
/// Beginnings of words about authentication.
const AUTHENTICATION: [&str; 17] = [
    "authfail",
    "preauth",
    "authent",
    "authoriz",
    "authoris",
    "login",
    "logon",
    "log-in",
    "log-on",
    "signin",
    "sign-in",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "sasl",
    "autherr",
];
/// Words about authentication, as wholes.
const AUTHENTICATION_WORDS: [&str; 4] = ["auth", "pam", "bind", "uname"];
/// Beginnings of words that say so only directly behind a word of failure: `unknown user`.
const SUBJECT: [&str; 4] = ["user", "account", "peer", "client-id"];
/// Words that deny the one behind them.
const NEGATIONS: [&str; 11] =
    ["not", "never", "no", "isn't", "wasn't", "doesn't", "didn't", "couldn't", "can't", "cannot", "without"];
/// Beginnings of words that say failure where they are denied.
const NEGATED: [&str; 17] = [
    "authenticat",
    "authoriz",
    "authoris",
    "allow",
    "valid",
    "found",
    "permit",
    "accept",
    "match",
    "exist",
    "recogni",
    "such",
    "log",
    "sign",
    "correct",
    "success",
    "know",
];
/// Words of success or of neither, as wholes. A recipient whom a mail server does not know is nobody who logs in.
const SUCCESS: [&str; 17] = [
    "success",
    "successful",
    "successfully",
    "succeeded",
    "accepted",
    "granted",
    "ok",
    "authenticated",
    "logged-in",
    "completed",
    "established",
    "opened",
    "changed",
    "required",
    "disabled",
    "rcpt",
    "recipient",
];
/// The wordings of a message.
#[derive(Default)]
pub(super) struct Wording {
    failure: bool,
    authentication: bool,
    success: bool,
    /// Whether the word before was one of failure.
    behind_failure: bool,
}

impl Wording {
    /// Takes in a word and returns whether it is part of a wording.
    pub(super) fn look_at(&mut self, word: &str, before: &str) -> bool {
        let is_negated = is_one_of(before, &NEGATIONS);
        let is_failure =
            (begins_with(word, &FAILURE) && !is_negated) || (is_negated && begins_with(word, &NEGATED));
        self.success |= is_one_of(word, &SUCCESS) && !is_negated && !is_one_of(before, &["auth", "be"]);
        self.success |=
            is_one_of(word, &["in", "on"]) && is_one_of(before, &["logged", "signed"]) && !self.failure;
        let is_authentication = begins_with(word, &AUTHENTICATION)
            || is_one_of(word, &AUTHENTICATION_WORDS)
            || (self.behind_failure && begins_with(word, &SUBJECT))
            || (is_one_of(word, &["in", "on"])
                && is_one_of(before, &["log", "sign", "logged", "signed", "logging"]));
        self.authentication |= is_authentication;
        self.failure |= is_failure;
        self.behind_failure = is_failure;
        is_failure || is_authentication || begins_with(word, &SUBJECT)
    }

    pub(super) fn says_failure(&self) -> bool {
        self.failure && self.authentication && !self.success
    }
}

pub(super) fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

pub(super) fn begins_with(word: &str, stems: &[&str]) -> bool {
    let starts = |part: &[u8], stem: &str| {
        part.get(..stem.len()).is_some_and(|start| start.eq_ignore_ascii_case(stem.as_bytes()))
    };
    // Programs join words: `PREAUTH_FAILED`.
    word.as_bytes().split(|byte| *byte == b'_').any(|part| stems.iter().any(|stem| starts(part, stem)))
}
