//! Delay of the analysis of each partition: now minus the acceptance time of the oldest batch that is not committed. It is read
//! from the position in the ledger and from the log, so it is right also when no worker runs, when one hangs inside a record,
//! and in a process that analyses nothing. Partitions that cannot be analysed, and the reasons, are in `blocked`.

mod blocked;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::{Offset, Partition, Position};
use common::row::{self, BodyError, Progress};
use common::timestamp::Timestamp;
use durable_log::DurableLog;
use futures_util::{StreamExt, stream};
use ledger::{Kind, Ledger, LedgerError, LedgerId};
use thiserror::Error;

pub use blocked::{Blocked, Reason, Sharing, summary};

use crate::health::WorkerStatus;
use blocked::Sightings;

/// Positions that are read from the ledger at once: a round over 64 partitions takes a few round trips, and the reads of
/// others are not held up.
const READ_AT_ONCE: usize = 16;
/// A refresh within this time of the last one does nothing: several readers at once cost the stores one look.
const FRESH_FOR: Duration = Duration::from_millis(500);
/// Time that readers wait for a refresh before they get the last result. Ages grow all the same.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sources of the backlog.
pub struct Sources {
    /// The log; absent in a process that has none open, which then reports blocked partitions only.
    pub log: Option<Arc<dyn DurableLog>>,
    /// The ledger of the positions.
    pub ledger: Arc<dyn Ledger>,
    /// Clock for the ages of batches, and for the time without progress.
    pub clock: SharedClock,
    /// Number of partitions.
    pub partitions: u16,
    /// The workers of this process.
    pub workers: WorkerStatus,
    /// Assignment of partitions to processes.
    pub sharing: Sharing,
}

/// Delay of the analysis of every partition.
pub struct Backlog {
    sources: Sources,
    /// Held while the stores are read: one refresh at a time.
    refreshing: tokio::sync::Mutex<Sightings>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Monotonic time of the last refresh that ended.
    at: Option<Duration>,
    partitions: BTreeMap<Partition, Standing>,
    /// Partitions without an owner, and those in trouble in other processes.
    elsewhere: BTreeMap<Partition, Reason>,
}

/// Last known state of a partition.
#[derive(Clone, Debug, Default)]
struct Standing {
    position: Position,
    /// The oldest batch that is not committed; while the log has not answered for this position, one that is as old
    /// as the oldest before, or as the question.
    oldest: Option<Oldest>,
    /// Whether the log has returned the oldest batch at this position.
    is_answered: bool,
    /// Whether the position cannot be read, and trying again does not help.
    is_damaged: bool,
}

#[derive(Clone, Copy, Debug)]
struct Oldest {
    accepted_at: Timestamp,
    /// Monotonic time at which it was first seen to wait at this position.
    seen_at: Duration,
}

/// Reason why a position was not read.
#[derive(Debug, Error)]
enum PositionError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("the recorded position cannot be used: {0}")]
    Body(#[from] BodyError),
}

impl PositionError {
    /// Whether asking again cannot help.
    fn is_damage(&self) -> bool {
        match self {
            Self::Ledger(error) => error.is_damage(),
            Self::Body(_) => true,
        }
    }
}

impl Backlog {
    /// A backlog of which nothing is known before the first [`Backlog::refresh`].
    #[must_use]
    pub fn new(sources: Sources) -> Self {
        crate::measure::describe_backlog();
        Self { sources, refreshing: tokio::sync::Mutex::default(), seen: Mutex::default() }
    }

    /// Reads the stores again, unless that was done within the last half second. Costs one point read of the ledger for each
    /// partition, one request to the log, and one batch of each partition that has moved since and still waits. Waits for at
    /// most two seconds; values that cannot be read keep their last state.
    pub async fn refresh(&self) {
        // Given up: whatever hangs is no reason to keep a reader waiting.
        let _ = tokio::time::timeout(PATIENCE, self.ask()).await;
    }

    async fn ask(&self) {
        let mut sightings = self.refreshing.lock().await;
        let clock = &self.sources.clock;
        if self.lock().at.is_some_and(|at| clock.monotonic().saturating_sub(at) < FRESH_FOR) {
            return;
        }
        let elsewhere = sightings.look(&self.sources).await;
        if let Some(log) = &self.sources.log {
            self.ask_partitions(log.as_ref()).await;
        }
        let mut seen = self.lock();
        if let Some(elsewhere) = elsewhere {
            seen.elsewhere = elsewhere;
        }
        seen.at = Some(clock.monotonic());
    }

    async fn ask_partitions(&self, log: &dyn DurableLog) {
        let reading = (0..self.sources.partitions)
            .map(Partition)
            .map(async |partition| (partition, position(self.sources.ledger.as_ref(), partition).await));
        let positions: Vec<_> = stream::iter(reading).buffer_unordered(READ_AT_ONCE).collect().await;
        let moved = self.note_positions(positions);
        match log.accepted_at(&moved).await {
            Ok(accepted) => self.note_oldest(&moved, &accepted),
            Err(error) => tracing::debug!(%error, "the backlog cannot be read from the log"),
        }
    }

    /// Records positions, and returns the partitions whose oldest batch has to be read again: a known one is the same for as
    /// long as the position is. Until the log answers, a batch is assumed to wait: a log that cannot be read must not look like
    /// one in which nothing waits.
    fn note_positions(
        &self,
        positions: Vec<(Partition, Result<Position, PositionError>)>,
    ) -> BTreeMap<Partition, Offset> {
        let asked = Oldest { accepted_at: self.sources.clock.now(), seen_at: self.sources.clock.monotonic() };
        let mut seen = self.lock();
        let mut moved = BTreeMap::new();
        for (partition, found) in positions {
            let standing = seen.partitions.entry(partition).or_default();
            match found {
                Ok(position) => {
                    standing.is_damaged = false;
                    if standing.position != position {
                        let before =
                            standing.oldest.map(|oldest| Oldest { seen_at: asked.seen_at, ..oldest });
                        *standing = Standing { position, oldest: before, ..Standing::default() };
                    }
                }
                Err(error) if error.is_damage() => standing.is_damaged = true,
                Err(_) => {}
            }
            if standing.oldest.is_none() || !standing.is_answered {
                standing.is_answered = false;
                standing.oldest.get_or_insert(asked);
                moved.insert(partition, standing.position.offset);
            }
        }
        moved
    }

    fn note_oldest(&self, asked: &BTreeMap<Partition, Offset>, accepted: &BTreeMap<Partition, Timestamp>) {
        let seen_at = self.sources.clock.monotonic();
        let mut seen = self.lock();
        for partition in asked.keys() {
            let Some(standing) = seen.partitions.get_mut(partition) else { continue };
            standing.oldest =
                accepted.get(partition).map(|accepted_at| Oldest { accepted_at: *accepted_at, seen_at });
            standing.is_answered = true;
        }
    }

    /// Time that the oldest batch of each partition has waited by now: zero where none waits. Empty in a process without a log.
    #[must_use]
    pub fn lags(&self) -> BTreeMap<Partition, Duration> {
        let now = self.sources.clock.now();
        let lag = |standing: &Standing| {
            standing.oldest.map(|oldest| now.since(oldest.accepted_at)).unwrap_or_default()
        };
        let seen = self.lock();
        seen.partitions.iter().map(|(partition, standing)| (*partition, lag(standing))).collect()
    }

    /// Refreshes, and sets the gauges: for a reader of metrics.
    pub async fn measure(&self) {
        self.refresh().await;
        for (partition, lag) in self.lags() {
            let partition = partition.0.to_string();
            metrics::gauge!("palisade_analysis_lag_seconds", "partition" => partition).set(lag.as_secs_f64());
        }
        let blocked = self.blocked();
        for reason in Reason::ALL {
            let count = blocked.iter().filter(|blocked| blocked.reason == reason).count();
            #[expect(clippy::cast_precision_loss, reason = "65,536 at most")]
            metrics::gauge!("palisade_analysis_partitions_blocked", "reason" => reason.as_str())
                .set(count as f64);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        // The change of a thread that panicked is repeated by the next refresh.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn position(ledger: &dyn Ledger, partition: Partition) -> Result<Position, PositionError> {
    let body = ledger.get(LedgerId::Partition(partition), Kind::State, &row::progress_key()).await?;
    let progress: Progress = body.map_or_else(|| Ok(Progress::default()), |body| row::decode(&body))?;
    Ok(progress.position)
}

#[cfg(test)]
mod tests;
