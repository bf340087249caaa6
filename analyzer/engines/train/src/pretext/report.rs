//! Quality on authors that training left out, and the thresholds that follow from it.

use std::collections::BTreeSet;
use std::io::Write;

use ::pretext::Pretexts;

use super::learn::{Prepared, Thresholds, model};
use super::letters::HONEST;
use crate::TrainError;

/// Share of ordinary letters of authors that training left out which may be pretexts, and worth a note.
const ALLOWED: f32 = 0.005;
const ALLOWED_NOTES: f32 = 0.02;

/// Score of a letter by the model that was trained without its author.
#[derive(Clone, Debug)]
pub struct Scored {
    source: &'static str,
    is_phishing: bool,
    is_message: bool,
    score: f32,
    title: String,
}

/// Trains a model without each author and scores the letters of that author.
///
/// # Errors
/// [`TrainError`] where a model cannot be written or read.
pub fn folds(prepared: &[Prepared], seed: u64) -> Result<Vec<Scored>, TrainError> {
    let sources: BTreeSet<&'static str> = prepared.iter().map(|letter| letter.source).collect();
    let mut scored = Vec::with_capacity(prepared.len());
    for source in sources {
        let bytes = model(prepared, seed, &Thresholds::default(), &|other| other != source)?;
        let pretexts = Pretexts::load(&bytes)?;
        for letter in prepared.iter().filter(|letter| letter.source == source) {
            let score = letter.rows.iter().map(|row| pretexts.score(row)).fold(f32::MIN, f32::max);
            let (is_phishing, is_message) = (letter.is_phishing, letter.is_message);
            scored.push(Scored { source, is_phishing, is_message, score, title: letter.title.clone() });
        }
    }
    Ok(scored)
}

/// The lowest thresholds that few enough ordinary letters reach.
#[must_use]
pub fn thresholds(folds: &[Scored]) -> Thresholds {
    let ordinary = folds.iter().filter(|letter| !letter.is_phishing && letter.source != HONEST);
    let mut scores: Vec<f32> = ordinary.map(|letter| letter.score).collect();
    scores.sort_by(|one, two| two.total_cmp(one));
    let least = |share: f32| {
        let first_passed = scores.get((scores.len() as f32 * share) as usize).copied();
        first_passed.map_or(0.0, |score| score + 0.01)
    };
    Thresholds { pretext: least(ALLOWED), notable: least(ALLOWED_NOTES) }
}

/// Prints a row for each author that training left out.
///
/// # Errors
/// [`TrainError::Print`].
pub fn print(folds: &[Scored], out: &mut dyn Write) -> Result<(), TrainError> {
    let thresholds = thresholds(folds);
    writeln!(out, "threshold {:.2}, notable {:.2}\n", thresholds.pretext, thresholds.notable)?;
    writeln!(out, "| left out | phishing mails | ordinary mails | phishing messages | ordinary messages |")?;
    writeln!(out, "|---|---|---|---|---|")?;
    let sources: BTreeSet<&str> = folds.iter().map(|letter| letter.source).collect();
    for source in sources {
        let of = |is_phishing: bool, is_message: bool| {
            let of_source = folds.iter().filter(|letter| letter.source == source);
            let all: Vec<&Scored> = of_source
                .filter(|letter| letter.is_phishing == is_phishing && letter.is_message == is_message)
                .collect();
            let found = all.iter().filter(|letter| letter.score >= thresholds.pretext).count();
            format!("{found} of {}", all.len())
        };
        writeln!(
            out,
            "| {source} | {} | {} | {} | {} |",
            of(true, false),
            of(false, false),
            of(true, true),
            of(false, true)
        )?;
    }
    if std::env::var_os("PRETEXT_ERRORS").is_some() {
        let mut sorted: Vec<&Scored> = folds.iter().collect();
        sorted.sort_by(|one, two| two.score.total_cmp(&one.score));
        for one in &sorted {
            let is_found = one.score >= thresholds.pretext;
            if one.is_phishing != is_found || !one.is_phishing && one.score >= thresholds.notable - 0.3 {
                writeln!(out, "{} {:.2} {} {}", if one.is_phishing { "MISS" } else { "FALSE" }, one.score, one.source, one.title)?;
            }
        }
    }
    Ok(())
}
