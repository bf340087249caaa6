//! Results of the requests: counted for a phase, for the current second, and for each attacker.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::client::ExchangeError;
use crate::histogram::Histogram;
use crate::load::exchange::Reply;
use crate::load::mix::Order;
use crate::locked::Locked;

/// Distinct values of `Retry-After` that are counted separately; they are seconds, and few.
const MOST_RETRY_AFTERS: usize = 200;
/// Failures whose text is kept.
const MOST_FAILURES: usize = 10;

/// Counters of requests.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub sent: u64,
    /// Requests acknowledged, their records, and the bytes of their bodies.
    pub accepted: u64,
    pub records: u64,
    pub bytes: u64,
    /// Requests refused with 503 and `Retry-After`.
    pub refused: u64,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests refused with 503 and no `Retry-After`.
    pub impolite: u64,
    /// Refusals by their `Retry-After`, seconds.
    pub retry_after: BTreeMap<u64, u64>,
    /// Requests without an answer, and their records, which may have been accepted.
    pub failed: u64,
    pub unknown_records: u64,
    /// Of accepted requests, from their due time to the answer: the latency of a sender that does not
    /// wait for the server. In the closed loop the same as the next.
    pub latency: Histogram,
    /// Of accepted requests, from sending to the answer.
    pub service: Histogram,
    /// Of refused requests, from sending to the answer.
    pub refusal: Histogram,
    /// Texts of the first failures and wrong answers.
    pub complaints: Vec<String>,
}

impl Counts {
    /// Answers that are neither 200 nor 503 with `Retry-After`, and requests without an answer.
    pub fn wrong(&self) -> u64 {
        self.sent - self.accepted - self.refused
    }
}

/// Records of one attacker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attacked {
    pub acknowledged: u64,
    /// Sent without an answer: accepted or not.
    pub unknown: u64,
}

/// One request and its result.
#[derive(Debug)]
pub struct Outcome<'a> {
    pub order: &'a Order<'a>,
    pub body_bytes: usize,
    /// Time since it was due.
    pub latency: Duration,
    /// Time since it was sent.
    pub service: Duration,
    pub result: Result<Reply, ExchangeError>,
}

#[derive(Debug, Default)]
struct Kept {
    phase: Counts,
    second: Counts,
    /// At most a hundred of each source.
    attackers: BTreeMap<u32, Attacked>,
}

/// Counters of all senders.
#[derive(Debug, Default)]
pub struct Results(Locked<Kept>);

impl Results {
    /// Counts a request.
    pub fn settle(&self, outcome: &Outcome<'_>) {
        let mut kept = self.0.lock();
        count(&mut kept.phase, outcome);
        count(&mut kept.second, outcome);
        let Some(attacker) = outcome.order.attacker else { return };
        let records = u64::from(outcome.order.template.attack_records);
        let attacked = kept.attackers.entry(attacker).or_default();
        match &outcome.result {
            Ok(reply) if reply.status == 200 => attacked.acknowledged += records,
            Ok(_) | Err(ExchangeError::Unreachable(_)) => {}
            Err(_) => attacked.unknown += records,
        }
    }

    /// Returns the second that has ended; the next begins.
    pub fn take_second(&self) -> Counts {
        std::mem::take(&mut self.0.lock().second)
    }

    /// Returns the phase that has ended; the next begins.
    pub fn take_phase(&self) -> Counts {
        std::mem::take(&mut self.0.lock().phase)
    }

    /// Requests of the phase so far that were not acknowledged.
    pub fn not_accepted(&self) -> u64 {
        let kept = self.0.lock();
        kept.phase.sent - kept.phase.accepted
    }

    /// Records sent by each attacker.
    pub fn attackers(&self) -> BTreeMap<u32, Attacked> {
        self.0.lock().attackers.clone()
    }
}

fn count(counts: &mut Counts, outcome: &Outcome<'_>) {
    counts.sent += 1;
    let records = u64::from(outcome.order.template.records);
    let complaint = match &outcome.result {
        Ok(reply) => {
            *counts.statuses.entry(reply.status).or_default() += 1;
            count_reply(counts, outcome, reply, records)
        }
        Err(failure) => {
            counts.failed += 1;
            if !matches!(failure, ExchangeError::Unreachable(_)) {
                counts.unknown_records += records;
            }
            Some(failure.to_string())
        }
    };
    if let Some(complaint) = complaint.filter(|_| counts.complaints.len() < MOST_FAILURES) {
        counts.complaints.push(complaint);
    }
}

fn count_reply(counts: &mut Counts, outcome: &Outcome<'_>, reply: &Reply, records: u64) -> Option<String> {
    match (reply.status, reply.retry_after) {
        (200, _) => {
            counts.accepted += 1;
            counts.records += records;
            counts.bytes += outcome.body_bytes as u64;
            counts.latency.record(outcome.latency);
            counts.service.record(outcome.service);
            None
        }
        (503, Some(seconds)) => {
            counts.refused += 1;
            counts.refusal.record(outcome.service);
            if counts.retry_after.len() < MOST_RETRY_AFTERS || counts.retry_after.contains_key(&seconds) {
                *counts.retry_after.entry(seconds).or_default() += 1;
            }
            None
        }
        (503, None) => {
            counts.impolite += 1;
            Some("503 without Retry-After".to_owned())
        }
        (status, _) => Some(format!("status {status}")),
    }
}
