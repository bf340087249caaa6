//! The deliverer of one process: a worker for each partition in its share, started and stopped as the share changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::clock::SharedClock;
use common::partition::Partition;
use directory::Directory;
use ledger::Ledger;
use outbound::Outbound;
use ownership::Share;
use secrets::Vault;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::config::Config;
use crate::endpoint::EndpointCache;
use crate::setbacks::Setbacks;
use crate::worker::{Shared, Worker, describe};

/// The part of all requests under way that is for targets that fail.
const PART_FOR_FAILING: usize = 4;

/// Dependencies of a deliverer.
pub struct Parts {
    /// Settings.
    pub config: Config,
    /// Storage of events and deliveries.
    pub ledger: Arc<dyn Ledger>,
    /// Storage of targets.
    pub directory: Arc<Directory>,
    /// Opens their secrets.
    pub vault: Arc<Vault>,
    /// The way out.
    pub outbound: Arc<Outbound>,
    /// The clock.
    pub clock: SharedClock,
    /// Number of partitions of the deployment.
    pub partitions: u16,
    /// Numbers from 0 to 1, evenly spread: for when to try again.
    pub chance: Arc<dyn Fn() -> f64 + Send + Sync>,
}

/// Tells targets of events.
pub struct Deliverer {
    shared: Arc<Shared>,
}

impl Deliverer {
    /// A deliverer that does nothing before it runs.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        describe();
        let Parts { config, ledger, directory, vault, outbound, clock, partitions, chance } = parts;
        let endpoints =
            EndpointCache::new(Arc::clone(&ledger), Arc::clone(&directory), vault, Arc::clone(&outbound));
        let failing = (config.concurrency / PART_FOR_FAILING).max(1);
        let healthy = config.concurrency.saturating_sub(failing).max(1);
        let shared = Shared {
            config,
            ledger,
            directory,
            outbound,
            endpoints: Arc::new(endpoints),
            clock,
            partitions,
            chance,
            healthy: Arc::new(Semaphore::new(healthy)),
            failing: Arc::new(Semaphore::new(failing)),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Follows a share until `stop` becomes true, then ends what is under way within five seconds.
    pub async fn run(self, mut share: Share, mut stop: watch::Receiver<bool>) {
        let mut stops: BTreeMap<Partition, watch::Sender<bool>> = BTreeMap::new();
        let mut workers: JoinSet<Partition> = JoinSet::new();
        let mut stopping = *stop.borrow();
        loop {
            let wanted = if stopping { BTreeSet::new() } else { share.wanted() };
            for (partition, stop) in &stops {
                if !wanted.contains(partition) {
                    stop.send_replace(true);
                }
            }
            for partition in wanted {
                stops.entry(partition).or_insert_with(|| {
                    let (stop, stopped) = watch::channel(false);
                    workers.spawn(work(Arc::clone(&self.shared), partition, stopped));
                    stop
                });
            }
            share.report(stops.keys().copied().collect());
            if stopping && stops.is_empty() {
                return;
            }
            tokio::select! {
                Some(ended) = workers.join_next() => match ended {
                    Ok(partition) => { stops.remove(&partition); }
                    // Which one it was is not known: all are started anew, and take over from the ledger.
                    Err(error) => {
                        tracing::error!(%error, "a delivery worker terminated abnormally; all partitions are acquired again");
                        workers.shutdown().await;
                        stops.clear();
                    }
                },
                () = share.changed(), if !stopping => {}
                () = told(&mut stop), if !stopping => stopping = true,
            }
        }
    }
}

/// Works on a partition until told to stop. When anything goes wrong, everything is read from the ledger again.
async fn work(shared: Arc<Shared>, partition: Partition, mut stop: watch::Receiver<bool>) -> Partition {
    let mut setbacks = Setbacks::default();
    while !*stop.borrow() {
        let ended = match Worker::take_over(Arc::clone(&shared), partition).await {
            Ok(worker) => worker.work(&mut stop).await,
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            let rest = setbacks.note(partition, &error, shared.clock.monotonic());
            let _ = tokio::time::timeout(rest, told(&mut stop)).await;
        }
    }
    partition
}

/// Returns once `stop` is true, or its sender is dropped.
async fn told(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
