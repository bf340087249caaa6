//! A claim and a sentence to their agreement: rare words in common, and words that follow each other in both.

use std::collections::BTreeSet;

use crate::evidence::Index;
use crate::terms::Term;

/// Words this far apart form an ordered pair.
const REACH: usize = 3;

/// Share of the claim that the sentence repeats, 0 to 1.
pub(crate) fn agreement(claim: &[Term], sentence: &[Term], index: &Index) -> f32 {
    let known: BTreeSet<u64> = sentence.iter().map(|term| term.feature.0).collect();
    let total: f32 = claim.iter().map(|term| index.idf(term)).sum();
    let found: f32 =
        claim.iter().filter(|term| known.contains(&term.feature.0)).map(|term| index.idf(term)).sum();
    let claimed = pairs(claim);
    let stated = pairs(sentence);
    let ordered = claimed.intersection(&stated).count() as f32 / claimed.len().max(1) as f32;
    0.5 * found / total.max(f32::EPSILON) + 0.5 * ordered
}

fn pairs(terms: &[Term]) -> BTreeSet<(u64, u64)> {
    let after = |place: usize| terms.iter().skip(place + 1).take(REACH);
    terms
        .iter()
        .enumerate()
        .flat_map(|(place, first)| after(place).map(move |second| (first.feature.0, second.feature.0)))
        .collect()
}
