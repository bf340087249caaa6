//! A word of a claim in whose place its passage has another one, while everything else agrees: "approved the plan" for
//! "discussed the plan".

use crate::align::Beside;
use crate::terms::Term;

/// Content words that a claim shares with its passage at least: fewer do not show that both are the same statement.
const SHARED: usize = 3;

/// Terms between the neighbours of the word, both included, so that the other word stands in its place.
const APART: usize = 6;

/// Places of the only content word of the claim that the passage lacks, and of the word in its place. Names and numbers
/// are compared by kind.
pub(crate) fn replaced(claim: &[Term], passage: &[Term], beside: &Beside) -> Option<(usize, usize)> {
    let content = |terms: &[Term]| {
        terms.iter().enumerate().filter(|(_, term)| term.content).map(|(place, _)| place).collect()
    };
    let claimed: Vec<usize> = content(claim);
    let found = |place: &usize| beside.places.get(*place).copied().flatten();
    let mut missing = claimed.iter().enumerate().filter(|(_, place)| found(place).is_none());
    let (rank, place) = missing.next()?;
    let term = claim.get(*place).filter(|term| !term.name && term.value.is_none())?;
    if missing.next().is_some() || claimed.len() <= SHARED {
        return None;
    }
    let neighbour = |rank: Option<usize>| claimed.get(rank?).and_then(found);
    let before = neighbour(rank.checked_sub(1));
    let after = neighbour(rank.checked_add(1));
    let (first, last) = match (before, after) {
        (Some(one), Some(other)) => (one.min(other), one.max(other)),
        (Some(one), None) => (one, one.saturating_add(APART / 2)),
        (None, Some(other)) => (other.saturating_sub(APART / 2), other),
        (None, None) => return None,
    };
    if last - first > APART {
        return None;
    }
    let is_claimed = |term: &Term| {
        let same =
            |other: &Term| other.feature == term.feature || (other.root != 0 && other.root == term.root);
        claim.iter().any(same)
    };
    let between = passage.iter().enumerate().skip(first).take(last - first + 1);
    let other = between
        .into_iter()
        .find(|(_, other)| other.content && !other.name && other.value.is_none() && !is_claimed(other));
    let (stated, other) = other?;
    (term.participle == other.participle).then_some((*place, stated))
}
