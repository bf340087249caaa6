//! Scans of organizations, and the aggregate results that all organizations share, as records.
//!
//! | record | ledger | anchor | detail |
//! |---|---|---|---|
//! | [`Scan`] | `LedgerId::Records` | organization and login in lower case, so that a scan and the claim of its login are one commit | evidence |
//! | [`Aggregate`] | `LedgerId::Shared`, nil organization | login in lower case | evidence |

use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use common::words;
use records::{Home, Record, Records, shard_of_identifier};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::artifact::{Assessment, Evidence};
use crate::login::ContributorLogin;

words! {
    /// Status of a scan.
    ScanStatus {
        /// It waits.
        Queued = "queued",
        /// It runs.
        InProgress = "in_progress",
        /// It has a result.
        Completed = "completed",
        /// It has none.
        Failed = "failed",
    }
}

/// A scan that an organization requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Scan {
    pub(crate) id: RecordId,
    pub(crate) organization: OrganizationId,
    /// As it was requested; as the code host spells it once the scan is complete.
    pub(crate) login: String,
    pub(crate) status: ScanStatus,
    pub(crate) assessment: Option<Assessment>,
    /// Reason why it has no result.
    pub(crate) error: Option<String>,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) completed_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// The latest result of a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Aggregate {
    pub(crate) id: RecordId,
    /// As the code host spells it.
    pub(crate) login: String,
    pub(crate) assessment: Assessment,
    /// When its data was read.
    pub(crate) scanned_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl Scan {
    /// A queued scan. `seed` makes its id.
    pub(crate) fn queued(
        (organization, shard): (OrganizationId, Shard),
        login: &ContributorLogin,
        (seed, now): (Uuid, Timestamp),
    ) -> Self {
        Self {
            id: Self::id_of(shard, seed),
            organization,
            login: login.to_string(),
            status: ScanStatus::Queued,
            assessment: None,
            error: None,
            started_at: None,
            completed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    pub(crate) fn id_of(shard: Shard, seed: Uuid) -> RecordId {
        RecordId::new(shard, &digest(&[b"contributor trust scan", seed.as_bytes()]))
    }

    /// The shard of the scans of a login.
    pub(crate) fn shard(records: &Records, organization: OrganizationId, login: &ContributorLogin) -> Shard {
        let anchor = [b"contributor/".as_slice(), login.key().as_bytes()].concat();
        records.shard(organization, &anchor)
    }

    /// Whether it has not ended.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, ScanStatus::Queued | ScanStatus::InProgress)
    }

    pub(crate) fn begin(&mut self, now: Timestamp) {
        (self.status, self.started_at, self.updated_at) = (ScanStatus::InProgress, Some(now), now);
    }

    pub(crate) fn complete(&mut self, of: &Aggregate, now: Timestamp) {
        (self.status, self.login) = (ScanStatus::Completed, of.login.clone());
        (self.assessment, self.completed_at, self.updated_at) = (Some(of.assessment.clone()), Some(now), now);
    }

    pub(crate) fn fail(&mut self, message: String, now: Timestamp) {
        (self.status, self.error) = (ScanStatus::Failed, Some(message));
        (self.completed_at, self.updated_at) = (Some(now), now);
    }
}

impl Record for Scan {
    const NAME: &'static str = "contributor-trust-scan";
    type Detail = Vec<Evidence>;
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

impl Aggregate {
    /// The id of the result of a login.
    pub(crate) fn id_of(login: &ContributorLogin, shards: u16) -> RecordId {
        let name = format!("contributor/{}", login.key());
        RecordId::new(shard_of_identifier(name.as_bytes(), shards), &digest(&[name.as_bytes()]))
    }
}

impl Record for Aggregate {
    const NAME: &'static str = "contributor-trust";
    const HOME: Home = Home::Shared;
    type Detail = Vec<Evidence>;
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        OrganizationId::NONE
    }
}
