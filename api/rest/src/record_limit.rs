//! Request rate of callers that are known by the id of a record, for example monitoring clients.

use std::sync::{Mutex, PoisonError};

use common::clock::SharedClock;
use common::ids::RecordId;

use crate::error::ApiError;
use crate::rate_limit::{Buckets, seconds_for};

/// Counts requests by caller.
pub struct RecordLimit {
    clock: SharedClock,
    per_minute: u32,
    buckets: Mutex<Buckets<RecordId>>,
}

impl RecordLimit {
    /// A limit in requests per minute, at least 1.
    #[must_use]
    pub fn new(clock: SharedClock, per_minute: u32) -> Self {
        let per_minute = per_minute.max(1);
        Self { clock, per_minute, buckets: Mutex::new(Buckets::new(per_minute)) }
    }

    /// Counts a request of a caller.
    ///
    /// # Errors
    /// `RateLimited` when the caller made too many.
    pub fn take(&self, caller: RecordId) -> Result<(), ApiError> {
        let now = self.clock.monotonic();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.at(caller, now);
        if bucket.left < 1.0 {
            let retry_seconds = seconds_for(1.0 - bucket.left, self.per_minute).max(1);
            let message = "this client made too many requests";
            return Err(ApiError::RateLimited { message, retry_seconds });
        }
        bucket.left -= 1.0;
        Ok(())
    }
}
