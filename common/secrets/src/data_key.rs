//! Data keys: made for one organization, kept wrapped in its ledger, in memory only while they are used.

use common::hexadecimal;
use common::ids::OrganizationId;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::cipher::{self, DoesNotOpen, KEY_BYTES};
use crate::keys::{KeyEncryptionKey, KeyEncryptionKeys, KeyId};

/// Prefix of an organization's data keys in its ledger; the number follows.
pub(crate) const PREFIX: &[u8] = b"data-key/";

/// A data key.
pub(crate) type DataKey = Zeroizing<[u8; KEY_BYTES]>;

/// A data key as the ledger holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wrapped {
    /// Which of the organization's.
    pub(crate) number: u32,
    /// Which key it is wrapped by.
    pub(crate) wrapped_by: KeyId,
    #[serde(with = "hexadecimal")]
    bytes: Vec<u8>,
}

/// Its row's key.
pub(crate) fn row_key(number: u32) -> Vec<u8> {
    [PREFIX, &number.to_be_bytes()].concat()
}

impl Wrapped {
    /// Wraps a data key.
    pub(crate) fn wrap(
        organization: OrganizationId,
        number: u32,
        key: &DataKey,
        by: &KeyEncryptionKey,
        nonce: &[u8; 12],
    ) -> Result<Self, DoesNotOpen> {
        let bytes = cipher::seal(&by.secret, nonce, key.as_slice(), &associated_data(organization, number))?;
        Ok(Self { number, wrapped_by: by.id, bytes })
    }

    /// The data key; `None` when it is wrapped by a key that is not there.
    pub(crate) fn unwrap_by(
        &self,
        organization: OrganizationId,
        keys: &KeyEncryptionKeys,
    ) -> Option<Result<DataKey, DoesNotOpen>> {
        let by = keys.find(self.wrapped_by)?;
        let opened = cipher::open(&by.secret, &self.bytes, &associated_data(organization, self.number));
        let key = opened.and_then(|bytes| bytes.as_slice().try_into().map_err(|_| DoesNotOpen));
        Some(key.map(Zeroizing::new))
    }
}

fn associated_data(organization: OrganizationId, number: u32) -> Vec<u8> {
    [b"palisade data key 1".as_slice(), organization.as_bytes(), &number.to_be_bytes()].concat()
}
