//! Rotation: a new key takes the place of one, both work for a while.

use std::time::Duration;

use common::ids::{KeyId, OrganizationId};
use common::timestamp::Timestamp;
use ledger::LedgerId;

use super::{ApiKey, KeyRow, put_key};
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::key_text::KeyText;
use crate::rows::api_key_key;

/// A key that a rotation replaced, and its successor.
pub(crate) struct Rotation {
    /// Hash of the old key.
    pub(crate) old: [u8; 32],
    /// The new key.
    pub(crate) new: ApiKey,
    /// Its text.
    pub(crate) text: KeyText,
}

impl Directory {
    /// Replaces a live key by a new one, on behalf of `by`: see
    /// [`Authenticator::rotate_key`](crate::Authenticator::rotate_key).
    pub(crate) async fn rotate(
        &self,
        organization: OrganizationId,
        id: KeyId,
        by: Option<KeyId>,
        overlap: Duration,
    ) -> Result<Rotation, DirectoryError> {
        let text = KeyText::generate();
        let new_id = KeyId(self.new_id());
        let mut attempts = self.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let mut old = self.key_row(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            // Present already: an earlier attempt whose outcome was unknown took effect.
            if let Some(new) = self.get_key(organization, new_id).await? {
                return Ok(Rotation { old: old.hash, new, text });
            }
            if let Some(by) = self.acting_key(organization, by).await? {
                by.check_scopes(old.key.scopes.as_deref())?;
                by.check_expiry(old.key.expires_at)?;
            }
            let now = self.clock.now();
            check_rotatable(&old.key, now)?;
            let new = KeyRow {
                key: ApiKey {
                    id: new_id,
                    last_four: text.last_four(),
                    created_at: now,
                    created_by: by,
                    ..old.key.clone()
                },
                hash: self.key_hash(text.expose()),
            };
            let overlap_ends = now.plus(overlap);
            old.key.expires_at =
                Some(old.key.expires_at.map_or(overlap_ends, |expires_at| expires_at.min(overlap_ends)));
            old.key.replaced_by = Some(new_id);
            let mut ops = put_key(self, &new).await?;
            ops.push(put(api_key_key(organization, id), &old)?);
            if attempts.commit(ops).await? {
                return Ok(Rotation { old: old.hash, new: new.key, text });
            }
        }
        Err(DirectoryError::Conflict)
    }
}

fn check_rotatable(key: &ApiKey, now: Timestamp) -> Result<(), DirectoryError> {
    // First, since a rotation without an overlap also ends the key.
    if key.replaced_by.is_some() {
        return Err(DirectoryError::Rotated);
    }
    if !key.is_live(now) {
        return Err(DirectoryError::invalid("key_id", "a revoked or expired key cannot be rotated"));
    }
    Ok(())
}
