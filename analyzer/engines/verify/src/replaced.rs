//! A word of a claim in whose place its passage has another one, while everything else agrees: "approved the plan" for
//! "discussed the plan".

use crate::align::Beside;
use crate::terms::Term;

/// Content words that a claim shares with its passage at least: fewer do not show that both are the same statement.
const SHARED: usize = 3;

/// Terms from one neighbour of the word to the other at most, so that the other word stands in its place.
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
    // At the edge of the claim the word has one neighbour, which must be as far away in the passage: further words there may
    // belong to another part of the sentence.
    let beyond = |rank: Option<usize>, neighbour: usize, forward: bool| {
        let apart = claimed.get(rank?)?.abs_diff(*place);
        if forward { neighbour.checked_add(apart) } else { neighbour.checked_sub(apart) }
    };
    let (first, last) = match (before, after) {
        (Some(one), Some(other)) => (one.min(other), one.max(other)),
        (Some(one), None) => beyond(rank.checked_sub(1), one, true).map(|place| (place, place))?,
        (None, Some(other)) => beyond(rank.checked_add(1), other, false).map(|place| (place, place))?,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::beside;
    use crate::lexicon::Lexicon;
    use crate::terms::terms;

    #[test]
    fn a_word_is_replaced_where_another_one_stands_in_its_place() {
        let lexicon = Lexicon::new();
        let read = |text: &str| terms(text, &(0..text.len()), &lexicon);
        let plan = "The council discussed the plan for a pool.";
        let colony = "The colony on the northern beach attracts photographers.";
        for (claim, passage, expected) in [
            ("The council approved the plan for a pool.", plan, Some(("approved", "discussed"))),
            ("The bakery on the northern beach attracts photographers.", colony, Some(("bakery", "colony"))),
            ("The council discussed the plan for a garage.", plan, Some(("garage", "pool"))),
            (plan, plan, None),
            // More than one word is missing.
            ("The board approved the plan for a pool.", plan, None),
            // Too few words are shared.
            ("The council approved the pool.", plan, None),
            // Names and numbers have kinds of their own.
            ("The council discussed the plan for Leeds.", plan, None),
            // An added word at the edge replaces no word.
            (
                "The critics of the novel praised it warmly.",
                "The critics of the novel praised it, and a museum bought the manuscript.",
                None,
            ),
            ("Yesterday the council discussed the plan for a pool.", plan, None),
        ] {
            let (claimed, stated) = (read(claim), read(passage));
            let found = replaced(&claimed, &stated, &beside(&claimed, &stated));
            let words =
                found.map(|(place, other)| (&claim[claimed[place].range()], &passage[stated[other].range()]));
            assert_eq!(words, expected, "{claim}");
        }
    }
}
