//! Bytes as lower-case hexadecimal digits, and back; with serde, bytes of a row as such a text.

use serde::{Deserialize, Deserializer, Serializer};

/// Bytes as hexadecimal digits.
#[must_use]
pub fn print(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

/// The bytes of an even number of hexadecimal digits of either case; `None` for other text.
#[must_use]
pub fn parse(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

/// Bytes as text, for `#[serde(with = "hexadecimal")]`.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&print(bytes))
}

/// Bytes from such a text.
///
/// # Errors
/// Where the text is not an even number of hexadecimal digits.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| serde::de::Error::custom("expected hexadecimal digits, two for each byte"))
}
