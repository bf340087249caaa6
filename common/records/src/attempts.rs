//! The optimistic loop over a ledger of records, with outcomes that are always known: every commit leaves a token, by which
//! it is recognised when its answer was lost.

use std::time::Duration;

use common::partition::Shard;
use ledger::{Commit, Kind, LedgerError, LedgerId, Op, retry};

use crate::draft::Draft;
use crate::error::RecordError;
use crate::record::Home;
use crate::store::Records;
use crate::tables::COMMITS;

/// Tokens that are kept: so many commits of others may come before a lost answer is made up for.
const KEPT_TOKENS: u64 = 64;
/// Most repetitions of a commit of unknown outcome, and the first pause, which doubles each time: 2.5 s over all.
const SETTLING_TRIES: u32 = 9;
const FIRST_PAUSE: Duration = Duration::from_millis(5);

/// Attempts to change a ledger, see the crate.
pub struct Attempts<'r> {
    records: &'r Records,
    place: (Home, Shard),
    pace: retry::Attempts<'r>,
}

impl<'r> Attempts<'r> {
    pub(crate) fn new(records: &'r Records, place: (Home, Shard)) -> Self {
        let id = place.0.ledger(place.1);
        let pace = retry::Attempts::of(records.ledger.as_ref(), id).at_most(MOST_ATTEMPTS);
        Self { records, place, pace }
    }

    /// Begins the next attempt; `None` when there were enough: [`RecordError::Conflict`]. Everything that the change is
    /// decided from is read after this.
    ///
    /// # Errors
    /// `Ledger`, and [`RecordError::NoShard`] for a shard of an id that nobody has checked.
    pub async fn next(&mut self) -> Result<Option<Draft>, RecordError> {
        self.records.check(self.place.1)?;
        Ok(self.pace.next().await?.then(|| Draft::new(self.place, self.pace.seq())))
    }

    /// Commits a draft of this attempt, unless it is empty. `true` when it took effect; `false` when another commit came
    /// first, so that the change has to be decided anew.
    ///
    /// # Errors
    /// `Ledger` when it surely did not take effect, [`RecordError::OutcomeUnknown`] when nobody can tell in time.
    pub async fn commit(&mut self, draft: Draft) -> Result<bool, RecordError> {
        if draft.is_empty() {
            return Ok(true);
        }
        let token = self.records.next_token();
        let number = draft.at.0 + 1;
        let Draft { ledger, at, mut ops, .. } = draft;
        let key = COMMITS.key(&slot(number));
        ops.push(Op::Put { kind: Kind::State, key: key.into(), body: token.clone() });
        match self.records.ledger.commit(ledger, at, ops.clone()).await? {
            Commit::Done(_) => return Ok(true),
            Commit::Conflict(_) => return Ok(false),
            Commit::Unknown => {}
        }
        for tried in 0..SETTLING_TRIES {
            tokio::time::sleep(FIRST_PAUSE * 2_u32.pow(tried)).await;
            // The same once more: of two commits at one number one takes effect at most.
            match self.records.ledger.commit(ledger, at, ops.clone()).await {
                Ok(Commit::Done(_)) => return Ok(true),
                Ok(Commit::Conflict(now)) if now.0 >= number + KEPT_TOKENS => break,
                Ok(Commit::Conflict(_)) => return self.is_ours(ledger, number, &token).await,
                Ok(Commit::Unknown) | Err(LedgerError::Unavailable { .. }) => {}
                // It says nothing about the first of them.
                Err(_) => break,
            }
        }
        Err(RecordError::OutcomeUnknown)
    }

    async fn is_ours(&self, ledger: LedgerId, number: u64, token: &[u8]) -> Result<bool, RecordError> {
        let key = COMMITS.key(&slot(number));
        let read = self.records.ledger.get(ledger, Kind::State, &key).await;
        let left = read.map_err(|_| RecordError::OutcomeUnknown)?;
        if left.is_some_and(|left| left == token) {
            return Ok(true);
        }
        // The slot may have been used again between the two reads.
        let now = self.records.ledger.seq(ledger).await.map_err(|_| RecordError::OutcomeUnknown)?;
        if now.0 >= number + KEPT_TOKENS { Err(RecordError::OutcomeUnknown) } else { Ok(false) }
    }
}

fn slot(number: u64) -> [u8; 1] {
    [u8::try_from(number % KEPT_TOKENS).unwrap_or(0)]
}

/// Most attempts to decide a change: shards are shared by the jobs of a machine, each of which commits now and then.
const MOST_ATTEMPTS: u32 = 64;
