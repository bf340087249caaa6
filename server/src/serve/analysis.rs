//! Lag of analysis, and the partitions that cannot be analysed: observed by every process, whatever its roles,
//! for its metrics and its readiness.

use std::sync::Arc;
use std::time::Duration;

use analyzer::{Backlog, Sharing, Sources};
use ledger::Work;
use ownership::Observer;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use process::telemetry::Telemetry;

use super::Opened;
use crate::settings::{BackEnds, Role, Settings};

/// Interval of the reads for readiness: for 64 partitions, that is a dozen small reads per second.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// State of analysis as known to this process.
pub(super) struct Analysis {
    pub(super) backlog: Arc<Backlog>,
    /// Whether the process only analyses: then its readiness depends on its partitions. Any other must still
    /// receive logs and API requests.
    pub(super) decides: bool,
}

/// Starts the observation, and measures when metrics are read.
pub(super) fn watch(
    settings: &Settings,
    opened: &Opened,
    telemetry: &Telemetry,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Analysis {
    let backlog = Arc::new(Backlog::new(Sources {
        log: opened.log.clone(),
        ledger: Arc::clone(&opened.ledgers.ledger),
        clock: Arc::clone(&opened.clock),
        partitions: settings.partitions(),
        workers: opened.workers.clone(),
        sharing: sharing(settings, opened),
    }));
    let measured = Arc::clone(&backlog);
    telemetry.measure_when_read(move || {
        let backlog = Arc::clone(&measured);
        async move { backlog.measure().await }
    });
    let (looking, shutdown) = (Arc::clone(&backlog), shutdown.clone());
    tasks.spawn("backlog", Tier::Back, async move {
        loop {
            looking.refresh().await;
            tokio::select! {
                () = shutdown.reached(Stage::Flushing) => return Ok(()),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    });
    let serves_others = settings.has(Role::Ingest) || settings.has(Role::Api);
    Analysis { backlog, decides: !serves_others }
}

fn sharing(settings: &Settings, opened: &Opened) -> Sharing {
    match settings.back_ends() {
        BackEnds::Embedded => Sharing::Alone { analyses: settings.has(Role::Analyzer) },
        BackEnds::Distributed { .. } => {
            let (ledger, clock) = (Arc::clone(&opened.ledgers.ledger), Arc::clone(&opened.clock));
            let (work, partitions) = (Work::Analysis, settings.partitions());
            Sharing::Leases(Observer::new(ledger, clock, work, partitions, &settings.ownership))
        }
    }
}
