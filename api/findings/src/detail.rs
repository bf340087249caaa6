//! The large part of a finding, read when one finding is shown.

use common::digest::digest;
use common::ids::RecordId;
use common::row::{BodyError, encode};
use common::timestamp::Timestamp;
use common::words;
use engine::{Evidence, Location, Observation};
use serde::{Deserialize, Serialize};

/// The detail of a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FindingDetail {
    /// Version of the check or tool.
    pub check_version: String,
    /// Locations, the primary one first.
    pub locations: Vec<Location>,
    /// Locations that are not kept.
    pub further_locations: u64,
    /// Data flow from source to sink.
    pub trace: Vec<Location>,
    /// Proof.
    pub evidence: Vec<Evidence>,
    /// Recommended remedy; empty without one.
    pub remedy: String,
    /// Addresses of further reading.
    pub references: Vec<String>,
}

impl FindingDetail {
    /// The detail of an observation.
    pub(crate) fn of(observation: &Observation) -> Self {
        Self {
            check_version: observation.check_version.clone(),
            locations: observation.locations.clone(),
            further_locations: observation.further_locations,
            trace: observation.trace.clone(),
            evidence: observation.evidence.clone(),
            remedy: observation.remedy.clone(),
            references: observation.references.clone(),
        }
    }

    /// Hash by which two details are compared, so that an observation without news does not write its detail.
    pub(crate) fn fingerprint(&self) -> Result<u64, BodyError> {
        let hash = digest(&[&encode(self)?]);
        Ok(hash.first_chunk().copied().map_or(0, u64::from_be_bytes))
    }
}

words!(
    /// Result of replaying a finding.
    Verification {
        /// The weakness was observed again.
        Confirmed = "confirmed",
        /// The replay did not observe it.
        NotReproduced = "not_reproduced",
        /// The replay shows that it is fixed.
        Fixed = "fixed",
        /// The replay has no clear result.
        Inconclusive = "inconclusive",
        /// Nothing can replay it.
        Unverifiable = "unverifiable",
    }
);

/// Result of the latest automated triage of a finding; a row beside it, which observations do not touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriageResult {
    /// The triage that it is the result of.
    pub triage: RecordId,
    /// Result of the replay; `None` when the triage failed.
    pub verification: Option<Verification>,
    /// Summary in one or two sentences.
    pub summary: String,
    /// Recommended next step.
    pub recommendation: String,
    /// Evidence of the replay; empty without one.
    pub evidence: String,
    /// A patch that removes the weakness.
    pub patch: Option<Patch>,
    /// Files that the patch changes.
    pub files: Vec<String>,
    /// Reason of a failure.
    pub error: Option<String>,
    /// When it ended.
    pub completed_at: Timestamp,
}

/// A patch in the unified diff format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The diff.
    pub diff: String,
    /// Whether the diff is cut.
    pub truncated: bool,
}
