//! Quality on authors that training left out, and the thresholds that follow from it.

use std::collections::BTreeSet;
use std::io::Write;

use ::pretext::{Pretexts, Thresholds};

use super::learn::{Both, Prepared, model};
use super::letters::HONEST;
use crate::TrainError;

/// Share of ordinary letters of authors that training left out which may be pretexts, and worth a note.
const ALLOWED: f32 = 0.003;
const ALLOWED_NOTES: f32 = 0.02;

/// Letters of each label that the report names.
const SHOWN: usize = 20;

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
        let bytes = model(prepared, seed, &Both::default(), &|other| other != source)?;
        let pretexts = Pretexts::load(&bytes)?;
        for letter in prepared.iter().filter(|letter| letter.source == source) {
            let score = letter.rows.iter().map(|row| pretexts.score(row)).fold(f32::MIN, f32::max);
            let (is_phishing, is_message) = (letter.is_phishing, letter.is_message);
            scored.push(Scored { source, is_phishing, is_message, score, title: letter.title.clone() });
        }
    }
    Ok(scored)
}

/// The lowest thresholds that few enough ordinary letters reach. A message has also texts of the guard as its ordinary ones.
#[must_use]
pub fn thresholds(folds: &[Scored]) -> Both {
    let of = |is_message: bool| {
        let ordinary = folds.iter().filter(|letter| !letter.is_phishing && letter.is_message == is_message);
        let (honest, written): (Vec<&Scored>, Vec<&Scored>) =
            ordinary.partition(|letter| letter.source == HONEST);
        let least = |share: f32| {
            least(&written, share).max(if is_message { least(&honest, share) } else { f32::MIN })
        };
        Thresholds { pretext: least(ALLOWED), notable: least(ALLOWED_NOTES) }
    };
    Both { mails: of(false), messages: of(true) }
}

/// The lowest threshold that a share of letters reaches at most.
fn least(letters: &[&Scored], share: f32) -> f32 {
    let mut scores: Vec<f32> = letters.iter().map(|letter| letter.score).collect();
    scores.sort_by(|one, two| two.total_cmp(one));
    scores.get((scores.len() as f32 * share) as usize).map_or(0.0, |score| score + 0.01)
}

/// Prints a row for each author that training left out.
///
/// # Errors
/// [`TrainError::Print`].
pub fn print(folds: &[Scored], out: &mut dyn Write) -> Result<(), TrainError> {
    let thresholds = thresholds(folds);
    let Both { mails, messages } = thresholds;
    writeln!(out, "thresholds: mails {:.2}, messages {:.2}\n", mails.pretext, messages.pretext)?;
    writeln!(out, "| left out | phishing mails | ordinary mails | phishing messages | ordinary messages |")?;
    writeln!(out, "|---|---|---|---|---|")?;
    let sources: BTreeSet<&str> = folds.iter().map(|letter| letter.source).collect();
    for source in sources {
        let of = |is_phishing: bool, is_message: bool| {
            let of_source = folds.iter().filter(|letter| letter.source == source);
            let all: Vec<&Scored> = of_source
                .filter(|letter| letter.is_phishing == is_phishing && letter.is_message == is_message)
                .collect();
            let threshold = if is_message { messages.pretext } else { mails.pretext };
            let found = all.iter().filter(|letter| letter.score >= threshold).count();
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
    writeln!(out, "\nOrdinary letters with the highest scores, then phishing with the lowest:\n")?;
    let mut sorted: Vec<&Scored> = folds.iter().collect();
    sorted.sort_by(|one, two| two.score.total_cmp(&one.score));
    let ordinary = sorted.iter().filter(|letter| !letter.is_phishing).take(SHOWN);
    let phishing = sorted.iter().rev().filter(|letter| letter.is_phishing).take(SHOWN);
    for Scored { score, source, title, .. } in ordinary.chain(phishing) {
        writeln!(out, "{score:.2} {source} {title}")?;
    }
    Ok(())
}
