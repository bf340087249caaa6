//! Claims of running jobs. They lie in the shared ledger of their key, since the jobs of one key may lie in several shards. A
//! claim counts while its holder's row says that the holder is running at the attempt that made the claim; once that is over
//! it is over for ever, so that the claim of a worker that died needs no removal.

use common::ids::{OrganizationId, RecordId};
use records::{Home, RecordError, Records, shard_of_anchor};
use serde::{Deserialize, Serialize};

use crate::job::{Job, JobState, Scope};
use crate::tables::{HOLDERS, Place, of_organization};
use crate::transitions::read;

/// The attempt that has a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    shared: bool,
    job: RecordId,
    attempt: u32,
}

impl Holder {
    fn new(place: Place, job: &Job) -> Self {
        Self { shared: place.0 == Home::Shared, job: job.id, attempt: job.attempt }
    }

    fn place(&self) -> Place {
        (if self.shared { Home::Shared } else { Home::Records }, self.job.shard())
    }

    async fn holds(&self, records: &Records) -> Result<bool, RecordError> {
        let job = read(records, self.place(), self.job).await?;
        Ok(job.is_some_and(|job| job.state == JobState::Running && job.attempt == self.attempt))
    }
}

/// The claim that a job needs to run.
pub(crate) fn needed(job: &Job) -> Option<(OrganizationId, &str)> {
    let claim = job.exclusive.as_ref().filter(|claim| claim.scope == Scope::Running)?;
    Some((job.organization, &claim.key))
}

/// Claims the key of a job that was taken; `false` while another has it.
pub(crate) async fn acquire(records: &Records, place: Place, job: &Job) -> Result<bool, RecordError> {
    let Some((ledger, key)) = location(records, job) else { return Ok(true) };
    let me = Holder::new(place, job);
    let mut attempts = records.attempts(ledger.0, ledger.1);
    while let Some(mut draft) = attempts.next().await? {
        match records.row::<Holder>(ledger, HOLDERS, &key).await? {
            Some(holder) if holder == me => return Ok(true),
            Some(holder) if holder.holds(records).await? => return Ok(false),
            _ => draft.put_row(HOLDERS, &key, &me)?,
        }
        if attempts.commit(draft).await? {
            return Ok(true);
        }
    }
    Err(RecordError::Conflict)
}

/// Removes the claim of an attempt that is over.
pub(crate) async fn release(records: &Records, place: Place, job: &Job) -> Result<(), RecordError> {
    let Some((ledger, key)) = location(records, job) else { return Ok(()) };
    let mut attempts = records.attempts(ledger.0, ledger.1);
    while let Some(mut draft) = attempts.next().await? {
        if records.row::<Holder>(ledger, HOLDERS, &key).await? == Some(Holder::new(place, job)) {
            draft.delete_row(HOLDERS, &key);
        }
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict)
}

fn location(records: &Records, job: &Job) -> Option<(Place, Vec<u8>)> {
    let (organization, key) = needed(job)?;
    let count = u16::try_from(records.shards().count()).unwrap_or(u16::MAX);
    let shard = shard_of_anchor(organization, key.as_bytes(), count);
    Some(((Home::Shared, shard), of_organization(organization, key)))
}
