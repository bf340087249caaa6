//! Schedules of targets: made to agree with the row of the target, and shown.

use std::sync::Arc;

use common::ids::OrganizationId;
use directory::{Directory, DirectoryError, RedTeamSchedule, RedTeamSettings};
use jobs::{Cadence, EnqueueError, Jobs, Timing, Window};
use records::{Draft, Home, RecordError};
use rest::error::ApiError;
use thiserror::Error;

use crate::run::{self, RUNS, Runs, Skip};
use crate::target::Target;
use crate::view::ScheduleView;

/// Rounds in which a schedule is made to agree with its row: each further one needs another change of the row at the same time.
const MOST_ROUNDS: u32 = 16;

/// Schedules of the targets of all organizations.
#[derive(Clone)]
pub struct Schedules {
    directory: Arc<Directory>,
    jobs: Arc<Jobs>,
}

/// Reason why a schedule was not made to agree with the row of its target. The housekeeping job tries again.
#[derive(Debug, Error)]
pub enum ScheduleError {
    /// The row of the target cannot be read.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The schedule cannot be written.
    #[error(transparent)]
    Schedule(#[from] EnqueueError),
}

impl From<RecordError> for ScheduleError {
    fn from(error: RecordError) -> Self {
        Self::Schedule(error.into())
    }
}

impl From<ScheduleError> for ApiError {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::Directory(error) => error.into(),
            ScheduleError::Schedule(error) => error.into(),
        }
    }
}

impl Schedules {
    /// Over a directory, with jobs of the kinds of this crate.
    #[must_use]
    pub fn new(directory: Arc<Directory>, jobs: Arc<Jobs>) -> Self {
        Self { directory, jobs }
    }

    /// Makes the schedule of a target agree with the row of the target, after the row was written, changed or deleted.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub async fn settle(&self, organization: OrganizationId, target: Target) -> Result<(), ScheduleError> {
        settle(&self.directory, &self.jobs, organization, target).await
    }

    /// The schedule of a target as the API shows it.
    ///
    /// # Errors
    /// When its rows cannot be read.
    pub async fn show(
        &self,
        organization: OrganizationId,
        target: Target,
        settings: &RedTeamSettings,
    ) -> Result<ScheduleView, RecordError> {
        let id = target.schedule_id(self.jobs.records(), organization);
        let place = (Home::Records, id.shard());
        let timing = timing(settings);
        let schedule = match timing {
            Some(_) => self.jobs.scheduled(place, id).await?,
            None => None,
        };
        let runs: Option<Runs> = self.jobs.records().row(place, RUNS, id.as_bytes()).await?;
        let mut runs = runs.unwrap_or_default();
        // Of a slot without a job only the schedule tells.
        let without_job = schedule.as_ref().and_then(|schedule| schedule.last_skip).map(Skip::from);
        runs.last_skip = runs.last_skip.into_iter().chain(without_job).max_by_key(|skip| skip.at);
        // Without the time of a schedule that does not agree with the row yet.
        let schedule = schedule.filter(|schedule| Some(schedule.timing()) == timing);
        Ok(ScheduleView::new(settings.window, schedule.map(|schedule| schedule.next_due), runs))
    }
}

/// Times of the runs that settings ask for; `None` for no runs.
pub(crate) fn timing(settings: &RedTeamSettings) -> Option<Timing> {
    let cadence = match settings.schedule {
        RedTeamSchedule::Off => return None,
        RedTeamSchedule::Daily => Cadence::Daily,
        RedTeamSchedule::Weekly => Cadence::Weekly,
        RedTeamSchedule::Monthly => Cadence::Monthly,
    };
    let window = settings.window.map(|window| Window { start: window.start, minutes: window.minutes() });
    Some(Timing { cadence, window })
}

/// See [`Schedules::settle`]. A round that wrote the schedule is followed by another one: the row may have changed between its
/// reading and the commit, and the process that changed it may have found the earlier schedule, which agreed with its row.
pub(crate) async fn settle(
    directory: &Directory,
    jobs: &Jobs,
    organization: OrganizationId,
    target: Target,
) -> Result<(), ScheduleError> {
    for _ in 0..MOST_ROUNDS {
        if !settle_once(directory, jobs, (organization, target)).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict.into())
}

/// Whether the schedule had to be written.
async fn settle_once(
    directory: &Directory,
    jobs: &Jobs,
    (organization, target): (OrganizationId, Target),
) -> Result<bool, ScheduleError> {
    let records = jobs.records();
    let shard = target.schedule_id(records, organization).shard();
    let mut attempts = records.attempts(Home::Records, shard);
    while let Some(mut draft) = attempts.next().await? {
        // Read after the attempt has begun: of two changes at the same time the later row decides.
        let settings = target.settings(directory, organization).await?;
        let is_changed = settle_in(jobs, &mut draft, (organization, target), settings.as_ref()).await?;
        if attempts.commit(draft).await? {
            return Ok(is_changed);
        }
    }
    Err(RecordError::Conflict.into())
}

/// Adds to a draft the rows that make the schedule agree with the settings; without settings, the target does not exist. Whether
/// there are any.
pub(crate) async fn settle_in(
    jobs: &Jobs,
    draft: &mut Draft,
    (organization, target): (OrganizationId, Target),
    settings: Option<&RedTeamSettings>,
) -> Result<bool, ScheduleError> {
    let (records, place) = (jobs.records(), draft.place());
    let id = target.schedule_id(records, organization);
    let before = jobs.scheduled(place, id).await?;
    match settings.and_then(timing) {
        Some(timing) if before.as_ref().is_some_and(|before| before.timing() == timing) => {}
        Some(timing) => {
            jobs.schedule(draft, id, timing, run::new_job(organization, id, target)?).await?;
        }
        None if before.is_some() => jobs.unschedule(draft, id),
        None => {}
    }
    if settings.is_none() && records.row::<Runs>(place, RUNS, id.as_bytes()).await?.is_some() {
        draft.delete_row(RUNS, id.as_bytes());
    }
    Ok(!draft.is_empty())
}
