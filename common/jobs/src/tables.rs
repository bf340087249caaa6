//! The tables of jobs in a ledger of records.
//!
//! | table | key | row |
//! |---|---|---|
//! | `job` | id | [`Job`](crate::Job), unfinished |
//! | `job-checkpoint` | id | the handler's own |
//! | `job-finished` | milliseconds, id | [`FinishedJob`](crate::FinishedJob) |
//! | `job-count` | organization, kind | number of unfinished jobs |
//! | `job-claim` | organization, key | id of the unfinished job that has it |
//! | `job-running` | organization, key | [`Holder`](crate::claims::Holder), in the shared ledger of the key |
//! | `job-schedule` | id | [`Schedule`](crate::Schedule) |
//! | `job-owner` | `epoch` | number of take-overs of the shard |

use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use records::{Home, Table};

/// A ledger of jobs.
pub(crate) type Place = (Home, Shard);

pub(crate) const JOBS: Table = Table::new("job");
pub(crate) const CHECKPOINTS: Table = Table::new("job-checkpoint");
pub(crate) const FINISHED: Table = Table::new("job-finished");
pub(crate) const COUNTS: Table = Table::new("job-count");
pub(crate) const CLAIMS: Table = Table::new("job-claim");
pub(crate) const HOLDERS: Table = Table::new("job-running");
pub(crate) const SCHEDULES: Table = Table::new("job-schedule");
pub(crate) const OWNER: Table = Table::new("job-owner");
/// The only key of [`OWNER`].
pub(crate) const EPOCH: &[u8] = b"epoch";

/// Key of a count or a claim.
pub(crate) fn of_organization(organization: OrganizationId, name: &str) -> Vec<u8> {
    [organization.as_bytes().as_slice(), name.as_bytes()].concat()
}

/// Key of a finished job: the oldest come first.
pub(crate) fn finished_key(at: Timestamp, id: RecordId) -> Vec<u8> {
    let millis = u64::try_from(at.as_millis()).unwrap_or(0);
    [millis.to_be_bytes().as_slice(), id.as_bytes()].concat()
}
