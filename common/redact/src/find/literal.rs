//! The literals that can announce a secret, and the vectorised search for them. What a hit means is decided
//! by the rule that it calls, in [`super`].

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input};

use super::name::Names;
use super::{jwt, token};
use crate::entity::{EntitySet, EntityType};
use crate::policy::PolicyError;

/// A rule that is called where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    Pair,
    Header,
    Bearer,
    Cookie,
    Url,
    PrivateKey,
    Jwt,
    /// A form of [`token::FORMS`], by its index.
    Token(usize),
    Sendgrid,
    AwsId,
    AwsName,
    /// Behind the name as long as this.
    NamedSsn(&'static str),
}

impl Rule {
    /// The types that the rule can yield: it is left out where none of them is on.
    fn entities(self) -> &'static [EntityType] {
        match self {
            Self::Pair => &super::pair::ENTITIES,
            Self::Header | Self::Bearer => &[EntityType::Authorization],
            Self::Cookie => &[EntityType::Cookie],
            Self::Url => &[EntityType::Password],
            Self::PrivateKey => &[EntityType::PrivateKey],
            Self::Jwt => &[EntityType::Jwt],
            Self::Token(_) | Self::Sendgrid | Self::AwsId | Self::AwsName => &[EntityType::ApiKey],
            Self::NamedSsn(_) => &[EntityType::Ssn],
        }
    }
}

/// A part of each sensitive name of [`super::name`], so that none is overlooked.
pub(super) const NAME_PARTS: [&str; 25] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "sess",
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

/// Literals of the rules that are neither names nor tokens, in lower case.
const OTHERS: [(&str, Rule); 13] = [
    ("authorization", Rule::Header),
    ("bearer ", Rule::Bearer),
    ("cookie", Rule::Cookie),
    ("://", Rule::Url),
    ("-begin ", Rule::PrivateKey),
    ("sg.", Rule::Sendgrid),
    ("akia", Rule::AwsId),
    ("asia", Rule::AwsId),
    ("secret", Rule::AwsName),
    ("ssn", Rule::NamedSsn("ssn")),
    ("social security", Rule::NamedSsn("social security")),
    ("social_security", Rule::NamedSsn("social_security")),
    ("social-security", Rule::NamedSsn("social-security")),
];

/// Literals shorter than this are searched apart: the vectorised search takes as many bytes for its first
/// look as the shortest literal has, and one short literal would spoil it for all.
const LONG: usize = 4;

/// The shortest literal that is searched at all.
const SHORT: usize = 3;

/// All literals that are on, in one search for the long ones and one for the short ones.
pub(super) struct Literals {
    groups: Vec<Group>,
    longest: usize,
}

impl Literals {
    pub(super) fn new(names: &Names, entities: EntitySet) -> Result<Self, PolicyError> {
        let mut rules: BTreeMap<Vec<u8>, Vec<Rule>> = BTreeMap::new();
        for (literal, rule) in all(names) {
            if entities.contains_any(rule.entities()) {
                rules.entry(literal).or_default().push(rule);
            }
        }
        inherit_from_prefixes(&mut rules);
        let longest = rules.keys().map(Vec::len).max().unwrap_or(0);
        let (long, short): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(|(literal, _)| literal.len() >= LONG);
        let groups = [long, short].into_iter().filter(|group| !group.is_empty()).map(Group::new);
        Ok(Self { groups: groups.collect::<Result<_, _>>()?, longest })
    }

    /// The length of the longest literal.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Calls `hit` for every literal in `block`, which is in lower case, that begins before `end`; in order.
    pub(super) fn search(&self, block: &[u8], end: usize, mut hit: impl FnMut(usize, &[Rule])) {
        let mut next: Vec<Option<Hit>> = self.groups.iter().map(|group| group.next(block, 0, end)).collect();
        loop {
            let earliest =
                next.iter().enumerate().filter_map(|(group, hit)| hit.map(|hit| (hit.at, group, hit)));
            let Some((at, group, found)) = earliest.min_by_key(|(at, group, _)| (*at, *group)) else {
                return;
            };
            let searched = &self.groups[group];
            hit(at, &searched.rules[found.literal]);
            next[group] = searched.next(block, at + 1, end);
        }
    }
}

fn all(names: &Names) -> impl Iterator<Item = (Vec<u8>, Rule)> {
    let parts = NAME_PARTS.iter().map(|part| (part.as_bytes().to_vec(), Rule::Pair));
    let additional = names.additional().iter().map(|name| (name.clone(), Rule::Pair));
    let forms = token::FORMS
        .iter()
        .enumerate()
        .flat_map(|(index, form)| beginnings(form.prefix).map(move |literal| (literal, Rule::Token(index))));
    let jwts =
        jwt::BEGINNINGS.iter().map(|beginning| (beginning.to_ascii_lowercase().into_bytes(), Rule::Jwt));
    let others = OTHERS.iter().map(|(literal, rule)| (literal.as_bytes().to_vec(), *rule));
    parts.chain(additional).chain(forms).chain(jwts).chain(others)
}

/// A prefix in lower case; one of two bytes, which would be everywhere, with each hexadecimal digit that a
/// body may begin with.
fn beginnings(prefix: &str) -> impl Iterator<Item = Vec<u8>> {
    let continued: &[u8] = if prefix.len() < SHORT { b"0123456789abcdef" } else { b"" };
    let whole = continued.is_empty().then(|| prefix.to_ascii_lowercase().into_bytes());
    let longer = continued.iter().map(move |digit| {
        let mut literal = prefix.to_ascii_lowercase().into_bytes();
        literal.push(*digit);
        literal
    });
    whole.into_iter().chain(longer)
}

/// The search reports the longest literal at a place; the rules of its prefixes hold there, too.
fn inherit_from_prefixes(rules: &mut BTreeMap<Vec<u8>, Vec<Rule>>) {
    let own = rules.clone();
    for (literal, called) in rules.iter_mut() {
        let inherited = (1..literal.len()).filter_map(|length| own.get(literal.get(..length)?)).flatten();
        called.extend(inherited.copied());
        called.sort_unstable();
        called.dedup();
    }
}

#[derive(Clone, Copy)]
struct Hit {
    at: usize,
    literal: usize,
}

/// Literals that are searched together.
struct Group {
    search: Search,
    rules: Vec<Vec<Rule>>,
}

impl Group {
    fn new(literals: Vec<(Vec<u8>, Vec<Rule>)>) -> Result<Self, PolicyError> {
        let (literals, rules): (Vec<_>, Vec<_>) = literals.into_iter().unzip();
        Ok(Self { search: Search::new(&literals)?, rules })
    }

    /// The next literal that begins at `from` or later and before `end`.
    fn next(&self, block: &[u8], from: usize, end: usize) -> Option<Hit> {
        if from >= end {
            return None;
        }
        self.search.next(block, from..block.len()).filter(|hit| hit.at < end)
    }
}

/// The vectorised search where the processor has it, an automaton elsewhere or where the literals are too
/// many for it.
enum Search {
    Vectorised(Box<Searcher>),
    Automaton(AhoCorasick),
}

impl Search {
    fn new(literals: &[Vec<u8>]) -> Result<Self, PolicyError> {
        let mut config = Config::new();
        config.match_kind(MatchKind::LeftmostLongest).heuristic_pattern_limits(false);
        if let Some(searcher) = config.builder().extend(literals).build() {
            return Ok(Self::Vectorised(Box::new(searcher)));
        }
        AhoCorasick::builder()
            .match_kind(aho_corasick::MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(literals)
            .map(Self::Automaton)
            .map_err(|cause| PolicyError::Literals { literals: literals.len(), cause: cause.to_string() })
    }

    fn next(&self, block: &[u8], span: Range<usize>) -> Option<Hit> {
        match self {
            Self::Vectorised(searcher) => searcher
                .find_in(block, span.into())
                .map(|found| Hit { at: found.start(), literal: found.pattern().as_usize() }),
            Self::Automaton(automaton) => automaton
                .find(Input::new(block).span(span))
                .map(|found| Hit { at: found.start(), literal: found.pattern().as_usize() }),
        }
    }
}
