//! The connections that read: a fixed number, each on a thread of its own, so that reads do not wait for other
//! blocking work of the process.

use std::path::Path;

use rusqlite::Connection;
use threads::{Limits, Threads};

use super::Config;
use super::damage::ReadError;
use super::file::{self, FILE_NAME, OpenError};
use crate::{LedgerError, LedgerId};

/// Reads that may wait for a connection: at 20 µs for a row this is milliseconds of work, and more callers than a
/// process has requests in progress only when the disk hangs.
const MAX_WAITING: usize = 4_096;

/// A bounded pool of connections. Dropping it waits for the reads in progress.
#[derive(Debug)]
pub(super) struct Readers(Threads<Connection>);

impl Readers {
    /// Opens all connections and starts their threads.
    pub(super) fn open(directory: &Path, config: &Config) -> Result<Self, OpenError> {
        let mut connections = Vec::new();
        for _ in 0..config.read_connections {
            connections.push(file::open_for_reading(directory, config.busy_timeout())?);
        }
        let limits = Limits { waiting: MAX_WAITING, patience: config.busy_timeout() };
        let threads = Threads::start("ledger-reader", connections, limits);
        Ok(Self(threads.map_err(|source| OpenError::Io { path: FILE_NAME.into(), source })?))
    }

    /// Runs one read of a ledger. It continues even if the caller is dropped.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        ledger: LedgerId,
        read: impl FnOnce(&Connection) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let answer = self.0.run(|connection| read(connection)).await;
        answer.map_err(unavailable)?.map_err(|error| error.in_ledger(ledger))
    }
}

fn unavailable(cause: impl ToString) -> LedgerError {
    LedgerError::Unavailable { cause: cause.to_string() }
}
