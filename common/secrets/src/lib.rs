//! Secrets of organizations that must be read again, encrypted at rest: signing keys, header values. Each
//! organization has data keys of its own; they lie in its ledger, wrapped by a key that the ledger never holds.
//! Secrets that are only compared (API keys) are hashed instead, elsewhere.
//!
//! A sealed value is AES-256-GCM (NIST SP 800-38D) under a data key, bound to the location it was sealed for, so that a
//! value moved to another organization, row or field does not open. Nonces are random: 96 bits allow 2^32 values
//! under one key (section 8.3); a data key gives way to the next one long before.

mod cipher;
mod data_key;
mod keys;
mod field_location;
mod sealed;
mod vault;

pub use field_location::FieldLocation;
pub use keys::{KeyEncryptionKey, KeyEncryptionKeys, KeysError};
pub use sealed::{Sealed, SealedError};
pub use vault::{Rewrapped, SecretsError, Vault, has_data_keys, is_data_key};

#[cfg(test)]
mod tests;
