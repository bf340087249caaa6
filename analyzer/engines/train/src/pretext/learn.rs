//! Letters to a model file.

use std::collections::{BTreeMap, BTreeSet};

use ::pretext::{Circumstances, FEATURES, Reader, Row, TABLE, Thresholds, scale};
use linear_model::{Feature, Manifest, TableShape, Trained, write};
use lookalikes::Brands;

use super::letters::{HONEST, Record, digests};
use crate::TrainError;
use crate::corpus::{self, Corpus};
use crate::logistic::{self, Settings};

/// Name of the model.
const NAME: &str = "palisade-pretext-2026.12";

/// Slots of the table of weights.
const SLOTS: usize = 1 << 17;

/// Passes over all letters.
const EPOCHS: usize = 30;

/// First step of each weight.
const RATE: f32 = 0.8;

/// Decay of the weights at each step.
const DECAY: f32 = 3e-4;

/// Sum of squared gradients that each weight starts with.
const START: f32 = 1.0;

/// Features from which on a letter learns more slowly.
const MANY: f32 = 400.0;

/// Value of each fact: that of a word in a text with 25 features.
const FACTS: f32 = 0.2;

/// Letters that have a feature at least, so that it is learned: names and rare words of a single author say nothing about others.
const LEAST: usize = 3;

/// Windows of an ordinary letter that are learned from, at most.
const MANY_WINDOWS: usize = 12;

/// Weight of an honest text of the guard, relative to an ordinary letter.
const OF_HONEST: f32 = 0.05;

/// Scores from which on mails and messages are pretexts, and worth a note.
#[derive(Clone, Copy, Debug, Default)]
pub struct Both {
    /// Mails.
    pub mails: Thresholds,
    /// Messages.
    pub messages: Thresholds,
}

/// A letter as the model reads it.
#[derive(Debug)]
pub struct Prepared {
    /// Features of each window.
    pub rows: Vec<Row>,
    /// Whether it is phishing.
    pub is_phishing: bool,
    /// Whether it is a message.
    pub is_message: bool,
    /// Author.
    pub source: &'static str,
    /// Beginning, for lists of errors.
    pub title: String,
}

/// Reads all letters once.
///
/// # Errors
/// [`TrainError::Pretext`] where the reader cannot be built.
pub fn prepare(letters: &[Record]) -> Result<Vec<Prepared>, TrainError> {
    let (reader, brands) = (Reader::new()?, Brands::built_in());
    let prepared = letters.iter().map(|record| {
        let letter = record.letter();
        let circumstances = Circumstances::of(&brands, &letter);
        let (subject, reading) = (reader.read(letter.subject), reader.read(&record.body()));
        let rows = reading.windows().map(|window| reading.row(&window, &circumstances, &subject)).collect();
        let title = format!("{} | {} | {}", record.from, record.subject, record.text.replace('\n', " "));
        Prepared {
            rows,
            is_phishing: record.is_phishing(),
            is_message: record.is_message(),
            source: record.source,
            title: title.chars().take(160).collect(),
        }
    });
    Ok(prepared.collect())
}

/// Features that enough letters have.
fn frequent(letters: &[&Prepared]) -> BTreeSet<Feature> {
    let mut counts: BTreeMap<Feature, usize> = BTreeMap::new();
    for letter in letters {
        let all: BTreeSet<Feature> =
            letter.rows.iter().flat_map(|row| row.facts.iter().chain(&row.words)).copied().collect();
        for feature in all {
            *counts.entry(feature).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count >= LEAST).map(|(feature, _)| feature).collect()
}

/// Both classes weigh the same; the windows of a letter share its weight, but an ordinary letter is let through only if all of its windows
/// are.
fn corpus(letters: &[&Prepared]) -> Corpus {
    let frequent = frequent(letters);
    let own = |letter: &Prepared| if letter.source == HONEST { OF_HONEST } else { 1.0 };
    let sum =
        |class: bool| letters.iter().filter(|one| one.is_phishing == class).map(|one| own(one)).sum::<f32>();
    let (phishing, ordinary) = (sum(true).max(1.0), sum(false).max(1.0));
    let mut corpus = Corpus::default();
    for letter in letters {
        let balance =
            if letter.is_phishing { (ordinary / phishing).sqrt() } else { (phishing / ordinary).sqrt() };
        // The request of a long pretext is not known to stand in one of its windows: most have one.
        let most = if letter.is_phishing { 1 } else { MANY_WINDOWS };
        for row in letter.rows.iter().take(most) {
            let mut new = corpus::Row::new(usize::from(letter.is_phishing), own(letter) * balance);
            let kept = |features: &[Feature]| -> Vec<Feature> {
                features.iter().filter(|feature| frequent.contains(feature)).copied().collect()
            };
            let (facts, words) = (kept(&row.facts), kept(&row.words));
            (new.lead, new.lead_value) = (facts.len(), FACTS);
            new.value = scale(row.words.len());
            corpus.push(new, facts.into_iter().chain(words));
        }
    }
    corpus
}

/// Trains on the sources that `learns` accepts.
///
/// # Errors
/// [`TrainError::Write`] where the weights are no numbers.
pub fn model(
    prepared: &[Prepared],
    seed: u64,
    thresholds: &Both,
    learns: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, TrainError> {
    let chosen: Vec<&Prepared> = prepared.iter().filter(|letter| learns(letter.source)).collect();
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
    let learned = logistic::train(&corpus(&chosen), &settings);
    let Both { mails, messages } = thresholds;
    let numbers = [
        ("facts", FACTS),
        ("mail", mails.pretext),
        ("notable mail", mails.notable),
        ("message", messages.pretext),
        ("notable message", messages.notable),
    ];
    let manifest = Manifest {
        name: NAME.to_owned(),
        features: FEATURES.to_owned(),
        seed,
        data: digests(),
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
