//! The literals that can announce a secret, and the vectorised search for them. What a hit means is decided
//! by the rule that it calls, in [`super::super`].
//!
//! The search looks for a *witness* in each literal: the literal itself, or a part that it shares with
//! others, so that there are few enough for the vectors. A witness that is found is compared with the
//! literals that it stands for.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input};
use memchr::memmem;

use crate::entity::{EntitySet, EntityType};
use crate::find::name::Names;
use crate::find::{jwt, pair, token};
use crate::policy::PolicyError;

/// A rule that is called where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::find) enum Rule {
    Pair,
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
    /// Nothing to find in a text, but a key with it may be sensitive.
    Key,
}

impl Rule {
    /// The types that the rule can yield: it is left out where none of them is on.
    fn entities(self) -> &'static [EntityType] {
        match self {
            Self::Pair => &pair::ENTITIES,
            Self::Header | Self::Bearer => &[EntityType::Authorization],
            Self::Cookie => &[EntityType::Cookie],
            Self::PrivateKey => &[EntityType::PrivateKey],
            Self::Jwt => &[EntityType::Jwt],
            Self::Token(_) | Self::Sendgrid | Self::AwsId | Self::AwsName => &[EntityType::ApiKey],
            Self::NamedSsn(_) => &[EntityType::Ssn],
            Self::Key => &[],
        }
    }

    /// Whether a key that holds the literal may be sensitive: that does not depend on the types.
    pub(in crate::find) fn may_be_sensitive(self) -> bool {
        matches!(self, Self::Pair | Self::Header | Self::Cookie | Self::Key)
    }

    /// Whether the rule yields anything of these types.
    pub(in crate::find) fn is_on(self, entities: EntitySet) -> bool {
        entities.contains_any(self.entities())
    }
}

/// A part of each sensitive name of [`super::super::name`] as it is written in text.
const NAME_PARTS: [&str; 25] = [
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

/// What else is part of a sensitive key, as `auth.key` and `cvv` are, which text is not searched for.
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
const OTHERS: [(&str, Rule); 12] = [
    ("authorization", Rule::Header),
    ("bearer ", Rule::Bearer),
    ("cookie", Rule::Cookie),
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

/// Parts that literals share and that are rare in logs: each takes the place of all literals that hold it.
const WITNESSES: [&str; 15] = [
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
    "slack.com/",
    "/api/webhooks/",
];

/// Witnesses shorter than this are searched apart: the vectorised search takes as many bytes for its first
/// look as the shortest one has, and one short one would spoil it for all.
const LONG: usize = 4;

/// All literals that are on, in one search for the long witnesses and one for the short ones.
pub(in crate::find) struct Literals {
    groups: Vec<Group>,
    longest: usize,
}

impl Literals {
    pub(in crate::find) fn new(names: &Names, entities: EntitySet) -> Result<Self, PolicyError> {
        let mut witnesses: BTreeMap<Vec<u8>, Vec<Call>> = BTreeMap::new();
        let mut longest = 0;
        for (literal, rule) in all(names) {
            if rule.is_on(entities) || rule.may_be_sensitive() {
                longest = longest.max(literal.len());
                let (offset, witness) = witness(&literal);
                witnesses.entry(witness).or_default().push(Call { literal, offset, rule });
            }
        }
        inherit_from_prefixes(&mut witnesses);
        let (long, short): (Vec<_>, Vec<_>) =
            witnesses.into_iter().partition(|(witness, _)| witness.len() >= LONG);
        let groups = [long, short].into_iter().filter(|group| !group.is_empty()).map(Group::new);
        Ok(Self { groups: groups.collect::<Result<_, _>>()?, longest })
    }

    /// The length of the longest literal.
    pub(in crate::find) fn longest(&self) -> usize {
        self.longest
    }

    /// Calls `hit` for every literal in `block`, which is in lower case, that begins before `end`; each
    /// literal's in order.
    pub(in crate::find) fn search(&self, block: &[u8], end: usize, mut hit: impl FnMut(usize, Rule)) {
        for group in &self.groups {
            let mut from = 0;
            while let Some(found) = group.search.next(block, from..block.len()) {
                from = found.at + 1;
                let calls = group.calls.get(found.witness).into_iter().flatten();
                let starts = calls.filter_map(|call| Some((call.start(block, found.at)?, call.rule)));
                starts.filter(|(start, _)| *start < end).for_each(|(start, rule)| hit(start, rule));
            }
        }
    }
}

/// A literal and the rule to call where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    literal: Vec<u8>,
    /// Where in the literal its witness begins.
    offset: usize,
    rule: Rule,
}

impl Call {
    /// Where the literal begins whose witness stands at `witness`, if it is there as a whole.
    #[inline]
    fn start(&self, block: &[u8], witness: usize) -> Option<usize> {
        let start = witness.checked_sub(self.offset)?;
        block.get(start..)?.starts_with(&self.literal).then_some(start)
    }
}

/// The witness of a literal, and where it begins in it.
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
    parts.chain(keys).chain(additional).chain(forms).chain(jwts).chain(others)
}

/// The search reports the longest witness at a place; what its prefixes stand for may be there, too.
fn inherit_from_prefixes(witnesses: &mut BTreeMap<Vec<u8>, Vec<Call>>) {
    let own = witnesses.clone();
    for (witness, calls) in witnesses.iter_mut() {
        let inherited = (1..witness.len()).filter_map(|length| own.get(witness.get(..length)?)).flatten();
        calls.extend(inherited.cloned());
        calls.sort_unstable();
        calls.dedup();
    }
}

/// The order that makes the first look of the vectorised search sharpest. It deals the witnesses out to its
/// buckets in turn, and looks at the nybbles of a whole bucket at once: so those that begin alike should
/// share one. Nothing but speed depends on it.
fn like_together<T>(sorted: Vec<T>) -> Vec<T> {
    let buckets = if sorted.len() > 32 { 16 } else { 8 };
    let count = sorted.len();
    let mut dealt: Vec<(usize, usize, T)> = Vec::with_capacity(count);
    for (index, witness) in sorted.into_iter().enumerate() {
        let bucket = index * buckets / count;
        let earlier = dealt.iter().filter(|(_, other, _)| *other == bucket).count();
        dealt.push((earlier, bucket, witness));
    }
    dealt.sort_by_key(|(turn, bucket, _)| (*turn, *bucket));
    dealt.into_iter().map(|(.., witness)| witness).collect()
}

#[derive(Clone, Copy)]
struct Hit {
    at: usize,
    witness: usize,
}

/// Witnesses that are searched together, and what each stands for.
struct Group {
    search: Search,
    calls: Vec<Vec<Call>>,
}

impl Group {
    fn new(sorted: Vec<(Vec<u8>, Vec<Call>)>) -> Result<Self, PolicyError> {
        let (witnesses, calls): (Vec<_>, Vec<_>) = like_together(sorted).into_iter().unzip();
        Ok(Self { search: Search::new(&witnesses)?, calls })
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
                .map(|found| Hit { at: found.start(), witness: found.pattern().as_usize() }),
            Self::Automaton(automaton) => automaton
                .find(Input::new(block).span(span))
                .map(|found| Hit { at: found.start(), witness: found.pattern().as_usize() }),
        }
    }
}
