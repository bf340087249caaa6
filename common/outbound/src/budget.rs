//! Limits shared by several calls: a number of requests and of bytes, and a rate.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::time::Instant;

/// Requests and bytes that several calls share. Each hop of a redirect is a request, whatever becomes of it; bytes are
/// those of reply headers and bodies as they are sent, before inflation. A reply that exceeds what is left uses it up.
#[derive(Debug)]
pub struct Budget {
    requests: Account,
    bytes: Account,
}

#[derive(Debug)]
struct Account {
    most: u64,
    used: AtomicU64,
}

/// Which part of a budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BudgetError {
    /// Requests.
    #[error("expected at most {most} requests within the budget, found one more")]
    Requests {
        /// The budget.
        most: u64,
    },
    /// Bytes.
    #[error("expected at most {most} bytes of replies within the budget, found more")]
    Bytes {
        /// The budget.
        most: u64,
    },
}

impl Budget {
    /// A budget of which nothing is used.
    #[must_use]
    pub fn new(requests: u64, bytes: u64) -> Arc<Self> {
        let account = |most| Account { most, used: AtomicU64::new(0) };
        Arc::new(Self { requests: account(requests), bytes: account(bytes) })
    }

    /// Requests made so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.used.load(Ordering::Relaxed)
    }

    /// Bytes read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.used.load(Ordering::Relaxed)
    }

    pub(crate) fn take_request(&self) -> Result<(), BudgetError> {
        let most = self.requests.most;
        if self.requests.take(1) { Ok(()) } else { Err(BudgetError::Requests { most }) }
    }

    pub(crate) fn take_bytes(&self, bytes: usize) -> Result<(), BudgetError> {
        let most = self.bytes.most;
        if self.bytes.take(bytes as u64) {
            return Ok(());
        }
        self.bytes.used.store(most, Ordering::Relaxed);
        Err(BudgetError::Bytes { most })
    }
}

impl Account {
    fn take(&self, count: u64) -> bool {
        let more = |used: u64| used.checked_add(count).filter(|used| *used <= self.most);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}

/// A rate that several calls share: requests start at least an interval apart.
#[derive(Debug)]
pub struct Rate {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

impl Rate {
    /// At most one request per interval.
    #[must_use]
    pub fn every(interval: Duration) -> Arc<Self> {
        Arc::new(Self { interval, next: Mutex::new(None) })
    }

    /// Waits for the next request's turn, however far off it is: for callers whose deadline begins with the request.
    pub async fn turn(&self) {
        let start = {
            // A panic can leave nothing half-done in it.
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let start = next.map_or_else(Instant::now, |next| next.max(Instant::now()));
            *next = Some(start + self.interval);
            start
        };
        tokio::time::sleep_until(start).await;
    }

    /// The start of the next request, which is then taken; `None` where that is after the deadline.
    pub(crate) fn reserve(&self, deadline: Instant) -> Option<Instant> {
        let now = Instant::now();
        // A panic can leave nothing half-done in it.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let start = next.map_or(now, |next| next.max(now));
        if start > deadline {
            return None;
        }
        *next = Some(start + self.interval);
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_used_to_its_last_byte_and_not_beyond() {
        let budget = Budget::new(2, 10);
        assert_eq!((budget.take_request(), budget.take_request()), (Ok(()), Ok(())));
        assert_eq!(budget.take_request(), Err(BudgetError::Requests { most: 2 }));
        assert_eq!((budget.take_bytes(4), budget.take_bytes(6)), (Ok(()), Ok(())));
        assert_eq!(budget.take_bytes(1), Err(BudgetError::Bytes { most: 10 }));
        assert_eq!((budget.requests(), budget.bytes()), (2, 10));
    }

    #[test]
    fn a_reply_that_is_too_long_for_a_budget_uses_it_up() {
        let budget = Budget::new(1, 10);
        assert_eq!(budget.take_bytes(11), Err(BudgetError::Bytes { most: 10 }));
        assert_eq!(budget.take_bytes(1), Err(BudgetError::Bytes { most: 10 }));
        assert_eq!(budget.bytes(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_spaces_requests_and_refuses_those_that_would_come_too_late() {
        let rate = Rate::every(Duration::from_secs(1));
        let start = Instant::now();
        let deadline = start + Duration::from_millis(1_500);
        assert_eq!(rate.reserve(deadline), Some(start));
        assert_eq!(rate.reserve(deadline), Some(start + Duration::from_secs(1)));
        assert_eq!(rate.reserve(deadline), None);
        tokio::time::advance(Duration::from_secs(5)).await;
        let now = Instant::now();
        assert_eq!(rate.reserve(now), Some(now), "unused turns are not saved up");
    }

    #[tokio::test(start_paused = true)]
    async fn turns_are_an_interval_apart() {
        let rate = Rate::every(Duration::from_secs(60));
        let start = Instant::now();
        tokio::join!(rate.turn(), rate.turn(), rate.turn());
        assert_eq!(start.elapsed(), Duration::from_secs(120));
    }
}
