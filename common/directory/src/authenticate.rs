//! From the text of a key to its grant, cached for seconds. Keys are revoked and rotated here too, so that the process in
//! which that happens forgets what it has cached.

use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::{KeyId, OrganizationId};
use common::timestamp::Timestamp;
use thiserror::Error;

use crate::api_key::ApiKey;
use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::key_text::{KeyText, is_well_formed};
use crate::read_through::ReadThrough;

/// Grant of a live key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The organization everything happens in.
    pub organization: OrganizationId,
    /// The key, as the actor in histories.
    pub key_id: KeyId,
    /// Name of the key.
    pub key_name: String,
    /// Scopes that it is narrowed to; `None` for all.
    pub scopes: Option<Vec<String>>,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
}

impl Grant {
    /// Whether the key may do what `scope` names.
    #[must_use]
    pub fn allows(&self, scope: &str) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.iter().any(|granted| granted == scope))
    }
}

impl From<ApiKey> for Grant {
    fn from(key: ApiKey) -> Self {
        Self {
            organization: key.organization,
            key_id: key.id,
            key_name: key.name,
            scopes: key.scopes,
            expires_at: key.expires_at,
        }
    }
}

/// Reason why a key was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AuthenticateError {
    /// Not a key, or one that is unknown, revoked or expired. Which of these is not told.
    #[error("the API key is not known")]
    Unknown,
    /// The ledger cannot be reached and the key was not seen within the last minute.
    #[error("API keys cannot be checked at the moment")]
    Unavailable,
}

/// Recognises API keys. What the ledger said is used for five seconds; while the ledger cannot be
/// reached, keys that were good within the last minute stay good. Bounded, see `read_through`.
pub struct Authenticator {
    directory: Arc<Directory>,
    clock: SharedClock,
    known: ReadThrough<[u8; 32], Grant>,
}

impl Authenticator {
    /// An authenticator that knows nothing yet.
    #[must_use]
    pub fn new(directory: Arc<Directory>, clock: SharedClock) -> Self {
        Self { directory, known: ReadThrough::new(Arc::clone(&clock)), clock }
    }

    /// Grant of the presented key.
    ///
    /// # Errors
    /// [`AuthenticateError`].
    pub async fn authenticate(&self, presented: &str) -> Result<Arc<Grant>, AuthenticateError> {
        if !is_well_formed(presented) {
            return Err(AuthenticateError::Unknown);
        }
        let hash = self.directory.key_hash(presented);
        let read = async {
            let key = self.directory.key_by_hash(&hash).await?;
            Ok(key.filter(|key| key.is_live(self.clock.now())).map(Grant::from))
        };
        let grant = self.known.get(hash, read).await.map_err(|_| AuthenticateError::Unavailable)?;
        // Asked of the cached answer too: an expiry takes effect to the moment.
        let now = self.clock.now();
        grant
            .filter(|grant| grant.expires_at.is_none_or(|expires_at| now < expires_at))
            .ok_or(AuthenticateError::Unknown)
    }

    /// Revokes a key for good on behalf of another; one that is revoked stays as it is. This process refuses the key from
    /// the return on, others within five seconds.
    ///
    /// # Errors
    /// `NotFound` without such a key in the organization, `Forbidden` when it has more scopes than `by` and is another key,
    /// `KeyNotLive` when `by` is revoked or expired, `Conflict` and `Unavailable` as their documentation says.
    pub async fn revoke_key(
        &self,
        organization: OrganizationId,
        id: KeyId,
        by: KeyId,
    ) -> Result<(), DirectoryError> {
        let revoked = self.directory.revoke(organization, id, Some(by)).await?;
        self.known.forget(&revoked.hash).await;
        Ok(())
    }

    /// Replaces a live key by a new one with the same name, scopes and expiry, on behalf of `by`. The old one is
    /// accepted for `overlap` longer, so that senders can be changed one after the other.
    ///
    /// # Errors
    /// `NotFound` without such a key in the organization, `Rotated` when it was rotated before, `Invalid` when it is
    /// revoked or expired, `Forbidden` when it has more scopes or a later expiry than `by`, `KeyNotLive` when `by` is
    /// revoked or expired, `Full`, `Conflict` and `Unavailable` as for [`Directory::create_key`].
    pub async fn rotate_key(
        &self,
        organization: OrganizationId,
        id: KeyId,
        by: KeyId,
        overlap: Duration,
    ) -> Result<(ApiKey, KeyText), DirectoryError> {
        let rotation = self.directory.rotate(organization, id, Some(by), overlap).await?;
        self.known.forget(&rotation.old).await;
        Ok((rotation.new, rotation.text))
    }
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authenticator(..)")
    }
}
