//! Sources to an index of sentences, and a claim to the sentences nearest to it, by BM25.

use std::collections::BTreeMap;
use std::ops::Range;

use text::sentences;

use crate::terms::{Term, terms};

const K1: f32 = 1.2;
const B: f32 = 0.5;

/// A sentence of a source.
pub(crate) struct Sentence {
    /// Number of the source.
    pub(crate) source: usize,
    /// Its place in the source.
    pub(crate) range: Range<usize>,
    /// Its terms.
    pub(crate) terms: Vec<Term>,
}

/// Sentences by their terms.
pub(crate) struct Index {
    pub(crate) sentences: Vec<Sentence>,
    places: BTreeMap<u64, Vec<(usize, u16)>>,
    mean: f32,
}

impl Index {
    /// Reads every source once.
    pub(crate) fn new<'a>(sources: impl Iterator<Item = &'a str>) -> Self {
        let sentences: Vec<_> = sources.enumerate().flat_map(|(source, text)| read(source, text)).collect();
        let mut places: BTreeMap<u64, Vec<(usize, u16)>> = BTreeMap::new();
        let mut total = 0;
        for (number, sentence) in sentences.iter().enumerate() {
            total += sentence.terms.len();
            for term in &sentence.terms {
                count(places.entry(term.feature.0).or_default(), number);
            }
        }
        let mean = total as f32 / sentences.len().max(1) as f32;
        Self { sentences, places, mean }
    }

    /// Weight of a term: rarer terms say more.
    pub(crate) fn idf(&self, term: &Term) -> f32 {
        let with = self.places.get(&term.feature.0).map_or(0, Vec::len) as f32;
        (1.0 + (self.sentences.len() as f32 - with + 0.5) / (with + 0.5)).ln()
    }

    /// The `most` nearest sentences, nearest first. Each place of a term costs one step of the budget; terms that no
    /// step is left for are not searched.
    pub(crate) fn nearest(&self, claim: &[Term], most: usize, budget: &mut usize) -> Vec<&Sentence> {
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        let mut lists: Vec<_> = claim
            .iter()
            .filter_map(|term| self.places.get(&term.feature.0).map(|list| (list, self.idf(term))))
            .collect();
        lists.sort_by_key(|(list, _)| list.len());
        for (list, idf) in lists {
            let Some(left) = budget.checked_sub(list.len()) else { break };
            *budget = left;
            for (number, times) in list {
                let length = self.sentences.get(*number).map_or(0, |sentence| sentence.terms.len()) as f32;
                let times = f32::from(*times);
                let damped = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / self.mean));
                *scores.entry(*number).or_default() += idf * damped;
            }
        }
        let mut ranked: Vec<_> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(most).filter_map(|(number, _)| self.sentences.get(number)).collect()
    }
}

fn read(source: usize, text: &str) -> Vec<Sentence> {
    sentences(text)
        .into_iter()
        .map(|range| Sentence { source, terms: terms(text.get(range.clone()).unwrap_or_default()), range })
        .collect()
}

fn count(list: &mut Vec<(usize, u16)>, number: usize) {
    match list.last_mut() {
        Some((last, times)) if *last == number => *times = times.saturating_add(1),
        _ => list.push((number, 1)),
    }
}
