//! Operations of people on jobs: list, cancel, retry.

use common::ids::{OrganizationId, RecordId};
use records::{Home, RecordError};

use crate::enqueue::{EnqueueError, NewJob};
use crate::job::{Ending, FinishedJob, Job, JobState, Outcome};
use crate::kind::Jobs;
use crate::tables::{FINISHED, JOBS, Place};
use crate::transitions::{finish, put, read};

/// Rows read at once.
pub(crate) const PAGE: usize = 200;

/// A job in a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Listed {
    /// Queued or running.
    Unfinished(Job),
    /// Ended within the last day.
    Finished(FinishedJob),
}

impl Jobs {
    /// Unfinished jobs of an organization, or of all, and those that have ended within the last day; at most `limit`.
    ///
    /// # Errors
    /// When a ledger cannot be read.
    pub async fn list(
        &self,
        organization: Option<OrganizationId>,
        limit: usize,
    ) -> Result<Vec<Listed>, RecordError> {
        let wanted = |job: &Job| organization.is_none_or(|organization| job.organization == organization);
        let mut listed = Vec::new();
        for place in self.places() {
            self.each::<Job>(place, JOBS, |job| {
                if wanted(&job) {
                    listed.push(Listed::Unfinished(job));
                }
                listed.len() < limit
            })
            .await?;
            self.each::<FinishedJob>(place, FINISHED, |finished| {
                if wanted(&finished.job) {
                    listed.push(Listed::Finished(finished));
                }
                listed.len() < limit
            })
            .await?;
        }
        listed.truncate(limit);
        Ok(listed)
    }

    /// Whether a job is queued or running, as its ledger is now: neither once it has ended or was abandoned.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub async fn is_unfinished(&self, place: Place, id: RecordId) -> Result<bool, RecordError> {
        Ok(read(&self.records, place, id).await?.is_some())
    }

    /// Cancels an unfinished job: one that is queued ends at once, one that is running at its next step. One that is queued and
    /// of a kind that is not known has no failure handler, and ends as abandoned. `false` when there is no such job.
    ///
    /// # Errors
    /// When the ledger does not do its part, and [`RecordError::Conflict`] when other commits came first in every attempt.
    pub async fn cancel(&self, id: RecordId) -> Result<bool, RecordError> {
        for place in self.places_of(id) {
            if self.cancel_in(place, id).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn cancel_in(&self, place: Place, id: RecordId) -> Result<bool, RecordError> {
        let mut attempts = self.records.attempts(place.0, place.1);
        while let Some(mut draft) = attempts.next().await? {
            let Some(mut job) = read(&self.records, place, id).await? else { return Ok(false) };
            let now = self.clock.now();
            job.cancelled = true;
            if job.state == JobState::Queued && job.ending.is_none() {
                (job.ending, job.due) = (Some(Ending::Cancelled), now);
            }
            match job.ending.clone() {
                Some(ending)
                    if job.state == JobState::Queued && !self.kinds.contains_key(job.kind.as_str()) =>
                {
                    finish(&self.records, &mut draft, job, Outcome::Abandoned(ending), now).await?;
                }
                _ => put(&mut draft, &job)?,
            }
            if attempts.commit(draft).await? {
                return Ok(true);
            }
        }
        Err(RecordError::Conflict)
    }

    /// Queues a job like one that has ended within the last day; its id, or `None` when there is no such job.
    ///
    /// # Errors
    /// Those of [`Jobs::enqueue`].
    pub async fn retry(&self, id: RecordId) -> Result<Option<RecordId>, EnqueueError> {
        for place in self.places_of(id) {
            let mut found = None;
            self.each::<FinishedJob>(place, FINISHED, |finished| {
                found = (finished.job.id == id).then_some(finished.job);
                found.is_none()
            })
            .await?;
            let Some(job) = found else { continue };
            let mut attempts = self.records.attempts(place.0, place.1);
            while let Some(mut draft) = attempts.next().await? {
                let Job { kind, organization, resource, payload, priority, exclusive, .. } = job.clone();
                let new = NewJob { kind, organization, resource, payload, priority, exclusive, due: None };
                let again = self.enqueue(&mut draft, new).await?;
                if attempts.commit(draft).await? {
                    return Ok(Some(again));
                }
            }
            return Err(RecordError::Conflict.into());
        }
        Ok(None)
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let shards: Vec<_> = self.records.shards().collect();
        Home::ALL.into_iter().flat_map(move |home| shards.clone().into_iter().map(move |shard| (home, shard)))
    }

    /// The ledgers that a job of this id may lie in.
    fn places_of(&self, id: RecordId) -> impl Iterator<Item = Place> + use<> {
        self.places().filter(move |(_, shard)| *shard == id.shard())
    }

    /// Goes through the rows of a table until `each` says that it is enough. Rows that cannot be read are noted and left out.
    pub(crate) async fn each<T: serde::de::DeserializeOwned>(
        &self,
        place: Place,
        table: records::Table,
        mut each: impl FnMut(T) -> bool,
    ) -> Result<(), RecordError> {
        let mut after: Option<Vec<u8>> = None;
        loop {
            let rows = self.records.each_row::<T>(place, table, b"", after.as_deref(), PAGE).await?;
            let Some((last, _)) = rows.last() else { return Ok(()) };
            after = Some(last.to_vec());
            for (key, row) in rows {
                match row.map(&mut each) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(error) => self.unreadable.note(place, table, &key, &error),
                }
            }
        }
    }
}
