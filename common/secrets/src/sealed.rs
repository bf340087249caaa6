//! A sealed value as rows hold it.

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

/// Bytes as text in rows of JSON.
pub(crate) mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let text: String = digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect();
        serializer.serialize_str(&text)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).ok_or_else(|| serde::de::Error::custom("expected hexadecimal digits, two for each byte"))
    }

    /// The bytes of an even number of hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Vec<u8>> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
    }
}
