//! The inventory of an application as a record: its latest run, numbers of assets, and the hosts and endpoints whose scope
//! a user set.

use std::collections::{BTreeMap, BTreeSet};

use common::ids::{ApplicationId, OrganizationId, RecordId};
use common::timestamp::Timestamp;
use common::words;
use records::Record;
use serde::{Deserialize, Serialize};

use super::asset::AssetType;
use super::coverage::Coverage;

words!(
    /// Status of a discovery run, as of other runs (specification, Dependency update run).
    RunStatus {
        /// It waits for a worker.
        Queued = "queued",
        /// It runs.
        InProgress = "in_progress",
        /// It has a result, which may be incomplete.
        Completed = "completed",
        /// It has none.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
);

words!(
    /// Reason why a run has no result.
    RunErrorCode {
        /// Replies cannot be parsed, because the sandbox cannot start.
        SandboxUnavailable = "sandbox_unavailable",
        /// No scope follows from the URL of the application.
        InvalidUrl = "invalid_url",
        /// It took too long.
        TimedOut = "timed_out",
        /// The service failed; the cause is logged.
        InternalError = "internal_error",
    }
);

/// Reason why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunError {
    /// Code.
    pub code: RunErrorCode,
    /// Explanation.
    pub message: String,
}

/// A discovery run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InventoryRun {
    /// Its id, which is that of its job.
    pub id: RecordId,
    /// Its status.
    pub status: RunStatus,
    /// When it was requested.
    pub requested_at: Timestamp,
    /// When its first attempt began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// Assets that were not known, or were gone.
    pub new: u64,
    /// Assets that are gone now.
    pub gone: u64,
    /// Assets with other properties than before.
    pub changed: u64,
    /// Coverage, once it has ended with a result.
    pub coverage: Option<Coverage>,
    /// Reason why it has no result.
    pub error: Option<RunError>,
}

/// Hosts and endpoints whose scope a user set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chosen {
    /// Hosts that are included.
    pub included: BTreeSet<String>,
    /// Hosts that are excluded.
    pub excluded: BTreeSet<String>,
    /// Endpoints that are excluded.
    pub endpoints: BTreeSet<RecordId>,
}

/// The inventory of an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inventory {
    /// Its id.
    pub id: RecordId,
    /// Owner.
    pub organization: OrganizationId,
    /// The application.
    pub application: ApplicationId,
    /// Active assets by type.
    pub assets: BTreeMap<AssetType, u64>,
    /// The latest run.
    pub run: InventoryRun,
}

impl Record for Inventory {
    const NAME: &'static str = "inventory";
    type Detail = Chosen;
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

impl InventoryRun {
    /// A run that waits.
    pub(crate) fn queued(id: RecordId, requested_at: Timestamp) -> Self {
        Self {
            id,
            status: RunStatus::Queued,
            requested_at,
            started_at: None,
            completed_at: None,
            new: 0,
            gone: 0,
            changed: 0,
            coverage: None,
            error: None,
        }
    }

    /// Whether its status is not final.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, RunStatus::Queued | RunStatus::InProgress)
    }

    /// Ends it without a result.
    pub(crate) fn fail(&mut self, error: RunError, at: Timestamp) {
        (self.status, self.error, self.completed_at) = (RunStatus::Failed, Some(error), Some(at));
    }
}
