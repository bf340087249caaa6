//! Answers during a run: counted by the called side, judged, and timed.

use std::time::Duration;

use tokio::time::Instant;

use crate::violations::{Violation, Violations};
use loadtest::client::{Answer, ExchangeError};
use loadtest::histogram::Histogram;
use loadtest::locked::Locked;
use loadtest::run::say;

/// Longest `Retry-After` that is honoured: a longer one is counted as this much.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Pause after a failed exchange: another process is called then.
const BROKEN_PAUSE: Duration = Duration::from_millis(100);

/// The called side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Ingestion.
    Ingest,
    /// The API.
    Api,
    /// Ingestion, with the key of another organization.
    Stranger,
}

/// Answers of one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// The expected status.
    pub(crate) done: u64,
    /// 503 with `Retry-After`.
    pub(crate) refused: u64,
    /// 503 without: a violation each.
    pub(crate) refused_without: u64,
    /// Unexpected statuses: a violation each.
    pub(crate) wrong: u64,
    /// The connection was refused.
    pub(crate) unreachable: u64,
    /// The connection broke.
    pub(crate) broken: u64,
    /// No answer within the sender's patience.
    pub(crate) silent: u64,
    /// Latencies of the expected answers.
    pub(crate) took: Histogram,
    /// Time of the last expected answer.
    pub(crate) last_done: Option<Instant>,
}

/// All counters, shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Locked<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// By side.
    counts: [Counts; 3],
    batches: u64,
    records: u64,
    violations: Violations,
}

impl Kept {
    /// Records a violation, and prints it if it is among the first of its kind: its position among the
    /// faults helps most in finding its cause.
    fn violated(&mut self, violation: Violation) {
        let said = format!("  {}: {violation}", violation.kind());
        if self.violations.add(violation) {
            say(&said);
        }
    }
}

/// Next step after an exchange.
#[derive(Clone, Debug)]
pub(crate) enum Judged {
    /// The expected answer.
    Done(Answer),
    /// An unexpected answer, already reported.
    Wrong(Answer),
    /// Try again after this pause.
    Again(Duration),
}

impl Answers {
    /// Judges the answer to a request called `what`, started at `begun`, which may have one of the
    /// `expected` statuses.
    pub(crate) fn judge(
        &self,
        side: Side,
        what: &str,
        expected: &[u16],
        begun: Instant,
        result: Result<Answer, ExchangeError>,
    ) -> Judged {
        let mut kept = self.0.lock();
        let counts = &mut kept.counts[side as usize];
        match result {
            Ok(answer) if expected.contains(&answer.status) => {
                counts.done += 1;
                counts.took.record(begun.elapsed());
                counts.last_done = Some(Instant::now());
                Judged::Done(answer)
            }
            Ok(answer) if answer.status == 503 => {
                if let Some(seconds) = answer.retry_after {
                    counts.refused += 1;
                    return Judged::Again(Duration::from_secs(seconds).min(LONGEST_PAUSE));
                }
                counts.refused_without += 1;
                kept.violated(Violation::Impolite { what: what.to_owned() });
                Judged::Again(LONGEST_PAUSE)
            }
            Ok(answer) => {
                counts.wrong += 1;
                let expected = expected.first().copied().unwrap_or_default();
                let (what, status, body) = (what.to_owned(), answer.status, answer.excerpt());
                kept.violated(Violation::Answer { what, status, expected, body });
                Judged::Wrong(answer)
            }
            Err(ExchangeError::Unreachable(_)) => {
                counts.unreachable += 1;
                Judged::Again(BROKEN_PAUSE)
            }
            Err(ExchangeError::Broken(_)) => {
                counts.broken += 1;
                Judged::Again(BROKEN_PAUSE)
            }
            Err(ExchangeError::Silent(_)) => {
                counts.silent += 1;
                Judged::Again(Duration::ZERO)
            }
        }
    }

    /// Counts the records of an acknowledged batch.
    pub(crate) fn acknowledged(&self, records: u64) {
        let mut kept = self.0.lock();
        kept.batches += 1;
        kept.records += records;
    }

    /// Records a violation.
    pub(crate) fn violated(&self, violation: Violation) {
        self.0.lock().violated(violation);
    }

    /// The counters of a side.
    pub(crate) fn counts(&self, side: Side) -> Counts {
        self.0.lock().counts[side as usize].clone()
    }

    /// Batches acknowledged, and the records in them.
    pub(crate) fn all_acknowledged(&self) -> (u64, u64) {
        let kept = self.0.lock();
        (kept.batches, kept.records)
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

    #[test]
    fn only_refusals_without_a_time_and_other_statuses_are_violations() {
        let answers = Answers::default();
        let judge = |status, retry_after| {
            let answer = Answer { status, retry_after, body: Bytes::new() };
            answers.judge(Side::Ingest, "a batch", &[200], Instant::now(), Ok(answer))
        };
        assert!(matches!(judge(200, None), Judged::Done(_)));
        assert!(matches!(judge(503, Some(15)), Judged::Again(LONGEST_PAUSE)));
        assert!(answers.violations().is_empty());
        assert!(matches!(judge(503, None), Judged::Again(_)));
        assert!(matches!(judge(500, Some(1)), Judged::Wrong(_)));
        assert!(matches!(judge(400, None), Judged::Wrong(_)));
        let violations = answers.violations();
        let kinds: Vec<_> = violations.iter().map(|(kind, of_a_kind)| (kind, of_a_kind.count)).collect();
        assert_eq!(kinds, [("ANSWER", 2), ("IMPOLITE", 1)]);
    }
}
