//! The history of a finding: changes with their actor. The order on a board is not part of it.

use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use common::words;
use records::Actor;
use serde::{Deserialize, Serialize};

words!(
    /// Change of a finding.
    ChangeKind {
        /// It was observed for the first time in its episode.
        Created = "created",
        /// A user changed status, resolution or assignee, or commented.
        Reviewed = "reviewed",
        /// Automated triage was requested.
        TriageRequested = "triage_requested",
        /// Automated triage ended.
        TriageCompleted = "triage_completed",
        /// Automated triage failed.
        TriageFailed = "triage_failed",
        /// A run that covers its location did not observe it any more.
        Absent = "absent",
        /// It was observed at a higher risk level than the one it was resolved with.
        RecurredWorse = "recurred_worse",
    }
);

/// An entry of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The change.
    pub kind: ChangeKind,
    /// Actor of the change.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// Version of the finding after the change.
    pub version: u64,
    /// Status and resolution before the change.
    pub from: State,
    /// Status and resolution after it.
    pub to: State,
    /// Assignee after the change.
    pub assignee: Option<String>,
    /// Comment of the actor.
    pub comment: Option<String>,
}

/// Status and resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Status.
    pub status: TriageStatus,
    /// Resolution, with the status `resolved` only.
    pub resolution: Option<TriageResolution>,
}
