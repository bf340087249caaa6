//! The search: the [`scan`] says where something may be, and on each hit the rule that the hit calls for
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
//! | credit_card | issuer, length, Luhn, contiguous or grouped as printed | [`card`] |
//! | iban | country, length, modulo 97 | [`iban`] |
//! | ssn | `ddd-dd-dddd`; behind `ssn` or `social security` also `ddddddddd` and with blanks | [`ssn`] |
//! | email, phone, ip_address | off unless the policy asks for them | [`email`], [`phone`], [`address`] |
//!
//! # Order and overlap
//!
//! Rules that read ahead go through the text from left to right and never start within what they have read.
//! Candidates of different rules that overlap become one match that covers them all and bears the type that
//! stands first in [`EntityType`]. Candidates that only touch stay apart.
//!
//! What is masked is not found again, and masking makes no match of what was none: placeholders and
//! asterisks are no values, bodies with `_` or `-` in their class have no upper length, and a number or
//! address that would be refused for its neighbour is refused next to a masked one, too.
//!
//! # Cost
//!
//! Every byte is looked at by vectors only, once: they sort it into classes of bytes, of which shapes such as
//! groups of digits are made, and rule out nearly every place where no literal begins. A rule is called where
//! one of these has found what it needs. Every rule either looks at a bounded number of bytes around its hit or
//! goes on behind what it has looked at, so the work is linear in the length of the text, whatever the text.
//! Memory is a few hundred hits and the matches.
//!
//! Where many texts lie in one payload they are scanned at once: [`scan::Candidates`] names the lines of 64 bytes
//! that are worth a search, by bytes that a match must hold, so what lies around a text hides nothing in it.

mod address;
mod aws;
mod card;
mod cookie;
mod digits;
mod email;
mod header;
mod iban;
mod jwt;
mod name;
mod overlap;
mod pair;
mod phone;
mod private_key;
pub(crate) mod scan;
mod ssn;
pub(crate) mod text;
mod token;
mod url;
pub(crate) mod value;

use memchr::memmem;

use crate::entity::{EntitySet, EntityType, Match};
use crate::policy::{Policy, PolicyError};

use name::Names;
use overlap::{merge, push};
use scan::{LINE, Literals, Rule, Seen, ShapeSearch};
use text::Text;

/// How many literals are collected before their rules are applied; a line may add a few for each byte.
const MANY_HITS: usize = 256;

/// A candidate of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Secret {
    start: usize,
    end: usize,
    entity: EntityType,
}

/// What a rule that reads ahead has found, and where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Examined {
    secret: Option<Secret>,
    resume: usize,
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
        self.holds_name_part(key.as_bytes()) && self.names.is_sensitive(key.as_bytes())
    }

    pub(crate) fn is_exempt_key(&self, key: &str) -> bool {
        self.names.is_exempt(key.as_bytes())
    }

    /// Finds everything, sorted and without overlap.
    pub(crate) fn find(&self, text: &Text<'_>, matches: &mut Vec<Match>) {
        matches.clear();
        let mut pass = Pass { finder: self, text, matches, resume: Resume::default() };
        let seen = pass.scan();
        if seen.numbers {
            pass.digits();
        }
        pass.rare(seen);
        pass.marks();
        merge(matches);
    }
}

/// Where the rules that read ahead go on.
#[derive(Default)]
struct Resume {
    pair: usize,
    header: usize,
    cookie: usize,
    private_key: usize,
    jwt: usize,
    token: usize,
    address: usize,
}

/// One pass through one text.
struct Pass<'s, 't> {
    finder: &'s Finder,
    text: &'s Text<'t>,
    matches: &'s mut Vec<Match>,
    resume: Resume,
}

impl Pass<'_, '_> {
    /// Scans the text, applies the rules of literals in their order, and tells which other rules to call.
    fn scan(&mut self) -> Seen {
        let (finder, text) = (self.finder, self.text);
        let (mut seen, mut hits) = (Seen::default(), Vec::new());
        finder.literals.each_line(finder.shapes, text.bytes(), |line| {
            line.look_at_shapes(text, &mut seen);
            finder.literals.in_line(text.bytes(), line, |at, rule| hits.push((at, rule)));
            if hits.len() >= MANY_HITS {
                // A literal that is found later begins behind this.
                self.apply_before((line.start() + LINE).saturating_sub(finder.literals.longest()), &mut hits);
            }
        });
        self.apply_before(usize::MAX, &mut hits);
        seen
    }

    /// Applies the rules of the literals that begin before `end`, and forgets these.
    fn apply_before(&mut self, end: usize, hits: &mut Vec<(usize, Rule)>) {
        hits.sort_unstable();
        let settled = hits.partition_point(|(at, _)| *at < end);
        for (at, rule) in hits.drain(..settled) {
            self.apply(rule, at);
        }
    }

    fn apply(&mut self, rule: Rule, at: usize) {
        let text = self.text;
        match rule {
            Rule::Pair | Rule::Session => {
                let names = &self.finder.names;
                self.go_on(|resume| &mut resume.pair, at, || pair::examine(text, at, names));
            }
            Rule::Header => self.go_on(|resume| &mut resume.header, at, || header::examine(text, at)),
            Rule::Cookie => {
                let matches = &mut *self.matches;
                let on = self.finder.entities;
                let resume = &mut self.resume.cookie;
                if at < *resume {
                    return;
                }
                let examined = cookie::examine(text, at, |secret| push(matches, on, secret));
                *resume = examined.map_or(*resume, |examined| examined.resume);
            }
            Rule::PrivateKey => {
                self.go_on(|resume| &mut resume.private_key, at, || private_key::examine(text, at))
            }
            Rule::Jwt => self.go_on(|resume| &mut resume.jwt, at, || jwt::examine(text, at)),
            Rule::Token(form) => {
                let Some(form) = token::FORMS.get(form) else { return };
                self.go_on(|resume| &mut resume.token, at, || token::examine(text, at, form));
            }
            Rule::Sendgrid => self.push(token::examine_sendgrid(text, at)),
            Rule::Bearer => self.push(header::examine_bearer(text, at)),
            Rule::AwsId => self.push(aws::examine_id(text, at)),
            Rule::AwsName => self.push(aws::examine_name(text, at)),
            Rule::NamedSsn(name) => self.push(ssn::examine_named(text, at, name.as_bytes())),
            Rule::Key => {}
        }
    }

    /// Calls a rule that reads ahead, unless it has read past `at` already.
    fn go_on(
        &mut self,
        place: impl FnOnce(&mut Resume) -> &mut usize,
        at: usize,
        examine: impl FnOnce() -> Option<Examined>,
    ) {
        let resume = place(&mut self.resume);
        if at < *resume {
            return;
        }
        let Some(examined) = examine() else { return };
        *resume = examined.resume.max(at);
        self.push(examined.secret);
    }

    /// Calls the rules that are found by a single byte.
    fn marks(&mut self) {
        let (text, on) = (self.text, self.finder.entities);
        if memchr::memchr(b'@', text.bytes()).is_some() {
            for scheme_end in memmem::find_iter(text.bytes(), b"://") {
                self.push(url::examine(text, scheme_end));
            }
        }
        if on.contains(EntityType::Email) {
            for at in memchr::memchr_iter(b'@', text.bytes()) {
                self.push(email::examine(text, at));
            }
        }
        if on.contains(EntityType::IpAddress) {
            for colon in memchr::memchr_iter(b':', text.bytes()) {
                self.go_on(|resume| &mut resume.address, colon, || address::examine_v6(text, colon));
            }
        }
    }

    /// Calls the rules for shapes that few texts have.
    fn rare(&mut self, seen: Seen) {
        let text = self.text;
        if seen.dotted {
            for dot in memchr::memchr_iter(b'.', text.bytes()) {
                self.push(token::examine_discord(text, dot));
            }
        }
        if seen.keyed {
            // Not one of those that read ahead: it is of one length, and called behind all others.
            for at in memmem::find_iter(text.bytes(), token::TWILIO) {
                let examined = token::examine(text, at, &token::TWILIO_FORM);
                self.push(examined.and_then(|examined| examined.secret));
            }
        }
    }

    fn push(&mut self, secret: Option<Secret>) {
        if let Some(secret) = secret {
            push(self.matches, self.finder.entities, secret);
        }
    }
}

#[cfg(test)]
mod tests;
