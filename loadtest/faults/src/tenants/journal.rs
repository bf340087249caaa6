//! Measurements of a victim: detection latency of its attacks, latency of the API, and the
//! requests that failed.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::time::Instant;

use loadtest::api::{Call, items};
use loadtest::client::{Answer, ExchangeError};
use loadtest::histogram::Histogram;
use loadtest::locked::Locked;

/// Failures that are repeated in the report.
const MOST_COMPLAINTS: usize = 5;

/// The histogram of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Logs of the victim.
    Ingest,
    /// A request to the API.
    Api,
    /// A request to the API that makes the server check a rule.
    RuleCheck,
}

/// An attack that is not an incident yet.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Time before its request was sent.
    sent: Instant,
    acknowledged: Option<Instant>,
}

/// A victim's measurements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) detection: Histogram,
    pub(crate) ingest: Histogram,
    pub(crate) api: Histogram,
    pub(crate) rule_checks: Histogram,
    pub(crate) attacks: u64,
    pub(crate) requests: u64,
    pub(crate) failures: u64,
    pub(crate) complaints: Vec<String>,
    waiting: BTreeMap<String, Waiting>,
}

/// The same while it is recorded.
#[derive(Debug, Default)]
pub(crate) struct Journal(Locked<Record>);

impl Journal {
    /// Discards the measurements of the warm-up. Attacks that are not incidents yet still count.
    pub(crate) fn restart(&self) {
        let mut record = self.0.lock();
        let waiting = std::mem::take(&mut record.waiting);
        *record = Record { attacks: waiting.len() as u64, waiting, ..Record::default() };
    }

    /// A copy of the measurements.
    pub(crate) fn read(&self) -> Record {
        self.0.lock().clone()
    }

    /// The measurements at the end: an attack that is still no incident counts with its waiting time.
    pub(crate) fn close(&self) -> Record {
        let mut record = self.read();
        let waited: Vec<_> = record.waiting.values().map(|waiting| waiting.sent.elapsed()).collect();
        waited.into_iter().for_each(|waited| record.detection.record(waited));
        record
    }

    /// An attack from this address is about to be sent.
    pub(crate) fn sends(&self, address: String) {
        let mut record = self.0.lock();
        record.attacks += 1;
        record.waiting.insert(address, Waiting { sent: Instant::now(), acknowledged: None });
    }

    /// Its request was acknowledged.
    pub(crate) fn acknowledged(&self, address: &str) {
        if let Some(waiting) = self.0.lock().waiting.get_mut(address) {
            waiting.acknowledged = Some(Instant::now());
        }
    }

    /// Incidents about these entities are visible.
    pub(crate) fn sees<'a>(&self, entities: impl Iterator<Item = &'a str>) {
        let mut record = self.0.lock();
        for entity in entities {
            if let Some(waiting) = record.waiting.remove(entity) {
                record.detection.record(waiting.sent.elapsed());
            }
        }
    }

    /// The address whose attack has been waiting longest.
    pub(crate) fn oldest(&self) -> Option<String> {
        let record = self.0.lock();
        let oldest = record.waiting.iter().min_by_key(|(_, waiting)| waiting.sent);
        oldest.map(|(address, _)| address.clone())
    }

    /// Seconds since the acknowledgement of the oldest attack that is not an incident; 0 if none waits.
    pub(crate) fn unseen_seconds(&self) -> f64 {
        let record = self.0.lock();
        let oldest = record.waiting.values().filter_map(|waiting| waiting.acknowledged).min();
        oldest.map_or(0.0, |at| at.elapsed().as_secs_f64())
    }

    /// Counts an answer; returns it if it has the expected status.
    pub(crate) fn note(
        &self,
        kind: Kind,
        call: &Call<'_>,
        begun: Instant,
        result: Result<Answer, ExchangeError>,
    ) -> Option<Answer> {
        let took = begun.elapsed();
        let mut record = self.0.lock();
        record.requests += 1;
        match kind {
            Kind::Ingest => record.ingest.record(took),
            Kind::Api => record.api.record(took),
            Kind::RuleCheck => record.rule_checks.record(took),
        }
        let complaint = match result {
            Ok(answer) if call.expected.contains(&answer.status) => return Some(answer),
            Ok(answer) => {
                let (expected, status) = (call.expected, answer.status);
                format!("{}: expected {expected:?}, found {status} {}", call.name(), answer.excerpt())
            }
            Err(error) => format!("{}: {error}", call.name()),
        };
        record.failed(complaint);
        None
    }

    /// A statement of the API did not hold.
    pub(crate) fn complain(&self, complaint: String) {
        self.0.lock().failed(complaint);
    }
}

impl Record {
    fn failed(&mut self, complaint: String) {
        self.failures += 1;
        if self.complaints.len() < MOST_COMPLAINTS {
            self.complaints.push(complaint);
        }
    }

    /// Attacks that are incidents.
    pub(crate) fn seen(&self) -> u64 {
        self.attacks.saturating_sub(self.unseen() as u64)
    }

    /// Attacks that are not incidents yet.
    pub(crate) fn unseen(&self) -> usize {
        self.waiting.len()
    }
}

/// The entities of a page of incidents.
pub(crate) fn entities(page: &Value) -> impl Iterator<Item = &str> {
    items(page).iter().filter_map(|incident| incident["entity"]["value"].as_str())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn detection_counts_from_before_sending_and_an_unseen_attack_stays() {
        let journal = Journal::default();
        journal.sends("10.1.1.1".to_owned());
        journal.sends("10.1.1.2".to_owned());
        tokio::time::advance(Duration::from_millis(300)).await;
        journal.acknowledged("10.1.1.2");
        tokio::time::advance(Duration::from_millis(700)).await;
        let page = json!({"data": [{"entity": {"value": "10.1.1.1"}}, {"entity": {"value": "else"}}]});
        journal.sees(entities(&page));
        let record = journal.read();
        assert_eq!((record.detection.count(), record.unseen(), record.attacks), (1, 1, 2));
        assert_eq!(record.detection.greatest_ms(), 1_000.0);
        assert_eq!(journal.unseen_seconds(), 0.7);
        assert_eq!(journal.oldest().as_deref(), Some("10.1.1.2"));
        let closed = journal.close();
        assert_eq!((closed.detection.count(), closed.unseen(), closed.seen()), (2, 1, 1));
        journal.restart();
        let record = journal.read();
        assert_eq!((record.detection.count(), record.unseen(), record.attacks), (0, 1, 1));
    }

    #[test]
    fn every_other_status_is_a_failure() {
        let journal = Journal::default();
        let answer =
            |status| Ok(Answer { status, retry_after: Some(1), body: bytes::Bytes::from_static(b"x") });
        let call = Call::get("/x");
        assert!(journal.note(Kind::Api, &call, Instant::now(), answer(200)).is_some());
        assert!(journal.note(Kind::Api, &call, Instant::now(), answer(503)).is_none());
        let record = journal.read();
        assert_eq!((record.requests, record.failures, record.api.count()), (2, 1, 2));
        assert_eq!(record.complaints, ["GET /x: expected [200], found 503 x"]);
    }
}
