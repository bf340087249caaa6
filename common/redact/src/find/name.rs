//! Which names are sensitive and which are exempt. How a name stands in the text is read in
//! [`super::pair`].

mod components;

use std::collections::BTreeSet;

use components::Components;

use crate::entity::EntityType;
use crate::policy::Policy;

/// Number of last bytes of a name that count.
pub(super) const LONGEST: usize = 64;

/// Keys of headers and of card data whose whole value is secret, beyond the names above.
const WHOLE: [&[u8]; 6] = [b"authorization", b"cookie", b"cookies", b"setcookie", b"cvv", b"cvc"];

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

/// Endings that make a sensitive name of `sess`, which is in many words and paths of logs; names of tokens are found
/// by that word.
const SESSION_ENDS: [&[u8]; 3] = [b"id", b"ionid", b"ionkey"];

/// Whether the text behind `sess` may make a sensitive name of it, joined in any way.
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

    /// Type of this name's value, if it is sensitive. `escape` bytes at its start belong to an escape
    /// sequence that ran into the name, as the `n` in `\npassword`.
    pub(super) fn classify(&self, name: &[u8], escape: usize) -> Option<EntityType> {
        if self.is_additional(name) {
            return Some(EntityType::Secret);
        }
        // In small letters it is the program that reads it.
        if name.get(escape..) == Some(b"SSHPASS") {
            return Some(EntityType::Password);
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
