//! Measurements: attacks that were sent and webhooks that arrived are matched by the attacker's
//! address. Sending and receiving are elsewhere.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::EVENT;
use super::receiver::Arrival;
use loadtest::histogram::Histogram;

/// Longest wait for the last webhooks.
const LAST_ARRIVALS: Duration = Duration::from_secs(30);
/// Bytes of an attacker's address.
const ADDRESS_BYTES: usize = "10.100.100.100".len();

/// Times at which an attack was sent and acknowledged.
#[derive(Debug)]
pub(crate) struct Sent {
    /// Address of the attacker.
    pub(crate) address: String,
    /// Time before the request was sent.
    pub(crate) at: Instant,
    pub(crate) acknowledged: Instant,
}

/// Measurements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    attacks: u32,
    /// Time from before the request with the line was sent to the arrival of the webhook.
    from_line: Histogram,
    /// Time from the acknowledgement of the line; zero for a webhook that was faster than the acknowledgement.
    from_acknowledgement: Histogram,
    /// Further webhooks of an attack: the severity of its incident rose.
    more: u64,
}

impl Measured {
    /// Whether every attack had a webhook.
    pub(crate) fn is_complete(&self) -> bool {
        self.from_line.count() == u64::from(self.attacks)
    }

    /// The figures, with a number of ordinary records.
    pub(crate) fn json(&self, ordinary_records: u64) -> Value {
        json!({
            "attacks": self.attacks,
            "told_of": self.from_line.count(),
            "further_webhooks": self.more,
            "ordinary_records": ordinary_records,
            "milliseconds_from_sending": self.from_line.json(),
            "milliseconds_from_acknowledgement": self.from_acknowledgement.json(),
        })
    }

    /// No measurements yet, of a number of attacks.
    pub(crate) fn of(attacks: u32) -> Self {
        Self { attacks, ..Self::default() }
    }

    /// Matches attacks and webhooks, until every attack has a webhook, or nothing arrives any more.
    pub(crate) async fn watch(
        &mut self,
        mut arrived: mpsc::Receiver<Arrival>,
        mut sent: mpsc::Receiver<Sent>,
    ) {
        let mut arrivals: HashMap<String, Instant> = HashMap::new();
        let mut waiting: HashMap<String, Sent> = HashMap::new();
        let mut last = Instant::now();
        while self.from_line.count() < u64::from(self.attacks) {
            tokio::select! {
                Some(arrival) = arrived.recv() => {
                    let Some(address) = address(&arrival.body) else { continue };
                    let is_first = !arrivals.contains_key(&address);
                    self.more += u64::from(!is_first);
                    if is_first {
                        if let Some(sent) = waiting.remove(&address) {
                            self.record(&sent, arrival.at);
                        }
                        arrivals.insert(address, arrival.at);
                    }
                }
                Some(sent) = sent.recv() => match arrivals.get(&sent.address) {
                    Some(at) => self.record(&sent, *at),
                    None => { waiting.insert(sent.address.clone(), sent); }
                },
                () = tokio::time::sleep_until(last + LAST_ARRIVALS) => return,
            }
            last = Instant::now();
        }
    }

    fn record(&mut self, sent: &Sent, arrived: Instant) {
        self.from_line.record(arrived.saturating_duration_since(sent.at));
        self.from_acknowledgement.record(arrived.saturating_duration_since(sent.acknowledged));
    }
}

/// The attacker in a webhook.
fn address(body: &[u8]) -> Option<String> {
    let event: Value = serde_json::from_slice(body).ok().filter(|event: &Value| event["type"] == EVENT)?;
    let told = event["data"]["object"].to_string();
    let at = told
        .match_indices("10.")
        .find_map(|(at, _)| told.get(at..at + ADDRESS_BYTES).filter(|it| is_address(it)))?;
    Some(at.to_owned())
}

/// Whether a text is an address of an attack: four numbers, all but the first of three digits.
fn is_address(text: &str) -> bool {
    text.split('.')
        .skip(1)
        .filter(|part| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()))
        .count()
        == 3
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::traffic::Attack;

    #[test]
    fn an_attacker_is_found_in_what_is_told_of_it() {
        let told =
            |title: &str, kind: &str| json!({"type": kind, "data": {"object": {"title": title}}}).to_string();
        let found = |title: &str| address(told(title, EVENT).as_bytes());
        let attack = Attack::new(4_711, 0).address();
        assert_eq!(found(&format!("10.5 % of logins from {attack} failed")), Some(attack.clone()));
        assert_eq!(found("10.1.2.3 did it"), None);
        assert_eq!(address(told(&attack, "test").as_bytes()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn times_count_from_sending_whichever_comes_first() {
        let (arrivals, arrived) = mpsc::channel(8);
        let (sending, sent) = mpsc::channel(8);
        let now = Instant::now();
        let after = |milliseconds| now + Duration::from_millis(milliseconds);
        for (number, delay) in [(0, 30), (1, 10)] {
            let address = Attack::new(number, 0).address();
            let body = json!({"type": EVENT, "data": {"object": {"title": address}}}).to_string();
            arrivals.send(Arrival { at: after(delay), body: Bytes::from(body.clone()) }).await.unwrap();
            arrivals.send(Arrival { at: after(delay + 1), body: Bytes::from(body) }).await.unwrap();
            sending.send(Sent { address, at: now, acknowledged: after(20) }).await.unwrap();
        }
        let lost = Sent { address: Attack::new(2, 0).address(), at: now, acknowledged: now };
        sending.send(lost).await.unwrap();
        let mut measured = Measured::of(3);
        measured.watch(arrived, sent).await;
        assert!(!measured.is_complete(), "one was never told of");
        assert_eq!((measured.from_line.count(), measured.more), (2, 2));
        assert_eq!(
            (measured.from_line.greatest_ms(), measured.from_acknowledgement.greatest_ms()),
            (30.0, 10.0)
        );
    }
}
