//! The ledger in one file: SQLite in WAL mode, synced at every commit, behind one writer thread and a few
//! reading connections. SQL appears in this folder only.
//!
//! Several processes may have the same file open, for example a server and a command that creates a
//! key: every commit compares the sequence number inside the transaction that changes it, so neither
//! can overwrite the changes of the other. [`ServerLock`] prevents two *servers* on one directory.

mod apply;
mod damage;
mod file;
mod group;
mod inspection;
mod query;
mod readers;
mod server_lock;
mod writer;

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use metrics::{counter, describe_counter, describe_histogram, histogram};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

pub use file::{FILE_NAME, OpenError};
pub use inspection::{Inspection, inspect};
pub use server_lock::{ServerLock, lock_file};

use crate::interval::Interval;
use crate::{
    Changes, Commit, Kind, Ledger, LedgerError, LedgerId, MAX_CHANGES, Op, Range, Row, Seq, bounds, feed,
};
use group::Finish;
use readers::Readers;
use writer::Writer;

/// Options of opening the embedded ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Concurrent reads, 1 to 64; each has a connection with a page cache of about 2 MiB. Default 4: more than the
    /// cores of the smallest machine, so that one long scan does not delay short reads.
    pub read_connections: u32,
    /// Length of the change feed of each ledger in commits, 256 to 1,000,000. Default 4096: a quarter of an hour at
    /// four commits a second. A reader that lags further reloads.
    pub feed_commits: u32,
    /// Milliseconds that a commit waits for another writing process, and a read for a free connection, 1 to 60,000.
    /// Default 5000.
    pub busy_timeout_ms: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { read_connections: 4, feed_commits: feed::DEFAULT_COMMITS, busy_timeout_ms: 5_000 }
    }
}

impl Config {
    fn busy_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.busy_timeout_ms))
    }

    fn check(&self) -> Result<(), OpenError> {
        let fields = [
            ("read_connections", self.read_connections, 1..=64),
            // One call of `changes` must not outrun the feed.
            ("feed_commits", self.feed_commits, MAX_CHANGES as u32..=1_000_000),
            ("busy_timeout_ms", self.busy_timeout_ms, 1..=60_000),
        ];
        for (field, found, allowed) in fields {
            if !allowed.contains(&found) {
                let (least, most) = allowed.into_inner();
                return Err(OpenError::Config { field, found, least, most });
            }
        }
        Ok(())
    }
}

/// Ledgers in `ledger.sqlite3`. Dropping it waits for the commits in progress; that takes as long as
/// one group of them.
#[derive(Debug)]
pub struct EmbeddedLedger {
    // Before the writer, so that the writer's connection is the last to close and leaves one tidy file.
    readers: Readers,
    writer: Writer,
}

/// Opens the ledger in `directory`, and creates both when they are not there. Blocks on the disk.
///
/// # Errors
/// [`OpenError`] when the configuration is out of bounds, the file cannot be opened, is not a ledger, or
/// is written in a format that this build does not read.
pub fn open(directory: &Path, config: &Config) -> Result<EmbeddedLedger, OpenError> {
    open_finishing(directory, config, Box::new(group::commit))
}

/// [`open`], with another last step of each group: for tests of failures that cannot be provoked.
fn open_finishing(directory: &Path, config: &Config, finish: Finish) -> Result<EmbeddedLedger, OpenError> {
    config.check()?;
    let connection = file::open_for_writing(directory, config.busy_timeout())?;
    let readers = Readers::open(directory, config)?;
    let writer = Writer::start(connection, config.feed_commits, finish)?;
    describe_histogram!("palisade_ledger_commit_seconds", "Duration of a commit until it is durable.");
    describe_counter!("palisade_ledger_conflicts_total", "Commits rejected because of a concurrent commit.");
    counter!("palisade_ledger_conflicts_total").increment(0);
    Ok(EmbeddedLedger { readers, writer })
}

#[async_trait]
impl Ledger for EmbeddedLedger {
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.writer.ensure_settled().await?;
        self.readers.read(ledger, move |connection| Ok(query::seq(connection, ledger)?)).await
    }

    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        bounds::check_commit(&ops)?;
        let began = Instant::now();
        let answer = self.writer.commit(ledger, at, ops).await;
        histogram!("palisade_ledger_commit_seconds").record(began.elapsed().as_secs_f64());
        if matches!(answer, Ok(Commit::Conflict(_))) {
            counter!("palisade_ledger_conflicts_total").increment(1);
        }
        answer
    }

    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        bounds::check_kind(kind)?;
        self.writer.ensure_settled().await?;
        let key = key.to_vec();
        self.readers.read(ledger, move |connection| query::get(connection, ledger, kind, &key)).await
    }

    async fn scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        bounds::check_kind(kind)?;
        self.writer.ensure_settled().await?;
        let Some(interval) = Interval::of(&range) else { return Ok(Vec::new()) };
        let scan = query::Scan {
            ledger,
            kind,
            lower: interval.lower.to_vec(),
            lower_included: interval.lower_included,
            upper: interval.upper,
            backwards: range.backwards,
            limit: limit.max(1),
        };
        self.readers.read(ledger, move |connection| query::scan(connection, &scan)).await
    }

    async fn changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        self.writer.ensure_settled().await?;
        self.readers.read(ledger, move |connection| query::changes(connection, ledger, after)).await
    }
}

#[cfg(test)]
mod tests;
