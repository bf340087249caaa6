//! Request rates of keys and organizations: token buckets, counted on the injected clock, in bounded memory. The
//! organization's limit stands above those of its keys, so that making keys is no way around it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::{KeyId, OrganizationId};
use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};

use crate::error::Shape;

/// Most keys, and most organizations, counted each for itself: some 4 MiB each. Those beyond share one bucket, so that
/// having many is no way around the limit.
const MAX_BUCKETS: usize = 65_536;
/// The length of the window that the limits are stated for.
const WINDOW: Duration = Duration::from_secs(60);
/// Full buckets say nothing and are dropped when room is needed, at most this often, since it looks at all of them.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const X_REMAINING_REQUESTS: HeaderName = HeaderName::from_static("x-ratelimit-remaining-requests");
const X_OVER_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-over-limit");

/// Counts requests per key and per organization.
pub(crate) struct RateLimit {
    clock: SharedClock,
    buckets: Mutex<Both>,
}

struct Both {
    of_keys: Buckets<KeyId>,
    of_organizations: Buckets<OrganizationId>,
}

pub(crate) struct Buckets<K> {
    per_minute: u32,
    of: HashMap<K, Bucket>,
    overflow: Option<Bucket>,
    swept_at: Duration,
}

/// Requests left at a moment; they come back evenly over [`WINDOW`].
#[derive(Clone, Copy)]
pub(crate) struct Bucket {
    pub(crate) left: f64,
    at: Duration,
}

/// Decision of the limits about one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Reason of the refusal, if it is refused.
    pub(crate) refusal: Option<Refusal>,
    key: Standing,
    organization: Standing,
}

/// The limit that refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The exceeded limit, and whether it is that of the key or the organization.
    pub(crate) message: &'static str,
    /// Until the next request may be made.
    pub(crate) retry_seconds: u64,
}

/// State of a bucket after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    per_minute: u32,
    /// Whole requests left.
    remaining: u32,
    /// Until the next request may be made, 0 where one may be made now.
    retry_seconds: u64,
    /// Until the bucket is full again.
    reset_seconds: u64,
}

impl RateLimit {
    /// Limits in requests per minute, at least 1. An organization may always ask as often as one of its keys.
    pub(crate) fn new(clock: SharedClock, of_key: u32, of_organization: u32) -> Self {
        let of_key = of_key.max(1);
        let of_organization = of_organization.max(of_key);
        let both = Both { of_keys: Buckets::new(of_key), of_organizations: Buckets::new(of_organization) };
        Self { clock, buckets: Mutex::new(both) }
    }

    /// Takes one request from the buckets of a key and its organization, or from neither.
    pub(crate) fn take(&self, key: KeyId, organization: OrganizationId) -> Verdict {
        let now = self.clock.monotonic();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let Both { of_keys, of_organizations } = &mut *buckets;
        let (per_key, per_organization) = (of_keys.per_minute, of_organizations.per_minute);
        let (of_key, of_organization) = (of_keys.at(key, now), of_organizations.at(organization, now));
        let message = if of_key.left < 1.0 {
            Some("this API key made too many requests")
        } else if of_organization.left < 1.0 {
            Some("the API keys of this organization together made too many requests")
        } else {
            of_key.left -= 1.0;
            of_organization.left -= 1.0;
            None
        };
        let key = Standing::of(of_key, per_key);
        let organization = Standing::of(of_organization, per_organization);
        let retry_seconds = key.retry_seconds.max(organization.retry_seconds).max(1);
        Verdict { refusal: message.map(|message| Refusal { message, retry_seconds }), key, organization }
    }
}

impl<K: Copy + Eq + Hash> Buckets<K> {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { per_minute, of: HashMap::new(), overflow: None, swept_at: Duration::ZERO }
    }

    /// The bucket of a key, organization or address, filled up to now.
    pub(crate) fn at(&mut self, id: K, now: Duration) -> &mut Bucket {
        let per_minute = f64::from(self.per_minute);
        let full = Bucket { left: per_minute, at: now };
        let crowded = self.of.len() >= MAX_BUCKETS && !self.of.contains_key(&id);
        if crowded && now.saturating_sub(self.swept_at) >= SWEEP_EVERY {
            self.of.retain(|_, bucket| bucket.filled(per_minute, now) < per_minute);
            self.swept_at = now;
        }
        let bucket = if crowded && self.of.len() >= MAX_BUCKETS {
            self.overflow.get_or_insert(full)
        } else {
            self.of.entry(id).or_insert(full)
        };
        *bucket = Bucket { left: bucket.filled(per_minute, now), at: now };
        bucket
    }
}

impl Bucket {
    fn filled(&self, per_minute: f64, now: Duration) -> f64 {
        let passed = now.saturating_sub(self.at).as_secs_f64();
        (self.left + passed * per_minute / WINDOW.as_secs_f64()).min(per_minute)
    }
}

impl Standing {
    fn of(bucket: &Bucket, per_minute: u32) -> Self {
        Self {
            per_minute,
            remaining: whole(bucket.left),
            retry_seconds: seconds_for(1.0 - bucket.left, per_minute),
            reset_seconds: seconds_for(f64::from(per_minute) - bucket.left, per_minute),
        }
    }
}

impl Verdict {
    /// Writes the limits and what is left of them into a reply: the IETF draft's `RateLimit` fields
    /// (draft-ietf-httpapi-ratelimit-headers-10) for both, and for the one with fewer requests left the older
    /// `X-RateLimit-*` that many clients read. In the shape of one message, two further headers that clients of that family read (contracts: rate headers).
    pub(crate) fn describe(self, headers: &mut HeaderMap, shape: Shape) {
        let Self { key, organization, .. } = self;
        let nearest = if organization.remaining < key.remaining { organization } else { key };
        headers.insert(X_LIMIT, HeaderValue::from(nearest.per_minute));
        headers.insert(X_REMAINING, HeaderValue::from(nearest.remaining));
        headers.insert(X_RESET, HeaderValue::from(nearest.reset_seconds));
        if matches!(shape, Shape::Message(_)) {
            headers.insert(X_REMAINING_REQUESTS, HeaderValue::from(nearest.remaining));
            let over = if self.refusal.is_some() { "yes" } else { "no" };
            headers.insert(X_OVER_LIMIT, HeaderValue::from_static(over));
        }
        let window = WINDOW.as_secs();
        let (of_key, of_organization) = (key.per_minute, organization.per_minute);
        let policy =
            format!("\"key\";q={of_key};w={window}, \"organization\";q={of_organization};w={window}");
        let standing = |one: Standing| format!("r={};t={}", one.remaining, one.reset_seconds);
        let left = format!("\"key\";{}, \"organization\";{}", standing(key), standing(organization));
        for (name, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
            if let Ok(value) = HeaderValue::try_from(text) {
                headers.insert(name, value);
            }
        }
    }
}

/// Whole seconds, rounded up, in which so many requests come back.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 60 by construction"
)]
pub(crate) fn seconds_for(requests: f64, per_minute: u32) -> u64 {
    (requests.max(0.0) * WINDOW.as_secs_f64() / f64::from(per_minute)).ceil() as u64
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

    fn organization(number: u128) -> OrganizationId {
        OrganizationId(Uuid::from_u128(number))
    }

    /// Requests of a key that are left after one more, and of its organization; or after how many seconds to come back.
    fn take(limit: &RateLimit, of_key: u128, of_organization: u128) -> Result<(u32, u32), u64> {
        let verdict = limit.take(key(of_key), organization(of_organization));
        match verdict.refusal {
            Some(refusal) => Err(refusal.retry_seconds),
            None => Ok((verdict.key.remaining, verdict.organization.remaining)),
        }
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = RateLimit::new(clock.clone(), 60, 1_000);
        for left in (0..60).rev() {
            let verdict = limit.take(key(1), organization(1));
            assert_eq!((verdict.refusal, verdict.key.remaining), (None, left));
            assert_eq!(verdict.key.reset_seconds, u64::from(60 - left));
        }
        assert_eq!(take(&limit, 1, 1), Err(1));
        assert!(take(&limit, 2, 1).is_ok(), "another key is not affected");
        clock.advance(Duration::from_secs(1));
        assert_eq!(take(&limit, 1, 1).map(|(left, _)| left), Ok(0));
        assert_eq!(take(&limit, 1, 1), Err(1));
    }

    #[test]
    fn keys_of_an_organization_share_its_limit() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = RateLimit::new(clock.clone(), 4, 6);
        for left in (0..6).rev() {
            assert_eq!(take(&limit, u128::from(left), 1).map(|(_, left)| left), Ok(left));
        }
        assert_eq!(take(&limit, 100, 1), Err(10));
        assert_eq!(take(&limit, 200, 2), Ok((3, 5)), "another organization is not affected");
        clock.advance(Duration::from_secs(10));
        assert_eq!(take(&limit, 100, 1), Ok((3, 0)), "a refusal has cost the key nothing");
    }

    #[test]
    fn an_organization_may_ask_as_often_as_one_key() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = RateLimit::new(clock, 9, 3);
        assert_eq!(take(&limit, 1, 1), Ok((8, 8)));
    }

    #[test]
    fn keys_beyond_the_bound_share_one_bucket() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = RateLimit::new(clock.clone(), 2, u32::MAX);
        for number in 0..MAX_BUCKETS as u128 {
            take(&limit, number, 1).unwrap();
        }
        clock.advance(SWEEP_EVERY);
        let late = MAX_BUCKETS as u128;
        assert!(take(&limit, late, 1).is_ok());
        assert!(take(&limit, late + 1, 1).is_ok());
        assert!(take(&limit, late + 2, 1).is_err());
        clock.advance(WINDOW);
        assert_eq!(take(&limit, late + 2, 1).map(|(left, _)| left), Ok(1), "room again");
        assert_eq!(limit.buckets.lock().unwrap().of_keys.of.len(), 1);
    }
}
