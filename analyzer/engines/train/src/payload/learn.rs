//! Windows to a model file. A malicious package is known to have a payload, but not where: the clearest windows by the model of
//! the round before are the examples of the next round (multiple-instance learning).

use std::collections::{BTreeMap, BTreeSet};

use ::payload::{FEATURES, Payloads, Row, TABLE, scale};
use linear_model::{Feature, Manifest, TableShape, Trained, write};

use super::packages::{Package, digests};
use super::popular::{POPULAR, file_digest};
use crate::TrainError;
use crate::corpus::{self, Corpus};
use crate::logistic::{self, Settings};

/// Name of the model.
const NAME: &str = "palisade-payload-2026.11";
/// Slots of the table of weights.
const SLOTS: usize = 1 << 16;
/// Passes over all windows in a round.
const EPOCHS: usize = 24;
/// First step of each weight.
const RATE: f32 = 0.6;
/// Decay of the weights at each step.
const DECAY: f32 = 1e-4;
/// Sum of squared gradients that each weight starts with.
const START: f32 = 1.0;
/// Features from which on a window learns more slowly.
const MANY: f32 = 400.0;
/// Value of each fact: that of a word in a window with 16 words.
const FACTS: f32 = 0.25;
/// Packages that have a feature at least, so that it is learned.
const LEAST: usize = 3;
/// Rounds of choosing windows.
const ROUNDS: usize = 4;
/// Windows are examples if their score is at most this far below the clearest one of their package.
const CLEAR: f32 = 0.7;
/// Weight of all windows of honest packages by the authors and of popular ones, relative to the malicious ones.
const OF_HONEST: f32 = 1.5;
const OF_POPULAR: f32 = 3.0;

/// Words that say where a package was written, not how it behaves.
const UNLEARNED: [&str; 9] =
    ["fixture", "fixtures", "placeholder", "dry", "inert", "corpus", "fake", "example", "examples"];

/// Scores from which on code is a payload, and worth a note.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thresholds {
    /// A payload.
    pub payload: f32,
    /// Worth a note.
    pub notable: f32,
}

/// Features that enough packages of authors have.
#[must_use]
pub fn frequent<'p>(packages: impl IntoIterator<Item = &'p Package>) -> BTreeSet<Feature> {
    let mut counts: BTreeMap<Feature, usize> = BTreeMap::new();
    for package in packages {
        let all: BTreeSet<Feature> =
            package.rows.iter().flat_map(|row| row.facts.iter().chain(&row.words)).copied().collect();
        for feature in all {
            *counts.entry(feature).or_default() += 1;
        }
    }
    for word in UNLEARNED {
        counts.remove(&Feature::of(word));
    }
    counts.into_iter().filter(|(_, count)| *count >= LEAST).map(|(feature, _)| feature).collect()
}

/// Trains on packages.
///
/// # Errors
/// [`TrainError::Write`] where the weights are no numbers.
pub fn model(packages: &[&Package], seed: u64, thresholds: Thresholds) -> Result<Vec<u8>, TrainError> {
    let written = packages.iter().filter(|package| package.source != POPULAR).copied();
    let frequent = frequent(written);
    let mut bytes = Vec::new();
    for _ in 0..ROUNDS {
        let payloads = if bytes.is_empty() { None } else { Some(Payloads::load(&bytes)?) };
        let corpus = corpus(packages, &frequent, payloads.as_ref());
        bytes = learned(&corpus, seed, thresholds)?;
    }
    Ok(bytes)
}

/// The windows that are learned from, with their weights.
fn corpus(packages: &[&Package], frequent: &BTreeSet<Feature>, payloads: Option<&Payloads<'_>>) -> Corpus {
    let windows = |is_popular: bool| {
        let honest = packages.iter().filter(|one| !one.is_malicious && (one.source == POPULAR) == is_popular);
        honest.map(|one| one.rows.len()).sum::<usize>().max(1) as f32
    };
    let malicious = packages.iter().filter(|one| one.is_malicious).count().max(1) as f32;
    let (of_honest, of_popular) =
        (OF_HONEST * malicious / windows(false), OF_POPULAR * malicious / windows(true));
    let mut corpus = Corpus::default();
    for package in packages {
        let chosen: Vec<&Row> = match payloads {
            Some(payloads) if package.is_malicious => clearest(package, payloads),
            _ => package.rows.iter().collect(),
        };
        let weight = match (package.is_malicious, package.source == POPULAR) {
            (true, _) => 1.0 / chosen.len().max(1) as f32,
            (false, false) => of_honest,
            (false, true) => of_popular,
        };
        for row in chosen {
            let kept = |features: &[Feature]| -> Vec<Feature> {
                features.iter().filter(|feature| frequent.contains(feature)).copied().collect()
            };
            let (facts, words) = (kept(&row.facts), kept(&row.words));
            let mut new = corpus::Row::new(usize::from(package.is_malicious), weight);
            (new.lead, new.lead_value, new.value) = (facts.len(), FACTS, scale(row.length));
            corpus.push(new, facts.into_iter().chain(words));
        }
    }
    corpus
}

fn clearest<'p>(package: &'p Package, payloads: &Payloads<'_>) -> Vec<&'p Row> {
    let scores: Vec<f32> = package.rows.iter().map(|row| payloads.score(row)).collect();
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    package.rows.iter().zip(scores).filter(|(_, score)| *score >= most - CLEAR).map(|(row, _)| row).collect()
}

fn learned(corpus: &Corpus, seed: u64, thresholds: Thresholds) -> Result<Vec<u8>, TrainError> {
    let settings = Settings {
        slots: SLOTS,
        width: 1,
        epochs: EPOCHS,
        rate: RATE,
        start: START,
        decay: DECAY,
        many: MANY,
        seed,
    };
    let learned = logistic::train(corpus, &settings);
    let numbers = [("facts", FACTS), ("payload", thresholds.payload), ("notable", thresholds.notable)];
    let mut data = digests();
    data.insert("packages/popular.jsonl".to_owned(), file_digest());
    let manifest = Manifest {
        name: NAME.to_owned(),
        features: FEATURES.to_owned(),
        seed,
        data,
        numbers: numbers.map(|(name, number)| (name.to_owned(), f64::from(number))).into(),
        ..Manifest::default()
    };
    let shape = TableShape {
        name: TABLE.to_owned(),
        slots: SLOTS,
        labels: vec![TABLE.to_owned()],
        biases: learned.biases,
    };
    Ok(write(&manifest, &[Trained { shape, weights: learned.weights }])?)
}
