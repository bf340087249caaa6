//! The id of a request: taken from `X-Request-Id` where that is sane, else made here. Logged, echoed, kept with
//! reviews.

use std::sync::Arc;

use common::clock::Clock;
use http::HeaderMap;
use http::header::HeaderName;
use uuid::{NoContext, Uuid};

/// The header it comes and goes in.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id accepted from outside; it is stored with every review.
const MAX_LENGTH: usize = 128;

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The id the client gave, or a UUID version 7 of now.
    pub fn of(headers: &HeaderMap, clock: &dyn Clock) -> Self {
        match headers.get(&X_REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| is_sane(id)) {
            Some(id) => Self(id.into()),
            None => Self(made_at(clock).to_string().into()),
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// 1 to 128 characters of an HTTP token (RFC 9110 section 5.6.2): printable wherever it ends up.
fn is_sane(id: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=MAX_LENGTH).contains(&id.len()) && id.bytes().all(token)
}

fn made_at(clock: &dyn Clock) -> Uuid {
    let now = clock.now().0.max(0).unsigned_abs();
    let nanos = u32::try_from(now % 1_000_000_000).unwrap_or(0);
    Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, now / 1_000_000_000, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::clock::ManualClock;
    use common::timestamp::Timestamp;

    #[test]
    fn only_short_tokens_are_taken_over() {
        let clock = ManualClock::new(Timestamp::from_millis(1_780_000_000_123));
        for (given, taken) in
            [("abc-1.2_3", true), ("", false), ("a b", false), ("ä", false), (&*"x".repeat(129), false)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(X_REQUEST_ID, http::HeaderValue::from_bytes(given.as_bytes()).unwrap());
            let id = RequestId::of(&headers, &clock);
            assert_eq!(id.as_str() == given, taken, "{given}");
        }
        let made = RequestId::of(&HeaderMap::new(), &clock);
        let made: Uuid = made.as_str().parse().unwrap();
        assert_eq!(made.get_version_num(), 7);
        assert_eq!(made.get_timestamp().unwrap().to_unix().0, 1_780_000_000);
    }
}
