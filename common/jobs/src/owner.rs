//! The owner of a ledger's jobs: take-over, and the changes that only the owner makes. Each of them is decided at the epoch
//! of the take-over, so that an owner that was replaced takes no job any more.

use std::collections::HashMap;

use common::ids::RecordId;
use common::timestamp::Timestamp;
use ledger::Seq;
use records::{RecordError, Records};

use crate::job::{FinishedJob, Job, JobState, Outcome};
use crate::kind::Jobs;
use crate::operations::PAGE;
use crate::schedule::Schedule;
use crate::tables::{EPOCH, FINISHED, JOBS, OWNER, Place, SCHEDULES};
use crate::transitions::{defer, finish, interrupt, read, take};
use crate::waiting::Ticket;

/// Pages of finished jobs that are removed at once, each by a commit: more than end in a minute.
const MOST_SWEPT: usize = 100;
/// Jobs that one commit changes: at most 8 KiB each.
const AT_ONCE: usize = 64;

/// A ledger whose jobs this process runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owned {
    pub(crate) place: Place,
    pub(crate) epoch: u64,
    /// Everything up to this commit is known.
    pub(crate) seq: Seq,
    /// Whether everything is to be read again.
    pub(crate) is_stale: bool,
    /// Whether there was no room for all of its jobs.
    pub(crate) is_partial: bool,
}

/// Content of a ledger.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Those of kinds that this process knows.
    pub(crate) queued: Vec<Ticket>,
    pub(crate) schedules: Vec<Schedule>,
}

/// Outcome of taking jobs.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Those that were.
    pub(crate) jobs: Vec<Job>,
    /// Those that are queued until later.
    pub(crate) later: Vec<Ticket>,
}

/// Ends of attempts.
#[derive(Clone, Copy)]
enum End<'c> {
    /// With a failure: the next attempt is queued, or the job ends.
    Interrupted(&'c str),
    /// The job is queued again, and no failure counted.
    GivenBack,
    /// The handler has returned: the job ends.
    Succeeded,
}

/// Makes a ledger's jobs ours.
pub(crate) async fn take_over(records: &Records, place: Place) -> Result<Owned, RecordError> {
    let mut attempts = records.attempts(place.0, place.1);
    while let Some(mut draft) = attempts.next().await? {
        let epoch = records.row::<u64>(place, OWNER, EPOCH).await?.unwrap_or(0) + 1;
        draft.put_row(OWNER, EPOCH, &epoch)?;
        let seq = Seq(draft.number());
        if attempts.commit(draft).await? {
            return Ok(Owned { place, epoch, seq, is_stale: true, is_partial: false });
        }
    }
    Err(RecordError::Conflict)
}

impl Owned {
    /// Whether no other worker has taken over since.
    pub(crate) async fn is_valid(&self, records: &Records) -> Result<bool, RecordError> {
        Ok(records.row::<u64>(self.place, OWNER, EPOCH).await? == Some(self.epoch))
    }

    /// Reads everything. Jobs that are running in no task of this process, `running` by id with their attempt, were left by a
    /// worker that ended: their next attempt is queued. `None` when somebody has taken over.
    pub(crate) async fn load(
        &mut self,
        jobs: &Jobs,
        running: &HashMap<RecordId, u32>,
        most: usize,
        now: Timestamp,
    ) -> Result<Option<Contents>, RecordError> {
        // Before anything is read: later commits are followed.
        self.seq = jobs.records.seq(self.place.0, self.place.1).await?;
        let (mut contents, mut left) = (Contents::default(), Vec::new());
        jobs.each::<Job>(self.place, JOBS, |job| {
            match job.state {
                JobState::Queued => contents.queued.extend(jobs.ticket(self.place, &job)),
                JobState::Running if running.get(&job.id) == Some(&job.attempt) => {}
                JobState::Running => left.push((job.id, job.attempt)),
            }
            contents.queued.len() < most
        })
        .await?;
        self.is_partial = contents.queued.len() >= most;
        jobs.each::<Schedule>(self.place, SCHEDULES, |schedule| {
            contents.schedules.push(schedule);
            true
        })
        .await?;
        for left in left.chunks(AT_ONCE) {
            if !self.end(jobs, left, End::Interrupted("the worker ended"), now).await? {
                return Ok(None);
            }
        }
        self.is_stale = false;
        Ok(Some(contents))
    }

    /// Gives attempts that were ended on purpose back without counting a failure; `false` when somebody has taken over.
    pub(crate) async fn give_back(
        &self,
        jobs: &Jobs,
        ended: &[(RecordId, u32)],
        now: Timestamp,
    ) -> Result<bool, RecordError> {
        for ended in ended.chunks(AT_ONCE) {
            if !self.end(jobs, ended, End::GivenBack, now).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Ends jobs whose handlers have returned, in one commit; `false` when another worker has taken over.
    pub(crate) async fn finish(
        &self,
        jobs: &Jobs,
        returned: &[(RecordId, u32)],
        now: Timestamp,
    ) -> Result<bool, RecordError> {
        self.end(jobs, returned, End::Succeeded, now).await
    }

    /// Ends attempts that are still running, in one commit; `false` when another worker has taken over.
    async fn end(
        &self,
        jobs: &Jobs,
        attempted: &[(RecordId, u32)],
        end: End<'_>,
        now: Timestamp,
    ) -> Result<bool, RecordError> {
        let records = &jobs.records;
        let mut attempts = records.attempts(self.place.0, self.place.1);
        while let Some(mut draft) = attempts.next().await? {
            if !self.is_valid(records).await? {
                return Ok(false);
            }
            for (id, attempt) in attempted {
                let job = read(records, self.place, *id).await?;
                let is_same = |job: &Job| job.state == JobState::Running && job.attempt == *attempt;
                let Some(job) = job.filter(is_same) else { continue };
                match end {
                    End::Interrupted(cause) => {
                        let kind = jobs.kinds.get(job.kind.as_str());
                        interrupt(records, &mut draft, job, kind, cause, now).await?;
                    }
                    End::GivenBack => defer(&mut draft, job, now)?,
                    End::Succeeded => finish(records, &mut draft, job, Outcome::Succeeded, now).await?,
                }
            }
            if attempts.commit(draft).await? {
                return Ok(true);
            }
        }
        Err(RecordError::Conflict)
    }

    /// Takes those of the jobs that are still queued and due, in one commit; `None` when another worker has taken over.
    pub(crate) async fn take(
        &self,
        jobs: &Jobs,
        ids: &[RecordId],
        now: Timestamp,
    ) -> Result<Option<Taken>, RecordError> {
        let mut attempts = jobs.records.attempts(self.place.0, self.place.1);
        while let Some(mut draft) = attempts.next().await? {
            if !self.is_valid(&jobs.records).await? {
                return Ok(None);
            }
            let mut taken = Taken::default();
            for id in ids {
                let job = read(&jobs.records, self.place, *id).await?;
                match job.filter(|job| job.state == JobState::Queued) {
                    Some(job) if job.due <= now => taken.jobs.push(take(&mut draft, job)?),
                    Some(job) => taken.later.extend(jobs.ticket(self.place, &job)),
                    None => {}
                }
            }
            if attempts.commit(draft).await? {
                return Ok(Some(taken));
            }
        }
        Err(RecordError::Conflict)
    }

    /// Removes finished jobs that are old enough, oldest first, at most [`MOST_SWEPT`] pages.
    pub(crate) async fn sweep(&self, records: &Records, before: Timestamp) -> Result<(), RecordError> {
        let end = crate::tables::finished_key(before, RecordId::from_bytes([0; 16]));
        for _ in 0..MOST_SWEPT {
            if self.sweep_page(records, &end).await? < PAGE {
                break;
            }
        }
        Ok(())
    }

    /// Number of removed jobs.
    async fn sweep_page(&self, records: &Records, end: &[u8]) -> Result<usize, RecordError> {
        let mut attempts = records.attempts(self.place.0, self.place.1);
        while let Some(mut draft) = attempts.next().await? {
            let rows = records.each_row::<FinishedJob>(self.place, FINISHED, b"", None, PAGE).await?;
            for (key, _) in rows.iter().filter(|(key, _)| &key[..] < end) {
                draft.delete_row(FINISHED, key);
            }
            let removed = draft.rows();
            if attempts.commit(draft).await? {
                return Ok(removed);
            }
        }
        Ok(0)
    }
}
