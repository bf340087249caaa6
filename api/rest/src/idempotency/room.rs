//! Keeps the number of remembered requests within its limits. Requests past their lifetime are removed once an hour,
//! when the next one is remembered. Beyond a limit the oldest one that does not run any more is forgotten: of the API key
//! beyond its own limit, else of the organization.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use common::ids::KeyId;
use common::row::{BodyError, decode};
use common::timestamp::Timestamp;
use ledger::{Kind, Ledger, LedgerId, Op, Range};

use super::rows::{Entry, Remembered, Tally, before, delete, order, put, tally_key};
use super::{IdempotencyError, LIFETIME, RUNNING};
use crate::kit::Limits;

/// Most requests that one commit forgets, for each reason: what has expired, what is beyond the API key's limit and what
/// is beyond the organization's. Each takes four operations of the commit's thousand at most.
const FORGOTTEN_AT_ONCE: usize = 64;
/// By how much the clock of a process may be behind that of another: requests up to so much older than the oldest known
/// one are still found.
const CLOCK_SKEW: Duration = Duration::from_secs(60);
const SECONDS_PER_HOUR: i64 = 60 * 60;

/// Changes of what is remembered, gathered for one commit.
pub(super) struct Room<'a> {
    ledger: &'a dyn Ledger,
    id: LedgerId,
    ops: Vec<Op>,
    removed: HashSet<Entry>,
    /// By API key; `None` for the organization.
    tallies: BTreeMap<Option<KeyId>, Tally>,
}

impl<'a> Room<'a> {
    pub(super) fn new(ledger: &'a dyn Ledger, id: LedgerId) -> Self {
        Self { ledger, id, ops: Vec::new(), removed: HashSet::new(), tallies: BTreeMap::new() }
    }

    /// Removes a remembered request.
    pub(super) async fn remove(&mut self, entry: Entry) -> Result<(), IdempotencyError> {
        self.ops.push(delete(entry.request_key()));
        self.ops.extend(entry.delete_places());
        for of in [None, Some(entry.caller)] {
            let tally = self.tally(of).await?;
            tally.count = tally.count.saturating_sub(1);
        }
        self.removed.insert(entry);
        Ok(())
    }

    /// Adds a request that begins now, and forgets others where there are too many.
    ///
    /// # Errors
    /// `TooManyRunning` when there are too many and all of them run.
    pub(super) async fn add(&mut self, entry: &Entry, limits: Limits) -> Result<(), IdempotencyError> {
        let now = entry.began_at;
        self.sweep(now).await?;
        for (of, limit) in [
            (Some(entry.caller), limits.idempotency_keys_per_api_key),
            (None, limits.idempotency_keys_per_organization),
        ] {
            let count = self.tally(of).await?.count + 1;
            let excess = usize::try_from(count.saturating_sub(limit)).unwrap_or(FORGOTTEN_AT_ONCE);
            if excess > 0 && self.forget_oldest(of, excess.min(FORGOTTEN_AT_ONCE), now).await? == 0 {
                return Err(IdempotencyError::TooManyRunning);
            }
            self.tally(of).await?.count += 1;
        }
        self.ops.extend(entry.put_places()?);
        Ok(())
    }

    /// The operations, tallies included.
    pub(super) fn into_ops(mut self) -> Result<Vec<Op>, BodyError> {
        for (of, tally) in self.tallies {
            // The organization's says when it was swept, whatever it counts.
            let is_empty = tally.count == 0 && of.is_some();
            self.ops.push(if is_empty { delete(tally_key(of)) } else { put(tally_key(of), &tally)? });
        }
        Ok(self.ops)
    }

    /// Removes requests past their lifetime, in every hour until none is left. None of them runs, since a request that
    /// is attempted again takes a new place in the order.
    async fn sweep(&mut self, now: Timestamp) -> Result<(), IdempotencyError> {
        let hour = now.as_millis().div_euclid(SECONDS_PER_HOUR * 1_000);
        if self.tally(None).await?.swept_in_hour == hour {
            return Ok(());
        }
        let mut expired = self.oldest(None, FORGOTTEN_AT_ONCE).await?;
        expired.retain(|entry| now.since(entry.began_at) >= LIFETIME);
        if expired.len() < FORGOTTEN_AT_ONCE {
            self.tally(None).await?.swept_in_hour = hour;
        }
        for entry in expired {
            self.remove(entry).await?;
        }
        Ok(())
    }

    /// Removes the oldest requests that do not run, at most so many; how many there were.
    async fn forget_oldest(
        &mut self,
        of: Option<KeyId>,
        most: usize,
        now: Timestamp,
    ) -> Result<usize, IdempotencyError> {
        let mut forgotten = 0;
        // Those that run are passed over, so that more are looked at than are forgotten.
        for entry in self.oldest(of, 2 * FORGOTTEN_AT_ONCE).await? {
            if forgotten == most {
                break;
            }
            if !self.is_running(&entry, now).await? {
                self.remove(entry).await?;
                forgotten += 1;
            }
        }
        Ok(forgotten)
    }

    async fn is_running(&self, entry: &Entry, now: Timestamp) -> Result<bool, IdempotencyError> {
        if now.since(entry.began_at) >= RUNNING {
            return Ok(false);
        }
        let body = self.ledger.get(self.id, Kind::State, &entry.request_key()).await?;
        let remembered: Option<Remembered> = body.map(|body| decode(&body)).transpose()?;
        Ok(remembered.is_some_and(|remembered| remembered.is_running(now)))
    }

    /// The oldest requests of an API key or of the organization, without those that are removed here.
    async fn oldest(&mut self, of: Option<KeyId>, most: usize) -> Result<Vec<Entry>, IdempotencyError> {
        let order = order(of);
        let from = before(&order, self.tally(of).await?.oldest_at.minus(CLOCK_SKEW));
        let range = Range { prefix: &order, after: Some(&from), backwards: false };
        let rows = self.ledger.scan(self.id, Kind::State, range, most + self.removed.len()).await?;
        let parse = if of.is_some() { Entry::of_oldest_of_caller_key } else { Entry::of_oldest_key };
        let entries = rows.iter().filter_map(|row| parse(&row.key));
        let entries: Vec<_> = entries.filter(|entry| !self.removed.contains(entry)).take(most).collect();
        if let Some(oldest) = entries.first() {
            self.tally(of).await?.oldest_at = oldest.began_at;
        }
        Ok(entries)
    }

    async fn tally(&mut self, of: Option<KeyId>) -> Result<&mut Tally, IdempotencyError> {
        use std::collections::btree_map::Entry::{Occupied, Vacant};
        match self.tallies.entry(of) {
            Occupied(known) => Ok(known.into_mut()),
            Vacant(unknown) => {
                let body = self.ledger.get(self.id, Kind::State, &tally_key(of)).await?;
                Ok(unknown.insert(body.map(|body| decode(&body)).transpose()?.unwrap_or_default()))
            }
        }
    }
}

impl Remembered {
    /// Whether an attempt is under way.
    pub(super) fn is_running(&self, now: Timestamp) -> bool {
        self.reply.is_none() && !self.failed && now.since(self.began_at) < RUNNING
    }

    /// Whether its reply is not repeated any more.
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        now.since(self.began_at) >= LIFETIME
    }
}
