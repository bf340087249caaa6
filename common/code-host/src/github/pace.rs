//! Rate limits of an installation, as GitHub tells them in replies: a primary limit with a reset time, separately for searches,
//! and secondary limits, after which all requests of the installation pause.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::timestamp::Timestamp;
use http::HeaderMap;

/// First pause after a secondary limit.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause that repeated secondary limits lead to. The host may ask for more.
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);
/// Longest time that the host may ask for: its periods have an hour.
const LONGEST_WAIT: Duration = Duration::from_secs(2 * 3_600);
/// Clocks differ: after a reset a request is sent so much later.
const LATER: Duration = Duration::from_secs(1);
const NANOS: i64 = 1_000_000_000;

/// Requests that a primary limit counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quota {
    /// Everything else.
    Core,
    /// Searches.
    Search,
}

/// Limits of an installation.
#[derive(Debug, Default)]
pub(super) struct Pace {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    core_until: Option<Timestamp>,
    search_until: Option<Timestamp>,
    paused_until: Option<Timestamp>,
    /// The last pause after a secondary limit.
    pause: Duration,
}

impl Pace {
    /// When the next request may be sent; `None` for now.
    pub(super) fn blocked_until(&self, quota: Quota, now: Timestamp) -> Option<Timestamp> {
        let state = self.state();
        let reset = match quota {
            Quota::Core => state.core_until,
            Quota::Search => state.search_until,
        };
        reset.max(state.paused_until).filter(|until| now < *until)
    }

    /// Whether anything is blocked.
    pub(super) fn is_paused(&self, now: Timestamp) -> bool {
        let until = |quota| self.blocked_until(quota, now);
        until(Quota::Core).is_some() || until(Quota::Search).is_some()
    }

    /// Takes notice of a reply. `true` when it refuses the request for a limit, so that it may be sent again later.
    pub(super) fn observe(
        &self,
        quota: Quota,
        (status, headers, body): (u16, &HeaderMap, &[u8]),
        now: Timestamp,
    ) -> bool {
        let is_used_up = number(headers, "x-ratelimit-remaining") == Some(0);
        let refused = matches!(status, 403 | 429) && is_limit(status, headers, body, is_used_up);
        let mut state = self.state();
        if is_used_up && number(headers, "retry-after").is_none() {
            // Without a time the host means a period that ends within an hour.
            let reset = number(headers, "x-ratelimit-reset").and_then(|seconds| i64::try_from(seconds).ok());
            let reset = reset
                .map_or_else(|| now.plus(FIRST_PAUSE), |seconds| Timestamp(seconds.saturating_mul(NANOS)));
            let until = Some(reset.plus(LATER).max(now.plus(LATER)).min(now.plus(LONGEST_WAIT)));
            match quota {
                Quota::Core => state.core_until = until,
                Quota::Search => state.search_until = until,
            }
        } else if refused {
            state.pause_from(now, number(headers, "retry-after").map(Duration::from_secs));
        }
        refused
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic can leave nothing half-done in it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Pauses after a secondary limit: twice as long as the last time, unless that was long ago. Refusals of requests that were
    /// on their way when the pause began belong to it.
    fn pause_from(&mut self, now: Timestamp, asked: Option<Duration>) {
        let asked = asked.unwrap_or_default().min(LONGEST_WAIT);
        if let Some(until) = self.paused_until.filter(|until| now < *until) {
            self.paused_until = Some(until.max(now.plus(asked)));
            return;
        }
        let is_recent = self.paused_until.is_some_and(|ended| now.since(ended) < LONGEST_PAUSE);
        self.pause = if is_recent { (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE) } else { FIRST_PAUSE };
        self.paused_until = Some(now.plus(self.pause.max(asked)));
    }
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// Whether a refusal is for a limit. GitHub answers 403 to a lack of permission too, with a message that says so; a 403 without
/// a message comes from a part of the host in front of the API, which knows limits only.
fn is_limit(status: u16, headers: &HeaderMap, body: &[u8], is_used_up: bool) -> bool {
    if status == 429 || is_used_up || headers.contains_key("retry-after") {
        return true;
    }
    let Ok(reply) = serde_json::from_slice::<serde_json::Value>(body) else { return true };
    let text = |name: &str| reply.get(name).and_then(|value| value.as_str()).map(str::to_ascii_lowercase);
    let Some(message) = text("message") else { return true };
    let about = text("documentation_url").unwrap_or_default();
    message.contains("rate limit") || message.contains("abuse") || about.contains("rate-limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDARY: &[u8] = br#"{"message": "You have exceeded a secondary rate limit."}"#;

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * NANOS)
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_used_up_quota_blocks_its_own_requests_until_the_reset() {
        let pace = Pace::default();
        let used_up = headers(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1100")]);
        assert!(!pace.observe(Quota::Search, (200, &used_up, b"{}"), at(1_000)));
        assert_eq!(pace.blocked_until(Quota::Search, at(1_000)), Some(at(1_101)));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), None);
        assert_eq!(pace.blocked_until(Quota::Search, at(1_101)), None);
        assert!(pace.observe(Quota::Core, (403, &used_up, b"{}"), at(1_000)));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), Some(at(1_101)));
        let absurd = headers(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "99999999999")]);
        pace.observe(Quota::Core, (200, &absurd, b"{}"), at(1_000));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), Some(at(1_000 + 7_200)));
        let past = headers(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "10")]);
        pace.observe(Quota::Core, (200, &past, b"{}"), at(1_000));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), Some(at(1_001)));
    }

    #[test]
    fn secondary_limits_pause_everything_for_a_minute_and_longer_each_time() {
        let pace = Pace::default();
        let mut now = 1_000;
        for pause in [60, 120, 240, 480, 900, 900] {
            assert!(pace.observe(Quota::Core, (403, &HeaderMap::new(), SECONDARY), at(now)));
            assert!(
                pace.observe(Quota::Core, (403, &HeaderMap::new(), SECONDARY), at(now + 1)),
                "on its way"
            );
            assert_eq!(pace.blocked_until(Quota::Search, at(now + 1)), Some(at(now + pause)));
            now += pause;
            assert!(!pace.is_paused(at(now)));
        }
        now += 900;
        pace.observe(Quota::Core, (429, &HeaderMap::new(), b""), at(now));
        assert_eq!(pace.blocked_until(Quota::Core, at(now)), Some(at(now + 60)), "long ago");
    }

    #[test]
    fn a_time_that_the_host_asks_for_is_kept() {
        let pace = Pace::default();
        let wait = |seconds: &str| headers(&[("retry-after", seconds)]);
        pace.observe(Quota::Core, (429, &wait("5"), b""), at(1_000));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), Some(at(1_060)), "never less than a minute");
        pace.observe(Quota::Core, (403, &wait("1800"), b""), at(1_000));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), Some(at(2_800)));
        pace.observe(Quota::Core, (403, &wait("9999999999"), b""), at(1_000));
        assert_eq!(pace.blocked_until(Quota::Core, at(1_000)), Some(at(1_000 + 7_200)));
    }

    #[test]
    fn a_lack_of_permission_is_no_limit() {
        let pace = Pace::default();
        for (body, is_limit) in [
            (&br#"{"message": "Resource not accessible by integration"}"#[..], false),
            (br#"{"message": "Repository access blocked"}"#, false),
            (SECONDARY, true),
            (br#"{"message": "API rate limit exceeded for installation"}"#, true),
            (br#"{"message": "No", "documentation_url": "https://docs.github.com/rest/rate-limits"}"#, true),
            (b"", true),
            (b"<html>", true),
            (b"{}", true),
        ] {
            assert_eq!(
                pace.observe(Quota::Core, (403, &HeaderMap::new(), body), at(1)),
                is_limit,
                "{body:?}"
            );
        }
        assert!(!pace.observe(Quota::Core, (404, &HeaderMap::new(), b""), at(1)));
    }
}
