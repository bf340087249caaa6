//! Counts into the ledger: added to the row of each source by compare-and-append. A row remembers the last flush of each
//! writer, so that a commit of unknown outcome is neither lost nor counted twice.

mod damaged;
mod sweep;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::clock::SharedClock;
use common::row;
use futures_util::{StreamExt, stream};
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op};
use thiserror::Error;
use tokio::sync::Mutex;
use tokio::time::Instant;

use self::damaged::DamagedRows;
use crate::collector::{Statistics, left_out};
use crate::row::{ReadError, SourceKey, SourceRow, Totals};

/// Time between two flushes.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(10);
/// Flushes between two removals of what has expired in the rows of silent sources: an hour.
const FLUSHES_BETWEEN_SWEEPS: u64 = 360;
/// Times a commit is tried against the other processes that flush.
const ATTEMPTS: u64 = 20;
/// Commits without an answer after which a ledger is given up: each of them has waited for seconds.
const MOST_UNKNOWN: u32 = 3;
/// A flush in which a ledger could not be written gives up the others after so long.
const LONGEST_FAILING: Duration = Duration::from_secs(20);
/// Time limit of a flush in progress when the process ends.
const LONGEST_LAST_TURN: Duration = Duration::from_secs(3);
/// Rows read at a time. One after the other, those of thousands of sources would take as long as the interval.
const READS_AT_ONCE: usize = 16;
/// Longest pause between two tries: unlike the others' who met the same conflict.
const LONGEST_PAUSE_MILLISECONDS: u64 = 40;
/// Bytes of bodies, and number of rows, above which a commit takes no further row: half of the ledger's limits.
const COMMIT_BYTES: usize = ledger::MAX_COMMIT_BYTES / 2;
const COMMIT_ROWS: usize = ledger::MAX_COMMIT_ROWS / 2;

/// Writes the counts of one process.
pub struct Writer {
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    statistics: Arc<Statistics>,
    partitions: u16,
    /// Unlike that of any other process.
    id: u64,
    /// Held during a flush.
    flushes: Mutex<Flushes>,
}

#[derive(Default)]
struct Flushes {
    /// Flushes so far.
    number: u64,
    /// Whether the last one left something unwritten, so that only the first of many is logged.
    is_failing: bool,
    /// Position at which the last one stopped; the next one begins there, so that ledgers that answer are written beside
    /// others.
    given_up_at: Option<LedgerId>,
    /// Rows that are skipped because they are damaged.
    damaged: DamagedRows,
}

/// Outcome of a commit of some rows.
enum Ended {
    Done,
    Conflict,
    Unknown,
}

/// Reason why sources could not be written.
#[derive(Debug, Error)]
enum Unwritten {
    #[error("every attempt conflicted with another process")]
    Contended,
    #[error("the outcome of a commit is unknown")]
    Unknown,
    #[error(transparent)]
    Refused(#[from] ReadError),
}

impl Writer {
    /// A writer of `statistics`. `id` is drawn by chance for each process.
    #[must_use]
    pub fn new(
        ledger: Arc<dyn Ledger>,
        clock: SharedClock,
        statistics: Arc<Statistics>,
        partitions: u16,
        id: u64,
    ) -> Self {
        Self { ledger, clock, statistics, partitions, id, flushes: Mutex::default() }
    }

    /// Flushes every ten seconds until `stop` returns. What is counted then is left to a last [`Writer::flush`]; a flush
    /// that is under way has a few seconds to end.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut turns = 0_u64;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = tokio::time::sleep(FLUSH_INTERVAL) => {}
            }
            let mut flush = std::pin::pin!(self.flush());
            tokio::select! {
                biased;
                () = &mut flush => {}
                () = &mut stop => {
                    // The rows it does not reach are lost.
                    let _ = tokio::time::timeout(LONGEST_LAST_TURN, flush).await;
                    return;
                }
            }
            if turns.is_multiple_of(FLUSHES_BETWEEN_SWEEPS) {
                tokio::select! {
                    biased;
                    () = &mut stop => return,
                    swept = self.sweep() => if let Err(error) = swept {
                        tracing::warn!(%error, "expired statistics of sources could not be removed");
                    }
                }
            }
            turns += 1;
        }
    }

    /// Writes all that is counted.
    pub async fn flush(&self) {
        let mut flushes = self.flushes.lock().await;
        flushes.number += 1;
        let mut of_partition: BTreeMap<LedgerId, Vec<(SourceKey, Totals)>> = BTreeMap::new();
        for (key, totals) in self.statistics.take() {
            of_partition.entry(key.ledger(self.partitions)).or_default().push((key, totals));
        }
        let begun = Instant::now();
        let first = flushes.given_up_at.take().map(|at| of_partition.split_off(&at)).unwrap_or_default();
        let mut unwritten: Option<(LedgerId, Unwritten)> = None;
        for (ledger, sources) in first.into_iter().chain(of_partition) {
            if unwritten.is_some() && begun.elapsed() > LONGEST_FAILING {
                flushes.given_up_at.get_or_insert(ledger);
                self.put_back(&sources);
                continue;
            }
            if let Err(cause) = self.write_all(ledger, &sources, &mut flushes).await {
                unwritten = Some((ledger, cause));
            }
        }
        let was_failing = std::mem::replace(&mut flushes.is_failing, unwritten.is_some());
        match unwritten {
            Some((ledger, error)) if !was_failing => {
                tracing::warn!(%ledger, %error, "statistics of sources could not be written");
            }
            None if was_failing => tracing::info!("statistics of sources are written again"),
            _ => {}
        }
    }

    /// Writes the sources of a ledger. What is not written is counted again, unless it may have been written or its row is
    /// damaged.
    async fn write_all(
        &self,
        ledger: LedgerId,
        sources: &[(SourceKey, Totals)],
        flushes: &mut Flushes,
    ) -> Result<(), Unwritten> {
        let mut rest = sources;
        while !rest.is_empty() {
            let mut count = rest.len().min(COMMIT_ROWS);
            let written = self.write(ledger, rest, flushes, &mut count).await;
            let (tried, behind) = rest.split_at_checked(count.max(1)).unwrap_or((rest, &[]));
            if let Err(cause) = written {
                match cause {
                    // They may have been added: to add them again could count twice.
                    Unwritten::Unknown => tried.iter().for_each(|_| left_out("unwritten")),
                    _ => self.put_back(tried),
                }
                self.put_back(behind);
                return Err(cause);
            }
            rest = behind;
        }
        Ok(())
    }

    fn put_back(&self, sources: &[(SourceKey, Totals)]) {
        sources.iter().for_each(|(key, totals)| self.statistics.put_back(*key, totals));
    }

    /// Writes the first `count` of some sources of a ledger, or as many as fit a commit.
    async fn write(
        &self,
        ledger: LedgerId,
        sources: &[(SourceKey, Totals)],
        flushes: &mut Flushes,
        count: &mut usize,
    ) -> Result<(), Unwritten> {
        let mut unknown = 0;
        for attempt in 0..ATTEMPTS {
            let mut damaged = Vec::new();
            match self.add(ledger, sources, flushes.number, count, &mut damaged).await {
                Ok(Ended::Done) => {
                    for (key, error) in damaged {
                        left_out("damaged");
                        flushes.damaged.note(ledger, key, &error);
                    }
                    return Ok(());
                }
                Ok(Ended::Unknown) => unknown += 1,
                Ok(Ended::Conflict) => {}
                Err(_) if unknown > 0 => return Err(Unwritten::Unknown),
                Err(error) => return Err(error.into()),
            }
            if unknown >= MOST_UNKNOWN {
                break;
            }
            tokio::time::sleep(self.pause(attempt)).await;
        }
        Err(if unknown > 0 { Unwritten::Unknown } else { Unwritten::Contended })
    }

    /// One try to add to the rows of the first `count` sources, or of as many as fit a commit. A damaged row is skipped, so that
    /// it does not keep the others from being written.
    async fn add(
        &self,
        ledger: LedgerId,
        sources: &[(SourceKey, Totals)],
        flush: u64,
        count: &mut usize,
        damaged: &mut Vec<(Bytes, LedgerError)>,
    ) -> Result<Ended, ReadError> {
        let at = self.ledger.seq(ledger).await?;
        let now = self.clock.now();
        let keys: Vec<SourceKey> = sources.iter().take(*count).map(|(key, _)| *key).collect();
        let mut rows = stream::iter(keys).map(|key| self.row(ledger, key)).buffered(READS_AT_ONCE);
        let (mut ops, mut bytes) = (Vec::new(), 0);
        for (place, (key, totals)) in sources.iter().enumerate() {
            if bytes > COMMIT_BYTES {
                *count = place;
                break;
            }
            let Some(row) = rows.next().await else { break };
            let mut row = match row {
                Err(error) if error.is_damage() => {
                    damaged.push((key.bytes().into(), error));
                    continue;
                }
                row => row?,
            };
            if row.has(self.id, flush) {
                continue;
            }
            row.totals.add(totals);
            row.totals.expire(now);
            row.mark(self.id, flush);
            let body = row::encode(&row)?;
            bytes += body.len();
            ops.push(Op::Put { kind: Kind::State, key: key.bytes().into(), body: body.into() });
        }
        self.commit(ledger, at, ops).await
    }

    /// The row of a source. One that cannot be read begins anew: nothing depends on it.
    async fn row(&self, ledger: LedgerId, key: SourceKey) -> Result<SourceRow, LedgerError> {
        let body = self.ledger.get(ledger, Kind::State, &key.bytes()).await?;
        Ok(body.and_then(|body| row::decode(&body).ok()).unwrap_or_default())
    }

    async fn commit(&self, ledger: LedgerId, at: ledger::Seq, ops: Vec<Op>) -> Result<Ended, ReadError> {
        if ops.is_empty() {
            return Ok(Ended::Done);
        }
        Ok(match self.ledger.commit(ledger, at, ops).await? {
            Commit::Done(_) => Ended::Done,
            Commit::Conflict(_) => Ended::Conflict,
            Commit::Unknown => Ended::Unknown,
        })
    }

    fn pause(&self, attempt: u64) -> Duration {
        Duration::from_millis(self.id.wrapping_mul(attempt + 1) % LONGEST_PAUSE_MILLISECONDS + 1)
    }
}

#[cfg(test)]
mod tests;
