//! Words for logins and for outcomes, in names as programs write them (`USER_LOGIN`, `loginFailed`,
//! `authentication.failure`) and in messages.

use super::Verdict;
use crate::login_words;
use crate::reading::Outcome;

/// A longer text is a message and no name.
pub(super) const LONGEST_NAME: usize = 64;
/// The part of a message that is read: the client's text mostly stands behind it.
const BEGINNING: usize = 96;
/// Longer words are nothing that is known.
const LONGEST_WORD: usize = 24;

/// Subjects of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// A login.
    pub(super) login: bool,
    /// A logout.
    pub(super) logout: bool,
    pub(super) failure: bool,
    pub(super) success: bool,
    /// Settings, accounts or credentials are changed, or a service is.
    pub(super) change: bool,
    /// A credential for a login. With a failure that is a login.
    secret: bool,
}

impl Words {
    pub(super) fn add(&mut self, other: Self) {
        self.login |= other.login;
        self.logout |= other.logout;
        self.failure |= other.failure;
        self.success |= other.success;
        self.change |= other.change;
        self.secret |= other.secret;
    }

    fn closed(mut self) -> Self {
        self.login |= self.secret && self.failure;
        self
    }
}

/// Words of a name or a short text.
pub(super) fn of_name(text: &str) -> Words {
    let mut scan = Scan::default();
    each_word(text.as_bytes(), &mut |word| scan.add(word));
    scan.words.closed()
}

/// Words of the beginning of a message. Success is not taken from it: an application may log text of its client's choice.
pub(super) fn of_message(text: &str) -> Words {
    let beginning = text.as_bytes().get(..BEGINNING).unwrap_or(text.as_bytes());
    let mut scan = Scan::default();
    each_word(beginning, &mut |word| scan.add(word));
    let words = Words { success: false, ..scan.words };
    words.closed()
}

/// Outcome in a field's value.
pub(super) fn outcome_of(text: &str) -> Option<Outcome> {
    let beginning = text.get(..text.len().min(LONGEST_NAME)).unwrap_or_default();
    let exact = match beginning.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(Outcome::Success),
        "false" | "no" => Some(Outcome::Failure),
        _ => None,
    };
    if exact.is_some() {
        return exact;
    }
    let words = of_name(beginning);
    match (words.failure, words.success) {
        (true, _) => Some(Outcome::Failure),
        (false, true) => Some(Outcome::Success),
        _ => match verdict_of(beginning) {
            Some(Verdict::Deny) => Some(Outcome::Failure),
            Some(Verdict::Allow) => Some(Outcome::Success),
            None => None,
        },
    }
}

/// Verdict of a device's action.
pub(super) fn verdict_of(text: &str) -> Option<Verdict> {
    if text.len() > LONGEST_NAME {
        return None;
    }
    let mut found = None;
    let mut count = 0;
    each_word(text.as_bytes(), &mut |word| {
        count += 1;
        let verdict = match word {
            b"deny" | b"denied" | b"denies" | b"drop" | b"dropped" | b"drops" | b"block" | b"blocked"
            | b"reject" | b"rejected" | b"discard" | b"discarded" | b"refused" | b"prevent"
            | b"prevented" | b"reset" => Some(Verdict::Deny),
            b"allow" | b"allowed" | b"accept" | b"accepted" | b"permit" | b"permitted" | b"pass"
            | b"passed" => Some(Verdict::Allow),
            _ => None,
        };
        if found != Some(Verdict::Deny) {
            found = verdict.or(found);
        }
    });
    found.filter(|_| count <= 6)
}

/// Calls with each word in lower case: words end at marks and where a capital follows a small letter.
fn each_word(text: &[u8], found: &mut dyn FnMut(&[u8])) {
    let mut word = [0; LONGEST_WORD];
    let mut length = 0;
    let mut was_small = false;
    for byte in text {
        let ends = !byte.is_ascii_alphanumeric() || (was_small && byte.is_ascii_uppercase());
        if ends && length > 0 {
            found(word.get(..length).unwrap_or_default());
            length = 0;
        }
        if byte.is_ascii_alphanumeric() {
            // A longer one is cut, and none that is known.
            if let Some(place) = word.get_mut(length) {
                *place = byte.to_ascii_lowercase();
                length += 1;
            }
        }
        was_small = byte.is_ascii_lowercase();
    }
    if length > 0 {
        found(word.get(..length).unwrap_or_default());
    }
}

#[derive(Default)]
struct Scan {
    words: Words,
    /// The word before: `log` and its like mean something together with the next.
    before: Before,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    #[default]
    Other,
    /// `log`, `sign`.
    Verb,
    /// `logging`, `signing`, which are also something else.
    Going,
    /// `logged`, `signed`: it has been done.
    Done,
    /// `not`.
    Not,
}

impl Scan {
    fn add(&mut self, word: &[u8]) {
        let before = std::mem::take(&mut self.before);
        let words = &mut self.words;
        match word {
            b"log" | b"sign" => self.before = Before::Verb,
            b"logging" | b"signing" => self.before = Before::Going,
            b"logged" | b"signed" => {
                self.before = if before == Before::Not { Before::Verb } else { Before::Done };
            }
            b"in" | b"on" | b"into" if before == Before::Verb => words.login = true,
            b"in" | b"into" if before == Before::Going => words.login = true,
            b"in" | b"on" | b"into" if before == Before::Done => {
                (words.login, words.success) = (true, true);
            }
            b"out" | b"off" if matches!(before, Before::Verb | Before::Going | Before::Done) => {
                words.logout = true
            }
            b"login" | b"logon" | b"logins" | b"logons" | b"signin" | b"signon" | b"auth" | b"authn"
            | b"authentication" | b"authenticate" | b"authenticating" | b"authentications" | b"sso"
            | b"mfa" | b"2fa" | b"totp" | b"webauthn" | b"userlogin" | b"userlogon" | b"adminlogin" => {
                words.login = true
            }
            b"loggedin" | b"signedin" => (words.login, words.success) = (true, true),
            b"authenticated" => {
                words.login = true;
                words.success |= before != Before::Not;
            }
            b"logout" | b"logoff" | b"signout" | b"signoff" | b"loggedout" | b"loggedoff" | b"logouts"
            | b"userlogout" => words.logout = true,
            b"not" => {
                words.failure = true;
                self.before = Before::Not;
            }
            b"accepted" | b"accept" | b"granted" | b"grant" | b"allowed" | b"allow" | b"passed" | b"pass"
            | b"ok" | b"permitted" | b"permit" | b"approved" | b"approve" => {
                words.success |= before != Before::Not
            }
            b"create" | b"created" | b"creating" | b"creation" | b"update" | b"updated" | b"updating"
            | b"delete" | b"deleted" | b"deleting" | b"deletion" | b"modify" | b"modified"
            | b"modification" | b"change" | b"changed" | b"changes" | b"changing" | b"add" | b"added"
            | b"remove" | b"removed" | b"config" | b"configuration" | b"configured" | b"configure"
            | b"policy" | b"policies" | b"profile" | b"setting" | b"settings" | b"register"
            | b"registered" | b"registration" | b"enroll" | b"enrolled" | b"enrollment" | b"rotate"
            | b"rotated" | b"revoke" | b"revoked" | b"refresh" | b"refreshed" | b"refreshing" | b"export"
            | b"exported" | b"list" | b"listed" | b"started" | b"starting" | b"stopped" | b"stopping"
            | b"loaded" | b"reload" | b"reloaded" | b"unreachable" | b"timeout" | b"reset" | b"load"
            | b"loading" | b"renew" | b"renewed" | b"rotation" | b"assign" | b"assigned" | b"enabled"
            | b"upgrade" | b"upgraded" => words.change = true,
            _ if login_words::is_failure(word) => words.failure = true,
            _ if login_words::is_secret(word) => words.secret = true,
            _ => self.glued(word),
        }
    }

    /// Words that others are part of: `succeeded`, `loginfailure`.
    fn glued(&mut self, word: &[u8]) {
        let has = |part: &[u8]| memchr::memmem::find(word, part).is_some();
        match word.first() {
            Some(b'f') if word.starts_with(b"fail") => self.words.failure = true,
            Some(b's') if word.starts_with(b"succ") => self.words.success |= true,
            _ if word.len() < 7 => {}
            _ => {
                let login = has(b"login") || has(b"logon") || has(b"signin") || has(b"authfail");
                self.words.login |= login;
                self.words.logout |= has(b"logout") || has(b"logoff");
                self.words.failure |= has(b"fail") || (login && has(b"denied"));
                self.words.success |= has(b"success") && !has(b"unsuccess");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_messages_of_logins() {
        let flags = |words: Words| (words.login, words.failure, words.success, words.logout || words.change);
        for (text, expected) in [
            ("USER_LOGIN", (true, false, false, false)),
            ("loginFailed", (true, true, false, false)),
            ("LoginFailure", (true, true, false, false)),
            ("userloginfailed", (true, true, false, false)),
            ("authentication.failure", (true, true, false, false)),
            ("user.session.start", (false, false, false, false)),
            ("Successful sign-in", (true, false, true, false)),
            ("Unsuccessful logon", (true, true, false, false)),
            ("User logged in", (true, false, true, false)),
            ("User was not logged in", (true, true, false, false)),
            ("User logged out", (false, false, false, true)),
            ("invalid password", (true, true, false, false)),
            ("password changed", (false, false, false, true)),
            ("CreateLoginProfile", (true, false, false, true)),
            ("ssl-login-fail", (true, true, false, false)),
            ("admin login successful", (true, false, true, false)),
            ("author added a page", (false, false, false, true)),
            ("blog in progress", (false, false, false, false)),
        ] {
            assert_eq!(flags(of_name(text)), expected, "{text}");
            // Success is not taken from messages.
            let (login, failure, _, other) = expected;
            assert_eq!(flags(of_message(text)), (login, failure, false, other), "{text}");
        }
    }

    #[test]
    fn outcomes_and_verdicts() {
        for (text, expected) in [
            ("SUCCESS", Some(Outcome::Success)),
            ("Failed - bad password", Some(Outcome::Failure)),
            ("denied", Some(Outcome::Failure)),
            ("Allow", Some(Outcome::Success)),
            ("unsuccessful", Some(Outcome::Failure)),
            ("0", None),
            ("200", None),
            ("pending", None),
        ] {
            assert_eq!(outcome_of(text), expected, "{text}");
        }
        assert_eq!(verdict_of("reset-both"), Some(Verdict::Deny));
        assert_eq!(verdict_of("ACCEPT"), Some(Verdict::Allow));
        assert_eq!(verdict_of("close"), None);
    }
}
