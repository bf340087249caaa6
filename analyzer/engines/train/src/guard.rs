//! The model of the guard: texts of all kinds to weights and a threshold.
//!
//! - `guard/texts.rs`: labelled texts, from files of data and from grammars, with kind and project.
//! - `guard/grammar.rs`: texts from grammars of our own.
//! - `guard/disguise.rs`: disguises, for training and for the report.
//! - `guard/learn.rs`: texts to a model file.
//! - `guard/rows.rs`: texts to rows to learn from.
//! - `guard/thresholds.rs`: scores from which on texts are attacks.
//! - `guard/writing.rs`: script and language of a text, for the table by language.
//! - `guard/report.rs`: quality on projects that training left out.

pub mod disguise;
pub mod grammar;
pub mod learn;
pub mod report;
mod rows;
pub mod texts;
mod thresholds;
pub mod writing;

use std::io::Write;

use crate::TrainError;
use crate::data::Data;

/// Data and seed to the bytes of the model file.
///
/// # Errors
/// [`TrainError`] where the data cannot be read.
pub fn train(data: &mut Data, seed: u64) -> Result<Vec<u8>, TrainError> {
    let texts = texts::all(data, seed)?;
    let prepared = learn::prepare(&texts, seed)?;
    learn::model(&prepared, data.digests(), seed, &|_| true)
}

/// Prints the tables of the documentation.
///
/// # Errors
/// [`TrainError`] where the data cannot be read or the tables not printed.
pub fn report(data: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    let texts = texts::all(data, crate::trainer::SEED)?;
    report::print(&texts, crate::trainer::SEED, out)
}
