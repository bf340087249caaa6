//! Quality on authors that training left out, and the thresholds that follow from it.

use std::collections::BTreeSet;
use std::io::Write;

use ::payload::Payloads;

use super::learn::{Thresholds, model};
use super::packages::Package;
use super::popular::POPULAR;
use crate::TrainError;

/// Share of popular packages that training left out which may be payloads, and worth a note.
const ALLOWED: f32 = 0.01;
const ALLOWED_NOTES: f32 = 0.03;

/// Packages of each label that the report names.
const SHOWN: usize = 20;

/// Score of a package by the model that was trained without its author.
#[derive(Clone, Debug)]
pub struct Scored {
    source: &'static str,
    is_malicious: bool,
    is_found: bool,
    score: f32,
    name: String,
}

/// Trains a model without each author and without half of the popular packages, and scores those left out.
///
/// # Errors
/// [`TrainError`] where a model cannot be written or read.
pub fn folds(packages: &[Package], popular: &[Package], seed: u64) -> Result<Vec<Scored>, TrainError> {
    let sources: BTreeSet<&'static str> = packages.iter().map(|package| package.source).collect();
    let mut scored = Vec::new();
    for (number, source) in sources.into_iter().enumerate() {
        let of_half = |half: usize| popular.iter().skip((number + half) % 2).step_by(2);
        let learned: Vec<&Package> =
            packages.iter().filter(|package| package.source != source).chain(of_half(0)).collect();
        let bytes = model(&learned, seed, Thresholds::default())?;
        let payloads = Payloads::load(&bytes)?;
        let left_out = packages.iter().filter(|package| package.source == source).chain(of_half(1));
        scored.extend(left_out.map(|package| Scored {
            source: package.source,
            is_malicious: package.is_malicious,
            is_found: package.is_found,
            score: package.rows.iter().map(|row| payloads.score(row)).fold(f32::MIN, f32::max),
            name: package.name.clone(),
        }));
    }
    Ok(scored)
}

/// The lowest thresholds that few enough popular packages reach.
#[must_use]
pub fn thresholds(folds: &[Scored]) -> Thresholds {
    let mut scores: Vec<f32> =
        folds.iter().filter(|one| one.source == POPULAR).map(|one| one.score).collect();
    scores.sort_by(|one, two| two.total_cmp(one));
    let least =
        |share: f32| scores.get((scores.len() as f32 * share) as usize).map_or(0.0, |score| score + 0.01);
    Thresholds { payload: least(ALLOWED), notable: least(ALLOWED_NOTES) }
}

/// Prints a row for each author that training left out.
///
/// # Errors
/// [`TrainError::Print`].
pub fn print(folds: &[Scored], out: &mut dyn Write) -> Result<(), TrainError> {
    let Thresholds { payload, .. } = thresholds(folds);
    writeln!(out, "threshold: {payload:.2}\n")?;
    writeln!(out, "| left out | malicious: rules | model | both | honest: rules | model | both |")?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    let sources: BTreeSet<&str> = folds.iter().map(|one| one.source).collect();
    for source in sources {
        write!(out, "| {source} ")?;
        for is_malicious in [true, false] {
            let all: Vec<&Scored> =
                folds.iter().filter(|one| one.source == source && one.is_malicious == is_malicious).collect();
            let count = |is: &dyn Fn(&Scored) -> bool| all.iter().filter(|one| is(one)).count();
            let is_payload = |one: &Scored| one.score >= payload;
            let (rules, model) = (count(&|one| one.is_found), count(&is_payload));
            let both = count(&|one| one.is_found || is_payload(one));
            write!(out, "| {rules} of {} | {model} | {both} ", all.len())?;
        }
        writeln!(out, "|")?;
    }
    writeln!(out, "\nHonest packages with the highest scores, then malicious ones that neither finds:\n")?;
    let mut sorted: Vec<&Scored> = folds.iter().collect();
    sorted.sort_by(|one, two| two.score.total_cmp(&one.score));
    let honest = sorted.iter().filter(|one| !one.is_malicious).take(SHOWN);
    let missed = sorted.iter().rev().filter(|one| one.is_malicious && !one.is_found && one.score < payload);
    for Scored { score, source, name, .. } in honest.chain(missed) {
        writeln!(out, "{score:.2} {source} {name}")?;
    }
    Ok(())
}
