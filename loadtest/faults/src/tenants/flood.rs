//! Many requests over a number of connections, each with the key that it names, and a count of their answers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::Method;

use loadtest::client::{Client, Content};
use loadtest::locked::Locked;

/// Longest wait of a hostile request for its answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Pause after a refused connection, so that a stopped server is not called in a tight loop.
const UNREACHABLE_PAUSE: Duration = Duration::from_millis(100);

/// Answers to hostile requests by status, or by the failure if none came.
pub(crate) type Sightings = BTreeMap<String, u64>;

/// A request that creates something or sends records.
pub(crate) struct Order {
    pub(crate) key: String,
    pub(crate) path: String,
    pub(crate) content: Content,
}

/// Bounds of the flood, and its server.
#[derive(Clone)]
pub(crate) struct Flood {
    pub(crate) address: SocketAddr,
    /// Requests of a phase, at most.
    pub(crate) most: u64,
    /// Concurrent requests.
    pub(crate) connections: u32,
    /// Bytes of a hostile record's message.
    pub(crate) record_bytes: u32,
    pub(crate) sightings: Locked<Sightings>,
}

impl Flood {
    /// Counts an answer.
    pub(crate) fn note(&self, outcome: String) {
        *self.sightings.lock().entry(outcome).or_default() += 1;
    }

    /// Sends a single request.
    pub(crate) async fn send(&self, order: Order) {
        let mut client = Client::new(self.address, &order.key);
        self.send_over(&mut client, order).await;
    }

    async fn send_over(&self, client: &mut Client, order: Order) {
        client.be_patient_for(PATIENCE);
        match client.exchange(Method::POST, &order.path, order.content).await {
            Ok(answer) => self.note(answer.status.to_string()),
            Err(error) => {
                self.note(error.to_string());
                tokio::time::sleep(UNREACHABLE_PAUSE).await;
            }
        }
    }

    /// Sends this number of requests, limited to that of a phase; each connection takes the next one when it has its
    /// answer.
    pub(crate) async fn run(&self, count: u64, connections: u32, order: impl Fn(u64) -> Order) {
        let next = AtomicU64::new(0);
        let worker = async || {
            // A connection carries the key of its requests, so that each key has its own.
            let mut clients: BTreeMap<String, Client> = BTreeMap::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count.min(self.most) {
                    return;
                }
                let order = order(number);
                let client =
                    clients.entry(order.key.clone()).or_insert_with(|| Client::new(self.address, &order.key));
                self.send_over(client, order).await;
            }
        };
        let workers: Vec<_> = (0..connections.max(1)).map(|_| Box::pin(worker())).collect();
        join_all(workers).await;
    }
}

/// Drives all of them concurrently to their ends.
async fn join_all<F: Future<Output = ()> + Unpin>(mut futures: Vec<F>) {
    std::future::poll_fn(|context| {
        futures.retain_mut(|future| std::pin::Pin::new(future).poll(context).is_pending());
        if futures.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
