//! The role that runs background jobs.

mod abandoned_credits;

use std::sync::Arc;

use common::clock::SharedClock;
use jobs::{JobKind, Jobs, Worker};
use ledger::Work;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use records::Records;
use tokio::sync::watch;
use uuid::Uuid;

use super::Opened;
use super::share::share;
use crate::Failure;
use crate::settings::{Role, Settings};
use crate::storage::Ledgers;

/// Kinds of jobs of all crates.
fn kinds(ledgers: &Ledgers, clock: &SharedClock) -> Vec<JobKind> {
    let mut kinds = vec![abandoned_credits::kind(ledgers, clock)];
    kinds.extend(red_team::kinds(&ledgers.directory));
    kinds
}

/// Jobs of all kinds, in the ledger of the deployment.
pub(crate) fn jobs(ledgers: &Ledgers, clock: &SharedClock, settings: &Settings) -> Jobs {
    let records = Records::new(Arc::clone(&ledgers.ledger), settings.partitions(), Uuid::new_v4());
    Jobs::new(Arc::new(records), kinds(ledgers, clock), Arc::clone(clock))
}

/// Starts the worker of a process that has the role, and writes the schedules of the service itself.
pub(super) async fn start(
    settings: &Settings,
    opened: &Opened,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    jobs::describe_metrics();
    if !settings.has(Role::Worker) {
        return Ok(());
    }
    let jobs = jobs(&opened.ledgers, &opened.clock, settings);
    abandoned_credits::schedule(&jobs).await?;
    red_team::schedule_housekeeping(&jobs).await?;
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
    Ok(())
}
