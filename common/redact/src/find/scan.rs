//! The scan: vectors that go over every byte and say where a rule may find something. What is there is then
//! decided by the rules, in [`super`]. A single text is scanned for them to begin with; a payload of many
//! texts is scanned at once, to learn which of them are worth it.

mod candidates;
mod classes;
mod literals;
mod shapes;

pub use candidates::Candidates;
pub(super) use literals::{Literals, Rule};
pub(super) use shapes::{Search as ShapeSearch, Seen};

use super::text::Text;
use super::{Finder, aws, header, jwt, pair, private_key, ssn, token, url};
use crate::entity::EntityType;

/// How many bytes are lowered and searched at a time: they stay in the first-level cache.
pub(super) const BLOCK: usize = 8 * 1024;
/// The room behind a block for a literal that begins in it.
pub(super) const OVERLAP: usize = 64;
/// Zeros behind what is searched: the vectors need this much to look at, else every byte is looked at alone.
const PADDING: usize = 64;

impl Finder {
    /// Names the places of `payload` that may hold a match or a sensitive key.
    pub(crate) fn candidates(&self, payload: &Text<'_>, candidates: &mut Candidates) {
        candidates.clear(payload.len());
        self.shapes.each_line(payload, |line, seen| candidates.add_text_line(line, seen.anything()));
        self.each_mark(payload, |at| candidates.add_text(at));
        let mut lowered = std::mem::take(&mut candidates.lowered);
        self.each_literal(payload.bytes(), &mut lowered, |at, rule| {
            if rule.may_be_sensitive() {
                candidates.add_name(at);
            }
            if rule.is_on(self.entities) && may_match(payload, at, rule) {
                candidates.add_text(at);
            }
        });
        candidates.lowered = lowered;
    }

    /// Calls `hit` for each byte that may announce something by itself: an `@` in the authority of a URL or in
    /// an e-mail address, a `:` in an IPv6 address.
    #[inline]
    pub(super) fn each_mark(&self, text: &Text<'_>, mut hit: impl FnMut(usize)) {
        let on = self.entities;
        if on.contains_any(&[EntityType::Password, EntityType::Email]) {
            let every_at = on.contains(EntityType::Email);
            memchr::memchr_iter(b'@', text.bytes())
                .filter(|at| every_at || url::may_end_password(text, *at))
                .for_each(&mut hit);
        }
        if on.contains(EntityType::IpAddress) {
            memchr::memchr_iter(b':', text.bytes()).for_each(hit);
        }
    }

    /// Whether a key holds a part that all sensitive names have.
    pub(super) fn holds_name_part(&self, key: &[u8]) -> bool {
        let mut found = false;
        self.each_literal(key, &mut Vec::new(), |_, rule| found |= rule.may_be_sensitive());
        found
    }

    /// Calls `hit` for each literal, those of the same rule in order, block by block. `lowered` is room to
    /// work in.
    #[inline]
    pub(super) fn each_literal(&self, bytes: &[u8], lowered: &mut Vec<u8>, mut hit: impl FnMut(usize, Rule)) {
        for start in (0..bytes.len()).step_by(BLOCK) {
            let block = lower(bytes, start, lowered);
            self.literals.search(block, BLOCK, |at, rule| hit(start + at, rule));
        }
    }
}

/// The block that begins at `start`, with what it may need behind it, in lower case.
pub(super) fn lower<'l>(bytes: &[u8], start: usize, lowered: &'l mut Vec<u8>) -> &'l [u8] {
    let rest = bytes.get(start..).unwrap_or_default();
    let block = rest.get(..BLOCK + OVERLAP).unwrap_or(rest);
    lowered.clear();
    lowered.reserve(block.len() + PADDING);
    lowered.extend_from_slice(block);
    lowered.make_ascii_lowercase();
    lowered.extend_from_slice(&[0; PADDING]);
    lowered
}

/// Whether the rule for the literal at `at` may find something, as far as can be told from bytes that a
/// match must hold: where the text around it begins and ends is not known.
fn may_match(payload: &Text<'_>, at: usize, rule: Rule) -> bool {
    match rule {
        Rule::Pair => pair::may_follow(payload, at),
        Rule::Header => pair::may_be_header(payload, at, b"authorization"),
        Rule::Cookie => pair::may_be_header(payload, at, b"cookie"),
        Rule::Bearer => header::may_be_bearer(payload, at),
        Rule::PrivateKey => private_key::may_begin(payload, at),
        Rule::Jwt => jwt::may_begin(payload, at),
        Rule::Token(form) => token::FORMS.get(form).is_some_and(|form| token::may_begin(payload, at, form)),
        Rule::Sendgrid => payload.at(at + 25) == b'.',
        Rule::AwsId => aws::may_be_id(payload, at),
        Rule::AwsName => aws::may_be_name(payload, at),
        Rule::NamedSsn(name) => ssn::may_be_named(payload, at, name.as_bytes()),
        Rule::Key => false,
    }
}
