//! Samples of the server during a phase: memory, readiness with its details, and its lag, with the
//! delay of analysis that the victims observe.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::journal::Journal;
use loadtest::api::text;
use loadtest::client::Client;
use loadtest::clock::turns;
use loadtest::locked::Locked;
use loadtest::metrics::{LAG, Metrics};
use loadtest::resources::Usage;

const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Longest time of `/readyz` and the metrics: probes of orchestrators give up after one to three seconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// Samples that are kept: more than the longest phase has.
const MOST_LOOKS: usize = 10_000;

/// One sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// Seconds since the phase began.
    pub(crate) at: f64,
    pub(crate) resident_bytes: Option<u64>,
    /// Status of `/readyz`; `None` without an answer in time.
    pub(crate) readiness: Option<u16>,
    /// The checks in its details.
    pub(crate) details: Vec<String>,
    /// The greatest lag of a partition, seconds.
    pub(crate) lag_seconds: Option<f64>,
    /// Seconds since the acknowledgement of the oldest attack that is not an incident; read before the lag.
    pub(crate) unseen_seconds: f64,
    /// Attacks of the victims that are incidents so far.
    pub(crate) seen: u64,
}

impl Look {
    pub(crate) fn json(&self) -> Value {
        json!({
            "at": self.at, "resident_bytes": self.resident_bytes, "readiness": self.readiness,
            "details": self.details, "lag_seconds": self.lag_seconds, "unseen_seconds": self.unseen_seconds,
            "attacks_seen": self.seen,
        })
    }
}

/// Sampler of a server.
pub(crate) struct Observer {
    pub(crate) admin: SocketAddr,
    pub(crate) process: Option<u32>,
    pub(crate) journals: Vec<Arc<Journal>>,
    began: Instant,
    looks: Locked<Vec<Look>>,
}

impl Observer {
    pub(crate) fn new(admin: SocketAddr, process: Option<u32>, journals: Vec<Arc<Journal>>) -> Self {
        Self { admin, process, journals, began: Instant::now(), looks: Locked::default() }
    }

    /// Samples until dropped.
    pub(crate) async fn watch(&self) {
        let mut turns = turns(LOOK_EVERY);
        let mut client = Client::new(self.admin, "");
        client.be_patient_for(PATIENCE);
        loop {
            turns.tick().await;
            let look = self.look(&mut client).await;
            let mut looks = self.looks.lock();
            if looks.len() < MOST_LOOKS {
                looks.push(look);
            }
        }
    }

    /// Seconds since the phase began.
    pub(crate) fn now(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// All samples so far.
    pub(crate) fn looks(&self) -> Vec<Look> {
        self.looks.lock().clone()
    }

    /// Seconds since the acknowledgement of a victim's oldest attack that is not an incident.
    pub(crate) fn unseen_seconds(&self) -> f64 {
        self.journals.iter().map(|journal| journal.unseen_seconds()).fold(0.0, f64::max)
    }

    async fn look(&self, client: &mut Client) -> Look {
        let at = self.now();
        let usage = self.process.and_then(|process| Usage::of(&process.to_string()));
        let ready = client.get("/readyz").await.ok();
        let seen = self.journals.iter().map(|journal| journal.read().seen()).sum();
        let unseen_seconds = self.unseen_seconds();
        let metrics = Metrics::ask(client).await;
        Look {
            at,
            resident_bytes: usage.map(|usage| usage.resident_bytes),
            readiness: ready.as_ref().map(|answer| answer.status),
            details: ready.map(|answer| details(&answer.json())).unwrap_or_default(),
            lag_seconds: metrics.and_then(|metrics| metrics.most(LAG)),
            unseen_seconds,
            seen,
        }
    }
}

/// The names and reasons of the failing checks.
fn details(readiness: &Value) -> Vec<String> {
    let of = |list: &Value| -> Vec<String> {
        let entries = list.as_array().into_iter().flatten();
        entries.map(|entry| format!("{}: {}", text(&entry["check"]), text(&entry["reason"]))).collect()
    };
    [of(&readiness["failing"]), of(&readiness["degraded"])].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_those_of_both_lists() {
        let readiness = json!({"failing": [{"check": "ledger", "reason": "away"}], "degraded": [{"check": "analysis", "reason": "partition 3 is stalled"}]});
        assert_eq!(details(&readiness), ["ledger: away", "analysis: partition 3 is stalled"]);
        assert!(details(&Value::Null).is_empty());
    }
}
