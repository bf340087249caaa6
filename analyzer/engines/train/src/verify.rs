//! The model of claims and their evidence: claims generated from texts, true and false ones, to weights.
//!
//! - `verify/texts.rs`: texts as sentences of words.
//! - `verify/noise.rs`: changes that leave a claim true.
//! - `verify/errors.rs`: changes that make a claim false.
//! - `verify/grammar.rs`: statements of our own in several wordings.
//! - `verify/pairs.rs`: texts to claims with their sources.
//! - `verify/learn.rs`: pairs to a model file.
//! - `verify/report.rs`: quality on texts that training left out.

pub mod errors;
pub mod grammar;
pub mod learn;
pub mod noise;
pub mod pairs;
pub mod report;
pub mod texts;

use std::io::Write;

use crate::TrainError;
use crate::data::Data;

/// Data and seed to the bytes of the model file.
///
/// # Errors
/// [`TrainError`] where the data cannot be read.
pub fn train(data: &mut Data, seed: u64) -> Result<Vec<u8>, TrainError> {
    let texts = texts::read(data)?;
    let pairs = pairs::all(&texts, seed);
    learn::model(&learn::prepare(&pairs), data.digests(), seed)
}

/// Prints the tables of the documentation.
///
/// # Errors
/// [`TrainError`] where the data cannot be read or the tables not printed.
pub fn report(data: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    let texts = texts::read(data)?;
    report::print(&texts, crate::trainer::SEED, out)
}
