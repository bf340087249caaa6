//! Words by which programs say that a login was refused, one list for all readers of messages and records: words of failure, of
//! authentication and of success. How they must stand to each other is in `wording`.

mod wording;

use self::Kind::{
    Authentication, Cancelling, Dependent, Failure, Helping, Negating, Other, Passed, Subject, Success, Verb,
};
pub(super) use self::wording::Wording;
use crate::word_list::words;

/// Longer words are none that is known.
const LONGEST_WORD: usize = 24;

/// The part that a word plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Other,
    /// `failed`, `invalid`, `denied`.
    Failure,
    /// `error`, `violation`: failure beside a word of authentication only.
    Dependent,
    /// `login`, `password`, `credentials`.
    Authentication,
    /// `user`, `account`: about authentication directly beside a word of failure only.
    Subject,
    /// `not`, `never`, `without`.
    Negating,
    /// `found`, `match`, `allowed`: failure where they are denied.
    Verb,
    /// `accepted`, `granted`: failure where they are denied, else success.
    Passed,
    /// `opened`, `required`: the message is about something else.
    Success,
    /// `to`, `be`, `a`: between words that belong together.
    Helping,
    /// `agent`, `input`: the word before is none of its kind.
    Cancelling,
}

/// Whether a word by itself means a refusal, as records and messages have it.
pub(super) fn is_failure(word: &[u8]) -> bool {
    matches!(
        word,
        b"unauthorized"
            | b"unauthorised"
            | b"unauthenticated"
            | b"unsuccessful"
            | b"unsuccessfully"
            | b"denied"
            | b"deny"
            | b"denies"
            | b"invalid"
            | b"incorrect"
            | b"wrong"
            | b"bad"
            | b"refused"
            | b"refuse"
            | b"refuses"
            | b"error"
            | b"lockout"
            | b"blocked"
            | b"block"
            | b"mismatch"
            | b"unable"
            | b"cannot"
            | b"rejected"
            | b"reject"
            | b"rejects"
            | b"rejection"
            | b"ko"
            | b"nok"
    )
}

/// Whether a word names a credential for a login.
pub(super) fn is_secret(word: &[u8]) -> bool {
    matches!(word, b"password" | b"passwords" | b"credential" | b"credentials" | b"passcode" | b"passphrase")
}

/// Words that are failure in a message only beside others.
const WEAK: [&str; 4] = ["error", "block", "ko", "nok"];
/// Beginnings of other words of failure.
const FAILURE: [&str; 19] = words(
    "fail mismatch incorrect invalid refus reject unauthori unknown illegal disallow forbidden nonexist
     inexist unrecogni insufficient exceed revoked violation couldnt",
);
const DEPENDENT: [&str; 5] = ["error", "err", "locked", "suspended", "many"];
const AUTHENTICATION: [&str; 10] = [
    "authent", "authoriz", "authoris", "authfail", "autherr", "preauth", "login", "logon", "passwd",
    "userauth",
];
/// Words about authentication as wholes: of the act, of its protocols, of its second step.
const AUTHENTICATION_WORDS: [&str; 17] = [
    "auth", "auths", "pam", "sasl", "aaa", "kerberos", "ntlm", "chap", "mschap", "pap", "eap", "tsig", "otp",
    "totp", "uname", "signin", "signon",
];
const SUBJECT: [&str; 12] =
    words("user users username usernames account accounts principal identity pin apikey secret accesskey");
/// Subjects behind a word that names their purpose: `invalid token` is of a parser as well.
const CREDENTIAL: [&str; 2] = ["token", "key"];
const OPENING: [&str; 4] = ["api", "access", "bearer", "security"];
const NEGATING: [&str; 11] =
    ["not", "never", "no", "isnt", "wasnt", "doesnt", "didnt", "dont", "wont", "without", "neither"];
const VERB: [&str; 18] = words(
    "authenticat allow valid found find permit match exist recogni such correct know verif identif enter log
     sign listed",
);
const PASSED: [&str; 9] =
    words("success successful successfully succeeded accepted granted authenticated approved passed");
/// An unknown recipient of mail, an upload, a payment, a form of another page, the choice of a new name or password and a page
/// that is not there are no logins.
const SUCCESS: [&str; 30] = words(
    "404 taken short weak complexity requirements csrf xsrf payment coupon upload rcpt recipient ok completed
     established opened changed required disabled enabled reset unreachable timeout responding started
     updated created expires restarting",
);
const HELPING: [&str; 22] = [
    "to", "be", "been", "a", "an", "the", "or", "and", "is", "was", "has", "have", "with", "attempt",
    "attempts", "api", "access", "ssh", "webmail", "yet", "local", "s",
];
const CANCELLING: [&str; 12] =
    words("agent agents input data defined group groups argument interface exchange type layout");

/// The part that a word in small letters plays.
pub(super) fn kind(word: &str) -> Kind {
    let is = |known: &[&str]| known.contains(&word);
    let begins = |known: &[&str]| known.iter().any(|known| word.starts_with(known));
    match word {
        _ if word.len() < 2 && word != "a" && word != "s" => Other,
        _ if is(&NEGATING) => Negating,
        _ if is(&AUTHENTICATION_WORDS) => Authentication,
        _ if is(&PASSED) => Passed,
        _ if is(&SUCCESS) => Success,
        _ if begins(&FAILURE) || word == "cant" => Failure,
        _ if is_failure(word.as_bytes()) && !is(&WEAK) => Failure,
        _ if is(&DEPENDENT) => Dependent,
        _ if begins(&AUTHENTICATION) || is_secret(word.as_bytes()) => Authentication,
        _ if is(&SUBJECT) => Subject,
        _ if is(&HELPING) => Helping,
        _ if is(&CANCELLING) => Cancelling,
        _ if begins(&VERB) => Verb,
        _ => Other,
    }
}

/// Whether a word names a credential, if the word before names its purpose.
fn is_credential(word: &str) -> bool {
    CREDENTIAL.contains(&word)
}

/// Whether a credential behind a word is one that people or programs log in with.
fn opens(word: &str) -> bool {
    OPENING.contains(&word)
}

/// Whether a word joins one of authentication with one of failure: `authfail`, `loginfailed`.
fn is_glued(word: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    word.len() > 6
        && has(&["auth", "login", "logon", "signin"])
        && has(&["fail", "denied", "reject", "badauth"])
}

/// Calls with each word in small letters, as `loginFailed`, `AUTH_ERROR` and `isn't` hold them: words end at marks other than
/// apostrophes, and where a capital follows a small letter. Longer words than any that is known are left out.
pub(super) fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut word = [0; LONGEST_WORD];
    let mut length = 0;
    let mut was_small = false;
    for byte in text.bytes().chain([b' ']) {
        if byte == b'\'' {
            continue;
        }
        let is_of_word = byte.is_ascii_alphanumeric();
        if (!is_of_word || (was_small && byte.is_ascii_uppercase())) && length > 0 {
            if let Some(word) = word.get(..length).and_then(|word| std::str::from_utf8(word).ok()) {
                found(word);
            }
            length = 0;
        }
        if is_of_word {
            if let Some(place) = word.get_mut(length) {
                *place = byte.to_ascii_lowercase();
            }
            length += 1;
        }
        was_small = byte.is_ascii_lowercase();
    }
}
