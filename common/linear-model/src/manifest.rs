//! The description of a model: JSON at the head of its file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Everything about a model but its weights. Maps are ordered, so that equal models have equal bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version as replies show it, for example `palisade-guard-2026.12`.
    pub name: String,
    /// Version of the code that turns text into features. A classifier refuses a model of another one.
    pub features: String,
    /// Seed of the trainer.
    pub seed: u64,
    /// SHA-256 in hexadecimal of each file that the model was trained on.
    pub data: BTreeMap<String, String>,
    /// Thresholds and other numbers that the classifier reads.
    pub numbers: BTreeMap<String, f64>,
    /// Result of the validation, for people: figure by name.
    pub validation: BTreeMap<String, f64>,
    /// Where the data came from. Credit is due to each.
    pub notice: Vec<Source>,
    /// Tables in the order of their bytes.
    pub tables: Vec<TableShape>,
}

/// A source of training data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Project or publisher.
    pub name: String,
    /// SPDX expression of its licence.
    pub license: String,
}

/// Name and size of a table of weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableShape {
    /// Name by which the classifier finds the table.
    pub name: String,
    /// Number of slots: a power of two, at most [`crate::MAX_SLOTS`].
    pub slots: usize,
    /// Meaning of each weight of a slot, for example the classes. One label for a table that answers yes or no.
    pub labels: Vec<String>,
    /// Score of each label before any feature is added.
    pub biases: Vec<f32>,
}

impl TableShape {
    /// Weights of one slot.
    #[must_use]
    pub fn width(&self) -> usize {
        self.labels.len()
    }

    /// All weights, or nothing where the shape is not one of this format.
    pub(crate) fn weights(&self) -> Option<usize> {
        let slots = self.slots.is_power_of_two() && self.slots <= crate::MAX_SLOTS;
        let width = (1..=crate::MAX_WIDTH).contains(&self.width()) && self.biases.len() == self.width();
        (slots && width).then_some(self.slots * self.width())
    }
}
