//! Sources to an index of passages, and a claim to the passages nearest to it, by BM25.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::claims::{MAX_TERMS, Said};
use crate::lexicon::Lexicon;
use crate::sentence::sentences;
use crate::terms::{Term, terms};

const K1: f32 = 1.2;
const B: f32 = 0.5;

/// Passages that retrieval keeps; each brings its neighbours with it, so that comparison costs the same for sources of
/// any length.
const NEAREST: usize = 5;

/// A sentence of a source.
pub(crate) struct Passage {
    /// Number of the source.
    pub(crate) source: usize,
    /// Its place in the source.
    pub(crate) range: Range<usize>,
    /// Its terms, at most [`MAX_TERMS`].
    pub(crate) terms: Vec<Term>,
}

/// Passages by their terms.
pub(crate) struct Index {
    pub(crate) passages: Vec<Passage>,
    /// Numbers of the passages with a term, and how often each has it.
    places: HashMap<u64, Vec<(u32, u16)>>,
    mean: f32,
    /// Scores of all passages, zero between two searches.
    scores: RefCell<Vec<f32>>,
}

impl Index {
    /// Reads every source once.
    pub(crate) fn new<'a>(sources: impl Iterator<Item = &'a str>, lexicon: &Lexicon) -> Self {
        let passages: Vec<_> =
            sources.enumerate().flat_map(|(source, text)| read(source, text, lexicon)).collect();
        let mut places: HashMap<u64, Vec<(u32, u16)>> = HashMap::new();
        let mut total = 0;
        for (number, passage) in (0_u32..).zip(&passages) {
            total += passage.terms.len();
            for term in passage.terms.iter().filter(|term| term.content) {
                count(places.entry(term.feature).or_default(), number);
            }
        }
        let mean = (total as f32 / passages.len().max(1) as f32).max(1.0);
        Self { scores: RefCell::new(vec![0.0; passages.len()]), passages, places, mean }
    }

    /// Weight of a term: a rare one says more. In few passages it says little which word is rare, so that the weight
    /// then stays near that of a word in one of a hundred passages.
    pub(crate) fn idf(&self, term: &Term) -> f32 {
        /// Passages that every index is taken to have beside its own.
        const UNSEEN: f32 = 40.0;
        let with = self.places.get(&term.feature).map_or(0, Vec::len) as f32;
        (1.0 + (self.passages.len() as f32 + UNSEEN - with + 0.5) / (with + 0.5)).ln()
    }

    /// The nearest passages. Each visit of a passage costs one step; the rarest terms are searched first, and terms that no
    /// step is left for are not.
    pub(crate) fn nearest(&self, claim: &Said, steps: &mut usize) -> Nearest {
        let readings = claim.terms.iter().chain(claim.other.iter().flatten());
        let mut wanted: Vec<&Term> = readings.chain(&claim.subject).filter(|term| term.content).collect();
        wanted.sort_by_key(|term| term.feature);
        wanted.dedup_by_key(|term| term.feature);
        let mut lists: Vec<_> = wanted
            .into_iter()
            .filter_map(|term| Some((self.idf(term), self.places.get(&term.feature)?)))
            .collect();
        lists.sort_by_key(|(_, list)| list.len());
        let total: f32 = lists.iter().map(|(idf, _)| idf).sum();
        let mut searched = 0.0;
        let mut touched = Vec::new();
        let mut scores = self.scores.borrow_mut();
        for (idf, list) in lists {
            let Some(left) = steps.checked_sub(list.len()) else { break };
            *steps = left;
            searched += idf;
            for (number, times) in list {
                let place = *number as usize;
                let length = self.passages.get(place).map_or(0, |passage| passage.terms.len()) as f32;
                let times = f32::from(*times);
                let damped = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / self.mean));
                let Some(score) = scores.get_mut(place) else { continue };
                if *score == 0.0 {
                    touched.push(place);
                }
                *score += idf * damped;
            }
        }
        let best = best(&scores, &touched);
        for place in touched {
            if let Some(score) = scores.get_mut(place) {
                *score = 0.0;
            }
        }
        let searched = if total > 0.0 { searched / total } else { 1.0 };
        Nearest { passages: self.with_neighbours(&best), searched }
    }

    fn with_neighbours(&self, best: &[usize]) -> Vec<usize> {
        let source = |place: usize| self.passages.get(place).map(|passage| passage.source);
        let mut all: Vec<usize> = best
            .iter()
            .flat_map(|place| {
                [place.saturating_sub(1), *place, place.saturating_add(1)].map(|near| (*place, near))
            })
            .filter(|(place, near)| source(*near).is_some() && source(*place) == source(*near))
            .map(|(_, near)| near)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Passages near a claim.
pub(crate) struct Nearest {
    /// Their numbers and those of their neighbours, in the order of the sources.
    pub(crate) passages: Vec<usize>,
    /// Share of the claim's terms that were searched for, by their weights.
    pub(crate) searched: f32,
}

/// The passages with the highest scores, the first of equals before the others.
fn best(scores: &[f32], touched: &[usize]) -> Vec<usize> {
    let mut best: Vec<(f32, usize)> = Vec::with_capacity(NEAREST + 1);
    for place in touched {
        let score = scores.get(*place).copied().unwrap_or_default();
        let rank = best.partition_point(|(other, at)| *other > score || (*other == score && at < place));
        if rank < NEAREST {
            best.insert(rank, (score, *place));
            best.truncate(NEAREST);
        }
    }
    best.into_iter().map(|(_, place)| place).collect()
}

fn read(source: usize, text: &str, lexicon: &Lexicon) -> Vec<Passage> {
    let passage = |range: Range<usize>| {
        let mut terms = terms(text, &range, lexicon);
        terms.truncate(MAX_TERMS);
        terms.shrink_to_fit();
        Passage { source, range, terms }
    };
    merged(sentences(text)).into_iter().map(passage).filter(|passage| !passage.terms.is_empty()).collect()
}

/// Bytes of a passage at least: each has a cost of its own, so that many short ones would need more memory than the API
/// reserves for each byte.
const SHORT: usize = 8;

/// Sentences, with those that are too short joined to what follows.
fn merged(mut sentences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    sentences.dedup_by(|next, last| {
        let joined = last.len() < SHORT && last.end == next.start;
        if joined {
            last.end = next.end;
        }
        joined
    });
    sentences
}

fn count(list: &mut Vec<(u32, u16)>, number: u32) {
    match list.last_mut() {
        Some((last, times)) if *last == number => *times = times.saturating_add(1),
        _ => list.push((number, 1)),
    }
}
