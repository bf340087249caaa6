//! One word of a range to comparators: `1.x`, `>=1.2`, `~1.2.3`, `^0.1`.

use std::cmp::Ordering;

use super::MAX_NUMBER;
use crate::precedence::{Triple, is_number, is_prerelease};

/// A bound that a version must meet.
#[derive(Clone, Debug)]
pub(super) enum Comparator {
    /// Every version.
    Any,
    /// Those in an order to another one.
    Bound(Operator, Triple),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparator {
    pub(super) fn admits(&self, version: &Triple) -> bool {
        let Self::Bound(operator, bound) = self else { return true };
        let order = version.compare(bound);
        match operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
        }
    }

    /// Whether the bound is a pre-release of the release of a version, so that the range names its pre-releases.
    pub(super) fn names_prereleases_of(&self, version: &Triple) -> bool {
        matches!(self, Self::Bound(_, bound) if bound.is_prerelease() && bound.release == version.release)
    }

    pub(super) fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }
}

/// A version of which parts may be missing or wild cards.
#[derive(Debug)]
pub(super) struct Partial<'a> {
    /// `v` and `=` before it.
    prefix: &'a str,
    parts: [Component; 3],
    prerelease: &'a str,
    /// A number follows a wild card, as in `x.1`.
    disordered: bool,
}

/// A number of a [`Partial`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Wild,
    Number(u64),
    /// Beyond [`MAX_NUMBER`]: an error where it matters.
    Huge,
}

impl<'a> Partial<'a> {
    /// Reads `[v=]*N[.N[.N[-prerelease]]]`; `None` for anything else.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let begin = text.trim_start_matches(['v', '=']);
        let prefix = &text[..text.len() - begin.len()];
        let (release, prerelease) = begin.split_once('-').map_or((begin, None), |(a, b)| (a, Some(b)));
        let mut words = release.split('.');
        let found = [words.next(), words.next(), words.next()];
        if words.next().is_some() || prerelease.is_some_and(|text| found[2].is_none() || !is_prerelease(text))
        {
            return None;
        }
        let mut parts = [Component::Wild; 3];
        for (part, word) in parts.iter_mut().zip(found) {
            *part = component(word)?;
        }
        let wild = |at: usize| parts[at] == Component::Wild;
        let disordered = (wild(0) && !wild(1)) || (wild(1) && !wild(2));
        Some(Self { prefix, parts, prerelease: prerelease.unwrap_or_default(), disordered })
    }

    fn wilds(&self) -> Wilds {
        match self.parts {
            [Component::Wild, ..] => Wilds::All,
            [_, Component::Wild, _] => Wilds::Minor,
            [_, _, Component::Wild] => Wilds::Patch,
            _ => Wilds::None,
        }
    }

    /// The numbers up to a place, zeros after it; the last of them raised by `raise`.
    fn release(&self, until: usize, raise: u64) -> Option<[u64; 3]> {
        let mut release = [0; 3];
        for (at, number) in release.iter_mut().enumerate().take(until + 1) {
            let Component::Number(found) = self.parts[at] else { return None };
            *number = found;
        }
        release[until] += raise;
        (release[until] <= MAX_NUMBER).then_some(release)
    }

    /// The lowest version of the partial one.
    fn lower(&self) -> Option<Comparator> {
        let until = match self.wilds() {
            Wilds::All => return Some(Comparator::Any),
            Wilds::Minor => 0,
            Wilds::Patch => 1,
            Wilds::None => 2,
        };
        let prerelease = if until == 2 { self.prerelease } else { "" };
        Some(at_least(self.release(until, 0)?, prerelease))
    }

    /// Everything below the next value of a place, its pre-releases excluded.
    fn below_next(&self, place: usize) -> Option<Comparator> {
        Some(below(self.release(place, 1)?))
    }
}

/// The first wild card of a [`Partial`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wilds {
    All,
    Minor,
    Patch,
    None,
}

fn component(word: Option<&str>) -> Option<Component> {
    match word {
        None | Some("x" | "X" | "*") => Some(Component::Wild),
        Some(word) if is_number(word) => Some(
            word.parse()
                .ok()
                .filter(|number| *number <= MAX_NUMBER)
                .map_or(Component::Huge, Component::Number),
        ),
        Some(_) => None,
    }
}

/// `>=0.0.0` is the same as no bound.
fn at_least(release: [u64; 3], prerelease: &str) -> Comparator {
    if release == [0; 3] && prerelease.is_empty() {
        return Comparator::Any;
    }
    bound(Operator::GreaterOrEqual, release, prerelease)
}

/// Below a release and its pre-releases.
fn below(release: [u64; 3]) -> Comparator {
    bound(Operator::Less, release, "0")
}

fn bound(operator: Operator, release: [u64; 3], prerelease: &str) -> Comparator {
    Comparator::Bound(operator, Triple { release, prerelease: prerelease.into() })
}

/// `A - B`.
pub(super) fn hyphen(from: &Partial<'_>, to: &Partial<'_>) -> Option<Vec<Comparator>> {
    // A full lower bound is read again with its operator, so that only `v` may precede it; likewise a full upper bound
    // without a pre-release.
    let is_plain = |side: &Partial<'_>| side.wilds() != Wilds::None || matches!(side.prefix, "" | "v");
    if !is_plain(from) || (!is_plain(to) && to.prerelease.is_empty()) {
        return None;
    }
    let lower = match from.wilds() {
        Wilds::None if from.prefix == "v" => {
            bound(Operator::GreaterOrEqual, from.release(2, 0)?, from.prerelease)
        }
        _ => from.lower()?,
    };
    let upper = match to.wilds() {
        Wilds::All => Comparator::Any,
        Wilds::Minor => to.below_next(0)?,
        Wilds::Patch => to.below_next(1)?,
        Wilds::None => bound(Operator::LessOrEqual, to.release(2, 0)?, to.prerelease),
    };
    Some(vec![lower, upper])
}

/// A word without white space to comparators that must all be met; `None` if it is none.
pub(super) fn comparators(word: &str) -> Option<Vec<Comparator>> {
    if word.is_empty() {
        return Some(vec![Comparator::Any]);
    }
    if let Some(rest) = word.strip_prefix('~') {
        return tilde(&Partial::parse(rest.strip_prefix('>').unwrap_or(rest))?);
    }
    if let Some(rest) = word.strip_prefix('^') {
        return caret(&Partial::parse(rest)?);
    }
    let (operator, rest) = operator(word);
    primitive(operator, &Partial::parse(rest)?)
}

/// The operator before a version, if any.
fn operator(word: &str) -> (Option<Operator>, &str) {
    let operators = [
        (">=", Operator::GreaterOrEqual),
        ("<=", Operator::LessOrEqual),
        (">", Operator::Greater),
        ("<", Operator::Less),
        ("=", Operator::Equal),
    ];
    let found = operators.iter().find_map(|(text, operator)| Some((*operator, word.strip_prefix(text)?)));
    found.map_or((None, word), |(operator, rest)| (Some(operator), rest))
}

fn tilde(partial: &Partial<'_>) -> Option<Vec<Comparator>> {
    Some(match partial.wilds() {
        Wilds::All => vec![Comparator::Any],
        Wilds::Minor => vec![partial.lower()?, partial.below_next(0)?],
        Wilds::Patch | Wilds::None => vec![partial.lower()?, partial.below_next(1)?],
    })
}

fn caret(partial: &Partial<'_>) -> Option<Vec<Comparator>> {
    let zero = |at: usize| partial.parts[at] == Component::Number(0);
    let place = match partial.wilds() {
        Wilds::All => return Some(vec![Comparator::Any]),
        Wilds::Minor => 0,
        _ if !zero(0) => 0,
        Wilds::None if zero(1) => 2,
        Wilds::Patch | Wilds::None => 1,
    };
    Some(vec![partial.lower()?, partial.below_next(place)?])
}

fn primitive(operator: Option<Operator>, partial: &Partial<'_>) -> Option<Vec<Comparator>> {
    if partial.disordered {
        return None;
    }
    let wilds = partial.wilds();
    if wilds == Wilds::None {
        if !matches!(partial.prefix, "" | "v") {
            return None;
        }
        let release = partial.release(2, 0)?;
        return Some(vec![match operator {
            Some(Operator::GreaterOrEqual) if partial.prefix.is_empty() => {
                at_least(release, partial.prerelease)
            }
            operator => bound(operator.unwrap_or(Operator::Equal), release, partial.prerelease),
        }]);
    }
    let place = match wilds {
        Wilds::All => {
            let nothing = matches!(operator, Some(Operator::Less | Operator::Greater));
            return Some(vec![if nothing { below([0; 3]) } else { Comparator::Any }]);
        }
        Wilds::Minor => 0,
        Wilds::Patch | Wilds::None => 1,
    };
    Some(match operator {
        None | Some(Operator::Equal) => vec![partial.lower()?, partial.below_next(place)?],
        Some(Operator::GreaterOrEqual) => vec![partial.lower()?],
        Some(Operator::Greater) => vec![at_least(partial.release(place, 1)?, "")],
        Some(Operator::LessOrEqual) => vec![partial.below_next(place)?],
        Some(Operator::Less) => vec![below(partial.release(place, 0)?)],
    })
}
