//! Bytes to model, without copying the weights.

use crate::{BLOCK, Feature, MAGIC, Manifest, TableShape, slot};

/// Reasons for which bytes are not a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The magic number is another.
    #[error("the file is not a model of this format")]
    Magic,
    /// The file ends too early, or holds more than its manifest describes.
    #[error("the file has {found} bytes, but its manifest describes {expected}")]
    Length {
        /// Bytes that the headers call for.
        expected: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The bytes differ from those that were written.
    #[error("the checksum of the file is wrong")]
    Checksum,
    /// The manifest is no JSON of this format.
    #[error("the manifest cannot be read")]
    Manifest(#[from] serde_json::Error),
    /// A table has a size that this format does not have.
    #[error("the table {0} has an invalid size")]
    Shape(String),
    /// A classifier asked for a table that is missing, or that has other labels than it can use.
    #[error("the model has no suitable table {0}")]
    NoTable(String),
    /// The model was trained with another version of the feature code.
    #[error("the model has features {found}, this build reads {expected}")]
    Features {
        /// Features of this build.
        expected: String,
        /// Features in the manifest.
        found: String,
    },
}

/// A model whose weights lie in the bytes that it was read from.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    manifest: Manifest,
    tables: Vec<Table<'a>>,
}

/// A table of weights: for every slot one weight for each label.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    weights: &'a [u8],
    scales: Vec<f32>,
    slots: usize,
    biases: Vec<f32>,
}

impl<'a> Model<'a> {
    /// Reads a model. Time and memory are linear in the length of the file.
    ///
    /// # Errors
    /// [`ModelError`] where the bytes are not exactly one undamaged model.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let length = |expected| ModelError::Length { expected, found: bytes.len() };
        let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or(ModelError::Magic)?;
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or_else(|| length(12))?;
        let (size, rest) = rest.split_first_chunk::<4>().ok_or_else(|| length(12))?;
        if crc32c::crc32c(body) != u32::from_le_bytes(*checksum) {
            return Err(ModelError::Checksum);
        }

        let size = u32::from_le_bytes(*size) as usize;
        let (text, mut rest) = rest.split_at_checked(size).ok_or_else(|| length(size.saturating_add(12)))?;
        let manifest: Manifest = serde_json::from_slice(text)?;
        let mut tables = Vec::with_capacity(manifest.tables.len());
        for shape in &manifest.tables {
            let (table, after) = Table::read(shape, rest, bytes.len())?;
            tables.push(table);
            rest = after;
        }
        if rest.len() != checksum.len() {
            return Err(length(bytes.len().saturating_sub(rest.len()).saturating_add(checksum.len())));
        }
        Ok(Self { manifest, tables })
    }

    /// The description of the model.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Compares the version of the feature code with that of the caller.
    ///
    /// # Errors
    /// [`ModelError::Features`] where they differ.
    pub fn expect_features(&self, expected: &str) -> Result<(), ModelError> {
        let found = &self.manifest.features;
        if found == expected {
            return Ok(());
        }
        Err(ModelError::Features { expected: expected.to_owned(), found: found.clone() })
    }

    /// A table by name, with as many labels as the caller can use.
    ///
    /// # Errors
    /// [`ModelError::NoTable`] where there is none.
    pub fn table(&self, name: &str, width: usize) -> Result<&Table<'a>, ModelError> {
        let mut shapes = self.manifest.tables.iter().zip(&self.tables);
        let found = shapes.find(|(shape, _)| shape.name == name && shape.width() == width);
        found.map(|(_, table)| table).ok_or_else(|| ModelError::NoTable(name.to_owned()))
    }

    /// The labels of a table, in the order of its weights; empty where there is no such table.
    #[must_use]
    pub fn labels(&self, name: &str) -> &[String] {
        let found = self.manifest.tables.iter().find(|shape| shape.name == name);
        found.map_or(&[], |shape| shape.labels.as_slice())
    }

    /// A number of the manifest.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f32> {
        self.manifest.numbers.get(name).map(|number| *number as f32)
    }
}

impl<'a> Table<'a> {
    fn read(shape: &TableShape, bytes: &'a [u8], file: usize) -> Result<(Self, &'a [u8]), ModelError> {
        let count = shape.weights().ok_or_else(|| ModelError::Shape(shape.name.clone()))?;
        let scales = count.div_ceil(BLOCK).saturating_mul(4);
        let split = |bytes: &'a [u8], at: usize| {
            let missing = at.saturating_sub(bytes.len()).saturating_add(4);
            let expected = file.saturating_add(missing);
            bytes.split_at_checked(at).ok_or(ModelError::Length { expected, found: file })
        };
        let (weights, rest) = split(bytes, count)?;
        let (scales, rest) = split(rest, scales)?;
        let scale = |bytes: &[u8]| bytes.try_into().map_or(0.0, f32::from_le_bytes);
        let scales = scales.chunks_exact(4).map(scale).collect();
        Ok((Self { weights, scales, slots: shape.slots, biases: shape.biases.clone() }, rest))
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Score of each label before any feature is added.
    #[must_use]
    pub fn biases(&self) -> &[f32] {
        &self.biases
    }

    /// The weight of a feature for the first label: for tables that answer yes or no.
    #[must_use]
    pub fn weight(&self, feature: Feature) -> f32 {
        self.at(slot(feature, self.slots).saturating_mul(self.biases.len()))
    }

    /// The weights of a feature for the first labels; zero for labels that the table does not have.
    #[must_use]
    pub fn weights<const LABELS: usize>(&self, feature: Feature) -> [f32; LABELS] {
        let mut weights = [0.0; LABELS];
        self.add(feature, 1.0, &mut weights);
        weights
    }

    /// Adds the weights of a feature, times `value`, to the score of each label.
    pub fn add(&self, feature: Feature, value: f32, scores: &mut [f32]) {
        let width = self.biases.len();
        let start = slot(feature, self.slots).saturating_mul(width);
        let end = start.saturating_add(width);
        let Some(weights) = self.weights.get(start..end) else { return };
        let scale = |place: usize| self.scales.get(place / BLOCK).copied().unwrap_or_default();
        // Nearly all features lie in one block; its scale is read once then.
        let (first, last) = (scale(start), scale(end.saturating_sub(1)));
        let next = (start / BLOCK + 1) * BLOCK;
        for ((place, weight), score) in (start..end).zip(weights).zip(scores) {
            let scale = if place < next { first } else { last };
            *score += value * (f32::from(weight.cast_signed()) * scale);
        }
    }

    fn at(&self, place: usize) -> f32 {
        let weight = self.weights.get(place).copied().unwrap_or_default();
        let scale = self.scales.get(place / BLOCK).copied().unwrap_or_default();
        f32::from(weight.cast_signed()) * scale
    }
}
