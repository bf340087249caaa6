//! Digests for recognising repeats: keyed hashes of a body and of an `Idempotency-Key`. The analyzer
//! compares them.

use aegis::aegis128x2::{Aegis128X2Mac, Key, Nonce};
use common::ids::OrganizationId;
use common::pepper::Pepper;
use zeroize::Zeroizing;

use crate::sanitize::MaskedValues;

/// Purpose under which the pepper makes the key and the nonce, 16 bytes each, of the authentication code that is an inflated
/// body's digest, before redaction: AEGIS-128X2 with a tag of 32 bytes (draft-irtf-cfrg-aegis-aead). Without the key, of 128
/// bits, no second body of the same digest can be found and no guess confirmed. HMAC-SHA-256 would cost as much as all other
/// work on a body; BLAKE3 costs five times as much as this. It rests on the processor's AES instructions and is many times
/// slower without them.
pub const DIGEST_PURPOSE: &str = "palisade batch digest";
/// Purpose under which the pepper hashes the value of the `Idempotency-Key` header, as its only part.
pub const IDEMPOTENCY_PURPOSE: &str = "palisade idempotency key";

/// Hashes for one deployment.
pub(crate) struct Digests {
    pepper: Pepper,
    /// Of no body yet.
    bodies: Aegis128X2Mac<32>,
}

impl Digests {
    pub(crate) fn new(pepper: Pepper) -> Self {
        let bodies = body_digest(&pepper);
        Self { pepper, bodies }
    }

    /// The digest of an inflated body.
    pub(crate) fn body(&self, body: &[u8]) -> [u8; 32] {
        let mut digest = self.bodies.clone();
        digest.update(body);
        digest.finalize()
    }

    /// Collector of the fingerprints of values that are masked in a batch of this organization.
    pub(crate) fn masked_values(&self, organization: OrganizationId) -> MaskedValues {
        MaskedValues::of(&self.pepper, organization)
    }

    /// The hash of an `Idempotency-Key`.
    pub(crate) fn idempotency(&self, key: &[u8]) -> [u8; 32] {
        self.pepper.hash(IDEMPOTENCY_PURPOSE, &[key])
    }
}

fn body_digest(pepper: &Pepper) -> Aegis128X2Mac<32> {
    let secret = Zeroizing::new(pepper.hash(DIGEST_PURPOSE, &[]));
    let (mut key, mut nonce) = (Zeroizing::new(Key::default()), Nonce::default());
    let (first, second) = secret.split_at(key.len());
    key.copy_from_slice(first);
    nonce.copy_from_slice(second);
    Aegis128X2Mac::new_with_nonce(&key, &nonce)
}
