//! A job as it is stored.

use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

/// Most bytes of a payload, as JSON.
pub const MAX_PAYLOAD_BYTES: usize = 4 * 1024;
/// Most bytes of a checkpoint, as JSON: 64 KiB of compressed state in Base64, and some fields beside it.
pub const MAX_CHECKPOINT_BYTES: usize = 96 * 1024;
/// Longest cause that is kept, in characters.
const MAX_CAUSE: usize = 500;

/// An unfinished job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its id, which carries the shard of its record.
    pub id: RecordId,
    /// Name of its kind.
    pub kind: String,
    /// The organization it works for; the nil UUID for public results and for housekeeping of the service.
    pub organization: OrganizationId,
    /// The record it works on.
    pub resource: RecordId,
    /// Parameters of the kind, beside the record.
    pub payload: serde_json::Value,
    /// Jobs of an organization with a greater one run first.
    pub priority: u8,
    /// A claim that it needs.
    pub exclusive: Option<Exclusive>,
    /// Its state.
    pub state: JobState,
    /// Raised whenever it is taken.
    pub attempt: u32,
    /// Attempts that ended without a result.
    pub failures: u32,
    /// When it may run.
    pub due: Timestamp,
    /// When it was queued first.
    pub queued_at: Timestamp,
    /// Whether it was asked to stop.
    pub cancelled: bool,
    /// Its required end: the failure handler runs instead of the handler.
    pub ending: Option<Ending>,
}

/// State of an unfinished job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits.
    Queued,
    /// A worker has taken it.
    Running,
}

/// A key of which one job at a time may have the claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Exclusive {
    /// At most 256 bytes. The organization is always part of the claim.
    pub key: String,
    /// Which jobs it excludes.
    pub scope: Scope,
}

/// Which jobs an exclusive key excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A second job is refused while the first is queued or running. The key must follow from the anchor of the record, so
    /// that all jobs with it lie in one shard.
    Unfinished,
    /// Other jobs wait while one is running, whichever shard they lie in.
    Running,
}

/// End of a job without a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Ending {
    /// Somebody cancelled it.
    Cancelled,
    /// An attempt took longer than its kind allows.
    DeadlineExceeded,
    /// It cannot succeed, or no attempt is left.
    Failed {
        /// The last failure.
        cause: String,
    },
}

impl Ending {
    /// A failure, with a bounded cause.
    #[must_use]
    pub fn failed(cause: &str) -> Self {
        Self::Failed { cause: cause.chars().take(MAX_CAUSE).collect() }
    }
}

/// Outcome of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With a result.
    Succeeded,
    /// Without one; the failure handler has run.
    Ended(Ending),
    /// Without one, and without the failure handler, which failed as well.
    Abandoned(Ending),
}

impl Outcome {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Ended(Ending::Cancelled) => "cancelled",
            Self::Ended(Ending::DeadlineExceeded) => "deadline_exceeded",
            Self::Ended(Ending::Failed { .. }) => "failed",
            Self::Abandoned(_) => "abandoned",
        }
    }
}

/// A job that has ended, kept for a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedJob {
    /// The job as it was in its last attempt.
    pub job: Job,
    /// Its outcome.
    pub outcome: Outcome,
    /// When.
    pub finished_at: Timestamp,
}
