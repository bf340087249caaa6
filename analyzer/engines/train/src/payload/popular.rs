//! Windows of popular packages: facts and words without their order, from which no code can be read.
//!
//! The first line has all names; each further line a package with the numbers of the names of each window.

use ::payload::{Row, fact_feature};
use linear_model::Feature;
use serde::{Deserialize, Serialize};

use super::packages::Package;
use crate::TrainError;
use crate::data::digest;

/// Source of popular packages.
pub const POPULAR: &str = "popular";

const FILE: &str = include_str!("../../packages/popular.jsonl");

/// Names of facts and words.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Names {
    /// Facts.
    pub facts: Vec<String>,
    /// Words that packages of the authors have; others are not learned.
    pub words: Vec<String>,
}

/// A package with some of its windows.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// Folder of the package: registry and name.
    pub name: String,
    /// Whether a chain of capabilities is found without the model.
    pub is_found: bool,
    /// Facts by number, words by number, and the number of all words, of each window.
    pub windows: Vec<(Vec<usize>, Vec<usize>, usize)>,
}

/// All popular packages, in the order of the file.
///
/// # Errors
/// [`TrainError::Written`] where a line is no package.
pub fn all() -> Result<Vec<Package>, TrainError> {
    let mut lines = FILE.lines();
    let names: Names = serde_json::from_str(lines.next().unwrap_or("{}")).map_err(TrainError::Written)?;
    let facts: Vec<Feature> = names.facts.iter().map(|name| fact_feature(name)).collect();
    let words: Vec<Feature> = names.words.iter().map(|name| Feature::of(name)).collect();
    let of = |features: &[Feature], numbers: &[usize]| -> Vec<Feature> {
        numbers.iter().filter_map(|number| features.get(*number).copied()).collect()
    };
    lines
        .map(|line| {
            let record: Record = serde_json::from_str(line).map_err(TrainError::Written)?;
            let row = |(of_facts, of_words, all): &(Vec<usize>, Vec<usize>, usize)| Row {
                facts: of(&facts, of_facts),
                words: of(&words, of_words),
                length: *all,
            };
            Ok(Package {
                source: POPULAR,
                rows: record.windows.iter().map(row).collect(),
                name: record.name,
                is_malicious: false,
                is_found: record.is_found,
            })
        })
        .collect()
}

/// SHA-256 of the file.
#[must_use]
pub fn file_digest() -> String {
    digest(FILE)
}
