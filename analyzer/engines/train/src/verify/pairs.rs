//! Texts to claims with their sources.

use super::errors::{KINDS, Wrong, spoil};
use super::grammar;
use super::noise::{Distance, bare, reword};
use super::texts::Text;
use crate::seeded::Seeded;

/// A claim with its source.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Number of the text that it was made from.
    pub text: usize,
    /// The claim.
    pub claim: String,
    /// The source.
    pub source: String,
    /// Its error; none if it is true.
    pub wrong: Option<Wrong>,
}

/// True claims of each text, and as many false ones.
const EACH: usize = 5;

/// Attempts to make one false claim, since not every sentence has a number or a name.
const ATTEMPTS: usize = 12;

/// Share of the pairs in lower case.
const LOWER: f64 = 0.2;

/// Distances from the source: mostly far, since an answer of a language model paraphrases.
const DISTANCES: [Distance; 7] = [
    Distance::Near,
    Distance::Near,
    Distance::Edited,
    Distance::Paraphrased,
    Distance::Paraphrased,
    Distance::Paraphrased,
    Distance::Paraphrased,
];

/// Share of the claims that join two sentences.
const FUSED: f64 = 0.15;

/// Statements of our own: about as many pairs as the texts give.
const STATEMENTS: usize = 14_000;

/// Claims of all texts and of statements of our own.
#[must_use]
pub fn all(texts: &[Text], seed: u64) -> Vec<Pair> {
    let mut pairs = generate(texts, seed);
    pairs.extend(grammar::generate(STATEMENTS, texts.len(), seed));
    pairs
}

/// Claims of all texts, the same for the same seed.
#[must_use]
pub fn generate(texts: &[Text], seed: u64) -> Vec<Pair> {
    let mut random = Seeded::new(seed, "claims");
    let others = names(texts);
    let mut pairs = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        for turn in 0..EACH {
            let kind = KINDS.get((number * EACH + turn) % KINDS.len()).copied().unwrap_or(Wrong::Number);
            let claims = [right(text, &others, &mut random), wrong(text, kind, texts, &others, &mut random)];
            let wrongs = [None, Some(kind)];
            for (claim, wrong) in claims.into_iter().zip(wrongs) {
                let Some(words) = claim else { continue };
                let (claim, source) = (words.join(" "), text.content.clone());
                let lower = random.chance(LOWER);
                let (claim, source) =
                    if lower { (claim.to_lowercase(), source.to_lowercase()) } else { (claim, source) };
                pairs.push(Pair { text: number, claim, source, wrong });
            }
        }
    }
    pairs
}

/// Words in lower case of all texts, for words that have another name in a claim.
fn names(texts: &[Text]) -> Vec<String> {
    let words = texts.iter().flat_map(|text| text.sentences.iter().flatten());
    let plain = words.filter(|word| word.len() > 4 && word.chars().all(char::is_lowercase));
    plain.step_by(7).map(|word| bare(word)).collect()
}

fn base(text: &Text, others: &[String], random: &mut Seeded) -> Option<Vec<String>> {
    let mut words = random.pick(&text.sentences)?.clone();
    if random.chance(FUSED) {
        let other = random.pick(&text.sentences)?;
        if *other != words && other.len() + words.len() < 40 {
            words.extend(["while".to_owned()]);
            words.extend(other.iter().cloned());
        }
    }
    let distance = random.pick(&DISTANCES).copied().unwrap_or(Distance::Paraphrased);
    reword(&mut words, others, distance, random);
    Some(words)
}

fn right(text: &Text, others: &[String], random: &mut Seeded) -> Option<Vec<String>> {
    base(text, others, random)
}

fn wrong(
    text: &Text,
    kind: Wrong,
    texts: &[Text],
    others: &[String],
    random: &mut Seeded,
) -> Option<Vec<String>> {
    for _ in 0..ATTEMPTS {
        let mut words = base(text, others, random)?;
        if spoil(&mut words, kind, text, texts, random) {
            return Some(words);
        }
    }
    None
}
