//! The model of payloads: packages to weights and thresholds.
//!
//! - `payload/packages.rs`: labelled packages of several authors.
//! - `payload/popular.rs`: windows of popular packages, which are honest; chosen from their archives by `payload/choose.rs`.
//! - `payload/learn.rs`: windows to a model file.
//! - `payload/report.rs`: quality on authors that training left out, and the thresholds that follow from it.

pub mod choose;
pub mod learn;
pub mod packages;
pub mod popular;
pub mod report;

use std::io::Write;

use crate::TrainError;
use crate::data::Data;

/// Seed to the bytes of the model file. All data is part of the trainer.
///
/// # Errors
/// [`TrainError`] where a record cannot be read.
pub fn train(_: &mut Data, seed: u64) -> Result<Vec<u8>, TrainError> {
    let (packages, popular) = (packages::all()?, popular::all()?);
    let folds = report::folds(&packages, &popular, seed)?;
    let all: Vec<_> = packages.iter().chain(&popular).collect();
    learn::model(&all, seed, report::thresholds(&folds))
}

/// Prints the table of the documentation.
///
/// # Errors
/// [`TrainError`] where a record cannot be read or the table not printed.
pub fn report(_: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    let (packages, popular) = (packages::all()?, popular::all()?);
    report::print(&report::folds(&packages, &popular, crate::trainer::SEED)?, out)
}
