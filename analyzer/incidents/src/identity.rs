//! Identity of a record, and short stable hashes for the keys of state rows.

use std::fmt;

use common::hexadecimal;
pub use common::hexadecimal::print as hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Identity of a log record: 16 bytes of a keyed hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub [u8; 16]);

impl RecordId {
    /// The identity of the `number`th further event that the record stands for; 0 is the record itself.
    pub fn repeated(self, number: u32) -> Self {
        if number == 0 { self } else { Self(short(&digest(&[&self.0, &number.to_be_bytes()]))) }
    }
}

/// SHA-256 over parts, each preceded by its length: for keys of values that are not secret.
pub fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The first half of a hash.
pub fn short(hash: &[u8; 32]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&hash[..16]);
    short
}

/// The first eight bytes of a hash of a text: to distinguish counted values.
pub(crate) fn value_hash(text: &str) -> u64 {
    number(&digest(&[text.as_bytes()]))
}

/// The hash of a counted value of which a part is masked and has this fingerprint. Neither is found in it.
pub fn with_fingerprint(value: u64, fingerprint: u64) -> u64 {
    number(&digest(&[b"masked", &value.to_be_bytes(), &fingerprint.to_be_bytes()]))
}

/// The first eight bytes of a hash as a number.
fn number(hash: &[u8; 32]) -> u64 {
    hash.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// Most bytes of a value that things are grouped by.
const GROUPED_BYTES: usize = 256;

/// A value to group by, itself where it is short. A long one is cut and distinguished by a hash: the
/// sender of records chooses such values, and they are kept once for each group.
pub fn grouped(value: String) -> String {
    if value.len() <= GROUPED_BYTES {
        return value;
    }
    let mut end = GROUPED_BYTES - 40;
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…#{}", &value[..end], hex(&short(&digest(&[value.as_bytes()]))))
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordId({self})")
    }
}

impl Serialize for RecordId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hexadecimal::parse(&text)
            .and_then(|id| id.try_into().ok())
            .map(RecordId)
            .ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))
    }
}
