//! Finding and masking secrets and personal data in text: the one redaction engine. It knows bytes of text
//! only; record formats, and the choice of masked parts, are left to its callers. [`identifiers`] finds personal data in
//! text for people, which the path of logs does not use.

mod entity;
mod find;
pub mod identifiers;
mod mask;
mod policy;

pub use entity::{EntityType, Match};
pub use policy::{MAX_NAME_LENGTH, MAX_NAMES, MIN_NAME_LENGTH, Policy, PolicyError};

pub use find::scan::Candidates;

use std::borrow::Cow;

use entity::EntitySet;
use find::Finder;
use find::text::Text;

/// A name as people read it: without characters that have no width, and with the letters of ASCII in place of those that
/// look like them.
#[must_use]
pub fn without_disguise(name: &[u8]) -> Cow<'_, [u8]> {
    if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(find::fold::folded(&Text::new(name))) }
}

/// Finds and masks what a policy names. Cheap to share, costly to build: one for each policy.
///
/// Masked text is not found again. Only where a mask replaced the separator of two values
/// (a card number with spaces inside a list of cookies) does a second look read on, and may mask more.
pub struct Redactor {
    finder: Finder,
}

impl Redactor {
    /// Prepares the search.
    ///
    /// # Errors
    /// [`PolicyError`] where a list of names is out of bounds.
    pub fn new(policy: &Policy) -> Result<Self, PolicyError> {
        Finder::new(policy).map(|finder| Self { finder })
    }

    /// Finds everything in `text`, which may be any bytes. `matches` is emptied first; afterwards it is
    /// sorted and no two matches overlap. Candidates that overlap have become one match that covers them
    /// all and bears the type that stands first in [`EntityType`]. The time is linear in the length of the text.
    pub fn find(&self, text: &[u8], matches: &mut Vec<Match>) {
        self.finder.find(&Text::new(text), matches);
    }

    /// As [`Self::find`], for the types in `entities` alone, as far as the policy has them on. Candidates of other
    /// types are dropped before those that overlap become one, so a match covers nothing but these types.
    pub fn find_only(&self, text: &[u8], entities: &[EntityType], matches: &mut Vec<Match>) {
        self.finder.find_only(&Text::new(text), EntitySet::of(entities), matches);
    }

    /// Scans many texts at once: `payload` is any bytes among which texts lie. Then `candidates` shows
    /// which texts may hold a match and which keys may be sensitive; of the others, [`Self::find`] finds
    /// nothing and [`Self::is_sensitive_key`] is false. It costs a small part of a search of each text.
    pub fn candidates(&self, payload: &[u8], candidates: &mut Candidates) {
        self.finder.candidates(&Text::new(payload), candidates);
    }

    /// Overwrites the matches in place and keeps the length: the placeholder where it fits, padded with
    /// `*`, else only `*`. Valid UTF-8 stays valid. Matches outside of the text are ignored.
    pub fn mask(&self, text: &mut [u8], matches: &[Match]) {
        mask::mask(text, matches);
    }

    /// Finds and masks; returns how many matches there were. `scratch` holds them afterwards.
    pub fn redact_in_place(&self, text: &mut [u8], scratch: &mut Vec<Match>) -> usize {
        self.find(text, scratch);
        self.mask(text, scratch);
        scratch.len()
    }

    /// Masks the whole value of a sensitive key, in place and keeping the length. A value that is
    /// a placeholder and `*`, or only `*`, stays as it is, and so does the resource name of a secret in a
    /// secret store. Returns whether it was masked.
    pub fn mask_value(&self, text: &mut [u8]) -> bool {
        mask::mask_value(text)
    }

    /// The text with a placeholder such as `<JWT_REDACTED>` for each match, for people to read.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut matches = Vec::new();
        self.find(text.as_bytes(), &mut matches);
        mask::replace(text, &matches)
    }

    /// Whether the whole value of an attribute with this key is secret: `password`, `db.client_secret`,
    /// `http.request.header.authorization`, the additional keys of the policy. An exempt key is not.
    #[must_use]
    pub fn is_sensitive_key(&self, key: &str) -> bool {
        self.finder.is_sensitive_key(key)
    }

    /// Whether an attribute with this key holds an identifier that detection groups by and that is to stay
    /// readable: access key ids, principal, user, account and logon ids, user names, ARNs, trace, span, request,
    /// correlation and event ids, token types, and the additional exempt keys of the policy. Session ids of web
    /// applications are credentials and not exempt. [`Self::find_only`] serves to mask secrets with a form of their own
    /// even there.
    #[must_use]
    pub fn is_exempt_key(&self, key: &str) -> bool {
        self.finder.is_exempt_key(key)
    }
}
