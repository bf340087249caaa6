//! Memory of requests under way, bounded over all of them: many large PDFs at once must not exhaust the process.

use std::sync::Arc;
use std::time::Duration;

use rest::error::ApiError;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory of all requests under way: seven of the largest size, or thousands of small ones.
const BYTES: usize = 256 * 1024 * 1024;
/// Unit in which it is counted, since a semaphore counts to 2^29 and a permit to 2^32.
const UNIT: usize = 1024;
/// Time limit of the wait for memory; a client is better served by another process than by a longer wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// The memory.
pub(crate) struct Room(Arc<Semaphore>);

/// Memory of one request, until it is dropped.
pub(crate) struct Held(#[expect(dead_code, reason = "held until dropped")] OwnedSemaphorePermit);

/// No memory became free in time.
#[derive(Debug, Error)]
#[error("expected memory for {bytes} bytes of a request within {PATIENCE:?}")]
struct NoRoom {
    bytes: usize,
}

impl Room {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(BYTES / UNIT)))
    }

    /// Holds memory for a body of this size.
    pub(crate) async fn hold(&self, bytes: usize) -> Result<Held, ApiError> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.0).acquire_many_owned(units)).await;
        match permit {
            Ok(Ok(permit)) => Ok(Held(permit)),
            Ok(Err(_)) | Err(_) => Err(ApiError::unavailable(NoRoom { bytes })),
        }
    }
}
