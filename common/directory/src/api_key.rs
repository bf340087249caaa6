//! API keys: what is kept of them, and their life from creation through rotation to revocation.

mod bounds;
pub(crate) mod rotation;
mod scopes;

use common::ids::{KeyId, OrganizationId};
use common::timestamp::Timestamp;
use ledger::{LedgerId, Op};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::counter::Counter;
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_text};
use crate::key_text::KeyText;
use crate::rows::{api_key_key, key_hash_key, keys_prefix};

pub use scopes::SCOPES;
use scopes::checked_scopes;

/// Most keys of an organization, the revoked ones included: they are kept, because what they did is
/// recorded under their names.
pub(crate) const MAX_KEYS: usize = 10_000;

/// Record of an API key: everything but the key itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Its name in the ledger and in histories.
    pub id: KeyId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Its name, 1..=100 characters.
    pub name: String,
    /// Scopes that it is narrowed to, of [`SCOPES`], sorted; `None` for everything.
    pub scopes: Option<Vec<String>>,
    /// Its last four characters.
    pub last_four: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// The key that created it, if a key did.
    pub created_by: Option<KeyId>,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The key that a rotation put in its place. Such a key is not rotated again.
    pub replaced_by: Option<KeyId>,
}

impl ApiKey {
    /// Whether it opens anything at this moment.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

/// Values of a new key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewKey {
    /// Its name, 1..=100 characters.
    pub name: String,
    /// Scopes that it is narrowed to, of [`SCOPES`], at least one; `None` for everything.
    pub scopes: Option<Vec<String>>,
    /// From when on it is refused; not in the past.
    pub expires_at: Option<Timestamp>,
    /// The key on whose behalf it is created, whose scopes and expiry it may not exceed; `None` for a command of the
    /// operator.
    pub created_by: Option<KeyId>,
}

/// A key's row.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct KeyRow {
    pub(crate) key: ApiKey,
    /// HMAC-SHA-256 of the text under the pepper. No slow hash: 178 random bits cannot be guessed, and
    /// ingestion asks for every batch.
    pub(crate) hash: [u8; 32],
}

/// The row that leads from a hash to its key.
#[derive(Serialize, Deserialize)]
struct KeyPointer {
    organization: OrganizationId,
    key: KeyId,
}

impl Directory {
    /// Creates a key. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Forbidden` for more scopes or a
    /// later expiry than `created_by` has, `KeyNotLive` when that is revoked or expired, `Full` at 10,000 keys of the
    /// organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_key(
        &self,
        organization: OrganizationId,
        new: NewKey,
    ) -> Result<(ApiKey, KeyText), DirectoryError> {
        let (row, text) = self.new_key(organization, new)?;
        let mut attempts = self.attempts(LedgerId::Platform);
        while attempts.next().await? {
            // Present already: an earlier attempt whose outcome was unknown took effect.
            if self.get_key(organization, row.key.id).await?.is_some() {
                return Ok((row.key, text));
            }
            if self.get_organization(organization).await?.is_none() {
                return Err(DirectoryError::NotFound);
            }
            if let Some(by) = self.acting_key(organization, row.key.created_by).await? {
                by.check_scopes(row.key.scopes.as_deref())?;
                by.check_expiry(row.key.expires_at)?;
            }
            if attempts.commit(put_key(self, &row).await?).await? {
                return Ok((row.key, text));
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// A key of the organization, or `None`.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_key(
        &self,
        organization: OrganizationId,
        id: KeyId,
    ) -> Result<Option<ApiKey>, DirectoryError> {
        Ok(self.key_row(organization, id).await?.map(|row| row.key))
    }

    /// All keys of the organization, the dead ones too, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list_keys(&self, organization: OrganizationId) -> Result<Vec<ApiKey>, DirectoryError> {
        let rows: Vec<KeyRow> = self.list(LedgerId::Platform, &keys_prefix(organization), MAX_KEYS).await?;
        Ok(rows.into_iter().map(|row| row.key).collect())
    }

    /// Revokes a key for good, as the operator; one that is revoked stays as it is. Processes that know the key use it
    /// for up to five seconds.
    ///
    /// # Errors
    /// `NotFound` without such a key in the organization, `Conflict` and `Unavailable` as their
    /// documentation says.
    pub async fn revoke_key(
        &self,
        organization: OrganizationId,
        id: KeyId,
    ) -> Result<ApiKey, DirectoryError> {
        Ok(self.revoke(organization, id, None).await?.key)
    }

    /// Revokes a key on behalf of another, or of the operator: see
    /// [`Authenticator::revoke_key`](crate::Authenticator::revoke_key).
    pub(crate) async fn revoke(
        &self,
        organization: OrganizationId,
        id: KeyId,
        by: Option<KeyId>,
    ) -> Result<KeyRow, DirectoryError> {
        let mut attempts = self.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let mut row = self.key_row(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            // A key that revokes itself is not live in the attempt after a commit of unknown outcome.
            let by = by.filter(|by| attempts.is_first() || *by != id);
            if let Some(by) = self.acting_key(organization, by).await?
                && by.id != id
            {
                by.check_scopes(row.key.scopes.as_deref())?;
            }
            if row.key.revoked_at.is_some() {
                return Ok(row);
            }
            row.key.revoked_at = Some(self.clock.now());
            let ops = vec![put(api_key_key(organization, id), &row)?];
            if attempts.commit(ops).await? {
                return Ok(row);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// The key on whose behalf something is done, as it is now; `None` for the operator.
    async fn acting_key(
        &self,
        organization: OrganizationId,
        by: Option<KeyId>,
    ) -> Result<Option<ApiKey>, DirectoryError> {
        let Some(by) = by else { return Ok(None) };
        let key = self.get_key(organization, by).await?;
        key.filter(|key| key.is_live(self.clock.now())).map(Some).ok_or(DirectoryError::KeyNotLive)
    }

    /// The key whose text was presented, dead or alive; `None` when no key has it.
    pub(crate) async fn key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>, DirectoryError> {
        let Some(pointer) = self.read::<KeyPointer>(LedgerId::Platform, &key_hash_key(hash)).await? else {
            return Ok(None);
        };
        let row = self.key_row(pointer.organization, pointer.key).await?;
        // Compared once more, in constant time: neither the order of rows nor their comparison in the
        // store may be what a secret rests on.
        Ok(row.filter(|row| bool::from(row.hash.ct_eq(hash))).map(|row| row.key))
    }

    /// The hash under which a key's text is kept.
    pub(crate) fn key_hash(&self, text: &str) -> [u8; 32] {
        self.pepper.hash("api-key", &[text.as_bytes()])
    }

    /// A key that is not written yet.
    pub(crate) fn new_key(
        &self,
        organization: OrganizationId,
        new: NewKey,
    ) -> Result<(KeyRow, KeyText), DirectoryError> {
        check_text("name", &new.name, MAX_NAME)?;
        let scopes = new.scopes.map(checked_scopes).transpose()?;
        let now = self.clock.now();
        if new.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(DirectoryError::invalid("expires_at", "expected a time in the future"));
        }
        let text = KeyText::generate();
        let key = ApiKey {
            id: KeyId(self.new_id()),
            organization,
            name: new.name,
            scopes,
            last_four: text.last_four(),
            created_at: now,
            created_by: new.created_by,
            expires_at: new.expires_at,
            revoked_at: None,
            replaced_by: None,
        };
        Ok((KeyRow { key, hash: self.key_hash(text.expose()) }, text))
    }

    async fn key_row(
        &self,
        organization: OrganizationId,
        id: KeyId,
    ) -> Result<Option<KeyRow>, DirectoryError> {
        self.read(LedgerId::Platform, &api_key_key(organization, id)).await
    }
}

/// The operations that write a new key, if there is room for one more.
pub(crate) async fn put_key(directory: &Directory, row: &KeyRow) -> Result<Vec<Op>, DirectoryError> {
    let prefix = keys_prefix(row.key.organization);
    let counter = Counter { ledger: LedgerId::Platform, prefix: &prefix, things: "keys", limit: MAX_KEYS };
    let pointer = KeyPointer { organization: row.key.organization, key: row.key.id };
    Ok(vec![
        put(api_key_key(row.key.organization, row.key.id), row)?,
        put(key_hash_key(&row.hash), &pointer)?,
        counter.add(directory).await?,
    ])
}
