//! The order of the words that a claim and a passage share: sequences that both have, and words that changed sides.

use crate::align::Beside;
use crate::lexicon::Lexicon;
use crate::terms::Term;

/// Sequences that a claim and a passage share, in shares of the claim.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Runs {
    /// Neighbours in the claim that are neighbours in the passage.
    pub(crate) neighbours: f32,
    /// The longest sequence of neighbours.
    pub(crate) longest: f32,
    /// The longest common subsequence of content words.
    pub(crate) subsequence: f32,
}

/// Compares sequences. The time is the product of the lengths, which are both bounded.
pub(crate) fn runs(claim: &[Term], passage: &[Term]) -> Runs {
    let mut row = vec![0_usize; passage.len() + 1];
    let (mut longest, mut neighbours) = (0, 0);
    for term in claim {
        let mut diagonal = 0;
        let mut extended = false;
        for (other, cell) in passage.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            *cell = if other.feature == term.feature { diagonal + 1 } else { 0 };
            extended |= *cell > 1;
            longest = longest.max(*cell);
            diagonal = above;
        }
        neighbours += usize::from(extended);
    }
    let size = claim.len().max(1) as f32;
    let content = claim.iter().filter(|term| term.content).count().max(1) as f32;
    Runs {
        neighbours: neighbours as f32 / (size - 1.0).max(1.0),
        longest: longest as f32 / size,
        subsequence: subsequence(claim, passage) as f32 / content,
    }
}

fn subsequence(claim: &[Term], passage: &[Term]) -> usize {
    let stated: Vec<u64> = passage.iter().filter(|term| term.content).map(|term| term.feature).collect();
    let mut row = vec![0_usize; stated.len() + 1];
    for term in claim.iter().filter(|term| term.content) {
        let (mut diagonal, mut left) = (0, 0);
        for (feature, cell) in stated.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            *cell = if *feature == term.feature { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *cell);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Words that changed sides between a claim and a passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Swaps {
    /// Places in the claim of words whose sides are exchanged in the passage.
    pub(crate) around: Vec<usize>,
    /// Places in the claim of words whose neighbour is another shared word in the passage.
    pub(crate) bound: Vec<usize>,
    /// Parts of the claim that are in the order of the passage, each as long as possible. A phrase that moved to the
    /// beginning makes two, an exchange of two words around a third makes three.
    pub(crate) parts: usize,
}

/// Finds words that changed sides.
pub(crate) fn swaps(claim: &[Term], passage: &[Term], beside: &Beside, lexicon: &Lexicon) -> Swaps {
    let matched: Vec<(usize, usize)> =
        beside.places.iter().enumerate().filter_map(|(place, other)| Some((place, (*other)?))).collect();
    let content: Vec<(usize, usize)> = matched
        .iter()
        .copied()
        .filter(|(place, _)| claim.get(*place).is_some_and(|term| term.content))
        .collect();
    let pivots =
        matched.iter().filter(|(place, _)| claim.get(*place).is_some_and(|term| is_pivot(term, lexicon)));
    let passive = is_passive(claim, lexicon) != is_passive(passage, lexicon);
    let around = pivots
        .copied()
        .filter(|pivot| changed_sides(*pivot, &content, passive))
        .map(|(place, _)| place)
        .collect();
    Swaps { around, bound: rebound(&content), parts: parts(&content) }
}

/// Words whose two sides have different roles: content words that name nothing, and "than", "from", "to" and the like.
fn is_pivot(term: &Term, lexicon: &Lexicon) -> bool {
    let meaning = term.meaning(lexicon);
    (term.content && !term.name && term.value.is_none()) || meaning.pivot || meaning.negation
}

/// Matched words beside a pivot that are compared.
const SIDE: usize = 3;

/// Whether every neighbour of the pivot stands on its other side in the passage. In the passive voice the sides of a verb
/// are exchanged in one of the two.
fn changed_sides(pivot: (usize, usize), content: &[(usize, usize)], passive: bool) -> bool {
    let before = content.iter().rev().filter(|(place, _)| *place < pivot.0).take(SIDE);
    let after = content.iter().filter(|(place, _)| *place > pivot.0).take(SIDE);
    let (mut kept, mut changed) = ((0, 0), (0, 0));
    for (_, other) in before.filter(|(_, other)| *other != pivot.1) {
        *(if *other < pivot.1 { &mut kept.0 } else { &mut changed.0 }) += 1;
    }
    for (_, other) in after.filter(|(_, other)| *other != pivot.1) {
        *(if *other > pivot.1 { &mut kept.1 } else { &mut changed.1 }) += 1;
    }
    let (same, exchanged) = (kept.0 > 0 && kept.1 > 0, changed.0 > 0 && changed.1 > 0);
    if passive { same && !exchanged } else { exchanged && !same }
}

/// Words between a participle and its agent at most: "founded in 1825 by".
const APART: usize = 4;

/// Whether an agent stands behind a participle. "By" alone names a time, a place, a way or a measure.
fn is_passive(terms: &[Term], lexicon: &Lexicon) -> bool {
    let participle = |place: usize| terms.iter().take(place).rev().take(APART).any(|term| term.participle);
    let measure = |place: usize| terms.get(place + 1).is_some_and(|term| term.value.is_some());
    let agents = terms.iter().enumerate().filter(|(_, term)| term.meaning(lexicon).agent);
    agents.into_iter().any(|(place, _)| participle(place) && !measure(place))
}

/// Shared words that follow another shared word in the claim than in the passage.
fn rebound(content: &[(usize, usize)]) -> Vec<usize> {
    let mut stated: Vec<(usize, usize)> = content.to_vec();
    stated.sort_by_key(|(_, other)| *other);
    let before = |list: &[(usize, usize)], place: usize| {
        let at = list.iter().position(|pair| pair.0 == place)?;
        list.get(at.checked_sub(1)?).map(|pair| pair.0)
    };
    content
        .iter()
        .map(|(place, _)| *place)
        .filter(|place| {
            let pair = before(content, *place).zip(before(&stated, *place));
            pair.is_some_and(|(one, other)| one != other)
        })
        .collect()
}

fn parts(content: &[(usize, usize)]) -> usize {
    let steps = content.iter().zip(content.iter().skip(1));
    1 + steps.filter(|(one, next)| next.1 < one.1).count()
}
