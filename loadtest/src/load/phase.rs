//! A phase of a run: one pace for a duration, with its senders, its dispatcher and its observer.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::load::Stage;
use crate::load::exchange::Connection;
use crate::load::results::Counts;
use crate::load::schedule::{Pace, Turns};
use crate::load::sender::send;
use crate::resources::{Usage, processor_time};

/// Parameters of a phase.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    pub name: &'static str,
    pub pace: Pace,
    pub duration: Duration,
    /// Senders, and so concurrent requests.
    pub connections: u32,
}

/// Results of a phase.
#[derive(Clone, Debug)]
pub struct Done {
    pub phase: Phase,
    pub lasted: Duration,
    pub counts: Counts,
    /// Requests that were due and not sent.
    pub unsent: u64,
    /// The server, before and after.
    pub usage: Option<(Usage, Usage)>,
    /// Processor seconds of this tool.
    pub own_processor_seconds: f64,
}

impl Done {
    /// Requests acknowledged a second.
    pub fn accepted_a_second(&self) -> f64 {
        self.counts.accepted as f64 / self.lasted.as_secs_f64().max(0.001)
    }

    /// Records acknowledged a second.
    pub fn records_a_second(&self) -> f64 {
        self.counts.records as f64 / self.lasted.as_secs_f64().max(0.001)
    }

    /// Processor seconds of the server.
    pub fn processor_seconds(&self) -> Option<f64> {
        self.usage.map(|(before, after)| after.processor_seconds - before.processor_seconds)
    }
}

impl Stage {
    /// Executes a phase, to its end or until stopped.
    pub async fn phase(&self, phase: Phase, stop: &watch::Receiver<bool>) -> Done {
        self.shared.results.take_phase();
        let before = (self.subject.usage(), processor_time("self"));
        let mut watching = self.observer.begin(phase.name, &self.shared, &self.subject);
        let turns = Arc::new(Turns::new(phase.pace, phase.duration));
        let begun = Instant::now();
        let mut crew = JoinSet::new();
        let (dispatched, seed) = (Arc::clone(&turns), self.seed);
        crew.spawn_blocking(move || dispatched.dispatch(seed));
        for _ in 0..phase.connections {
            let connection = Connection::new(self.subject.address, self.load.patience);
            crew.spawn(send(Arc::clone(&self.shared), Arc::clone(&turns), connection));
        }
        tokio::select! {
            () = async { while crew.join_next().await.is_some() {} } => {}
            () = watching.go_on() => {}
            () = stop_when_told(&turns, stop.clone()) => {}
        }
        let lasted = begun.elapsed();
        let after = (self.subject.usage(), processor_time("self"));
        watching.finish().await;
        Done {
            phase,
            lasted,
            counts: self.shared.results.take_phase(),
            unsent: turns.unsent(),
            usage: before.0.zip(after.0),
            own_processor_seconds: after.1.zip(before.1).map_or(0.0, |(after, before)| after - before),
        }
    }
}

/// Never returns: requests in flight are awaited.
async fn stop_when_told(turns: &Turns, mut stop: watch::Receiver<bool>) {
    // An error means that the sending side was dropped.
    if stop.wait_for(|stop| *stop).await.is_ok() {
        turns.stop();
    }
    std::future::pending().await
}
