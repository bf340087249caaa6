//! Order and distance of the words of failure, of authentication and of success.

use super::Kind::{
    Authentication, Cancelling, Dependent, Failure, Helping, Negating, Other, Passed, Subject, Success, Verb,
};
use super::{Kind, each_word, is_credential, is_glued, kind, opens};

/// Number of words since a mention; [`Ago::NEVER`] without one, or after the start of another subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ago(u8);

impl Ago {
    const NEVER: Self = Self(u8::MAX);

    fn pass(&mut self) {
        self.0 = self.0.saturating_add(1);
    }

    /// Whether only helping words stand between.
    fn is_beside(self) -> bool {
        self.0 == 0
    }

    /// Whether one other word stands between, such as a name.
    fn is_near(self) -> bool {
        self.0 < 2
    }
}

/// A word of failure that an infinitive may follow: `failed to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Infinitive {
    None,
    /// `to` may follow, or the verb itself.
    Open,
    /// The verb follows.
    Verb,
}

/// The wording of a message, word by word.
#[derive(Debug)]
pub(crate) struct Wording {
    failures: u8,
    authentication: bool,
    success: bool,
    adjacent: bool,
    failure_ago: Ago,
    authentication_ago: Ago,
    subject_ago: Ago,
    dependent_ago: Ago,
    /// The failure before was a denial, which may name the user behind `for`.
    is_denial: bool,
    /// The failure before is that something is not there, which a subject in the same clause is.
    is_missing: bool,
    /// Words for which a negation still counts.
    negated: u8,
    infinitive: Infinitive,
    /// A subject beside a failure, which the next word may cancel.
    is_subject_open: bool,
    /// `log`, `sign` and their forms, which `in` makes a login of.
    is_log: bool,
    is_logged: bool,
    is_connection: bool,
    /// `api`, `access`: a key or a token behind it is a credential.
    is_opening: bool,
}

impl Default for Wording {
    fn default() -> Self {
        Self {
            failures: 0,
            authentication: false,
            success: false,
            adjacent: false,
            failure_ago: Ago::NEVER,
            authentication_ago: Ago::NEVER,
            subject_ago: Ago::NEVER,
            dependent_ago: Ago::NEVER,
            is_denial: false,
            is_missing: false,
            negated: 0,
            infinitive: Infinitive::None,
            is_subject_open: false,
            is_log: false,
            is_logged: false,
            is_connection: false,
            is_opening: false,
        }
    }
}

impl Wording {
    /// The wording of a whole text.
    pub(crate) fn of(text: &str) -> Self {
        let mut wording = Self::default();
        each_word(text, |word| {
            wording.add(word);
        });
        wording
    }

    /// Whether the words say that a login was refused, and nothing else.
    pub(crate) fn says_failure(&self) -> bool {
        self.failures > 0 && (self.authentication || self.is_subject_open) && !self.success
    }

    /// Whether a word of failure stands directly beside one of authentication.
    pub(crate) fn is_adjacent(&self) -> bool {
        self.adjacent
    }

    /// A clause ends: `object not found, user anna` is about the object.
    pub(crate) fn pause(&mut self) {
        if self.is_missing {
            self.failure_ago = Ago::NEVER;
        }
    }

    /// Takes in the next word and returns whether it is part of a wording.
    pub(crate) fn add(&mut self, word: &str) -> bool {
        let kind = self.in_place(word);
        self.judge_infinitive(word, kind);
        self.authentication |= std::mem::take(&mut self.is_subject_open) && kind != Cancelling;
        let is_negated = self.negated > 0;
        match kind {
            _ if is_glued(word) => self.fail_beside(),
            Negating => {
                self.negated = 3;
                return true;
            }
            // A client of another service reports this if that service does not answer.
            Failure if self.is_connection && word.starts_with("refus") => self.success = true,
            Failure if !is_negated => self.fail(word),
            Verb | Other if word.starts_with("connect") && is_negated => self.success = true,
            Verb if is_negated => self.fail(word),
            Passed if is_negated => {
                self.authentication |= word == "authenticated";
                self.fail(word);
            }
            Passed | Success if word == "disabled" && self.subject_ago.is_beside() => self.fail_beside(),
            Passed => self.success |= self.negated == 0,
            Success => self.success = true,
            Dependent => self.depend(),
            Authentication => self.authenticate(word),
            Subject => self.name_subject(),
            Failure | Verb | Helping | Cancelling | Other => {}
        }
        self.pass(word, kind);
        !matches!(kind, Other | Cancelling)
    }

    /// The part that a word plays behind those before it.
    fn in_place(&self, word: &str) -> Kind {
        match word {
            "in" | "on" | "into" if self.is_log => Authentication,
            _ if self.is_opening && is_credential(word) => Subject,
            "for" if self.is_denial && self.failure_ago.is_beside() => Helping,
            _ => kind(word),
        }
    }

    fn pass(&mut self, word: &str, kind: Kind) {
        if self.is_logged && kind == Authentication && self.failures == 0 {
            self.success = true;
        }
        self.is_logged = matches!(word, "logged" | "signed") && self.negated == 0;
        self.is_log = matches!(word, "log" | "logged" | "logging" | "sign" | "signed" | "signing");
        self.is_connection = word.starts_with("connect");
        self.is_opening = opens(word);
        if kind == Helping {
            return;
        }
        self.negated = self.negated.saturating_sub(1);
        let of = |own: Kind, ago: &mut Ago| {
            if kind != own {
                ago.pass();
            }
        };
        if !matches!(kind, Failure | Subject | Verb | Negating | Passed | Dependent) {
            self.failure_ago.pass();
        }
        of(Authentication, &mut self.authentication_ago);
        of(Subject, &mut self.subject_ago);
        // A number is no name: `account 4711`.
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.subject_ago = Ago::NEVER;
        }
        of(Dependent, &mut self.dependent_ago);
    }

    fn fail(&mut self, word: &str) {
        self.failures = self.failures.saturating_add(1);
        self.adjacent |= self.authentication_ago.is_beside();
        self.is_denial = ["deni", "deny", "refus", "reject"].iter().any(|stem| word.starts_with(stem));
        self.is_missing = ["find", "found", "exist", "listed"].iter().any(|stem| word.starts_with(stem));
        let is_refused = self.negated > 0 || self.is_denial;
        self.authentication |= self.subject_ago.is_near() && is_refused;
        self.failure_ago = Ago(0);
        self.begin_infinitive(word);
    }

    /// A failure only because of the word before.
    fn fail_beside(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.authentication = true;
    }

    fn depend(&mut self) {
        if self.authentication_ago.is_beside() || self.subject_ago.is_beside() {
            self.fail_beside();
        }
        self.dependent_ago = Ago(0);
    }

    fn authenticate(&mut self, word: &str) {
        self.authentication = true;
        self.adjacent |= self.failure_ago.is_beside();
        let is_refused = self.negated > 0 && (word.starts_with("authori") || self.is_log);
        if self.dependent_ago.is_beside() || is_refused {
            self.failures = self.failures.saturating_add(1);
        }
        self.authentication_ago = Ago(0);
    }

    fn name_subject(&mut self) {
        self.is_subject_open = self.failure_ago.is_beside();
        self.subject_ago = Ago(0);
    }

    fn begin_infinitive(&mut self, word: &str) {
        self.infinitive = match word {
            "cannot" | "cant" | "couldnt" => Infinitive::Verb,
            _ if word.starts_with("fail") || word == "unable" => Infinitive::Open,
            _ => Infinitive::None,
        };
    }

    /// `failed to open` is no failed login.
    fn judge_infinitive(&mut self, word: &str, kind: Kind) {
        self.infinitive = match self.infinitive {
            Infinitive::Open if word == "to" => Infinitive::Verb,
            Infinitive::Verb if matches!(kind, Other | Cancelling | Success | Failure) => {
                self.success |= word.starts_with("connect");
                self.failures = self.failures.saturating_sub(1);
                self.failure_ago = Ago::NEVER;
                Infinitive::None
            }
            Infinitive::Verb if kind == Helping => Infinitive::Verb,
            _ => Infinitive::None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_and_authentication_belong_together() {
        for (text, expected) in [
            ("login failed", true),
            ("PREAUTH_FAILED", true),
            ("AUTHFAIL", true),
            ("loginFailed", true),
            ("failed to log in", true),
            ("could not verify the password", true),
            ("user anna not found", true),
            ("no such user", true),
            ("unknown user anna", true),
            ("Access denied for user anna", true),
            ("error authenticating user", true),
            ("not logged in", true),
            ("isn't authorized", true),
            ("account locked", true),
            ("failed to open the login page", false),
            ("unknown user agent", false),
            ("login successful, not denied", false),
            ("authentication required", false),
            ("logged in after a failed login", false),
            ("login failed, could not connect to the database", false),
            ("connection refused by the login service", false),
            ("signing failed", false),
            ("payment of account 4711 refused", false),
            ("invalid API key", true),
            ("access token rejected", true),
            ("invalid token in request body", false),
            ("unknown key in the configuration", false),
            ("404 user not found", false),
            ("invalid password: too short", false),
            ("invalid user name: already taken", false),
            ("request failed", false),
        ] {
            assert_eq!(Wording::of(text).says_failure(), expected, "{text}");
        }
    }

    #[test]
    fn what_a_database_says_to_an_application_is_not_beside() {
        assert!(Wording::of("Invalid username or password").is_adjacent());
        assert!(Wording::of("failed to authenticate user").is_adjacent());
        assert!(
            !Wording::of("Access denied for user 'shop'@'localhost' (using password: YES)").is_adjacent()
        );
    }
}
