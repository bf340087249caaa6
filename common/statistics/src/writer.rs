//! Counts into the ledger: added to the row of each source by compare-and-append. A row remembers the last flush of each
//! writer, so that a commit of unknown outcome is neither lost nor counted twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::Partition;
use common::row;
use common::timestamp::Timestamp;
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Range};
use tokio::sync::Mutex;

use crate::collector::{Statistics, left_out};
use crate::row::{ReadError, SourceKey, SourceRow, Totals};

/// Time between two flushes.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(10);
/// Flushes between two removals of what has expired in the rows of silent sources: an hour.
const FLUSHES_BETWEEN_SWEEPS: u64 = 360;
/// Times a commit is tried against the other processes that flush.
const ATTEMPTS: u64 = 20;
/// Longest pause between two tries: unlike the others' who met the same conflict.
const LONGEST_PAUSE_MILLISECONDS: u64 = 40;
/// A commit takes no more rows above so many bytes of bodies, half the ledger's limit, or so many rows.
const COMMIT_BYTES: usize = ledger::MAX_COMMIT_BYTES / 2;
const COMMIT_ROWS: usize = ledger::MAX_COMMIT_ROWS / 2;
/// Rows read at a time by a sweep.
const PAGE: usize = 100;

/// Writes the counts of one process.
pub struct Writer {
    ledger: Arc<dyn Ledger>,
    clock: SharedClock,
    statistics: Arc<Statistics>,
    partitions: u16,
    /// Unlike that of any other process.
    id: u64,
    /// Flushes so far. Held during a flush.
    flushes: Mutex<u64>,
}

/// How a commit of some rows ended.
enum Ended {
    Done,
    Conflict,
    Unknown,
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
        Self { ledger, clock, statistics, partitions, id, flushes: Mutex::new(0) }
    }

    /// Flushes every ten seconds until `stop` returns. What is counted then is left to a last [`Writer::flush`].
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut turns = 0_u64;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = tokio::time::sleep(FLUSH_INTERVAL) => {}
            }
            self.flush().await;
            if turns.is_multiple_of(FLUSHES_BETWEEN_SWEEPS)
                && let Err(error) = self.sweep().await
            {
                tracing::warn!(%error, "expired statistics of sources could not be removed");
            }
            turns += 1;
        }
    }

    /// Writes all that is counted.
    pub async fn flush(&self) {
        let mut flushes = self.flushes.lock().await;
        *flushes += 1;
        let mut of_partition: BTreeMap<LedgerId, Vec<(SourceKey, Totals)>> = BTreeMap::new();
        for (key, totals) in self.statistics.take() {
            of_partition.entry(key.ledger(self.partitions)).or_default().push((key, totals));
        }
        for (ledger, sources) in of_partition {
            let mut rest = sources.as_slice();
            while !rest.is_empty() {
                let written = self.write(ledger, rest, *flushes).await;
                rest = rest.get(written..).unwrap_or_default();
            }
        }
    }

    /// Writes the first of some sources of a ledger; returns how many are dealt with, at least one.
    async fn write(&self, ledger: LedgerId, sources: &[(SourceKey, Totals)], flush: u64) -> usize {
        let (mut count, mut is_unknown) = (sources.len().min(COMMIT_ROWS), false);
        for attempt in 0..ATTEMPTS {
            match self.add(ledger, sources, flush, &mut count).await {
                Ok(Ended::Done) => return count,
                Ok(Ended::Unknown) => is_unknown = true,
                Ok(Ended::Conflict) => {}
                Err(error) => {
                    tracing::warn!(%ledger, %error, "statistics of sources could not be written");
                    break;
                }
            }
            tokio::time::sleep(self.pause(attempt)).await;
        }
        for (key, totals) in sources.get(..count).unwrap_or_default() {
            if is_unknown {
                // It may have been added: to add it again could count twice.
                left_out("unwritten");
            } else {
                self.statistics.put_back(*key, totals);
            }
        }
        count.max(1)
    }

    /// One try to add to the rows of the first `count` sources, or of as many as fit a commit.
    async fn add(
        &self,
        ledger: LedgerId,
        sources: &[(SourceKey, Totals)],
        flush: u64,
        count: &mut usize,
    ) -> Result<Ended, ReadError> {
        let at = self.ledger.seq(ledger).await?;
        let now = self.clock.now();
        let (mut ops, mut bytes) = (Vec::new(), 0);
        for (place, (key, totals)) in sources.iter().take(*count).enumerate() {
            if bytes > COMMIT_BYTES {
                *count = place;
                break;
            }
            let mut row = self.row(ledger, *key).await?;
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
    async fn row(&self, ledger: LedgerId, key: SourceKey) -> Result<SourceRow, ReadError> {
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

    /// Removes what has expired in every row. A row that somebody else writes meanwhile is left to them.
    async fn sweep(&self) -> Result<(), ReadError> {
        let now = self.clock.now();
        for partition in (0..self.partitions).map(Partition) {
            self.sweep_partition(LedgerId::Statistics(partition), now).await?;
        }
        Ok(())
    }

    async fn sweep_partition(&self, ledger: LedgerId, now: Timestamp) -> Result<(), ReadError> {
        let mut last: Option<bytes::Bytes> = None;
        loop {
            let at = self.ledger.seq(ledger).await?;
            let range = Range { prefix: &[], after: last.as_deref(), backwards: false };
            let rows = self.ledger.scan(ledger, Kind::State, range, PAGE).await?;
            let (mut ops, mut bytes) = (Vec::new(), 0);
            for read in &rows {
                last = Some(read.key.clone());
                let Ok(mut row) = row::decode::<SourceRow>(&read.body) else { continue };
                if row.totals.expire(now) {
                    let body = row::encode(&row)?;
                    bytes += body.len();
                    ops.push(Op::Put { kind: Kind::State, key: read.key.clone(), body: body.into() });
                }
                if bytes > COMMIT_BYTES {
                    break;
                }
            }
            self.commit(ledger, at, ops).await?;
            if rows.last().is_none_or(|end| rows.len() < PAGE && Some(&end.key) == last.as_ref()) {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
