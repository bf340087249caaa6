//! Which names are sensitive and which are exempt. How a name stands in the text is read in
//! [`super::pair`].

use std::collections::BTreeSet;

use crate::entity::EntityType;
use crate::policy::Policy;

/// How much of a name counts: its last bytes.
pub(super) const LONGEST: usize = 64;

/// Names, without joiners, that are sensitive however they are joined to what stands before.
const STRONG: [(&[u8], EntityType); 24] = [
    (b"password", EntityType::Password),
    (b"passwd", EntityType::Password),
    (b"passphrase", EntityType::Password),
    (b"passcode", EntityType::Password),
    (b"apikey", EntityType::Secret),
    (b"authkey", EntityType::Secret),
    (b"secretkey", EntityType::Secret),
    (b"secretaccesskey", EntityType::Secret),
    (b"sharedaccesskey", EntityType::Secret),
    (b"accountkey", EntityType::Secret),
    (b"privatekey", EntityType::Secret),
    (b"encryptionkey", EntityType::Secret),
    (b"signingkey", EntityType::Secret),
    (b"clientsecret", EntityType::Secret),
    (b"accesstoken", EntityType::Secret),
    (b"refreshtoken", EntityType::Secret),
    (b"authtoken", EntityType::Secret),
    (b"sessiontoken", EntityType::Secret),
    (b"securitytoken", EntityType::Secret),
    (b"bearertoken", EntityType::Secret),
    (b"sessionid", EntityType::Secret),
    (b"sessionkey", EntityType::Secret),
    (b"sessid", EntityType::Secret),
    (b"secretkeybase", EntityType::Secret),
];

/// Names that are sensitive only as a component, or as the last components of a longer name.
const WEAK: [(&[u8], EntityType); 8] = [
    (b"pwd", EntityType::Password),
    (b"secret", EntityType::Secret),
    (b"token", EntityType::Secret),
    (b"idtoken", EntityType::Secret),
    (b"credential", EntityType::Secret),
    (b"credentials", EntityType::Secret),
    (b"amzsignature", EntityType::Secret),
    (b"googsignature", EntityType::Secret),
];

/// Names that are sensitive only as the last component of a longer name: alone they are ordinary words.
const JOINED: [(&[u8], EntityType); 1] = [(b"pass", EntityType::Password)];

/// Keys of headers and of card data whose whole value is secret, beyond the names above.
const WHOLE: [&[u8]; 6] = [b"authorization", b"cookie", b"cookies", b"setcookie", b"cvv", b"cvc"];

/// Last components that leave a name as sensitive as it was: `DB_PASSWORD_PROD`, `password_confirmation`.
const SUFFIXES: [&[u8]; 14] = [
    b"prod",
    b"production",
    b"staging",
    b"stage",
    b"dev",
    b"test",
    b"hash",
    b"value",
    b"text",
    b"plain",
    b"new",
    b"old",
    b"confirm",
    b"confirmation",
];

/// Identifiers that detection groups by, without joiners; the whole name, or the last components of it.
/// Credentials proper never stand under these names; session ids are credentials and are not among them,
/// but for the numbers that Windows gives to its terminal sessions.
const EXEMPT: [&[u8]; 19] = [
    b"accesskeyid",
    b"principalid",
    b"username",
    b"user",
    b"userid",
    b"userarn",
    b"arn",
    b"accountid",
    b"traceid",
    b"spanid",
    b"requestid",
    b"correlationid",
    b"eventid",
    b"tokentype",
    b"terminalsessionid",
    b"logonid",
    b"logonguid",
    b"processguid",
    // A program, whose name stands before its messages.
    b"chpasswd",
];

/// What makes a sensitive name of `sess`, which is in many words and paths of logs; names of tokens are found
/// by that word.
const SESSION_ENDS: [&[u8]; 3] = [b"id", b"ionid", b"ionkey"];

/// Whether what stands behind `sess` may make a sensitive name of it, joined in any way.
pub(super) fn may_be_session(behind: &[u8]) -> bool {
    let joined = behind.iter().take(LONGEST).filter(|byte| byte.is_ascii_alphanumeric());
    let letters = joined.map(u8::to_ascii_lowercase);
    SESSION_ENDS.iter().any(|end| letters.clone().take(end.len()).eq(end.iter().copied()))
}

/// The names of a policy.
pub(super) struct Names {
    sensitive: Vec<Vec<u8>>,
    exempt: BTreeSet<Vec<u8>>,
}

impl Names {
    pub(super) fn new(policy: &Policy) -> Self {
        Self {
            sensitive: policy
                .sensitive_keys
                .iter()
                .map(|name| name.to_ascii_lowercase().into_bytes())
                .collect(),
            exempt: policy
                .exempt_keys
                .iter()
                .map(|name| Components::of(name.as_bytes(), 0).joined().to_vec())
                .collect(),
        }
    }

    /// The additional names, in lower case.
    pub(super) fn additional(&self) -> &[Vec<u8>] {
        &self.sensitive
    }

    /// What the value of this name is, if it is sensitive. `escape` bytes at its start belong to an escape
    /// sequence that ran into the name, as the `n` in `\npassword`.
    pub(super) fn classify(&self, name: &[u8], escape: usize) -> Option<EntityType> {
        if self.is_additional(name) {
            return Some(EntityType::Secret);
        }
        let components = Components::of(name, escape);
        if self.exempts(&components) {
            return None;
        }
        components.entity().or_else(|| components.without_suffix().entity())
    }

    /// Whether the whole value of an attribute with this key is to be masked.
    pub(super) fn is_sensitive(&self, key: &[u8]) -> bool {
        let name = last_bytes(key);
        if self.classify(name, 0).is_some() {
            return true;
        }
        let components = Components::of(name, 0);
        !self.exempts(&components) && WHOLE.iter().any(|word| components.ends_with_component(word))
    }

    /// Whether an attribute with this key holds an identifier that must stay readable.
    pub(super) fn is_exempt(&self, key: &[u8]) -> bool {
        !self.is_additional(last_bytes(key)) && self.exempts(&Components::of(last_bytes(key), 0))
    }

    fn exempts(&self, components: &Components) -> bool {
        EXEMPT.iter().any(|word| components.ends_with_component(word))
            || self.exempt.contains(components.after_escape())
    }

    fn is_additional(&self, name: &[u8]) -> bool {
        self.sensitive.iter().any(|additional| {
            let Some(start) = name.len().checked_sub(additional.len()) else { return false };
            let (head, tail) = name.split_at(start);
            let begins = head.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
            begins && tail.eq_ignore_ascii_case(additional)
        })
    }
}

fn last_bytes(key: &[u8]) -> &[u8] {
    key.get(key.len().saturating_sub(LONGEST)..).unwrap_or_default()
}

/// A name in lower case without its joiners, and where its components begin.
struct Components {
    letters: [u8; LONGEST],
    length: usize,
    /// Bit i is set where a component begins at `letters[i]`.
    begins: u64,
    /// Where the name begins once a leading escape sequence is taken off.
    escape: usize,
}

impl Components {
    /// Splits at joiners, before a capital that follows a small letter or begins a capitalised word, and
    /// between a digit and a letter.
    fn of(name: &[u8], escape: usize) -> Self {
        let mut components = Self { letters: [0; LONGEST], length: 0, begins: 1, escape: 0 };
        for (index, byte) in name.iter().copied().enumerate().take(LONGEST) {
            let previous = index.checked_sub(1).and_then(|before| name.get(before)).copied().unwrap_or(b'.');
            let next = name.get(index + 1).copied().unwrap_or(0);
            if index == escape {
                components.escape = components.length;
            }
            if !byte.is_ascii_alphanumeric() {
                continue;
            }
            if index == escape || begins_component(previous, byte, next) {
                components.begins |= 1 << components.length;
            }
            components.letters[components.length] = byte.to_ascii_lowercase();
            components.length += 1;
        }
        components
    }

    fn joined(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }

    fn after_escape(&self) -> &[u8] {
        self.letters.get(self.escape..self.length).unwrap_or_default()
    }

    fn ends_with_component(&self, word: &[u8]) -> bool {
        self.joined().ends_with(word) && self.begins >> (self.length - word.len()) & 1 == 1
    }

    fn entity(&self) -> Option<EntityType> {
        let joined = self.joined();
        let strong = STRONG.iter().find(|(word, _)| joined.ends_with(word));
        let weak = || WEAK.iter().find(|(word, _)| self.ends_with_component(word));
        let longer = || {
            JOINED
                .iter()
                .find(|(word, _)| self.after_escape().len() > word.len() && self.ends_with_component(word))
        };
        strong.or_else(weak).or_else(longer).map(|(_, entity)| *entity)
    }

    /// The name without trailing digits, or else without a last component that changes nothing.
    fn without_suffix(&self) -> Self {
        let mut length = self.length;
        while length > 0 && self.letters.get(length - 1).is_some_and(u8::is_ascii_digit) {
            length -= 1;
        }
        if length == self.length {
            let suffix = SUFFIXES.iter().find(|word| self.ends_with_component(word));
            length -= suffix.map_or(0, |word| word.len());
        }
        Self { letters: self.letters, length, begins: self.begins, escape: self.escape.min(length) }
    }
}

fn begins_component(previous: u8, byte: u8, next: u8) -> bool {
    if !previous.is_ascii_alphanumeric() {
        return true;
    }
    if byte.is_ascii_digit() {
        return false;
    }
    let after_small = byte.is_ascii_uppercase() && !previous.is_ascii_uppercase();
    let capitalised = byte.is_ascii_uppercase() && next.is_ascii_lowercase();
    previous.is_ascii_digit() || after_small || capitalised
}
