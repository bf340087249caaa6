//! A result as a row, and the rule by which it replaces another one of its content.

use bytes::Bytes;
use common::ids::OrganizationId;
use common::partition::Shard;
use common::row::{decode, encode};
use ledger::retry::Attempts;
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op};
use records::shard_of_identifier;

use super::{MAX_ROW_BYTES, StoreError, expiry_key, key};
use crate::record::Artifact;

/// A result that waits to be written.
pub(super) struct Waiting {
    pub(super) shard: Shard,
    pub(super) key: Vec<u8>,
    pub(super) body: Bytes,
    artifact: Artifact,
    /// Whether it says that a scan failed, and nothing about the content.
    is_failure: bool,
}

impl Waiting {
    pub(super) fn new(artifact: &Artifact, shards: u16) -> Result<Self, StoreError> {
        let identifier = &artifact.subject.identifier;
        let key = key(artifact.organization, artifact.subject.origin, identifier);
        let body: Bytes = encode(artifact)?.into();
        if body.len() > MAX_ROW_BYTES {
            return Err(StoreError::TooLarge { found: body.len() });
        }
        let shard = shard_of_identifier(identifier.as_bytes(), shards);
        Ok(Self { shard, key, body, artifact: artifact.clone(), is_failure: false })
    }

    /// Whether the row of the content, if there is one, is to be replaced.
    async fn is_wanted(&self, ledger: &dyn Ledger) -> Result<bool, LedgerError> {
        let row = ledger.get(LedgerId::Shared(self.shard), Kind::Detail, &self.key).await?;
        // A row that cannot be read, or that has expired, is no result.
        let known = row.and_then(|row| decode::<Artifact>(&row).ok());
        let known = known.filter(|known| known.expires_at > self.artifact.scanned_at);
        Ok(known
            .is_none_or(|known| known.is_pending || !self.is_failure && self.artifact.may_replace(&known)))
    }

    fn ops(&self) -> [Op; 2] {
        let expiry = expiry_key(self.artifact.expires_at, &self.key);
        [
            Op::Put { kind: Kind::Detail, key: self.key.clone().into(), body: self.body.clone() },
            Op::Put { kind: Kind::State, key: expiry.into(), body: Bytes::from_static(b"\x01") },
        ]
    }
}

/// A partial result as that of the organization that asked, where a shared one has all facts, however old: these stay for others.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn owned(
    (ledger, shards): (&dyn Ledger, u16),
    artifact: Artifact,
    sender: OrganizationId,
) -> Result<Artifact, StoreError> {
    if !artifact.is_partial || Waiting::new(&artifact, shards)?.is_wanted(ledger).await? {
        return Ok(artifact);
    }
    Ok(Artifact { organization: sender, ..artifact })
}

/// Writes a result at once, unless the row of its content is a better one ([`Artifact::may_replace`]): for jobs.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn write_now(
    ledger: &dyn Ledger,
    shards: u16,
    artifact: &Artifact,
) -> Result<(), StoreError> {
    let waiting = Waiting::new(artifact, shards)?;
    Ok(commit(ledger, waiting.shard, &[waiting]).await?)
}

/// Writes the result of a scan that failed at once, unless there is a whole one, which stays.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn write_failure(
    ledger: &dyn Ledger,
    shards: u16,
    artifact: &Artifact,
) -> Result<(), StoreError> {
    let waiting = Waiting { is_failure: true, ..Waiting::new(artifact, shards)? };
    Ok(commit(ledger, waiting.shard, &[waiting]).await?)
}

/// Writes results of one shard. Decided within the attempt, so that a whole result which another scan of the content writes meanwhile is
/// kept. A repetition after an unknown outcome writes the same rows again.
pub(super) async fn commit(ledger: &dyn Ledger, shard: Shard, group: &[Waiting]) -> Result<(), LedgerError> {
    let mut attempts = Attempts::of(ledger, LedgerId::Shared(shard));
    while attempts.next().await? {
        let mut ops = Vec::new();
        for waiting in group {
            if waiting.is_wanted(ledger).await? {
                ops.extend(waiting.ops());
            }
        }
        if ops.is_empty() || attempts.commit(ops).await? {
            return Ok(());
        }
    }
    Err(LedgerError::Unavailable { cause: "another commit came first in every attempt".to_owned() })
}
