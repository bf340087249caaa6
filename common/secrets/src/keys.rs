//! The keys that wrap data keys. They come from the configuration and are in no ledger and no backup of one.

use std::fmt;

use common::hexadecimal;
use sha2::{Digest, Sha256};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::cipher::KEY_BYTES;

/// Most keys at a time: the current one, and those of rotations that are not finished.
const MOST_KEYS: usize = 16;
/// Bytes of a key's hash that name it.
const ID_BYTES: usize = 8;

/// Names a key without telling anything of it: the beginning of a hash.
pub(crate) type KeyId = [u8; ID_BYTES];

/// A key that wraps data keys: 32 secret bytes. Never printed.
#[derive(Clone)]
pub struct KeyEncryptionKey {
    pub(crate) secret: Zeroizing<[u8; KEY_BYTES]>,
    pub(crate) id: KeyId,
}

/// The key that wraps, and further ones that still unwrap.
#[derive(Clone, Debug)]
pub struct KeyEncryptionKeys {
    keys: Vec<KeyEncryptionKey>,
}

/// Reason why keys cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum KeysError {
    /// Not 64 hexadecimal digits.
    #[error("key-encryption key number {number} must be 64 hexadecimal digits, found {found} characters")]
    Malformed {
        /// Which, from 1.
        number: usize,
        /// Its number of characters.
        found: usize,
    },
    /// None, or too many.
    #[error("expected 1 to {MOST_KEYS} key-encryption keys, found {found}")]
    Count {
        /// Number of keys.
        found: usize,
    },
}

impl KeyEncryptionKey {
    /// Wraps 32 secret bytes.
    #[must_use]
    pub fn new(secret: [u8; KEY_BYTES]) -> Self {
        let hash =
            Sha256::new().chain_update(b"palisade key-encryption key id").chain_update(secret).finalize();
        let mut id = KeyId::default();
        id.copy_from_slice(&hash[..ID_BYTES]);
        Self { secret: Zeroizing::new(secret), id }
    }

    /// Its id, for people: hexadecimal.
    #[must_use]
    pub fn name(&self) -> String {
        name(self.id)
    }
}

/// An id for people.
pub(crate) fn name(id: KeyId) -> String {
    hexadecimal::print(&id)
}

impl fmt::Debug for KeyEncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyEncryptionKey({})", self.name())
    }
}

impl KeyEncryptionKeys {
    /// The first of `keys` wraps, all of them unwrap.
    ///
    /// # Errors
    /// [`KeysError::Count`] for none, or more than 16.
    pub fn new(keys: Vec<KeyEncryptionKey>) -> Result<Self, KeysError> {
        if keys.is_empty() || keys.len() > MOST_KEYS {
            return Err(KeysError::Count { found: keys.len() });
        }
        Ok(Self { keys })
    }

    /// Reads keys of 64 hexadecimal digits each, separated by white space; the first one wraps.
    ///
    /// # Errors
    /// [`KeysError`], which tells nothing of what a key is.
    pub fn parse(text: &str) -> Result<Self, KeysError> {
        let parse = |(index, word): (usize, &str)| {
            let secret = hexadecimal::parse(word).map(Zeroizing::new);
            let secret = secret.and_then(|bytes| bytes.as_slice().try_into().ok());
            let found = word.chars().count();
            secret.map(KeyEncryptionKey::new).ok_or(KeysError::Malformed { number: index + 1, found })
        };
        Self::new(text.split_whitespace().enumerate().map(parse).collect::<Result<_, _>>()?)
    }

    /// The key that wraps.
    #[must_use]
    pub fn current(&self) -> &KeyEncryptionKey {
        // There is at least one.
        &self.keys[0]
    }

    pub(crate) fn find(&self, id: KeyId) -> Option<&KeyEncryptionKey> {
        self.keys.iter().find(|key| key.id == id)
    }
}
