//! Taking ledgers over, and following them.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use common::ids::RecordId;
use common::partition::Partition;
use records::{RecordError, Touched};

use super::{LOST_PAUSE, Worker};
use crate::claims;
use crate::job::{Job, JobState};
use crate::owner::{Owned, take_over};
use crate::schedule::Schedule;
use crate::tables::{JOBS, OWNER, Place, SCHEDULES};
use crate::transitions::read;
use crate::waiting::{MOST_WAITING, Ticket};

/// Calls of the change feed in one round: a ledger that is written faster is read on in the next.
const MOST_CALLS: usize = 16;
/// How long finished jobs are kept, and how often they are swept.
const KEPT: Duration = Duration::from_secs(86_400);
const SWEEP_EVERY: Duration = Duration::from_secs(60);

impl Worker {
    /// Takes over what is wanted and not owned, and reads what is new in what is.
    pub(super) async fn follow(&mut self, wanted: &BTreeSet<Partition>) {
        let now = self.jobs.clock.monotonic();
        let sweeps = self.swept_at.is_none_or(|swept| now.saturating_sub(swept) >= SWEEP_EVERY);
        if sweeps {
            self.swept_at = Some(now);
        }
        for place in Self::places(wanted) {
            if self.lost.get(&place).is_some_and(|lost| now.saturating_sub(*lost) < LOST_PAUSE) {
                continue;
            }
            match self.follow_one(place, sweeps).await {
                Ok(true) => {
                    if self.failing.remove(&place) {
                        tracing::info!(?place, "jobs can be read again");
                    }
                }
                Ok(false) => self.lose(place).await,
                Err(error) => self.mistrust(place, &error),
            }
        }
    }

    /// `false` when somebody has taken over.
    async fn follow_one(&mut self, place: Place, sweeps: bool) -> Result<bool, RecordError> {
        let owned = match self.owned.get(&place) {
            Some(owned) => *owned,
            None => {
                let owned = take_over(&self.jobs.records, place).await?;
                self.lost.remove(&place);
                self.owned.insert(place, owned);
                owned
            }
        };
        let has_room = owned.is_partial && self.waiting.len() < MOST_WAITING / 2;
        if (owned.is_stale || has_room) && !self.load(owned).await? {
            return Ok(false);
        }
        if !self.read_changes(place).await? {
            return Ok(false);
        }
        if sweeps {
            owned.sweep(&self.jobs.records, self.jobs.clock.now().minus(KEPT)).await?;
        }
        Ok(true)
    }

    async fn load(&mut self, mut owned: Owned) -> Result<bool, RecordError> {
        let place = owned.place;
        self.waiting.remove_place(place);
        self.calendar.remove_place(place);
        let running: HashMap<RecordId, u32> =
            self.running.values().map(|one| (one.ticket.id, one.attempt)).collect();
        let room = MOST_WAITING.saturating_sub(self.waiting.len()) + 1;
        owned.is_partial = false;
        let now = self.jobs.clock.now();
        let Some(contents) = owned.load(&self.jobs, &running, room, now).await? else { return Ok(false) };
        contents.schedules.iter().for_each(|schedule| self.calendar.put(place, schedule));
        for job in contents.queued {
            owned.is_partial |= !self.wait(place, &job);
        }
        self.owned.insert(place, owned);
        Ok(true)
    }

    async fn read_changes(&mut self, place: Place) -> Result<bool, RecordError> {
        for _ in 0..MOST_CALLS {
            let Some(owned) = self.owned.get(&place).copied() else { return Ok(true) };
            if self.jobs.records.seq(place.0, place.1).await? == owned.seq {
                return Ok(true);
            }
            let touched = self.jobs.records.touched(place, &[JOBS, SCHEDULES, OWNER], owned.seq).await?;
            let Touched::Rows { seq, rows } = touched else {
                return self.load(owned).await;
            };
            for (table, key) in rows {
                if table == OWNER && !owned.is_valid(&self.jobs.records).await? {
                    return Ok(false);
                }
                if table != OWNER
                    && let Ok(id) = <[u8; 16]>::try_from(key.as_ref())
                {
                    self.read_row(place, table == JOBS, RecordId::from_bytes(id)).await?;
                }
            }
            if let Some(owned) = self.owned.get_mut(&place) {
                owned.seq = seq;
            }
        }
        Ok(true)
    }

    async fn read_row(&mut self, place: Place, is_job: bool, id: RecordId) -> Result<(), RecordError> {
        if !is_job {
            let schedule: Option<Schedule> = self.jobs.records.row(place, SCHEDULES, id.as_bytes()).await?;
            match schedule {
                Some(schedule) => self.calendar.put(place, &schedule),
                None => self.calendar.remove(id),
            }
            return Ok(());
        }
        match read(&self.jobs.records, place, id).await? {
            Some(job) if job.state == JobState::Queued => {
                if !self.wait(place, &job)
                    && let Some(owned) = self.owned.get_mut(&place)
                {
                    owned.is_partial = true;
                }
            }
            _ => self.waiting.remove(id),
        }
        Ok(())
    }

    /// Lets a queued job wait for its turn; `false` when there is no room. One of a kind that this process does not know is
    /// left to another.
    fn wait(&mut self, place: Place, job: &Job) -> bool {
        let Some(kind) = self.jobs.kinds.get(job.kind.as_str()) else { return true };
        self.waiting.put(Ticket {
            id: job.id,
            place,
            organization: job.organization,
            kind: kind.name,
            class: kind.class,
            limit: kind.running,
            claim: claims::needed(job).map(|(_, key)| key.to_owned()),
            priority: job.priority,
            due: job.due,
        })
    }

    /// Somebody else owns the ledger: nothing of it is worked on any more.
    pub(super) async fn lose(&mut self, place: Place) {
        tracing::warn!(?place, "the jobs of a shard were taken over");
        self.lost.insert(place, self.jobs.clock.monotonic());
        self.forget(place);
        self.abort(place).await;
    }

    /// What is in memory can no longer be trusted: everything is read again at the next look.
    pub(super) fn mistrust(&mut self, place: Place, error: &RecordError) {
        if self.failing.insert(place) {
            tracing::warn!(?place, %error, "jobs wait: their ledger cannot be read or written");
        }
        if let Some(owned) = self.owned.get_mut(&place) {
            owned.is_stale = true;
        }
    }
}
