//! Scheduled red-team runs of applications and agents: the parts that both resources share.
//!
//! The row of a target lies in its organization's ledger, and the schedule of its jobs in a ledger of records, so that a change
//! takes two commits. The row is written first and is authoritative; [`Schedules::settle`] makes the schedule agree with it.
//! After a crash between the two commits they converge: the job of a slot removes or changes a schedule that does not agree
//! (`run.rs`), and a housekeeping job adds one that is missing (`repair.rs`).

mod reachable;
mod repair;
mod run;
mod schedules;
mod target;
mod time_of_day;
mod view;

use std::sync::Arc;

use directory::Directory;
use jobs::{EnqueueError, JobKind, Jobs};

pub use reachable::check_target_url;
pub use run::StartDiscovery;
pub use schedules::{ScheduleError, Schedules};
pub use target::Target;
pub use view::{ScheduleBody, ScheduleView, red_team_schedule, set_schedule};

/// The kinds of jobs.
#[must_use]
pub fn kinds(directory: &Arc<Directory>, discovery: Arc<dyn StartDiscovery>) -> Vec<JobKind> {
    vec![run::kind(Arc::clone(directory), discovery), repair::kind(Arc::clone(directory))]
}

/// Writes the schedule of the housekeeping job.
///
/// # Errors
/// Those of [`Jobs::schedule_housekeeping`].
pub async fn schedule_housekeeping(jobs: &Jobs) -> Result<(), EnqueueError> {
    jobs.schedule_housekeeping(repair::KIND, repair::CADENCE).await
}

#[cfg(test)]
mod tests;
