//! The connections that read: a fixed number, lent to one read each on the runtime's blocking threads.
//! Those threads exist already; what must be bounded, and is costly to make, is the connections.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Config;
use super::file::{self, OpenError};
use crate::LedgerError;

/// A bounded pool of connections.
#[derive(Debug)]
pub(super) struct Readers {
    idle: Mutex<Vec<Connection>>,
    /// One permit a connection; who holds one finds a connection in `idle`.
    permits: Arc<Semaphore>,
    /// How long a read waits for a connection.
    patience: Duration,
}

impl Readers {
    /// Opens all connections.
    pub(super) fn open(directory: &Path, config: &Config) -> Result<Self, OpenError> {
        let mut idle = Vec::new();
        for _ in 0..config.read_connections {
            idle.push(file::open_for_reading(directory, config.busy_timeout())?);
        }
        let permits = Arc::new(Semaphore::new(idle.len()));
        Ok(Self { idle: Mutex::new(idle), permits, patience: config.busy_timeout() })
    }

    /// Runs one read. It goes on, and the connection comes back, also when the caller goes away.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let loan = self.borrow().await?;
        let reading = tokio::task::spawn_blocking(move || loan.read(read));
        reading.await.unwrap_or_else(|error| Err(unavailable(error)))
    }

    async fn borrow(self: &Arc<Self>) -> Result<Loan, LedgerError> {
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|_| unavailable(format!("no connection was free within {:?}", self.patience)))?
            .map_err(unavailable)?;
        let connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok(Loan { connection, lender: Arc::clone(self), _permit: permit })
    }
}

/// A connection on loan: back in the pool when dropped, after a panic too.
struct Loan {
    connection: Option<Connection>,
    lender: Arc<Readers>,
    _permit: OwnedSemaphorePermit,
}

impl Loan {
    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let connection = self.connection.as_ref().ok_or_else(|| unavailable("a connection was lost"))?;
        read(connection).map_err(unavailable)
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // The permit is a field and goes after this, so nobody finds `idle` empty.
        self.lender.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(self.connection.take());
    }
}

fn unavailable(cause: impl ToString) -> LedgerError {
    LedgerError::Unavailable { cause: cause.to_string() }
}
