//! The directory itself: what its operations share. Each operation stands beside its resource.

use std::sync::Arc;

use common::clock::SharedClock;
use common::ids::{OrganizationId, SourceId};
use common::pepper::Pepper;
use common::row::{BodyError, decode, encode};
use ledger::retry::Attempts;
use ledger::{Kind, Ledger, LedgerId, Op, Range};
use rand::RngExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::error::DirectoryError;
use crate::read_through::ReadThrough;
use crate::source::Source;

/// Rows read at a time by a listing, so that one call to the ledger stays small.
const PAGE: usize = 1000;

/// Organizations, API keys and sources in the ledger: all changes, and reads that see the latest.
///
/// Every change is decided from what was read at one sequence number and committed at it; when
/// somebody else was first it is decided again. Names of things are theirs for life: an id is never
/// used twice.
pub struct Directory {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) clock: SharedClock,
    pub(crate) pepper: Pepper,
    /// Sources as ingestion of this process looks them up. Kept here so that a change made by this process is seen
    /// by its next look-up.
    pub(crate) known_sources: ReadThrough<(OrganizationId, SourceId), Source>,
}

impl Directory {
    /// A directory over a ledger. The pepper keys the hashes of API keys: with another pepper no key
    /// is known.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, clock: SharedClock, pepper: Pepper) -> Self {
        let known_sources = ReadThrough::new(Arc::clone(&clock));
        Self { ledger, clock, pepper, known_sources }
    }

    /// A new id: UUID version 7 (RFC 9562 section 5.7), so that rows lie in the order of creation.
    #[must_use]
    pub fn new_id(&self) -> Uuid {
        let millis = u64::try_from(self.clock.now().as_millis()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &rand::rng().random()).into_uuid()
    }

    /// One head, as the latest commit left it.
    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        ledger: LedgerId,
        key: &[u8],
    ) -> Result<Option<T>, DirectoryError> {
        let body = self.ledger.get(ledger, Kind::Head, key).await?;
        Ok(body.map(|body| decode(&body)).transpose()?)
    }

    /// All heads with a prefix, at most `most`, in the order of their keys.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        ledger: LedgerId,
        prefix: &[u8],
        most: usize,
    ) -> Result<Vec<T>, DirectoryError> {
        let mut found = Vec::new();
        let mut last: Option<bytes::Bytes> = None;
        while found.len() < most {
            let range = Range { prefix, after: last.as_deref(), backwards: false };
            let limit = PAGE.min(most - found.len());
            let page = self.ledger.scan(ledger, Kind::Head, range, limit).await?;
            let complete = page.len() < limit;
            last = page.last().map(|row| row.key.clone());
            for row in page {
                found.push(decode(&row.body)?);
            }
            if complete {
                break;
            }
        }
        Ok(found)
    }

    /// Refuses when `limit` heads with a prefix exist. Counting is exact because the change is
    /// committed at the sequence number that was read before.
    pub(crate) async fn check_room(
        &self,
        ledger: LedgerId,
        prefix: &[u8],
        things: &'static str,
        limit: usize,
    ) -> Result<(), DirectoryError> {
        let present: Vec<serde::de::IgnoredAny> = self.list(ledger, prefix, limit).await?;
        if present.len() >= limit {
            return Err(DirectoryError::Full { things, limit });
        }
        Ok(())
    }

    /// Writes a head that is to be new, if there is room for one more of its kind; what is there in the end. One that is
    /// present already is that of an earlier attempt: its outcome was unknown, or whoever made it did not come further.
    pub(crate) async fn insert<T: Serialize + DeserializeOwned>(
        &self,
        ledger: LedgerId,
        key: Vec<u8>,
        value: T,
        (prefix, things, limit): (&[u8], &'static str, usize),
    ) -> Result<T, DirectoryError> {
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            if let Some(present) = self.read(ledger, &key).await? {
                return Ok(present);
            }
            self.check_room(ledger, prefix, things, limit).await?;
            if attempts.commit(vec![put(key.clone(), &value)?]).await? {
                return Ok(value);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Removes a head; `false` when there is none.
    pub(crate) async fn remove<T: DeserializeOwned>(
        &self,
        ledger: LedgerId,
        key: Vec<u8>,
    ) -> Result<bool, DirectoryError> {
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            if self.read::<T>(ledger, &key).await?.is_none() {
                // Gone in a later attempt: by an attempt whose outcome was unknown, or by somebody who deleted it at the
                // same time. It was there when this began.
                return Ok(!attempts.is_first());
            }
            if attempts.commit(vec![delete(key.clone())]).await? {
                return Ok(true);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Attempts to change a ledger.
    pub(crate) fn attempts(&self, ledger: LedgerId) -> Attempts<'_> {
        Attempts::of(self.ledger.as_ref(), ledger)
    }
}

impl std::fmt::Debug for Directory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Directory(..)")
    }
}

/// The operation that writes a head.
pub(crate) fn put<T: Serialize>(key: Vec<u8>, value: &T) -> Result<Op, BodyError> {
    Ok(Op::Put { kind: Kind::Head, key: key.into(), body: encode(value)?.into() })
}

/// The operation that removes a head.
pub(crate) fn delete(key: Vec<u8>) -> Op {
    Op::Delete { kind: Kind::Head, key: key.into() }
}
