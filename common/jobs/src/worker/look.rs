//! A look at one ledger: takes it over, and reads what is new in it. It changes nothing of the worker, so that several ledgers
//! are looked at side by side.

use std::collections::HashMap;
use std::sync::Arc;

use common::ids::RecordId;
use common::timestamp::Timestamp;
use records::{RecordError, Touched};

use crate::job::JobState;
use crate::kind::Jobs;
use crate::owner::{Owned, take_over};
use crate::schedule::Schedule;
use crate::tables::{JOBS, OWNER, Place, SCHEDULES};
use crate::transitions::read;
use crate::waiting::Ticket;

/// Calls of the change feed in one round: a ledger that is written faster is read on in the next.
const MOST_CALLS: usize = 16;

/// A look to be taken.
pub(super) struct Look {
    pub(super) jobs: Arc<Jobs>,
    pub(super) place: Place,
    pub(super) owned: Option<Owned>,
    /// Attempts of this process.
    pub(super) running: Arc<HashMap<RecordId, u32>>,
    /// Jobs for which there is room.
    pub(super) room: usize,
    /// Finished jobs that ended before this are removed.
    pub(super) sweeps: Option<Timestamp>,
}

/// Observed rows.
pub(super) struct Seen {
    pub(super) place: Place,
    /// Also when the look failed after the take-over.
    pub(super) owned: Option<Owned>,
    /// Whether it is everything, instead of what is new.
    pub(super) is_whole: bool,
    /// Jobs as they are now; `None` for those that do not wait.
    pub(super) jobs: Vec<(RecordId, Option<Ticket>)>,
    pub(super) schedules: Vec<(RecordId, Option<Schedule>)>,
    /// `false` when another worker has taken over.
    pub(super) ended: Result<bool, RecordError>,
}

impl Look {
    pub(super) async fn run(self) -> Seen {
        let (jobs, schedules) = (Vec::new(), Vec::new());
        let Self { place, owned, .. } = self;
        let mut seen = Seen { place, owned, is_whole: false, jobs, schedules, ended: Ok(true) };
        seen.ended = self.look(&mut seen).await;
        seen
    }

    async fn look(&self, seen: &mut Seen) -> Result<bool, RecordError> {
        let mut owned = match self.owned {
            Some(owned) => owned,
            None => take_over(&self.jobs.records, self.place).await?,
        };
        seen.owned = Some(owned);
        let is_ours = (!owned.is_stale || self.load(&mut owned, seen).await?)
            && self.read_changes(&mut owned, seen).await?;
        seen.owned = Some(owned);
        if let Some(before) = self.sweeps.filter(|_| is_ours)
            && let Err(error) = owned.sweep(&self.jobs.records, before).await
        {
            tracing::warn!(place = ?self.place, %error, "finished jobs could not be removed; the removal is retried");
        }
        Ok(is_ours)
    }

    async fn load(&self, owned: &mut Owned, seen: &mut Seen) -> Result<bool, RecordError> {
        let now = self.jobs.clock.now();
        let contents = owned.load(&self.jobs, &self.running, self.room, now).await?;
        let Some(contents) = contents else { return Ok(false) };
        seen.is_whole = true;
        seen.jobs = contents.queued.into_iter().map(|ticket| (ticket.id, Some(ticket))).collect();
        seen.schedules = contents.schedules.into_iter().map(|one| (one.id, Some(one))).collect();
        Ok(true)
    }

    async fn read_changes(&self, owned: &mut Owned, seen: &mut Seen) -> Result<bool, RecordError> {
        let records = &self.jobs.records;
        for _ in 0..MOST_CALLS {
            if records.seq(self.place.0, self.place.1).await? == owned.seq {
                return Ok(true);
            }
            let touched = records.touched(self.place, &[JOBS, SCHEDULES, OWNER], owned.seq).await?;
            let Touched::Rows { seq, rows } = touched else { return self.load(owned, seen).await };
            for (table, key) in rows {
                if table == OWNER && !owned.is_valid(records).await? {
                    return Ok(false);
                }
                let Ok(id) = <[u8; 16]>::try_from(key.as_ref()) else { continue };
                let id = RecordId::from_bytes(id);
                if table == JOBS {
                    seen.jobs.push((id, self.ticket(id).await?));
                } else if table == SCHEDULES {
                    seen.schedules.push((id, self.schedule(id).await?));
                }
            }
            owned.seq = seq;
        }
        Ok(true)
    }

    async fn ticket(&self, id: RecordId) -> Result<Option<Ticket>, RecordError> {
        match read(&self.jobs.records, self.place, id).await {
            Ok(job) => {
                let queued = job.filter(|job| job.state == JobState::Queued);
                Ok(queued.and_then(|job| self.jobs.ticket(self.place, &job)))
            }
            Err(RecordError::Body(error)) => {
                self.jobs.unreadable.note(self.place, JOBS, id.as_bytes(), &error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn schedule(&self, id: RecordId) -> Result<Option<Schedule>, RecordError> {
        match self.jobs.scheduled(self.place, id).await {
            Err(RecordError::Body(error)) => {
                self.jobs.unreadable.note(self.place, SCHEDULES, id.as_bytes(), &error);
                Ok(None)
            }
            read => read,
        }
    }
}
