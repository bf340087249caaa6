//! A claim and passages to their matches: for each term of the claim the place of its equal.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::claims::Said;
use crate::evidence::{Index, Passage};
use crate::lexicon::Lexicon;
use crate::pronoun::{BACK, readings};
use crate::terms::Term;

/// Passages that one claim is supported by at most: the first, and those that it needs beside it.
const PARTS: usize = 3;

/// Share of a claim that a further passage must add.
const ADDS: f32 = 0.08;

/// How much a word of the same family counts, in comparison with the same word.
const FAMILY: f32 = 0.7;

/// A claim beside one passage.
pub(crate) struct Beside {
    /// For each term of the claim, the place of its equal in the passage.
    pub(crate) places: Vec<Option<usize>>,
    /// For each term of the claim, 1 for its equal, less for a word of the same family, 0 for nothing.
    pub(crate) found: Vec<f32>,
}

/// A claim beside its evidence.
pub(crate) struct Aligned<'a> {
    /// The passage that says most of the claim.
    pub(crate) first: &'a Passage,
    /// Its terms, with a noun of the sentence before in place of the pronoun that it begins with.
    pub(crate) stated: Cow<'a, [Term]>,
    /// All passages of the evidence, in the order of the sources.
    pub(crate) passages: Vec<&'a Passage>,
    /// The passages before them that the nouns in place of pronouns come from, at most one for each.
    pub(crate) before: Vec<&'a Passage>,
    /// The first passage, term by term.
    pub(crate) beside: Beside,
    /// The best match of each term of the claim in any passage.
    pub(crate) found: Vec<f32>,
    /// Weight of each term of the claim; 0 of those without content.
    pub(crate) weights: Vec<f32>,
    /// How well the first passage fits the claim.
    pub(crate) rank: f32,
    /// Share of the weights that the first passage has.
    pub(crate) first_share: f32,
    /// Share of the weights that all passages have.
    pub(crate) share: f32,
}

impl Aligned<'_> {
    /// The terms of the claim with content that no passage has.
    pub(crate) fn missing<'t>(&self, claim: &'t [Term]) -> impl Iterator<Item = &'t Term> {
        let terms = claim.iter().zip(&self.found);
        terms.filter(|(term, found)| term.content && **found == 0.0).map(|(term, _)| term)
    }

    /// All passages that the verdict rests on, in the order of the sources.
    pub(crate) fn evidence(&self) -> Vec<&Passage> {
        let mut all: Vec<&Passage> = self.passages.iter().chain(&self.before).copied().collect();
        all.sort_by_key(|passage| (passage.source, passage.range.start));
        all.dedup_by_key(|passage| (passage.source, passage.range.start));
        all
    }
}

/// Chooses the evidence of a claim among passages, and the reading of the claim that they state more of. None where no
/// passage has a term of it.
pub(crate) fn align<'a>(
    claim: &mut Said,
    near: &[usize],
    index: &'a Index,
    lexicon: &Lexicon,
) -> Option<Aligned<'a>> {
    let first = align_reading(claim, near, index, lexicon);
    let Some(other) = claim.other.take() else { return first };
    let other = std::mem::replace(&mut claim.terms, other);
    let second = align_reading(claim, near, index, lexicon);
    let share = |aligned: &Option<Aligned<'_>>| aligned.as_ref().map_or(0.0, |aligned| aligned.rank);
    if share(&second) > share(&first) {
        return second;
    }
    claim.terms = other;
    first
}

fn align_reading<'a>(
    claim: &Said,
    near: &[usize],
    index: &'a Index,
    lexicon: &Lexicon,
) -> Option<Aligned<'a>> {
    let weight = |term: &Term| if term.content { index.idf(term) } else { 0.0 };
    let weights: Vec<f32> = claim.terms.iter().map(weight).collect();
    let total: f32 = weights.iter().sum();
    let mut candidates: Vec<Candidate<'_>> = near
        .iter()
        .filter_map(|place| {
            let passage = index.passages.get(*place)?;
            let all = stated(*place, index, lexicon).into_iter().map(|(terms, before)| {
                let beside = beside(&claim.terms, &terms);
                let about = if about(&claim.subject, &terms) { SUBJECT } else { 0.0 };
                let rank = share(&beside.found, &weights, total) + 0.5 * pairs(&claim.terms, &terms) + about;
                Candidate { passage, terms, before, beside, rank }
            });
            all.reduce(|one, other| if other.rank > one.rank { other } else { one })
        })
        .collect();
    let best = best(candidates.iter().map(|candidate| candidate.rank))?;
    let Candidate { passage: first, terms: stated, beside, before, rank } = candidates.remove(best);
    let first_share = share(&beside.found, &weights, total);
    if first_share <= 0.0 {
        return None;
    }
    let mut found = beside.found.clone();
    let mut passages = vec![first];
    let mut befores: Vec<&Passage> = before.into_iter().collect();
    while passages.len() < PARTS {
        let adds = candidates
            .iter()
            .map(|candidate| share(&joined(&found, &candidate.beside.found), &weights, total));
        let before = share(&found, &weights, total);
        let Some(next) = self::best(adds) else { break };
        let Candidate { passage, beside, before: named, .. } = candidates.remove(next);
        let with = joined(&found, &beside.found);
        if share(&with, &weights, total) - before < ADDS {
            break;
        }
        found = with;
        passages.push(passage);
        befores.extend(named);
    }
    passages.sort_by_key(|passage| (passage.source, passage.range.start));
    let share = share(&found, &weights, total);
    let before = befores;
    Some(Aligned { first, stated, passages, before, beside, found, weights, rank, first_share, share })
}

/// A passage that may be the first of the evidence.
struct Candidate<'a> {
    passage: &'a Passage,
    terms: Cow<'a, [Term]>,
    /// The passage that the noun in place of its pronoun comes from.
    before: Option<&'a Passage>,
    beside: Beside,
    rank: f32,
}

/// A passage as it is written, or with nouns of a passage before it in place of its pronoun, and that passage.
fn stated<'a>(
    place: usize,
    index: &'a Index,
    lexicon: &Lexicon,
) -> Vec<(Cow<'a, [Term]>, Option<&'a Passage>)> {
    let Some(passage) = index.passages.get(place) else { return Vec::new() };
    let before = index.passages.get(place.saturating_sub(BACK)..place).unwrap_or_default();
    let before = before.iter().rev().take_while(|other| other.source == passage.source);
    let readings = readings(&passage.terms, before.map(|other| other.terms.as_slice()), lexicon);
    if readings.is_empty() {
        return vec![(Cow::Borrowed(passage.terms.as_slice()), None)];
    }
    let named = |back: usize| index.passages.get(place.checked_sub(back + 1)?);
    readings.into_iter().map(|reading| (Cow::Owned(reading.terms), named(reading.back))).collect()
}

/// How much the named subject of a claim that begins with a pronoun counts.
const SUBJECT: f32 = 0.1;

fn about(subject: &[Term], passage: &[Term]) -> bool {
    subject.iter().any(|term| passage.iter().any(|other| other.feature == term.feature))
}

/// The place of the largest number, the first of equals.
fn best(numbers: impl Iterator<Item = f32>) -> Option<usize> {
    let better = |best: Option<(usize, f32)>, (place, number): (usize, f32)| match best {
        Some((_, other)) if other >= number => best,
        _ => Some((place, number)),
    };
    numbers.enumerate().fold(None, better).map(|(place, _)| place)
}

fn joined(one: &[f32], other: &[f32]) -> Vec<f32> {
    one.iter().zip(other).map(|(one, other)| one.max(*other)).collect()
}

fn share(found: &[f32], weights: &[f32], total: f32) -> f32 {
    let sum: f32 = found.iter().zip(weights).map(|(found, weight)| found * weight).sum();
    sum / total.max(f32::EPSILON)
}

/// Matches each term of the claim with its equal that follows the last match most closely.
pub(crate) fn beside(claim: &[Term], passage: &[Term]) -> Beside {
    let mut places = Vec::with_capacity(claim.len());
    let mut found = Vec::with_capacity(claim.len());
    let mut last = 0;
    for term in claim {
        let equal = closest(passage, last, |other| other.feature == term.feature);
        let place = equal.or_else(|| closest(passage, last, |other| family(term, other)));
        found.push(if equal.is_some() { 1.0 } else { place.map_or(0.0, |_| FAMILY) });
        places.push(place);
        last = place.filter(|_| term.content).unwrap_or(last);
    }
    Beside { places, found }
}

fn closest(passage: &[Term], last: usize, matches: impl Fn(&Term) -> bool) -> Option<usize> {
    let all = passage.iter().enumerate().filter(|(_, other)| matches(other)).map(|(place, _)| place);
    all.min_by_key(|place| (place.abs_diff(last), *place < last))
}

fn family(one: &Term, other: &Term) -> bool {
    one.root != 0 && one.root == other.root && one.content && other.content
}

/// Words this far apart form a pair.
const REACH: usize = 3;

/// Share of the ordered pairs of content words of the claim that the passage has.
pub(crate) fn pairs(claim: &[Term], passage: &[Term]) -> f32 {
    let claimed = ordered(claim);
    let stated: HashSet<(u64, u64)> = ordered(passage).into_iter().collect();
    let both = claimed.iter().filter(|pair| stated.contains(pair)).count();
    both as f32 / claimed.len().max(1) as f32
}

fn ordered(terms: &[Term]) -> Vec<(u64, u64)> {
    let content: Vec<u64> = terms.iter().filter(|term| term.content).map(|term| term.feature).collect();
    let after = |place: usize| content.iter().skip(place + 1).take(REACH);
    content
        .iter()
        .enumerate()
        .flat_map(|(place, first)| after(place).map(move |second| (*first, *second)))
        .collect()
}
