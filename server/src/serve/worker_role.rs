//! The role that runs background jobs.

use std::sync::Arc;

use common::clock::SharedClock;
use jobs::{JobKind, Jobs, Worker};
use ledger::{Ledger, Work};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use records::Records;
use tokio::sync::watch;
use uuid::Uuid;

use super::Opened;
use super::share::share;
use crate::settings::{Role, Settings};

/// Kinds of jobs of all crates.
fn kinds() -> Vec<JobKind> {
    Vec::new()
}

/// Jobs of all kinds, in the ledger of the deployment.
pub(crate) fn jobs(ledger: &Arc<dyn Ledger>, clock: &SharedClock, settings: &Settings) -> Jobs {
    let records = Records::new(Arc::clone(ledger), settings.partitions(), Uuid::new_v4());
    Jobs::new(Arc::new(records), kinds(), Arc::clone(clock))
}

/// Starts the worker of a process that has the role, once there are kinds of jobs: without, it would follow ledgers for
/// nothing.
pub(super) fn start(settings: &Settings, opened: &Opened, tasks: &mut Tasks, shutdown: &Shutdown) {
    jobs::describe_metrics();
    let jobs = jobs(&opened.ledgers.ledger, &opened.clock, settings);
    if !settings.has(Role::Worker) || !jobs.has_kinds() {
        return;
    }
    let share = share(settings, opened, Work::Jobs, tasks, shutdown);
    let worker = Worker::new(Arc::new(jobs), settings.worker.clone());
    let (stop, stopped) = watch::channel(false);
    tasks.spawn("jobs", Tier::Back, async move {
        worker.run(share, stopped).await;
        Ok(())
    });
    let shutdown = shutdown.clone();
    tasks.spawn("jobs stop", Tier::Back, async move {
        shutdown.reached(Stage::Flushing).await;
        stop.send_replace(true);
        Ok(())
    });
}
