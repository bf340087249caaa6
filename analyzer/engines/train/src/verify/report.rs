//! Quality on texts that training left out: each of five parts of the texts is judged by a model of the other four.

use std::io::Write;

use linear_model::{Feature, slot};

use super::errors::KINDS;
use super::learn::{Prepared, learn, prepare};
use super::pairs::all;
use super::texts::Text;
use crate::TrainError;
use crate::logistic::Learned;

/// Parts of the texts.
const PARTS: usize = 5;

/// Score of a claim that no passage is about.
const UNKNOWN: f32 = -20.0;

/// Prints the tables.
///
/// # Errors
/// [`TrainError::Print`].
pub fn print(texts: &[Text], seed: u64, out: &mut dyn Write) -> Result<(), TrainError> {
    // Texts of one question stay together, so that no part knows the subject of another.
    let mut subjects: Vec<&str> = texts.iter().map(|text| text.subject.as_str()).collect();
    subjects.dedup();
    let part = |text: usize| {
        let Some(subject) = texts.get(text).map(|text| text.subject.as_str()) else { return text % PARTS };
        subjects.iter().position(|other| *other == subject).unwrap_or_default() % PARTS
    };
    let pairs = prepare(&all(texts, seed));
    let mut scored: Vec<(f32, &Prepared)> = Vec::with_capacity(pairs.len());
    for left_out in 0..PARTS {
        let learned = learn(&pairs, seed, &|text| part(text) != left_out);
        let judged = pairs.iter().filter(|pair| part(pair.text) == left_out);
        scored.extend(judged.map(|pair| (score(&learned, pair), pair)));
    }
    let (texts, statements): (Vec<_>, Vec<_>) = scored.iter().partition(|(_, pair)| pair.text < texts.len());
    table("claims of left-out texts", &texts, out)?;
    table("left-out statements of our own", &statements, out)
}

fn score(learned: &Learned, pair: &Prepared) -> f32 {
    let Some(features) = &pair.features else { return UNKNOWN };
    let weight = |feature: &Feature| learned.weights.get(slot(*feature, learned.weights.len())).copied();
    let bias = learned.biases.first().copied().unwrap_or_default();
    bias + features.iter().filter_map(weight).sum::<f32>()
}

fn table(name: &str, scored: &[(f32, &Prepared)], out: &mut dyn Write) -> Result<(), TrainError> {
    let right: Vec<f32> =
        scored.iter().filter(|(_, pair)| pair.wrong.is_none()).map(|(score, _)| *score).collect();
    let kept = share(&right, |score| score > 0.0);
    writeln!(out, "\n| {name} | number | judged right | AUC |\n|---|---|---|---|")?;
    writeln!(out, "| true | {} | {kept:.3} | |", right.len())?;
    let mut all = Vec::new();
    for kind in KINDS {
        let wrong: Vec<f32> =
            scored.iter().filter(|(_, pair)| pair.wrong == Some(kind)).map(|(score, _)| *score).collect();
        let found = share(&wrong, |score| score <= 0.0);
        writeln!(out, "| {kind:?} | {} | {found:.3} | {:.3} |", wrong.len(), area(&right, &wrong))?;
        all.extend(wrong);
    }
    let found = share(&all, |score| score <= 0.0);
    writeln!(out, "| all false | {} | {found:.3} | {:.3} |", all.len(), area(&right, &all))?;
    writeln!(out, "\nbalanced accuracy {:.3}", f64::midpoint(kept, found))?;
    Ok(())
}

fn share(scores: &[f32], fits: impl Fn(f32) -> bool) -> f64 {
    scores.iter().filter(|score| fits(**score)).count() as f64 / scores.len().max(1) as f64
}

/// Probability that a true claim has a higher score than a false one.
fn area(right: &[f32], wrong: &[f32]) -> f64 {
    let mut sorted = wrong.to_vec();
    sorted.sort_by(f32::total_cmp);
    let below = |score: f32| {
        let less = sorted.partition_point(|other| *other < score);
        let equal = sorted.partition_point(|other| *other <= score) - less;
        less as f64 + equal as f64 / 2.0
    };
    let sum: f64 = right.iter().map(|score| below(*score)).sum();
    sum / (right.len().max(1) * wrong.len().max(1)) as f64
}
