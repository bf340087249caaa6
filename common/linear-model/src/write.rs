//! Trained weights to bytes.

use crate::{BLOCK, MAGIC, Manifest, TableShape};

/// A table as the trainer has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// Name and size.
    pub shape: TableShape,
    /// The weights of a slot lie side by side, one for each label.
    pub weights: Vec<f32>,
}

/// Reasons for which a model cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The table has a size that the format does not have, or another number of weights.
    #[error("the table {0} has an invalid size")]
    Shape(String),
    /// A weight is not a finite number.
    #[error("the table {0} has a weight that is no number")]
    Weight(String),
    /// The manifest cannot be written as JSON, or is longer than 4 GiB.
    #[error("the manifest cannot be written")]
    Manifest(#[from] serde_json::Error),
    /// The manifest is longer than its length field can say.
    #[error("the manifest is too long")]
    Length,
}

/// The file of a model. The tables of the manifest are replaced by those given. Each weight is rounded to one of 255
/// steps, symmetric around zero, of the largest weight among [`BLOCK`].
///
/// # Errors
/// [`WriteError`] where the tables are not those of this format.
pub fn write(manifest: &Manifest, tables: &[Trained]) -> Result<Vec<u8>, WriteError> {
    let shapes = tables.iter().map(|table| table.shape.clone()).collect();
    let text = serde_json::to_vec(&Manifest { tables: shapes, ..manifest.clone() })?;
    let size = u32::try_from(text.len()).map_err(|_| WriteError::Length)?;

    let mut bytes = MAGIC.to_vec();
    bytes.extend(size.to_le_bytes());
    bytes.extend(text);
    for table in tables {
        if table.shape.weights() != Some(table.weights.len()) {
            return Err(WriteError::Shape(table.shape.name.clone()));
        }
        let finite = table.weights.iter().chain(&table.shape.biases).all(|weight| weight.is_finite());
        if !finite {
            return Err(WriteError::Weight(table.shape.name.clone()));
        }
        append(&table.weights, &mut bytes);
    }
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    Ok(bytes)
}

fn append(weights: &[f32], bytes: &mut Vec<u8>) {
    let largest = |block: &[f32]| block.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
    let scales: Vec<f32> = weights.chunks(BLOCK).map(|block| largest(block) / 127.0).collect();
    for (block, scale) in weights.chunks(BLOCK).zip(&scales) {
        let step = |weight: &f32| if *scale > 0.0 { (weight / scale).round() } else { 0.0 };
        bytes.extend(block.iter().map(|weight| (step(weight).clamp(-127.0, 127.0) as i8).cast_unsigned()));
    }
    bytes.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
}
