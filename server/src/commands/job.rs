//! `palisade job`: background jobs.

use std::sync::Arc;

use common::clock::{SharedClock, SystemClock};
use jobs::{Ending, FinishedJob, Job, JobState, Jobs, Listed, Outcome};

use super::{ArgumentError, id, print, table};
use crate::Failure;
use crate::cli::JobCommand;
use crate::serve::worker_role;
use crate::settings::Settings;
use crate::storage::Ledgers;

/// Jobs that a list shows.
const MOST_LISTED: usize = 1_000;

pub(super) async fn run(command: JobCommand, ledgers: &Ledgers, settings: &Settings) -> Result<(), Failure> {
    let clock: SharedClock = Arc::new(SystemClock::new());
    let jobs = worker_role::jobs(ledgers, &clock, settings, ("", None), None);
    match command {
        JobCommand::List { org } => list(&jobs, org.as_deref()).await,
        JobCommand::Cancel { id: word } => {
            if !jobs.cancel(id(&word)?).await? {
                return Err(ArgumentError::NotFound { thing: "unfinished job", id: word }.into());
            }
            print(&format!("Job {word} is cancelled; one that is running ends at its next step."))
        }
        JobCommand::Retry { id: word } => {
            let Some(again) = jobs.retry(id(&word)?).await? else {
                return Err(ArgumentError::NotFound { thing: "finished job", id: word }.into());
            };
            print(&format!("Job {again} is queued."))
        }
    }
}

async fn list(jobs: &Jobs, organization: Option<&str>) -> Result<(), Failure> {
    let organization = organization.map(id).transpose()?;
    let rows: Vec<_> = jobs.list(organization, MOST_LISTED).await?.iter().map(row).collect();
    print(&table(&["ID", "KIND", "ORGANIZATION", "STATE", "ATTEMPT", "FAILURES", "TIME", "CAUSE"], &rows))
}

fn row(listed: &Listed) -> Vec<String> {
    match listed {
        Listed::Unfinished(job) => {
            let state = match job.state {
                JobState::Queued => "queued",
                JobState::Running => "running",
            };
            cells(job, state, job.due.to_iso(), job.ending.as_ref())
        }
        Listed::Finished(FinishedJob { job, outcome, finished_at }) => {
            let (state, ending) = match outcome {
                Outcome::Succeeded => ("succeeded", None),
                Outcome::Ended(ending @ Ending::Cancelled) => ("cancelled", Some(ending)),
                Outcome::Ended(ending) => ("failed", Some(ending)),
                Outcome::Abandoned(ending) => ("abandoned", Some(ending)),
            };
            cells(job, state, finished_at.to_iso(), ending)
        }
    }
}

fn cells(job: &Job, state: &str, time: String, ending: Option<&Ending>) -> Vec<String> {
    let cause = match ending {
        None => "-",
        Some(Ending::Cancelled) => "cancelled",
        Some(Ending::DeadlineExceeded) => "deadline exceeded",
        Some(Ending::Failed { cause }) => cause,
    };
    vec![
        job.id.to_string(),
        job.kind.clone(),
        job.organization.to_string(),
        state.to_owned(),
        job.attempt.to_string(),
        job.failures.to_string(),
        time,
        cause.to_owned(),
    ]
}
