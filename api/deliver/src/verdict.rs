//! Meaning of the outcome of an attempt: acknowledged, to be tried again, or final. And when again.

use std::time::Duration;

use common::timestamp::Timestamp;
use outbound::{Reply, SendError};

use crate::config::Config;

/// Consequence of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The receiver has it.
    Acknowledged,
    /// A collector has taken the request, but not so many of its records, and does not say which.
    Partly { rejected: usize, cause: String },
    /// A collector has refused several records as one, for the sake of some of them or of how many they are: each is to
    /// be told again with fewer, so many at most.
    Divide { together: usize },
    /// It may work another time, and not before so long where the receiver said so.
    Retry { after: Option<Duration> },
    /// It will not work.
    Final { reason: String },
    /// The receiver wants nothing any more.
    Gone,
}

impl Verdict {
    /// Whether the receiver answered that it has it.
    pub(crate) fn is_acknowledged(&self) -> bool {
        matches!(self, Self::Acknowledged | Self::Partly { .. })
    }
}

/// Judges a webhook's attempt (specification, Delivery rules 1 and 2): network errors, 408, 429 and 5xx may pass; every other
/// answer but 2xx is an answer, redirects too. An address that may not be reached stays so.
pub(crate) fn judge(outcome: &Result<Reply, SendError>) -> Verdict {
    let reply = match outcome {
        Err(error) if error.is_final() => return Verdict::Final { reason: chain(error) },
        Err(_) => return Verdict::Retry { after: None },
        Ok(reply) => reply,
    };
    match reply.status {
        200..=299 => Verdict::Acknowledged,
        410 => Verdict::Gone,
        408 | 429 | 500..=599 => Verdict::Retry { after: reply.retry_after() },
        status => Verdict::Final { reason: format!("the receiver answered {status}") },
    }
}

/// An error with its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}

/// When to try again after `attempts` of them have failed; `None` when that was the last one. `chance` is from 0 to 1. A
/// receiver may ask for a later time, up to the latest that chance could have given.
pub(crate) fn next_attempt(
    config: &Config,
    attempts: u8,
    now: Timestamp,
    after: Option<Duration>,
    chance: f64,
) -> Option<Timestamp> {
    let slot = *config.retry_seconds.get(usize::from(attempts.checked_sub(1)?))?;
    let slot = Duration::from_secs(slot);
    let jitter = f64::from(config.jitter_percent.min(100)) / 100.0;
    let latest = slot.mul_f64(1.0 + jitter);
    let chosen = slot.mul_f64(1.0 - jitter + 2.0 * jitter * chance.clamp(0.0, 1.0));
    Some(now.plus(after.map_or(chosen, |asked| asked.clamp(chosen, latest))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_the_schedule_and_end() {
        let config = Config::default();
        let start = Timestamp::from_millis(0);
        let wait = |attempts, after, chance| {
            next_attempt(&config, attempts, start, after, chance).map(|due| due.since(start).as_secs_f64())
        };
        let middles: Vec<_> = (1..=8).map(|attempts| wait(attempts, None, 0.5)).collect();
        let seconds = [5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 36_000.0];
        let expected: Vec<_> = seconds.into_iter().map(Some).chain([None]).collect();
        assert_eq!(middles, expected);
        assert_eq!((wait(1, None, 0.0), wait(1, None, 1.0)), (Some(4.0), Some(6.0)));
        assert_eq!(wait(0, None, 0.5), None, "nothing has failed yet");
    }

    #[test]
    fn a_receiver_may_delay_within_the_slot_and_not_hasten() {
        let config = Config::default();
        let start = Timestamp::from_millis(0);
        let wait = |after| {
            let after = Some(Duration::from_secs(after));
            next_attempt(&config, 2, start, after, 0.5).map(|due| due.since(start).as_secs())
        };
        assert_eq!((wait(1), wait(330), wait(86_400)), (Some(300), Some(330), Some(360)));
    }
}
