//! Counters of a run, and the judgement of every answer: the allowed and forbidden answers of a server
//! that is killed repeatedly.

use std::fmt;
use std::time::Duration;

use crate::violations::{Violation, Violations};
use loadtest::client::{Answer, ExchangeError};
use loadtest::locked::Locked;

/// Counters of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Batches acknowledged, each from the request that got the acknowledgement.
    pub(crate) acknowledged: Times,
    /// Records in them.
    pub(crate) records: u64,
    /// Batches sent again although they may have been accepted, or were acknowledged.
    pub(crate) repeated: u64,
    /// Batches given up although they may have been accepted.
    pub(crate) given_up: u64,
    /// Requests whose connection was refused.
    pub(crate) unreachable: u64,
    /// Requests whose connection broke before the answer.
    pub(crate) broken: u64,
    /// Requests refused with 503 and `Retry-After`.
    pub(crate) refused: u64,
    /// Creations of sources refused as still running, 409.
    pub(crate) unfinished: u64,
    /// Reviews stored.
    pub(crate) reviews: Times,
}

/// Times that are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) count: u64,
    together: Duration,
    longest: Duration,
}

impl Times {
    /// Counts one more.
    pub(crate) fn add(&mut self, took: Duration) {
        self.count += 1;
        self.together += took;
        self.longest = self.longest.max(took);
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let average = self.together / u32::try_from(self.count).unwrap_or(u32::MAX).max(1);
        write!(f, "{} ms on average, {} ms at most", average.as_millis(), self.longest.as_millis())
    }
}

/// Meaning of an exchange for its caller.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The expected answer.
    Done(Answer),
    /// It never reached the server.
    Unreachable,
    /// It may have been executed; it can be retried.
    Unknown,
    /// A wrong answer, already reported.
    Wrong,
}

#[derive(Debug, Default)]
struct Kept {
    counts: Counts,
    violations: Violations,
}

/// The counters, shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Locked<Kept>);

impl Tally {
    /// Judges the answer to a request called `what`, of which `expected` is the status of success.
    pub(crate) fn judge(&self, what: &str, expected: u16, result: Result<Answer, ExchangeError>) -> Outcome {
        match result {
            Ok(answer) if answer.status == expected => Outcome::Done(answer),
            Ok(answer) if answer.is_polite_refusal() => {
                self.count(|counts| counts.refused += 1);
                Outcome::Unknown
            }
            Ok(answer) => {
                let (status, body) = (answer.status, answer.excerpt());
                self.violated(Violation::Answer { what: what.to_owned(), status, expected, body });
                Outcome::Wrong
            }
            Err(ExchangeError::Unreachable(_)) => {
                self.count(|counts| counts.unreachable += 1);
                Outcome::Unreachable
            }
            Err(ExchangeError::Broken(_)) => {
                self.count(|counts| counts.broken += 1);
                Outcome::Unknown
            }
            Err(error @ ExchangeError::Silent(_)) => {
                self.violated(Violation::Silence { what: what.to_owned(), cause: error.to_string() });
                Outcome::Unknown
            }
        }
    }

    /// Changes the counters.
    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.0.lock().counts);
    }

    /// Records a violation.
    pub(crate) fn violated(&self, violation: Violation) {
        self.0.lock().violations.add(violation);
    }

    /// The current counters.
    pub(crate) fn counts(&self) -> Counts {
        self.0.lock().counts.clone()
    }

    /// The violations so far.
    pub(crate) fn violations(&self) -> Violations {
        self.0.lock().violations.clone()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::violations::MOST_OF_A_KIND;

    fn answer(status: u16, retry_after: Option<u64>) -> Result<Answer, ExchangeError> {
        Ok(Answer { status, retry_after, body: Bytes::from_static(b"{}") })
    }

    #[test]
    fn only_polite_refusals_and_broken_connections_are_forgiven() {
        let tally = Tally::default();
        assert!(matches!(tally.judge("a batch", 200, answer(200, None)), Outcome::Done(_)));
        assert!(matches!(tally.judge("a batch", 200, answer(503, Some(1))), Outcome::Unknown));
        let broken = Err(ExchangeError::Broken("reset".to_owned()));
        assert!(matches!(tally.judge("a batch", 200, broken), Outcome::Unknown));
        let unreachable = Err(ExchangeError::Unreachable(std::io::ErrorKind::ConnectionRefused.into()));
        assert!(matches!(tally.judge("a batch", 200, unreachable), Outcome::Unreachable));
        assert!(tally.violations().is_empty());
        for wrong in
            [answer(503, None), answer(500, Some(1)), answer(400, None), answer(401, None), answer(404, None)]
        {
            assert!(matches!(tally.judge("a batch", 200, wrong), Outcome::Wrong));
        }
        assert!(matches!(
            tally.judge("a batch", 200, Err(ExchangeError::Silent(Duration::ZERO))),
            Outcome::Unknown
        ));
        let violations = tally.violations();
        let counted: Vec<_> = violations.iter().map(|(kind, of_a_kind)| (kind, of_a_kind.count)).collect();
        assert_eq!(counted, [("ANSWER", 6)]);
        let counts = tally.counts();
        assert_eq!((counts.refused, counts.broken, counts.unreachable), (1, 1, 1));
    }

    #[test]
    fn many_violations_of_one_kind_do_not_hide_another() {
        let tally = Tally::default();
        for _ in 0..10_000 {
            tally.violated(Violation::Silence { what: "a batch".to_owned(), cause: "none".to_owned() });
        }
        tally.violated(Violation::ReviewLost { incident: "i9".to_owned() });
        let violations = tally.violations();
        let kept: Vec<_> = violations
            .iter()
            .map(|(kind, of_a_kind)| (kind, of_a_kind.count, of_a_kind.first.len()))
            .collect();
        assert_eq!(kept, [("ANSWER", 10_000, MOST_OF_A_KIND), ("REVIEW", 1, 1)]);
    }
}
