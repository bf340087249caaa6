//! Calls the processes of a deployment, one at random each time, until one gives the expected
//! answer, like every client of a service with several addresses.

use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use tokio::time::Instant;

use crate::chaos::answers::{Answers, Judged, Side};
use loadtest::api::Call;
use loadtest::client::{Answer, Client, Content};

/// Longest time of one answer, milliseconds, drawn anew each time: shorter and longer than the
/// stores' own bounds, so that both a lost and a late answer occur.
const PATIENCE_MS: std::ops::Range<u64> = 4_000..16_000;
/// Pause after an unexpected answer, which is reported: so that reports do not flood the run.
const WRONG_PAUSE: Duration = Duration::from_secs(1);

/// Client of one side of a deployment with one key.
pub(crate) struct Caller {
    pub(crate) side: Side,
    pub(crate) clients: Vec<Client>,
    pub(crate) answers: Answers,
    pub(crate) chance: StdRng,
}

impl Caller {
    /// Number of processes to call.
    pub(crate) fn len(&self) -> usize {
        self.clients.len()
    }

    /// One of them, at random.
    pub(crate) fn any(&mut self) -> usize {
        self.chance.random_range(0..self.clients.len().max(1))
    }

    /// Calls any process, repeatedly; returns the expected answer and its process. Only the deadline of
    /// the run ends it.
    pub(crate) async fn until_done(&mut self, call: Call<'_>) -> (usize, Answer) {
        loop {
            let process = self.any();
            match self.once(process, &call).await {
                Judged::Done(answer) => return (process, answer),
                Judged::Wrong(_) => tokio::time::sleep(WRONG_PAUSE).await,
                Judged::Again(pause) => tokio::time::sleep(pause).await,
            }
        }
    }

    /// Sends a batch of records to an ingestion path until it is acknowledged.
    pub(crate) async fn deliver(&mut self, path: &str, content: Content, records: u64) {
        self.until_done(Call::ingest(path, content)).await;
        self.answers.acknowledged(records);
    }

    /// Calls one process until it answers as expected, or `bound` has passed.
    pub(crate) async fn insist(
        &mut self,
        process: usize,
        call: &Call<'_>,
        bound: Duration,
    ) -> Option<Answer> {
        let begun = Instant::now();
        while begun.elapsed() < bound {
            match self.once(process, call).await {
                Judged::Done(answer) => return Some(answer),
                Judged::Wrong(_) => return None,
                Judged::Again(pause) => tokio::time::sleep(pause).await,
            }
        }
        None
    }

    /// Calls one process once.
    pub(crate) async fn once(&mut self, process: usize, call: &Call<'_>) -> Judged {
        let Some(client) = self.clients.get_mut(process) else { return Judged::Again(WRONG_PAUSE) };
        client.be_patient_for(Duration::from_millis(self.chance.random_range(PATIENCE_MS)));
        let begun = Instant::now();
        let result = call.exchange(client).await;
        self.answers.judge(self.side, &call.name(), call.expected, begun, result)
    }
}
