//! The directory itself: state shared by its operations. Each operation stands beside its resource.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
/// Bits of the counter in an id: more than 4,096 ids in a millisecond take those of the next.
const COUNTER_BITS: u32 = 12;

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
    /// Milliseconds and counter of the latest id.
    last_tick: AtomicU64,
}

impl Directory {
    /// A directory over a ledger. The pepper keys the hashes of API keys: with another pepper no key
    /// is known.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, clock: SharedClock, pepper: Pepper) -> Self {
        let known_sources = ReadThrough::new(Arc::clone(&clock));
        Self { ledger, clock, pepper, known_sources, last_tick: AtomicU64::new(0) }
    }

    /// A new id: UUID version 7 with a counter below the milliseconds (RFC 9562 sections 5.7 and 6.2, method 1), so that rows
    /// lie in the order of creation, those of one process exactly.
    #[must_use]
    pub fn new_id(&self) -> Uuid {
        let millis = u64::try_from(self.clock.now().as_millis()).unwrap_or(0);
        let next = |last: u64| (last + 1).max(millis << COUNTER_BITS);
        let tick = next(self.last_tick.update(Ordering::Relaxed, Ordering::Relaxed, next));
        let [.., high, low] = tick.to_be_bytes();
        let mut random: [u8; 10] = rand::rng().random();
        // The version is written over the upper half of the first byte.
        (random[0], random[1]) = (high, low);
        uuid::Builder::from_unix_timestamp_millis(tick >> COUNTER_BITS, &random).into_uuid()
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
