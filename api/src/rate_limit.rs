//! How often a key may ask: one token bucket per key, counted on the injected clock, in bounded memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::KeyId;
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};

/// Most keys counted each for itself: some 4 MiB. Keys beyond share one bucket, so that having many keys is no way
/// around the limit.
const MAX_BUCKETS: usize = 65_536;
/// The length of the window that the limit is stated for.
const WINDOW: Duration = Duration::from_secs(60);
/// Full buckets say nothing and are dropped when room is needed, at most this often, since it looks at all of them.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Counts requests per key.
pub(crate) struct RateLimit {
    clock: SharedClock,
    per_minute: u32,
    buckets: Mutex<Buckets>,
}

#[derive(Default)]
struct Buckets {
    of_key: HashMap<KeyId, Bucket>,
    overflow: Option<Bucket>,
    swept_at: Duration,
}

/// Requests left at a moment; they come back evenly over [`WINDOW`].
#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Duration,
}

/// What the limit says to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Go on.
    Admitted {
        /// Whole requests left.
        remaining: u32,
        /// Until the bucket is full again.
        reset_seconds: u64,
    },
    /// Come back.
    Refused {
        /// Until the next request may be made.
        retry_seconds: u64,
        /// Until the bucket is full again.
        reset_seconds: u64,
    },
}

impl RateLimit {
    pub(crate) fn new(clock: SharedClock, per_minute: u32) -> Self {
        Self { clock, per_minute: per_minute.max(1), buckets: Mutex::default() }
    }

    /// Takes one request from a key's bucket.
    pub(crate) fn take(&self, key: KeyId) -> Verdict {
        let now = self.clock.monotonic();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = Bucket { left: f64::from(self.per_minute), at: now };
        let bucket = self.bucket(&mut buckets, key, full);
        bucket.left = self.left(bucket, now);
        bucket.at = now;
        let admitted = bucket.left >= 1.0;
        if admitted {
            bucket.left -= 1.0;
        }
        let reset_seconds = self.seconds_for(f64::from(self.per_minute) - bucket.left);
        if admitted {
            Verdict::Admitted { remaining: whole(bucket.left), reset_seconds }
        } else {
            Verdict::Refused { retry_seconds: self.seconds_for(1.0 - bucket.left).max(1), reset_seconds }
        }
    }

    fn bucket<'b>(&self, buckets: &'b mut Buckets, key: KeyId, full: Bucket) -> &'b mut Bucket {
        let now = full.at;
        let crowded = buckets.of_key.len() >= MAX_BUCKETS && !buckets.of_key.contains_key(&key);
        if crowded && now.saturating_sub(buckets.swept_at) >= SWEEP_EVERY {
            buckets.of_key.retain(|_, bucket| self.left(bucket, now) < full.left);
            buckets.swept_at = now;
        }
        if crowded && buckets.of_key.len() >= MAX_BUCKETS {
            return buckets.overflow.get_or_insert(full);
        }
        buckets.of_key.entry(key).or_insert(full)
    }

    fn left(&self, bucket: &Bucket, now: Duration) -> f64 {
        let passed = now.saturating_sub(bucket.at).as_secs_f64();
        let limit = f64::from(self.per_minute);
        (bucket.left + passed * limit / WINDOW.as_secs_f64()).min(limit)
    }

    /// Whole seconds, rounded up, in which so many requests come back.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 60 by construction"
    )]
    fn seconds_for(&self, requests: f64) -> u64 {
        (requests.max(0.0) * WINDOW.as_secs_f64() / f64::from(self.per_minute)).ceil() as u64
    }

    /// Writes the limit and what is left of it into a reply: the IETF draft's `RateLimit` fields
    /// (draft-ietf-httpapi-ratelimit-headers-10) and the older `X-RateLimit-*` that many clients read.
    pub(crate) fn describe(&self, verdict: Verdict, headers: &mut HeaderMap) {
        let (remaining, reset) = match verdict {
            Verdict::Admitted { remaining, reset_seconds } => (remaining, reset_seconds),
            Verdict::Refused { reset_seconds, .. } => (0, reset_seconds),
        };
        headers.insert(X_LIMIT, HeaderValue::from(self.per_minute));
        headers.insert(X_REMAINING, HeaderValue::from(remaining));
        headers.insert(X_RESET, HeaderValue::from(reset));
        let policy = format!("\"key\";q={};w={}", self.per_minute, WINDOW.as_secs());
        for (name, text) in
            [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, format!("\"key\";r={remaining};t={reset}"))]
        {
            if let Ok(value) = HeaderValue::try_from(text) {
                headers.insert(name, value);
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the limit, which is a u32"
)]
fn whole(left: f64) -> u32 {
    left.floor() as u32
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use common::clock::ManualClock;
    use common::timestamp::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn key(number: u128) -> KeyId {
        KeyId(Uuid::from_u128(number))
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = RateLimit::new(clock.clone(), 60);
        for left in (0..60).rev() {
            assert_eq!(
                limit.take(key(1)),
                Verdict::Admitted { remaining: left, reset_seconds: u64::from(60 - left) }
            );
        }
        assert_eq!(limit.take(key(1)), Verdict::Refused { retry_seconds: 1, reset_seconds: 60 });
        assert!(matches!(limit.take(key(2)), Verdict::Admitted { .. }), "another key is not affected");
        clock.advance(Duration::from_secs(1));
        assert!(matches!(limit.take(key(1)), Verdict::Admitted { remaining: 0, .. }));
        assert!(matches!(limit.take(key(1)), Verdict::Refused { .. }));
    }

    #[test]
    fn keys_beyond_the_bound_share_one_bucket() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = RateLimit::new(clock.clone(), 2);
        for number in 0..MAX_BUCKETS as u128 {
            limit.take(key(number));
        }
        clock.advance(SWEEP_EVERY);
        let late = MAX_BUCKETS as u128;
        assert!(matches!(limit.take(key(late)), Verdict::Admitted { .. }));
        assert!(matches!(limit.take(key(late + 1)), Verdict::Admitted { .. }));
        assert!(matches!(limit.take(key(late + 2)), Verdict::Refused { .. }));
        clock.advance(WINDOW);
        assert!(matches!(limit.take(key(late + 2)), Verdict::Admitted { remaining: 1, .. }), "room again");
        assert_eq!(limit.buckets.lock().unwrap().of_key.len(), 1);
    }
}
