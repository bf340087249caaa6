//! The components of a name, and which of them make it sensitive.

use super::LONGEST;
use crate::entity::EntityType;

/// Names, without joiners, that are sensitive however they are joined to the text before.
const STRONG: [(&[u8], EntityType); 25] = [
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
    (b"identitytoken", EntityType::Secret),
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

/// Components before such a name with which it is no password: filters, passes of renderers and compilers, tickets.
const OTHER_PASSES: [&[u8]; 26] = [
    b"low",
    b"high",
    b"band",
    b"all",
    b"first",
    b"second",
    b"third",
    b"one",
    b"two",
    b"multi",
    b"single",
    b"next",
    b"last",
    b"render",
    b"shader",
    b"shadow",
    b"depth",
    b"lighting",
    b"geometry",
    b"post",
    b"pre",
    b"by",
    b"boarding",
    b"season",
    b"test",
    b"tests",
];

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

/// A name in lower case without its joiners, and where its components begin.
pub(super) struct Components {
    letters: [u8; LONGEST],
    length: usize,
    /// Bit i is set where a component begins at `letters[i]`.
    begins: u64,
    /// Start of the name without a leading escape sequence.
    escape: usize,
}

impl Components {
    /// Splits at joiners, before a capital that follows a small letter or begins a capitalised word, and
    /// between a digit and a letter.
    pub(super) fn of(name: &[u8], escape: usize) -> Self {
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

    pub(super) fn joined(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }

    pub(super) fn after_escape(&self) -> &[u8] {
        self.letters.get(self.escape..self.length).unwrap_or_default()
    }

    pub(super) fn ends_with_component(&self, word: &[u8]) -> bool {
        self.joined().ends_with(word) && self.begins >> (self.length - word.len()) & 1 == 1
    }

    pub(super) fn entity(&self) -> Option<EntityType> {
        let joined = self.joined();
        let strong = STRONG.iter().find(|(word, _)| joined.ends_with(word));
        let weak = || WEAK.iter().find(|(word, _)| self.ends_with_component(word));
        let longer = || {
            JOINED
                .iter()
                .find(|(word, _)| self.after_escape().len() > word.len() && self.ends_with_component(word))
                .filter(|(word, _)| !self.is_other_pass(word))
        };
        strong.or_else(weak).or_else(longer).map(|(_, entity)| *entity)
    }

    /// Whether the component before the word at the end gives it another meaning.
    fn is_other_pass(&self, word: &[u8]) -> bool {
        let length = self.length - word.len();
        let head =
            Self { letters: self.letters, length, begins: self.begins, escape: self.escape.min(length) };
        OTHER_PASSES.iter().any(|own| head.ends_with_component(own))
    }

    /// The name without trailing digits, or else without a last component that changes nothing.
    pub(super) fn without_suffix(&self) -> Self {
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
