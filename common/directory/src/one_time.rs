//! One-time permissions of organizations, for example links: rows in the platform's ledger, each found by the hash of its secret,
//! usable once until it expires. A commit that spends one also makes the change that it permits.

use std::time::Duration;

use bytes::Bytes;
use common::ids::OrganizationId;
use common::row::{decode, encode};
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerId, Op};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;

/// A kind of one-time permissions.
#[derive(Clone, Copy, Debug)]
pub struct OneTime {
    /// Prefix of the rows.
    pub prefix: &'static [u8],
    /// Their name in plural, as in messages.
    pub plural: &'static str,
    /// Most rows of an organization that have not expired, spent ones included: the bound of all reads and commits here.
    pub limit: usize,
}

/// A one-time permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission<T> {
    /// From when on it is refused.
    pub expires_at: Timestamp,
    /// Facts that its next step needs; `None` once it is spent.
    pub content: Option<T>,
}

/// A permission as it was read, to be spent by a commit.
#[derive(Clone, Debug)]
pub struct Spending {
    key: Vec<u8>,
    before: Bytes,
    after: Bytes,
}

/// State of a permission for the commit that spends it.
pub(crate) enum Spend {
    /// It is as it was read: the operation that spends it.
    With(Op),
    /// An earlier attempt of the same commit has spent it.
    Done,
}

impl OneTime {
    /// Creates a permission, found by a hash, and removes expired ones of the organization. Returns its time of expiry.
    ///
    /// # Errors
    /// `Full` at the limit of the organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create<T: Serialize>(
        self,
        directory: &Directory,
        (organization, hash): (OrganizationId, &[u8; 32]),
        lifetime: Duration,
        content: T,
    ) -> Result<Timestamp, DirectoryError> {
        let now = directory.clock.now();
        let new = Permission { expires_at: now.plus(lifetime), content: Some(content) };
        let mut attempts = directory.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let (expired, live) = self.rows(directory, organization, now).await?;
            if live >= self.limit {
                return Err(DirectoryError::Full { things: self.plural, limit: self.limit });
            }
            let mut ops: Vec<Op> = expired.into_iter().map(delete).collect();
            ops.push(put(self.key(organization, hash), &new)?);
            if attempts.commit(ops).await? {
                return Ok(new.expires_at);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// The permission with a hash, spent and expired ones included until they are removed.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt` when the row cannot be read.
    pub async fn find<T: DeserializeOwned>(
        self,
        directory: &Directory,
        organization: OrganizationId,
        hash: &[u8; 32],
    ) -> Result<Option<Permission<T>>, DirectoryError> {
        directory.read(LedgerId::Platform, &self.key(organization, hash)).await
    }

    /// Replaces the content of a permission that is neither spent nor expired.
    ///
    /// # Errors
    /// `NotFound` for another one, `Conflict` and `Unavailable` as their documentation says.
    pub async fn replace<T: Serialize>(
        self,
        directory: &Directory,
        (organization, hash): (OrganizationId, &[u8; 32]),
        content: T,
    ) -> Result<(), DirectoryError> {
        let mut attempts = directory.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let found: Option<Permission<IgnoredAny>> = self.find(directory, organization, hash).await?;
            let now = directory.clock.now();
            let usable = found.filter(|found| now < found.expires_at && found.content.is_some());
            let Some(Permission { expires_at, .. }) = usable else { return Err(DirectoryError::NotFound) };
            let replaced = Permission { expires_at, content: Some(&content) };
            if attempts.commit(vec![put(self.key(organization, hash), &replaced)?]).await? {
                return Ok(());
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// The spending of a permission that is as the caller has read it.
    ///
    /// # Errors
    /// `Corrupt` when it cannot be written.
    pub fn spending<T: Serialize>(
        self,
        (organization, hash): (OrganizationId, &[u8; 32]),
        read: &Permission<T>,
    ) -> Result<Spending, DirectoryError> {
        let spent = Permission::<()> { expires_at: read.expires_at, content: None };
        let (before, after) = (encode(read)?.into(), encode(&spent)?.into());
        Ok(Spending { key: self.key(organization, hash), before, after })
    }

    /// Removes the expired permissions of an organization.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn prune(
        self,
        directory: &Directory,
        organization: OrganizationId,
    ) -> Result<(), DirectoryError> {
        let mut attempts = directory.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let (expired, _) = self.rows(directory, organization, directory.clock.now()).await?;
            if expired.is_empty() || attempts.commit(expired.into_iter().map(delete).collect()).await? {
                return Ok(());
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Keys of the expired rows of an organization, and the number of the others.
    async fn rows(
        self,
        directory: &Directory,
        organization: OrganizationId,
        now: Timestamp,
    ) -> Result<(Vec<Vec<u8>>, usize), DirectoryError> {
        let prefix = [self.prefix, organization.as_bytes()].concat();
        let range = ledger::Range { prefix: &prefix, ..ledger::Range::default() };
        // Creation refuses more rows than the limit, so that these are all.
        let rows = directory.ledger.scan(LedgerId::Platform, Kind::Head, range, self.limit).await?;
        let (mut expired, mut live) = (Vec::new(), 0);
        for row in rows {
            let permission: Permission<IgnoredAny> = decode(&row.body)?;
            if permission.expires_at <= now {
                expired.push(row.key.to_vec());
            } else {
                live += 1;
            }
        }
        Ok((expired, live))
    }

    fn key(self, organization: OrganizationId, hash: &[u8; 32]) -> Vec<u8> {
        [self.prefix, organization.as_bytes(), hash.as_slice()].concat()
    }
}

impl Spending {
    /// Reads the permission for an attempt to commit; `NotFound` where it was spent, replaced or removed since it was read.
    pub(crate) async fn check(&self, directory: &Directory, is_first: bool) -> Result<Spend, DirectoryError> {
        let found = directory.ledger.get(LedgerId::Platform, Kind::Head, &self.key).await?;
        match found {
            Some(found) if found == self.before => Ok(Spend::With(Op::Put {
                kind: Kind::Head,
                key: self.key.clone().into(),
                body: self.after.clone(),
            })),
            // Of a commit whose outcome was unknown, or of a repetition of the same request at the same time.
            Some(found) if found == self.after && !is_first => Ok(Spend::Done),
            _ => Err(DirectoryError::NotFound),
        }
    }
}
