//! A sender: one connection that sends one request after the other, each at its turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::time::Instant;

use crate::clock::WallClock;
use crate::load::exchange::Connection;
use crate::load::mix::Mix;
use crate::load::results::{Outcome, Results};
use crate::load::schedule::{Turn, Turns};

/// State shared by the senders of a run.
#[derive(Debug)]
pub struct Shared {
    pub mix: Mix,
    pub results: Results,
    pub clock: WallClock,
    /// The number of the next request, unique in a run.
    pub next: AtomicU64,
}

/// Sends until the phase ends; requests in flight are completed.
pub async fn send(shared: Arc<Shared>, turns: Arc<Turns>, mut connection: Connection) {
    let (mut body, mut request) = (Vec::new(), Vec::new());
    while let Some(turn) = turns.next().await {
        let order = shared.mix.order(shared.next.fetch_add(1, Ordering::Relaxed));
        shared.mix.write(&order, shared.clock.now_ms(), &mut body, &mut request);
        let begun = Instant::now();
        let result = connection.exchange(&mut request, &body).await;
        let service = begun.elapsed();
        let latency = match turn {
            Turn::Now => service,
            Turn::Due(due) => due.elapsed(),
        };
        shared.results.settle(&Outcome { order: &order, body_bytes: body.len(), latency, service, result });
    }
}
