//! The ledger in memory: a complete implementation without durability, with switches that make it fail
//! the way a remote store can. For tests and trials.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use crate::feed::{self, Follow};
use crate::interval::Interval;
use crate::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq, bounds};

/// Ledgers that live as long as this value. See the module.
#[derive(Debug)]
pub struct MemoryLedger {
    state: Mutex<State>,
    feed_commits: u32,
}

#[derive(Debug, Default)]
struct State {
    ledgers: HashMap<LedgerId, Shelf>,
    unavailable: bool,
    next_unknown: Option<UnknownOutcome>,
}

/// Actual effect of a commit that answers [`Commit::Unknown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownOutcome {
    /// It takes effect; only the answer was lost.
    TookEffect,
    /// It does not take effect.
    WasLost,
}

/// One ledger.
#[derive(Debug, Default)]
struct Shelf {
    seq: Seq,
    rows: BTreeMap<Kind, BTreeMap<Bytes, Bytes>>,
}

impl MemoryLedger {
    /// Ledgers without any commit.
    #[must_use]
    pub fn new() -> Self {
        Self::with_feed_commits(feed::DEFAULT_COMMITS)
    }

    /// Ledgers without any commit, whose feeds contain `commits` commits.
    #[must_use]
    pub fn with_feed_commits(commits: u32) -> Self {
        Self { state: Mutex::default(), feed_commits: commits }
    }

    /// Makes the next commit answer [`Commit::Unknown`], regardless of its outcome. One that would
    /// have been a conflict changes nothing in either case.
    pub fn make_next_commit_unknown(&self, outcome: UnknownOutcome) {
        self.state().next_unknown = Some(outcome);
    }

    /// Makes every call fail with [`LedgerError::Unavailable`], or work again.
    pub fn set_unavailable(&self, unavailable: bool) {
        self.state().unavailable = unavailable;
    }

    /// Expires the feed rows of a ledger through a commit.
    pub fn truncate_feed(&self, ledger: LedgerId, through: Seq) {
        if let Some(shelf) = self.state().ledgers.get_mut(&ledger) {
            shelf.expire_feed(through);
        }
    }

    /// Every row of every ledger, including the feed's, in no particular order of ledgers: for
    /// tests that inspect everything ever written.
    #[must_use]
    pub fn dump(&self) -> Vec<(LedgerId, Kind, Row)> {
        let state = self.state();
        let mut all = Vec::new();
        for (ledger, shelf) in &state.ledgers {
            for (kind, rows) in &shelf.rows {
                all.extend(rows.iter().map(|(key, body)| (*ledger, *kind, row(key, body))));
            }
        }
        all
    }

    /// A panic elsewhere cannot leave a shelf half changed: a commit is applied without any step that
    /// can fail. So a poisoned lock is no reason to stop.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn available(&self) -> Result<MutexGuard<'_, State>, LedgerError> {
        let state = self.state();
        if state.unavailable {
            return Err(LedgerError::Unavailable { cause: "switched off".to_owned() });
        }
        Ok(state)
    }
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        Ok(self.available()?.ledgers.get(&ledger).map(|shelf| shelf.seq).unwrap_or_default())
    }

    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        bounds::check_commit(&ops)?;
        let mut state = self.available()?;
        let unknown = state.next_unknown.take();
        if unknown == Some(UnknownOutcome::WasLost) {
            return Ok(Commit::Unknown);
        }
        let feed_commits = feed::kept_commits(ledger, self.feed_commits);
        let answer = state.ledgers.entry(ledger).or_default().commit(at, ops, feed_commits);
        Ok(if unknown.is_some() { Commit::Unknown } else { answer })
    }

    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        bounds::check_kind(kind)?;
        let state = self.available()?;
        let rows = state.ledgers.get(&ledger).and_then(|shelf| shelf.rows.get(&kind));
        Ok(rows.and_then(|rows| rows.get(key)).cloned())
    }

    async fn scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        bounds::check_kind(kind)?;
        let state = self.available()?;
        let rows = state.ledgers.get(&ledger).and_then(|shelf| shelf.rows.get(&kind));
        let (Some(rows), Some(interval)) = (rows, Interval::of(&range)) else { return Ok(Vec::new()) };
        let lower = if interval.lower_included {
            Bound::Included(interval.lower)
        } else {
            Bound::Excluded(interval.lower)
        };
        let upper = interval.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let covered = rows.range::<[u8], _>((lower, upper)).map(|(key, body)| row(key, body));
        let limit = limit.max(1);
        Ok(if range.backwards { covered.rev().take(limit).collect() } else { covered.take(limit).collect() })
    }

    async fn changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        let state = self.available()?;
        let Some(shelf) = state.ledgers.get(&ledger) else {
            return Ok(Follow::new(after, Seq(0)).finish(after));
        };
        let mut follow = Follow::new(after, shelf.seq);
        let (first, last) = (feed::key(Seq(after.0.saturating_add(1))), feed::key(follow.through()));
        if let Some(rows) = shelf.rows.get(&Kind::Feed).filter(|_| first <= last) {
            for (key, body) in
                rows.range::<[u8], _>((Bound::Included(&first[..]), Bound::Included(&last[..])))
            {
                let seq = feed::seq_of(key).unwrap_or_default();
                if follow.push(seq, body).is_break() {
                    break;
                }
            }
        }
        Ok(follow.finish(after))
    }
}

impl Shelf {
    fn commit(&mut self, at: Seq, ops: Vec<Op>, feed_commits: u32) -> Commit {
        if self.seq != at {
            return Commit::Conflict(self.seq);
        }
        self.seq = Seq(at.0 + 1);
        let feed_row = (Bytes::copy_from_slice(&feed::key(self.seq)), feed::body(&ops));
        for op in ops {
            match op {
                Op::Put { kind, key, body } => self.rows.entry(kind).or_default().insert(key, body),
                Op::Delete { kind, key } => self.rows.entry(kind).or_default().remove(&key),
            };
        }
        self.rows.entry(Kind::Feed).or_default().insert(feed_row.0, feed_row.1);
        self.expire_feed(feed::expired_through(self.seq, feed_commits));
        Commit::Done(self.seq)
    }

    fn expire_feed(&mut self, through: Seq) {
        let Some(rows) = self.rows.get_mut(&Kind::Feed) else { return };
        let last = feed::key(through);
        while rows.first_key_value().is_some_and(|(key, _)| key[..] <= last[..]) {
            rows.pop_first();
        }
    }
}

fn row(key: &Bytes, body: &Bytes) -> Row {
    Row { key: key.clone(), body: body.clone() }
}

#[cfg(test)]
mod tests;
