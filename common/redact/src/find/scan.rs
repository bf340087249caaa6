//! The scan: vectors that go over every byte and report candidates. A candidate is then
//! checked by the rules, in [`super`]. A single text is scanned for them to begin with; a payload of many
//! texts is scanned at once, to learn which of them are worth it.

mod buckets;
mod candidates;
mod fingerprints;
mod lines;
mod literals;
mod shapes;

pub use candidates::Candidates;
pub(super) use lines::{LINE, Line};
pub(super) use literals::{Literals, Rule};
pub(super) use shapes::{Search as ShapeSearch, Seen};

use super::text::Text;
use super::{
    Finder, argument, aws, chpasswd, code, command, cookie, hash, header, jwt, pair, private_key, shaped,
    sql, ssn, token, url, windows,
};
use crate::entity::EntityType;

impl Finder {
    /// Names the places of `payload` that may hold a match or a sensitive key.
    pub(crate) fn candidates(&self, payload: &Text<'_>, candidates: &mut Candidates) {
        candidates.clear(payload.len());
        self.literals.each_line(self.shapes, payload.bytes(), |line| {
            let mut seen = Seen::default();
            line.look_at_shapes(payload, &mut seen);
            candidates.add_text_line(line.number, seen.anything());
            if line.fingerprints() != 0 {
                self.candidates_of_literals(payload, line, candidates);
            }
            if line.ats() != 0 {
                self.candidates_of_ats(payload, line, candidates);
            }
        });
        if self.entities.contains(EntityType::IpAddress) {
            memchr::memchr_iter(b':', payload.bytes()).for_each(|colon| candidates.add_text(colon));
        }
    }

    /// Names the places in a line that a literal announces.
    #[inline]
    fn candidates_of_literals(&self, payload: &Text<'_>, line: Line<'_>, candidates: &mut Candidates) {
        self.literals.in_line(payload, line, |at, rule| {
            if rule.may_be_sensitive() {
                candidates.add_name(at);
            }
            if rule.is_on(self.entities) && may_match(payload, at, rule) {
                candidates.add_text(at);
            }
        });
    }

    /// Names the places in a line that an `@` announces.
    fn candidates_of_ats(&self, payload: &Text<'_>, line: Line<'_>, candidates: &mut Candidates) {
        let every_at = self.entities.contains(EntityType::Email);
        if every_at || self.entities.contains(EntityType::Password) {
            places(line.ats(), line.start())
                .filter(|at| every_at || url::may_end_password(payload, *at))
                .for_each(|at| candidates.add_text(at));
        }
    }

    /// Content of a key.
    pub(super) fn holds_in_key(&self, key: &[u8]) -> InKey {
        let (mut held, text) = (InKey::default(), Text::new(key));
        self.literals.each_line(self.shapes, key, |line| {
            self.literals.in_line(&text, line, |_, rule| match rule {
                Rule::Disguise => held.disguise = true,
                _ => held.name_part |= rule.may_be_sensitive(),
            });
        });
        held
    }
}

/// Result for a key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InKey {
    /// A part that all sensitive names have.
    pub(super) name_part: bool,
    /// A disguise of [`super::fold`].
    pub(super) disguise: bool,
}

/// The places of a set whose first bit stands for the byte at `line`.
#[inline]
fn places(mut set: u64, line: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| line + set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// Whether the rule for the literal at `at` may find something, as far as can be told from bytes that a
/// match must hold: where the text around it begins and ends is not known.
fn may_match(payload: &Text<'_>, at: usize, rule: Rule) -> bool {
    match rule {
        Rule::Pair | Rule::Session => pair::may_follow(payload, at),
        Rule::Header => header::may_begin(payload, at),
        Rule::Cookie => cookie::may_begin(payload, at),
        Rule::Bearer => header::may_be_bearer(payload, at),
        Rule::PrivateKey => private_key::may_begin(payload, at),
        Rule::Jwt => jwt::may_begin(payload, at),
        Rule::Token(form) => token::FORMS.get(form).is_some_and(|form| token::may_begin(payload, at, form)),
        Rule::Sendgrid => payload.at(at + 25) == b'.',
        Rule::AwsId => aws::may_be_id(payload, at),
        Rule::AwsName => aws::may_be_name(payload, at),
        Rule::NamedSsn(name) => ssn::may_be_named(payload, at, name.as_bytes()),
        Rule::Key => false,
        Rule::Disguise | Rule::CodeKey => true,
        Rule::Command(program) => command::may_begin(payload, at, program),
        Rule::Net => windows::may_be_net(payload, at),
        Rule::SecureString => argument::may_follow(payload, at + b"convertto-securestring".len()),
        Rule::Chpasswd => chpasswd::may_begin(payload, at),
        Rule::Identified => sql::may_be_identified(payload, at),
        Rule::Hash(length) => hash::may_begin(payload, at, length),
        Rule::Code => code::may_begin(payload, at),
        Rule::Registry => pair::may_follow(payload, at),
        Rule::Twilio => token::may_begin(payload, at, &token::TWILIO_FORM),
        Rule::Azure => shaped::may_be_azure(payload, at),
        Rule::Square => shaped::may_be_square(payload, at),
        Rule::Putty => private_key::may_be_putty(payload, at),
    }
}
