//! Pairs to a model file.

use std::collections::BTreeMap;

use linear_model::{Feature, Manifest, Source, TableShape, Trained};
use verify::{FEATURES, Lexicon, TABLE};

use super::errors::Wrong;
use super::pairs::Pair;
use crate::TrainError;
use crate::corpus::{Corpus, Row};
use crate::logistic::{Learned, Settings, train};

/// Name and version of the model as replies show it.
const NAME: &str = "palisade-verify-2026.12";

/// A pair as the learner reads it.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Number of the text that it was made from.
    pub text: usize,
    /// The features of its only claim; none where no passage is about it.
    pub features: Option<Vec<Feature>>,
    /// Its error; none if it is true.
    pub wrong: Option<Wrong>,
}

/// Reads the features of all pairs. Pairs that are read as several claims are left out of training, since only one of
/// these would have the error.
#[must_use]
pub fn prepare(pairs: &[Pair]) -> Vec<Prepared> {
    let lexicon = Lexicon::new();
    let prepared = |pair: &Pair| {
        let mut claims = verify::features(&pair.claim, &pair.source, &lexicon);
        let features = claims.pop().filter(|_| claims.is_empty())?;
        Some(Prepared { text: pair.text, features, wrong: pair.wrong })
    };
    pairs.iter().filter_map(prepared).collect()
}

/// The weights for those pairs whose text is chosen.
#[must_use]
pub fn learn(pairs: &[Prepared], seed: u64, chosen: &dyn Fn(usize) -> bool) -> Learned {
    let mut corpus = Corpus::default();
    let chosen: Vec<&Prepared> = pairs.iter().filter(|pair| chosen(pair.text)).collect();
    let wrong = chosen.iter().filter(|pair| pair.wrong.is_some()).count() as f32;
    let right = chosen.len() as f32 - wrong;
    for pair in chosen {
        let Some(features) = &pair.features else { continue };
        let weight = if pair.wrong.is_some() { 1.0 } else { wrong / right.max(1.0) };
        corpus.push(Row::new(usize::from(pair.wrong.is_none()), weight), features.iter().copied());
    }
    train(&corpus, &settings(seed))
}

/// Slots: the features are fewer than 200, so that hardly two share one.
const SLOTS: usize = 1 << 12;

fn settings(seed: u64) -> Settings {
    Settings { slots: SLOTS, width: 1, epochs: 20, rate: 0.05, start: 1.0, decay: 1e-4, many: 64.0, seed }
}

/// The model of all pairs.
///
/// # Errors
/// [`TrainError::Write`] where a weight is no number.
pub fn model(pairs: &[Prepared], data: &BTreeMap<String, String>, seed: u64) -> Result<Vec<u8>, TrainError> {
    write(&learn(pairs, seed, &|_| true), data, seed)
}

/// Weights as a model file.
///
/// # Errors
/// [`TrainError::Write`] where a weight is no number.
pub fn write(learned: &Learned, data: &BTreeMap<String, String>, seed: u64) -> Result<Vec<u8>, TrainError> {
    let shape = TableShape {
        name: TABLE.to_owned(),
        slots: SLOTS,
        labels: vec!["supported".to_owned()],
        biases: learned.biases.clone(),
    };
    let manifest = Manifest {
        name: NAME.to_owned(),
        features: FEATURES.to_owned(),
        seed,
        data: data.clone(),
        numbers: [("threshold".to_owned(), 0.0)].into(),
        notice: vec![Source { name: "yuxiaw/Factcheck-GPT".to_owned(), license: "Apache-2.0".to_owned() }],
        ..Manifest::default()
    };
    Ok(linear_model::write(&manifest, &[Trained { shape, weights: learned.weights.clone() }])?)
}
