//! Hashes of lists of parts, by which things are named after what they consist of.

use sha2::{Digest, Sha256};

/// SHA-256 over all parts, each preceded by its length, so that no two lists of parts give the same input.
#[must_use]
pub fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
