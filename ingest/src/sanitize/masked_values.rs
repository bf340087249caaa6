//! Fingerprints of the values that are masked in a batch: a keyed hash of each, so that analysis can count distinct values
//! that are no longer readable.
//!
//! The key is derived from the pepper and the organization, and is stored nowhere. Guessing values of little entropy
//! requires the key; equal values of two organizations have different fingerprints.

use std::cell::OnceCell;

use common::fingerprint::{Fingerprint, Fingerprints, MOST_FINGERPRINTS};
use common::ids::OrganizationId;
use common::pepper::Pepper;
use redact::EntityType;

/// Purpose for deriving the key of an organization from the pepper, whose id is the only part.
pub const FINGERPRINT_KEY_PURPOSE: &str = "palisade fingerprint key";
/// Purpose under which that key hashes a masked value, as its only part; the first eight bytes count.
pub const FINGERPRINT_PURPOSE: &str = "palisade masked value";

/// Fingerprints of one record, at most: an envelope holds many events, but in one with more secrets than this the number
/// has no meaning. With the bound of a batch, one record cannot take the room of all others.
const MOST_OF_RECORD: usize = 64;

/// Collects the fingerprints of a batch.
#[derive(Debug, Default)]
pub struct MaskedValues {
    keys: Option<Keys>,
    found: Vec<Fingerprint>,
    /// Number found before the record that is being masked.
    before_record: usize,
}

/// The key of an organization, derived when needed: most batches hold no secrets.
#[derive(Debug)]
struct Keys {
    pepper: Pepper,
    organization: OrganizationId,
    own: OnceCell<Pepper>,
}

impl MaskedValues {
    /// For a batch of this organization.
    #[must_use]
    pub fn of(pepper: &Pepper, organization: OrganizationId) -> Self {
        let keys = Keys { pepper: pepper.clone(), organization, own: OnceCell::new() };
        Self { keys: Some(keys), ..Self::default() }
    }

    /// Collects nothing.
    #[must_use]
    pub fn ignored() -> Self {
        Self::default()
    }

    /// The collected fingerprints.
    #[must_use]
    pub fn into_fingerprints(self) -> Fingerprints {
        Fingerprints::new(self.found)
    }

    pub(super) fn begin_record(&mut self) {
        self.before_record = self.found.len();
    }

    /// The fingerprint of a value at this offset that is to be masked; `None` where none is kept. The lines of private
    /// keys have none.
    pub(super) fn fingerprint(&self, offset: usize, value: &[u8], entity: EntityType) -> Option<Fingerprint> {
        let keys = self.keys.as_ref()?;
        let has_room = self.found.len() < MOST_FINGERPRINTS
            && self.found.len() < self.before_record.saturating_add(MOST_OF_RECORD);
        if !has_room || value.is_empty() || entity == EntityType::PrivateKey {
            return None;
        }
        let hash = keys.own().hash(FINGERPRINT_PURPOSE, &[value]);
        let value = hash.iter().take(8).fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
        Some(Fingerprint { offset: u32::try_from(offset).ok()?, value })
    }

    pub(super) fn keep(&mut self, fingerprint: Option<Fingerprint>) {
        self.found.extend(fingerprint);
    }
}

impl Keys {
    fn own(&self) -> &Pepper {
        let key = || self.pepper.hash(FINGERPRINT_KEY_PURPOSE, &[self.organization.as_bytes()]);
        self.own.get_or_init(|| Pepper::new(key()))
    }
}
