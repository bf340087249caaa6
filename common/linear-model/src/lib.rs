//! Linear models over hashed features: the file format of all classifiers of the product, its reader and its writer.
//! Pure: a model is read from bytes, which the binary embeds.
//!
//! A file is the magic number `PLM1`, the length of the manifest (32 bits, little endian), the manifest in JSON, for each
//! table of the manifest its weights (one signed byte each) and its scales (one `f32`, little endian, for every
//! [`BLOCK`] weights), and a CRC-32C of everything before it.
//!
//! - `feature.rs`: text to hashed feature, the same for the trainer and for the classifiers.
//! - `manifest.rs`: the description of a model.
//! - `read.rs`: bytes to model, without copying the weights.
//! - `write.rs`: trained weights to bytes.

mod feature;
mod manifest;
mod read;
mod write;

pub use feature::{Feature, slot};
pub use manifest::{Manifest, Source, TableShape};
pub use read::{Model, ModelError, Table};
pub use write::{Trained, WriteError, write};

/// Weights that share one scale. Small enough that one large weight costs little precision of few others, large enough
/// that scales are 1.6 % of a file.
pub const BLOCK: usize = 256;

/// Most slots of a table. Bounds the memory of a reader before the checksum is compared.
pub const MAX_SLOTS: usize = 1 << 24;

/// Most weights of one slot, hence classes of a model.
pub const MAX_WIDTH: usize = 64;

const MAGIC: &[u8; 4] = b"PLM1";
