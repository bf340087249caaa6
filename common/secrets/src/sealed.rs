//! A sealed value as rows hold it.

use common::hexadecimal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A value that only its organization's data key opens, at its location. Shows nothing of it but its length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// Number of the organization's data key.
    pub(crate) data_key: u32,
    /// Nonce, encrypted bytes and tag, in hexadecimal.
    #[serde(with = "hexadecimal")]
    pub(crate) bytes: Vec<u8>,
}

/// A sealed value does not open.
#[derive(Debug, Error)]
#[error(
    "a sealed value of table {table}, field {field} cannot be decrypted: it was changed, moved, or \
    encrypted under another key"
)]
pub struct SealedError {
    /// The table it was read from.
    pub table: &'static str,
    /// The field it was read from.
    pub field: String,
}
