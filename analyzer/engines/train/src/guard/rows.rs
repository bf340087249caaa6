//! Prepared texts to rows to learn from: whole texts, and runs of their sentences.

use std::collections::BTreeMap;

use ::guard::{Guard, LONGEST_RUN, Part, parts, row, scale};

use super::learn::{NORM, Prepared};
use super::texts::Kind;
use crate::corpus;

/// Runs of an honest text that are learned from, at most: long texts have hundreds.
const MANY_RUNS: usize = 40;

/// Words of a text that are learned from, which bounds the memory of one text.
const WORDS: usize = 2_000;

/// The weight of each kind's texts, so that all of a kind weigh as [`Kind::weight`] says.
struct Weights {
    sums: BTreeMap<Kind, f32>,
    factor: f32,
}

impl Weights {
    fn new(texts: &[&Prepared]) -> Self {
        let mut sums: BTreeMap<Kind, f32> = BTreeMap::new();
        for text in texts {
            *sums.entry(text.kind).or_default() += text.weight;
        }
        let all: f32 = sums.keys().map(|kind| kind.weight()).sum();
        Self { factor: texts.len() as f32 / all, sums }
    }

    fn of(&self, text: &Prepared) -> f32 {
        let sum = self.sums.get(&text.kind).copied().unwrap_or(1.0);
        text.weight * text.kind.weight() * self.factor / sum
    }
}

fn push(corpus: &mut corpus::Corpus, text: &Prepared, part: &Part, weight: f32) {
    let row = row(&text.read, part);
    let mut new = corpus::Row::new(usize::from(text.is_attack), weight);
    new.offset = row.offset;
    new.value = scale(row.features.len(), NORM);
    corpus.push(new, row.features);
}

/// A row to learn from for each text: the whole text.
pub(super) fn chunk_corpus(texts: &[&Prepared]) -> corpus::Corpus {
    corpus(texts, |text| vec![whole(text)])
}

/// Rows of runs: a short text as a whole, every run of a longer honest text, and of a longer attack the run that `guard`
/// finds clearest.
pub(super) fn run_corpus(texts: &[&Prepared], guard: &Guard<'_>) -> corpus::Corpus {
    corpus(texts, |text| runs(text, guard))
}

/// Rows of the given parts of each text. Each part counts as the whole text does: an honest text is let through only if all of
/// its parts are.
fn corpus(texts: &[&Prepared], parts: impl Fn(&Prepared) -> Vec<Part>) -> corpus::Corpus {
    let texts: Vec<&Prepared> = texts.iter().copied().filter(|text| !text.validates).collect();
    let weights = Weights::new(&texts);
    let mut corpus = corpus::Corpus::default();
    for text in texts {
        for part in &parts(text) {
            push(&mut corpus, text, part, weights.of(text));
        }
    }
    corpus
}

fn whole(text: &Prepared) -> Part {
    Part { words: 0..text.read.view.words.len().min(WORDS), is_run: false, needs_facts: false }
}

fn runs(text: &Prepared, guard: &Guard<'_>) -> Vec<Part> {
    if text.read.view.words.len() <= LONGEST_RUN {
        return vec![whole(text)];
    }
    if text.is_attack {
        return guard.margins_of_view(&text.read).clearest.into_iter().collect();
    }
    let all: Vec<Part> =
        parts(&text.read.view).flat_map(|(_, parts)| parts).filter(|part| part.is_run).collect();
    let step = all.len().div_ceil(MANY_RUNS).max(1);
    all.into_iter().step_by(step).collect()
}
