//! Times of recovery after a fault: until a process is ready, until its partitions
//! are analysed by others, until batches are acknowledged and API requests answered.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;

use crate::chaos::answers::{Answers, Side};
use loadtest::client::Client;
use loadtest::locked::Locked;
use loadtest::metrics::Metrics;

/// Interval of reading the partitions.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Longest time of a request for metrics: a running process answers at once.
const METRICS_BOUND: Duration = Duration::from_secs(2);
/// Longest wait: beyond it the recovery is reported as never.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);
/// The gauge of the partitions that a process works on.
const PARTITIONS: &str = "palisade_analysis_partitions";

/// Times of recovery by kind of fault, shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recoveries(Locked<BTreeMap<String, Vec<Option<Duration>>>>);

impl Recoveries {
    /// Adds a time; `None` if it exceeded [`LONGEST`].
    pub(crate) fn add(&self, what: &str, took: Option<Duration>) {
        self.0.lock().entry(what.to_owned()).or_default().push(took);
    }

    /// By kind of fault, in order of length; those that never came are last.
    pub(crate) fn sorted(&self) -> BTreeMap<String, Vec<Option<Duration>>> {
        let mut all = self.0.lock().clone();
        for times in all.values_mut() {
            times.sort_by_key(|time| time.unwrap_or(Duration::MAX));
        }
        all
    }
}

/// Time from now until these analyzers together work on all partitions.
pub(crate) async fn until_worked_on(analyzers: &[SocketAddr], partitions: u16) -> Option<Duration> {
    let begun = Instant::now();
    while begun.elapsed() < LONGEST {
        let mut sum = 0.0;
        for admin in analyzers {
            let mut client = Client::new(*admin, "");
            client.be_patient_for(METRICS_BOUND);
            sum += Metrics::ask(&mut client).await.map_or(0.0, |metrics| metrics.sum(PARTITIONS));
        }
        if sum >= f64::from(partitions) {
            return Some(begun.elapsed());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    None
}

/// Time from now until a side gives the expected answer again.
pub(crate) async fn until_answered(answers: &Answers, side: Side) -> Option<Duration> {
    let begun = Instant::now();
    while begun.elapsed() < LONGEST {
        if answers.counts(side).last_done.is_some_and(|at| at > begun) {
            return Some(begun.elapsed());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    None
}
