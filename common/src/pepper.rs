//! The pepper: the server's secret that keys every hash it keeps, so that what is stored confirms
//! no guess.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// A 32-byte secret shared by all processes of a deployment. Never printed.
#[derive(Clone)]
pub struct Pepper(Zeroizing<[u8; 32]>);

impl Pepper {
    /// Wraps 32 secret bytes.
    #[must_use]
    pub fn new(secret: [u8; 32]) -> Self {
        Self(Zeroizing::new(secret))
    }

    /// Starts HMAC-SHA-256 (RFC 2104) under this secret for one purpose. The purpose keeps hashes
    /// of different things apart even where their bytes agree.
    #[must_use]
    pub fn hasher(&self, purpose: &'static str) -> KeyedHasher {
        // RFC 2104 section 2: a key shorter than the block is padded with zeros.
        let mut block = Zeroizing::new([0_u8; 64]);
        block[..32].copy_from_slice(&*self.0);
        let mut mac = Hmac::<Sha256>::new(&(*block).into());
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        KeyedHasher(mac)
    }

    /// HMAC-SHA-256 of `parts` for one purpose; each part is preceded by its length, so that no two
    /// lists of parts give the same input.
    #[must_use]
    pub fn hash(&self, purpose: &'static str, parts: &[&[u8]]) -> [u8; 32] {
        let mut hasher = self.hasher(purpose);
        for part in parts {
            hasher.part(part);
        }
        hasher.finish()
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pepper(..)")
    }
}

/// A keyed hash in the making.
#[derive(Clone)]
pub struct KeyedHasher(Hmac<Sha256>);

impl KeyedHasher {
    /// Adds a part, preceded by its length.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The 32 bytes of the hash.
    #[must_use]
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into_bytes().into()
    }
}

impl fmt::Debug for KeyedHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyedHasher(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purpose_and_boundaries_matter() {
        let pepper = Pepper::new([7; 32]);
        assert_ne!(pepper.hash("a", &[b"xy"]), pepper.hash("b", &[b"xy"]));
        assert_ne!(pepper.hash("a", &[b"x", b"y"]), pepper.hash("a", &[b"xy"]));
        assert_eq!(format!("{pepper:?}"), "Pepper(..)");
    }
}
