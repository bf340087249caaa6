//! The model of pretexts: mails and messages to weights and thresholds.
//!
//! - `pretext/letters.rs`: labelled mails and messages of several authors.
//! - `pretext/learn.rs`: letters to a model file.
//! - `pretext/report.rs`: quality on authors that training left out, and the thresholds that follow from it.

pub mod learn;
pub mod letters;
pub mod report;

use std::io::Write;

use crate::TrainError;
use crate::data::Data;

/// Seed to the bytes of the model file. All texts are of our own and part of the trainer.
///
/// # Errors
/// [`TrainError`] where a text cannot be read.
pub fn train(_: &mut Data, seed: u64) -> Result<Vec<u8>, TrainError> {
    let prepared = learn::prepare(&letters::all()?)?;
    let folds = report::folds(&prepared, seed)?;
    learn::model(&prepared, seed, &report::thresholds(&folds), &|_| true)
}

/// Prints the table of the documentation.
///
/// # Errors
/// [`TrainError`] where a text cannot be read or the table not printed.
pub fn report(_: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    let prepared = learn::prepare(&letters::all()?)?;
    report::print(&report::folds(&prepared, crate::trainer::SEED)?, out)
}
