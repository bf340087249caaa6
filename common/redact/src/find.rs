//! The search: the [`scan`] finds possible places, and on each hit the rule that the hit calls for
//! confirms it with a small validator of its own; nothing here masks.
//!
//! # Rules
//!
//! A *word boundary* is a place next to which stands no ASCII letter or digit; at the start of a match, the
//! end of an escape sequence (`\n`, `\u0020`, `%20`) counts as well. A *name* is a run of letters, digits,
//! `_`, `-` and `.`, of which the last 64 bytes count. A *value* is defined in [`value`].
//!
//! | type | rule | in |
//! |---|---|---|
//! | private_key | `-----BEGIN … PRIVATE KEY( BLOCK)-----`, its body, `-----END …-----` where present | [`private_key`] |
//! | jwt | two to five runs of base64url joined by full stops, the first one beginning as JSON headers do | [`jwt`] |
//! | api_key | the forms of vendors; secret access keys of AWS behind their name or an access key id | [`token`], [`aws`] |
//! | authorization | what follows the scheme in the value of a name ending in `authorization`; `bearer ` and 16 bytes or more with a digit | [`header`] |
//! | cookie | the values in the list behind a name ending in `cookie`; attributes of Set-Cookie stay | [`cookie`] |
//! | password, secret | the value of a sensitive name that hides something | [`pair`], [`name`], [`value`] |
//! | password | from the first `:` to the last `@` of a URL's authority | [`url`] |
//! | password | arguments of `curl`, `mysql`, `sshpass`, `ldapsearch` and their kin, on a line or in an array; `net user`, `ConvertTo-SecureString`, `chpasswd` | [`command`], [`argument`], [`windows`], [`chpasswd`] |
//! | password | `IDENTIFIED BY` and `PASSWORD '…'` in SQL; hashes of `crypt` and PHC | [`sql`], [`hash`] |
//! | password | `pass`, `-passin pass:`, `.netrc`, `auth` of a registry, where the context shows it | [`bare`] |
//! | password, secret | the value beside a sensitive name that is a value itself, parts of forms, percent-encoded pairs | [`listed`], [`encoded`] |
//! | secret | `code` among the parameters of OAuth | [`code`] |
//! | api_key | client secrets of Azure AD, tokens of Airtable and Square | [`shaped`] |
//! | credit_card | issuer, length, Luhn, contiguous or grouped as printed | [`card`] |
//! | iban | country, length, modulo 97 | [`iban`] |
//! | ssn | `ddd-dd-dddd`; behind `ssn` or `social security` also `ddddddddd` and with blanks | [`ssn`] |
//! | all of these | the same in text disguised by characters without width and look-alike letters | [`fold`] |
//! | email, phone, ip_address | off unless the policy asks for them | [`email`], [`phone`], [`address`] |
//!
//! # Order and overlap
//!
//! Rules that read ahead go through the text from left to right and never start within what they have read.
//! Candidates of different rules that overlap become one match that covers them all and bears the type that
//! stands first in [`EntityType`]. Candidates that only touch stay apart.
//!
//! Masked text is not found again, and masking creates no match: placeholders and
//! asterisks are no values, bodies with `_` or `-` in their class have no upper length, and a number or
//! address that would be refused for its neighbour is refused next to a masked one, too.
//!
//! # Cost
//!
//! Every byte is looked at by vectors only, once: they sort it into classes of bytes, of which shapes such as
//! groups of digits are made, and rule out nearly every place where no literal begins. A rule is called where
//! one of these has found what it needs. Every rule either looks at a bounded number of bytes around its hit or
//! goes on behind those it has read, so the work is linear in the length of the text, whatever the text.
//! Memory is a few hundred hits and the matches; for a text that holds disguises, a copy of it as well, which is searched
//! in its turn, once.
//!
//! Where many texts lie in one payload they are scanned at once: [`scan::Candidates`] names the lines of 64 bytes
//! that are worth a search, by bytes that a match must hold, so bytes around a text hide nothing in it.

mod address;
mod argument;
mod aws;
mod bare;
mod card;
mod chpasswd;
mod code;
mod command;
mod cookie;
mod digits;
mod email;
mod encoded;
pub(crate) mod fold;
mod hash;
mod header;
mod iban;
mod jwt;
mod listed;
mod name;
mod overlap;
mod pair;
mod pass;
mod phone;
mod private_key;
pub(crate) mod reference;
pub(crate) mod scan;
mod shaped;
mod sql;
mod ssn;
pub(crate) mod text;
mod token;
mod url;
pub(crate) mod value;
mod windows;

use crate::entity::{EntitySet, EntityType, Match};
use crate::policy::{Policy, PolicyError};

use name::Names;
use overlap::merge;
use pass::Pass;
use scan::{Literals, ShapeSearch};
use text::Text;

/// A candidate of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Secret {
    start: usize,
    end: usize,
    entity: EntityType,
}

/// Result and next position of a rule that reads ahead. A rule that has read a value of any length reports
/// where it ended also when it refuses the value: else the next hit within reads it again, and the work is quadratic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Examined {
    secret: Option<Secret>,
    resume: usize,
}

impl Examined {
    /// A value that was read and is no secret. A name may stand within it, so a short one is read again from its start;
    /// its length bounds the work.
    fn refused(value: value::Value) -> Self {
        let is_short = value.end - value.start <= name::LONGEST;
        Self { secret: None, resume: if is_short { value.start } else { value.end } }
    }
}

/// Everything that is prepared once.
pub(crate) struct Finder {
    entities: EntitySet,
    names: Names,
    literals: Literals,
    shapes: ShapeSearch,
}

impl Finder {
    pub(crate) fn new(policy: &Policy) -> Result<Self, PolicyError> {
        policy.validate()?;
        let entities = EntitySet::of(&policy.entities);
        let names = Names::new(policy);
        let literals = Literals::new(&names, entities);
        Ok(Self { entities, names, literals, shapes: ShapeSearch::new(entities) })
    }

    pub(crate) fn is_sensitive_key(&self, key: &str) -> bool {
        let key = key.as_bytes();
        let held = self.holds_in_key(key);
        (held.name_part && self.names.is_sensitive(key)) || (held.disguise && self.is_disguised(key))
    }

    /// Whether a key is sensitive but for its disguises. One that is exempt as it is written stays so.
    fn is_disguised(&self, key: &[u8]) -> bool {
        let plain = fold::folded(&Text::new(key));
        !self.names.is_exempt(key) && self.holds_in_key(&plain).name_part && self.names.is_sensitive(&plain)
    }

    pub(crate) fn is_exempt_key(&self, key: &str) -> bool {
        self.names.is_exempt(key.as_bytes())
    }

    /// Finds everything, sorted and without overlap.
    pub(crate) fn find(&self, text: &Text<'_>, matches: &mut Vec<Match>) {
        matches.clear();
        let holds_disguise = Pass::new(self, text, matches).run();
        if holds_disguise {
            fold::find(self, text, self.entities, matches);
        }
        merge(matches);
    }

    /// Finds matches of these types. A merged match bears the type that stands first, so it would come too late to
    /// choose among those.
    pub(crate) fn find_only(&self, text: &Text<'_>, entities: EntitySet, matches: &mut Vec<Match>) {
        matches.clear();
        let holds_disguise = Pass::new(self, text, matches).run();
        matches.retain(|found| entities.contains(found.entity));
        if holds_disguise {
            fold::find(self, text, entities, matches);
        }
        merge(matches);
    }
}

#[cfg(test)]
mod tests;
