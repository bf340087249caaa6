//! The partitions this process works on: a worker is started for each that is in its share, and stopped when it is no longer.
//! The work of one is in `worker`; shares are assigned elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::partition::Partition;
use ownership::Share;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::backlog::Reason;
use crate::worker::{AnalyzerError, Shared, Worker, stopped};

/// Pause before a partition that cannot be analysed is tried again: an operator may have restored the missing data.
const HALT: Duration = Duration::from_secs(60);

/// The workers of one process.
pub(crate) struct Partitions {
    shared: Arc<Shared>,
    stops: BTreeMap<Partition, watch::Sender<bool>>,
    workers: JoinSet<(Partition, Result<(), AnalyzerError>)>,
    /// Whether the process is alone: then a log that is not the ledger's ends it, before it takes more in.
    alone: bool,
}

impl Partitions {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, stops: BTreeMap::new(), workers: JoinSet::new(), alone: false }
    }

    /// Follows `share` until `stop` becomes true, then stops all workers and returns when they have ended.
    pub(crate) async fn run(
        mut self,
        mut share: Share,
        mut stop: watch::Receiver<bool>,
    ) -> Result<(), AnalyzerError> {
        self.alone = share.is_everything();
        let mut stopping = *stop.borrow();
        let mut troubles = self.shared.status.follow();
        loop {
            let wanted = if stopping { BTreeSet::new() } else { share.wanted() };
            self.follow(&wanted);
            self.report(&share);
            if stopping && self.stops.is_empty() {
                return Ok(());
            }
            tokio::select! {
                Some(ended) = self.workers.join_next() => {
                    let (partition, outcome) = ended.map_err(|cause| AnalyzerError::Broken { cause })?;
                    self.stops.remove(&partition);
                    outcome?;
                }
                Ok(()) = troubles.changed() => {}
                () = share.changed(), if !stopping => {}
                () = stopped(&mut stop), if !stopping => stopping = true,
            }
        }
    }

    /// Starts wanted workers that do not run, and stops running ones that are not wanted.
    fn follow(&mut self, wanted: &BTreeSet<Partition>) {
        for (partition, stop) in &self.stops {
            if !wanted.contains(partition) {
                stop.send_replace(true);
            }
        }
        for partition in wanted {
            if !self.stops.contains_key(partition) {
                self.start(*partition);
            }
        }
    }

    fn start(&mut self, partition: Partition) {
        let (stop, stopped) = watch::channel(false);
        self.stops.insert(partition, stop);
        let (shared, alone) = (Arc::clone(&self.shared), self.alone);
        self.workers.spawn(async move { (partition, work(shared, partition, alone, stopped).await) });
    }

    fn report(&self, share: &Share) {
        let working: BTreeSet<Partition> = self.stops.keys().copied().collect();
        self.shared.status.set_working(working.clone());
        let troubles = self.shared.status.troubles().into_iter();
        share
            .report_troubles(troubles.map(|(partition, why)| (partition, why.as_str().to_owned())).collect());
        share.report(working);
        #[expect(clippy::cast_precision_loss, reason = "65,536 at most")]
        metrics::gauge!("palisade_analysis_partitions").set(self.stops.len() as f64);
    }
}

/// Works on one partition. One that cannot be analysed at all keeps no other from it: it is halted, reported, and tried
/// again. A log that is not the ledger's ends a process that is alone, before it takes more in.
async fn work(
    shared: Arc<Shared>,
    partition: Partition,
    alone: bool,
    mut stop: watch::Receiver<bool>,
) -> Result<(), AnalyzerError> {
    loop {
        let worker = Worker::new(Arc::clone(&shared), partition);
        match worker.run(stop.clone()).await {
            ended @ (Ok(()) | Err(AnalyzerError::Broken { .. })) => return ended,
            ended @ Err(AnalyzerError::AnotherLog(_)) if alone => return ended,
            Err(error) => {
                tracing::error!(partition = partition.0, %error, "the partition is halted");
                shared.status.report(partition, Reason::Halted);
            }
        }
        if tokio::time::timeout(HALT, stopped(&mut stop)).await.is_ok() {
            return Ok(());
        }
    }
}
