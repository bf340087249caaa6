//! What repeats are recognised by: keyed hashes of a body and of an `Idempotency-Key`. Where they are
//! compared is the analyzer's business.

use common::pepper::Pepper;
use zeroize::Zeroizing;

/// Purpose under which the pepper makes the key that hashes inflated bodies, before redaction: BLAKE3
/// keyed with the pepper's hash of nothing for this purpose. As hard to find a second body for, and to
/// confirm a guess with, as HMAC-SHA-256, which would cost as much as everything else that is done to a
/// body.
pub const DIGEST_PURPOSE: &str = "palisade batch digest";
/// Purpose under which the pepper hashes the value of the `Idempotency-Key` header, as its only part.
pub const IDEMPOTENCY_PURPOSE: &str = "palisade idempotency key";

/// Hashes for one deployment.
pub(crate) struct Digests {
    pepper: Pepper,
    body_key: Zeroizing<[u8; 32]>,
}

impl Digests {
    pub(crate) fn new(pepper: Pepper) -> Self {
        let body_key = Zeroizing::new(pepper.hash(DIGEST_PURPOSE, &[]));
        Self { pepper, body_key }
    }

    /// The digest of an inflated body.
    pub(crate) fn body(&self, body: &[u8]) -> [u8; 32] {
        blake3::keyed_hash(&self.body_key, body).into()
    }

    /// The hash of an `Idempotency-Key`.
    pub(crate) fn idempotency(&self, key: &[u8]) -> [u8; 32] {
        self.pepper.hash(IDEMPOTENCY_PURPOSE, &[key])
    }
}
