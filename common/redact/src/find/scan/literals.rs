//! The literals that can announce a secret, and the search for them. A hit is judged by the rule
//! that it calls, in [`super::super`].
//!
//! The search looks for a *witness* in each literal: the literal itself, or a rarer part that it may share with
//! others. Where the vectors have not ruled out that one begins, the first bytes are looked up in a table, and the
//! literals that stand there are compared as a whole.

use std::collections::BTreeMap;

use memchr::memmem;

use super::fingerprints::LENGTH;
use super::lines::{Line, Sorter};
use super::places;
use super::shapes::Search;
use crate::entity::{EntitySet, EntityType};
use crate::find::command::{self, Program};
use crate::find::name::Names;
use crate::find::text::Text;
use crate::find::{code, fold, hash, jwt, name, pair, private_key, token, windows};

/// A rule that is called where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::find) enum Rule {
    Pair,
    /// As [`Rule::Pair`], if the rest of a name follows.
    Session,
    Header,
    Bearer,
    Cookie,
    PrivateKey,
    Jwt,
    /// A form of [`token::FORMS`], by its index.
    Token(usize),
    Sendgrid,
    AwsId,
    AwsName,
    /// Behind the name as long as this.
    NamedSsn(&'static str),
    Command(Program),
    Net,
    SecureString,
    Chpasswd,
    /// The keyword of SQL.
    Identified,
    /// Behind the name of an algorithm as long as this.
    Hash(usize),
    /// The name of an authorization code.
    Code,
    /// The same as a key in a payload, with a text of the length of a code as its value.
    CodeKey,
    /// The name `auth`, where it ends there.
    Registry,
    Twilio,
    Azure,
    Square,
    Putty,
    /// Nothing to find in a text, but a key with it may be sensitive.
    Key,
    /// A disguise of [`fold`], which may hide a literal of any other rule.
    Disguise,
}

impl Rule {
    /// The types that the rule can yield: it is left out where none of them is on.
    fn entities(self) -> &'static [EntityType] {
        match self {
            Self::Pair | Self::Session => &pair::ENTITIES,
            Self::Header | Self::Bearer => &[EntityType::Authorization],
            Self::Cookie => &[EntityType::Cookie],
            Self::PrivateKey => &[EntityType::PrivateKey],
            Self::Jwt => &[EntityType::Jwt],
            Self::Token(_)
            | Self::Sendgrid
            | Self::AwsId
            | Self::AwsName
            | Self::Twilio
            | Self::Azure
            | Self::Square => &[EntityType::ApiKey],
            Self::Command(_)
            | Self::Net
            | Self::SecureString
            | Self::Chpasswd
            | Self::Identified
            | Self::Hash(_)
            | Self::Registry => &[EntityType::Password],
            Self::Code | Self::CodeKey => &[EntityType::Secret],
            Self::Putty => &[EntityType::PrivateKey],
            Self::NamedSsn(_) => &[EntityType::Ssn],
            Self::Key => &[],
            Self::Disguise => &EntityType::ALL,
        }
    }

    /// Whether a key that holds the literal may be sensitive: that does not depend on the types.
    pub(in crate::find) fn may_be_sensitive(self) -> bool {
        matches!(
            self,
            Self::Pair
                | Self::Session
                | Self::Header
                | Self::Cookie
                | Self::Key
                | Self::Registry
                | Self::Disguise
        )
    }

    /// Whether the literal may announce something with these bytes behind it.
    #[inline]
    fn goes_on(self, literal: &[u8], behind: &[u8]) -> bool {
        match self {
            Self::Registry => behind
                .first()
                .is_none_or(|byte| *byte <= b' ' || matches!(byte, b'"' | b'\'' | b'\\' | b':' | b'=')),
            // `curl/8.17.0` is the name of a client in most access logs.
            Self::Command(Program::Curl) => behind.first().is_none_or(|byte| *byte != b'/'),
            Self::Code => literal.last() != Some(&b'=') || code::may_go_on(behind),
            Self::CodeKey => behind.first().is_some_and(|length| *length >= code::SHORTEST_IN_PAYLOAD),
            _ => true,
        }
    }

    /// Whether the rule yields anything of these types.
    pub(in crate::find) fn is_on(self, entities: EntitySet) -> bool {
        entities.contains_any(self.entities())
    }
}

/// A part of each sensitive name of [`super::super::name`] as it is written in text.
const NAME_PARTS: [&str; 24] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "private",
    "apikey",
    "api_key",
    "api-key",
    "api.key",
    "authkey",
    "auth_key",
    "auth-key",
    "accountkey",
    "account_key",
    "account-key",
    "sharedaccess",
    "shared_access",
    "encryption",
    "signing",
    "amz-signature",
    "amz_signature",
    "goog-signature",
    "goog_signature",
];

/// Other parts of a sensitive key, such as `auth.key` and `cvv`, for which text is not searched.
const KEY_PARTS: [&str; 8] = [
    "auth.key",
    "account.key",
    "shared-access",
    "shared.access",
    "amz.signature",
    "goog.signature",
    "cvv",
    "cvc",
];

/// Literals of the rules that are neither names nor tokens, in lower case.
const OTHERS: [(&str, Rule); 34] = [
    ("sess", Rule::Session),
    ("authorization", Rule::Header),
    ("bearer ", Rule::Bearer),
    ("cookie", Rule::Cookie),
    ("-begin", Rule::PrivateKey),
    ("sg.", Rule::Sendgrid),
    ("akia", Rule::AwsId),
    ("asia", Rule::AwsId),
    ("secret", Rule::AwsName),
    ("ssn", Rule::NamedSsn("ssn")),
    ("social security", Rule::NamedSsn("social security")),
    ("social_security", Rule::NamedSsn("social_security")),
    ("social-security", Rule::NamedSsn("social-security")),
    ("convertto-securestring", Rule::SecureString),
    ("chpasswd", Rule::Chpasswd),
    ("identified", Rule::Identified),
    ("code=", Rule::Code),
    ("code\"", Rule::Code),
    ("code\\", Rule::Code),
    ("code%", Rule::Code),
    ("\u{4}code\u{12}", Rule::CodeKey),
    ("auth", Rule::Registry),
    ("eaaa", Rule::Square),
    (private_key::PUTTY, Rule::Putty),
    ("0q~", Rule::Azure),
    ("1q~", Rule::Azure),
    ("2q~", Rule::Azure),
    ("3q~", Rule::Azure),
    ("4q~", Rule::Azure),
    ("5q~", Rule::Azure),
    ("6q~", Rule::Azure),
    ("7q~", Rule::Azure),
    ("8q~", Rule::Azure),
    ("9q~", Rule::Azure),
];

/// Parts that literals share and that are rare in logs: each takes the place of all literals that hold it.
const WITNESSES: [&str; 21] = [
    "key",
    "signature",
    "shared",
    "social",
    "eyj",
    "xox",
    "shp",
    "sq0",
    "_live_",
    "_test_",
    "_pat_",
    "_v1_",
    "_oat_",
    "slack.com",
    "/api/webhooks/",
    ".office.com",
    "ode=",
    "ode\"",
    "ode\\",
    "ode%",
    "ode\u{12}",
];

/// The table has so many slots: with ten times fewer witnesses, most bytes that the vectors let through lead
/// to an empty one.
const SLOTS: usize = 2048;

/// All literals that are on.
pub(in crate::find) struct Literals {
    sorter: Sorter,
    /// For the first bytes of a witness, which of `calls` to look at, counted from one; zero is none.
    slots: Box<[u16; SLOTS]>,
    calls: Vec<Vec<Call>>,
    longest: usize,
}

impl Literals {
    pub(in crate::find) fn new(names: &Names, entities: EntitySet) -> Self {
        let (mut witnesses, mut by_slot) = (Vec::new(), BTreeMap::<usize, Vec<Call>>::new());
        let mut longest = 0;
        for (literal, rule) in all(names) {
            if rule.is_on(entities) || rule.may_be_sensitive() {
                longest = longest.max(literal.len());
                let (offset, witness) = witness(&literal);
                let mask = if witness.len() < LENGTH { SHORT } else { u32::MAX };
                let beginning = beginning(&witness, 0) & mask;
                let before = offset.checked_sub(1).and_then(|at| literal.get(at)).map(|byte| byte | CASE);
                let call = Call { literal, offset, beginning, mask, before, rule };
                by_slot.entry(slot(beginning)).or_default().push(call);
                witnesses.push(witness);
            }
        }
        witnesses.sort_unstable();
        witnesses.dedup();
        let mut slots = Box::new([0; SLOTS]);
        let mut calls = Vec::with_capacity(by_slot.len());
        for (slot, called) in by_slot {
            calls.push(called);
            slots[slot] = u16::try_from(calls.len()).unwrap_or(0);
        }
        Self { sorter: Sorter::new(&witnesses), slots, calls, longest }
    }

    /// The length of the longest literal.
    pub(in crate::find) fn longest(&self) -> usize {
        self.longest
    }

    /// Calls `line` for each line of `text` that may hold a literal, a shape or an `@`, with its number.
    #[inline]
    pub(in crate::find) fn each_line(&self, shapes: Search, text: &[u8], line: impl FnMut(Line<'_>)) {
        self.sorter.each_line(shapes, text, line);
    }

    /// Calls `hit` for every literal whose witness begins in a line, and for every disguise, in no order. What is found in
    /// a line begins before its end, and later than [`Self::longest`] bytes before its start.
    #[inline]
    pub(in crate::find) fn in_line(&self, text: &Text<'_>, line: Line<'_>, mut hit: impl FnMut(usize, Rule)) {
        let bytes = text.bytes();
        for at in places(line.fingerprints(), line.start()) {
            let word = beginning(bytes, at);
            // No literal begins so.
            if word & FOREIGN != 0 {
                if word & PRINT != PRINT_BEGINNING {
                    disguise(text, at, &mut hit);
                }
                continue;
            }
            let slot = usize::from(self.slots[slot(word)]);
            if slot != 0 {
                self.compare(bytes, at, word, slot, &mut hit);
            }
        }
    }

    /// Calls `hit` for the literals of a slot whose witness begins with `word` and that stand there as a whole.
    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        witness: usize,
        word: u32,
        slot: usize,
        hit: &mut impl FnMut(usize, Rule),
    ) {
        let calls = self.calls.get(slot - 1).into_iter().flatten();
        let before = witness.checked_sub(1).and_then(|at| text.get(at)).map_or(0, |byte| byte | CASE);
        for call in calls.filter(|call| call.may_stand_at(word, before)) {
            if let Some(start) = call.start(text, witness) {
                hit(start, call.rule);
            }
        }
    }
}

/// Calls `hit` if a disguise stands at `at` that counts.
#[inline(never)]
fn disguise(text: &Text<'_>, at: usize, hit: &mut impl FnMut(usize, Rule)) {
    if fold::counts(text, at) {
        hit(at, Rule::Disguise);
    }
}

/// The bit of a [`beginning`] that shows whether its first byte is none of ASCII.
const FOREIGN: u32 = 0x80;
/// The bits of a [`beginning`] that dashes and quotes in good print have in common, U+2010 to U+201F, and how they are set:
/// these begin as marks without width do, and are far more frequent.
const PRINT: u32 = 0x00f0_ffff;
const PRINT_BEGINNING: u32 = 0x00b0_a0e2;
/// The bytes of a [`beginning`] that every witness has.
const SHORT: u32 = 0x00ff_ffff;
/// The bit that separates small letters from capitals.
const CASE: u8 = 0x20;

/// The first bytes at `at`, each with the bit that separates small letters from capitals: enough for a look-up.
#[inline]
fn beginning(bytes: &[u8], at: usize) -> u32 {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = rest
        .first_chunk::<LENGTH>()
        .copied()
        .unwrap_or_else(|| std::array::from_fn(|index| rest.get(index).copied().unwrap_or(0)));
    u32::from_le_bytes(word) | u32::from_le_bytes([CASE; LENGTH])
}

/// The slot of the first three bytes: the upper bits of a product with an odd number, which all of them reach.
#[inline]
fn slot(beginning: u32) -> usize {
    ((beginning & SHORT).wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

/// A literal and the rule to call where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    literal: Vec<u8>,
    /// Offset of its witness in the literal.
    offset: usize,
    /// The [`beginning`] of the witness, under `mask`.
    beginning: u32,
    mask: u32,
    /// Bytes before the witness, if it does not begin the literal, with [`CASE`].
    before: Option<u8>,
    rule: Rule,
}

impl Call {
    /// Whether the literal may stand where a witness begins so, behind such a byte.
    #[inline]
    fn may_stand_at(&self, beginning: u32, before: u8) -> bool {
        beginning & self.mask == self.beginning && self.before.is_none_or(|own| own == before)
    }

    /// Start of the literal whose witness may stand at `witness`, if it is there as a whole.
    #[inline]
    fn start(&self, text: &[u8], witness: usize) -> Option<usize> {
        let start = witness.checked_sub(self.offset)?;
        let (written, behind) = text.get(start..)?.split_at_checked(self.literal.len())?;
        let is_whole = self.rule.goes_on(&self.literal, behind)
            && written.eq_ignore_ascii_case(&self.literal)
            && (self.rule != Rule::Session || name::may_be_session(behind));
        is_whole.then_some(start)
    }
}

/// The witness of a literal, and its offset in it.
fn witness(literal: &[u8]) -> (usize, Vec<u8>) {
    let shared = WITNESSES
        .iter()
        .find_map(|witness| Some((memmem::find(literal, witness.as_bytes())?, witness.as_bytes().to_vec())));
    shared.unwrap_or_else(|| (0, literal.to_vec()))
}

fn all(names: &Names) -> impl Iterator<Item = (Vec<u8>, Rule)> {
    let parts = NAME_PARTS.iter().map(|part| (part.as_bytes().to_vec(), Rule::Pair));
    let keys = KEY_PARTS.iter().map(|part| (part.as_bytes().to_vec(), Rule::Key));
    let additional = names.additional().iter().map(|name| (name.clone(), Rule::Pair));
    let forms = token::FORMS
        .iter()
        .enumerate()
        .map(|(index, form)| (form.prefix.to_ascii_lowercase().into_bytes(), Rule::Token(index)));
    let jwts =
        jwt::BEGINNINGS.iter().map(|beginning| (beginning.to_ascii_lowercase().into_bytes(), Rule::Jwt));
    let others = OTHERS.iter().map(|(literal, rule)| (literal.as_bytes().to_vec(), *rule));
    let programs = command::PROGRAMS
        .iter()
        .map(|(literal, program)| (literal.as_bytes().to_vec(), Rule::Command(*program)));
    let net = windows::NET.iter().map(|literal| (literal.as_bytes().to_vec(), Rule::Net));
    let hashes =
        hash::BEGINNINGS.iter().map(|literal| (literal.as_bytes().to_vec(), Rule::Hash(literal.len())));
    let keys_of_twilio = token::TWILIO.iter().map(|literal| (literal.as_bytes().to_vec(), Rule::Twilio));
    let known = parts.chain(keys).chain(additional).chain(forms).chain(jwts).chain(others);
    known.chain(programs).chain(net).chain(hashes).chain(keys_of_twilio)
}
