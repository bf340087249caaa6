//! Queueing a job in the commit that changes its record.

use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use records::{Draft, RecordError};
use serde_json::Value;
use thiserror::Error;

use crate::job::{Exclusive, Job, JobState, MAX_PAYLOAD_BYTES, Scope};
use crate::kind::Jobs;
use crate::tables::{CLAIMS, COUNTS, of_organization};
use crate::transitions::{count, put};

/// Longest key of a claim, in bytes.
const MAX_CLAIM_KEY: usize = 256;

/// A job to be queued.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// Name of its kind.
    pub kind: String,
    /// The organization it works for.
    pub organization: OrganizationId,
    /// The record it works on, in the ledger of the draft.
    pub resource: RecordId,
    /// At most [`MAX_PAYLOAD_BYTES`] as JSON.
    pub payload: Value,
    /// Jobs of an organization with a greater one run first.
    pub priority: u8,
    /// A claim that it needs.
    pub exclusive: Option<Exclusive>,
    /// When it may run; at once without.
    pub due: Option<Timestamp>,
}

impl NewJob {
    /// A job without payload, due at once.
    #[must_use]
    pub fn new(kind: &str, organization: OrganizationId, resource: RecordId) -> Self {
        Self {
            kind: kind.to_owned(),
            organization,
            resource,
            payload: Value::Null,
            priority: 0,
            exclusive: None,
            due: None,
        }
    }
}

/// Reason why a job was not queued.
#[derive(Debug, Error)]
pub enum EnqueueError {
    /// Another job has the claim.
    #[error("another job with this key is unfinished")]
    Busy {
        /// The job.
        job: RecordId,
    },
    /// The organization has as many jobs of the kind as it may have.
    #[error("the organization has {limit} unfinished jobs of this kind already")]
    Full {
        /// The limit.
        limit: usize,
    },
    /// The payload or the key is too large.
    #[error("the {what} of a job has {found} bytes, expected at most {limit}")]
    TooLarge {
        /// Which of them.
        what: &'static str,
        /// Its bytes.
        found: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// This process does not know the kind.
    #[error("there is no kind of job {0:?}")]
    UnknownKind(String),
    /// The ledger did not do its part, or the record is of another ledger.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl Jobs {
    /// Adds a job to a draft; its id. Everything is decided anew with the next attempt when the draft is not committed.
    ///
    /// # Errors
    /// [`EnqueueError`]; the draft is then as it was.
    pub async fn enqueue(&self, draft: &mut Draft, new: NewJob) -> Result<RecordId, EnqueueError> {
        self.check(&new)?;
        let shard = draft.place().1;
        if new.resource.shard() != shard {
            return Err(RecordError::WrongLedger.into());
        }
        let limit = self.kinds.get(new.kind.as_str()).map_or(0, |kind| kind.running + kind.queued);
        if self.unfinished(draft, &new).await? >= limit {
            return Err(EnqueueError::Full { limit });
        }
        let claim = new.exclusive.as_ref().filter(|claim| claim.scope == Scope::Unfinished);
        let claim = claim.map(|claim| of_organization(new.organization, &claim.key));
        if let Some(claim) = &claim
            && let Some(job) = self.records.row_after(draft, CLAIMS, claim).await?
        {
            return Err(EnqueueError::Busy { job });
        }
        let job = self.job(new, draft);
        if let Some(claim) = claim {
            draft.put_row(CLAIMS, &claim, &job.id)?;
        }
        count(&self.records, draft, &job, 1).await?;
        put(draft, &job)?;
        Ok(job.id)
    }

    pub(crate) fn check(&self, new: &NewJob) -> Result<(), EnqueueError> {
        if !self.kinds.contains_key(new.kind.as_str()) {
            return Err(EnqueueError::UnknownKind(new.kind.clone()));
        }
        let payload = new.payload.to_string().len();
        let key = new.exclusive.as_ref().map_or(0, |claim| claim.key.len());
        for (what, found, limit) in [("payload", payload, MAX_PAYLOAD_BYTES), ("key", key, MAX_CLAIM_KEY)] {
            if found > limit {
                return Err(EnqueueError::TooLarge { what, found, limit });
            }
        }
        Ok(())
    }

    /// Unfinished jobs of the organization and kind, in this ledger as the draft leaves it and in all others as they are.
    async fn unfinished(&self, draft: &Draft, new: &NewJob) -> Result<usize, RecordError> {
        let key = of_organization(new.organization, &new.kind);
        let (home, own) = draft.place();
        let mut sum: i64 = self.records.row_after(draft, COUNTS, &key).await?.unwrap_or(0);
        for shard in self.records.shards().filter(|shard| *shard != own) {
            sum += self.records.row::<i64>((home, shard), COUNTS, &key).await?.unwrap_or(0);
        }
        Ok(usize::try_from(sum).unwrap_or(0))
    }

    fn job(&self, new: NewJob, draft: &Draft) -> Job {
        let now = self.clock.now();
        // No other commit of the ledger has the number, and no other job of this one the number of rows before it.
        let place = [draft.number().to_be_bytes(), (draft.rows() as u64).to_be_bytes()].concat();
        let hash = digest(&[
            b"job",
            format!("{:?}", draft.place().0).as_bytes(),
            new.kind.as_bytes(),
            new.resource.as_bytes(),
            &place,
        ]);
        Job {
            id: RecordId::new(draft.place().1, &hash),
            kind: new.kind,
            organization: new.organization,
            resource: new.resource,
            payload: new.payload,
            priority: new.priority,
            exclusive: new.exclusive,
            state: JobState::Queued,
            attempt: 0,
            failures: 0,
            due: new.due.unwrap_or(now),
            queued_at: now,
            cancelled: false,
            ending: None,
        }
    }
}
