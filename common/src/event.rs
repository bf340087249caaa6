//! Events: notifications to receivers, kept in the outbox of a partition's ledger until they are sent. Their envelope, signature
//! and delivery lie elsewhere; so does the shape of each kind's object.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::digest::digest;
use crate::ids::{IncidentId, OrganizationId};
use crate::timestamp::Timestamp;
use crate::words;

/// An event: receivers drop what they have seen under the same id. Prints `evt_` (specification, Envelope) and
/// 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub Uuid);

impl EventId {
    /// The id of what is named by its cause, so that whoever tells of it twice tells the same: version 8
    /// (RFC 9562 section 5.8) of a hash over all parts, each behind its length.
    #[must_use]
    pub fn of_cause(parts: &[&[u8]]) -> Self {
        let hash = digest(parts);
        Self(Uuid::new_v8(hash.first_chunk().copied().unwrap_or_default()))
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt_{}", self.0.simple())
    }
}

words!(
    /// Kind of an event (specification, Event kinds).
    EventKind {
        /// An incident is escalated under a monitoring policy.
        InfrastructureIncidentEscalated = "infrastructure.incident.escalated",
        /// A report has been accepted.
        ReportStarted = "report.started",
        /// A report has ended, well or badly.
        ReportFinished = "report.finished",
        /// There is a new finding.
        FindingCreated = "finding.created",
        /// Automated triage of a finding is complete.
        FindingTriageCompleted = "finding.triage_completed",
        /// A finding was resolved as accepted risk.
        FindingAccepted = "finding.accepted",
        /// A dependency update was published.
        DependencyUpdatePublished = "dependency_update.published",
        /// A scan of a contributor has ended.
        ContributorTrustFinished = "contributor_trust.finished",
        /// An agent did what a security rule detects.
        AgentFindingCreated = "agent.finding_created",
        /// An agent was denied an action.
        AgentActionBlocked = "agent.action_blocked",
    }
);

words!(
    /// Group of sources (specification, Source filters).
    SourceGroup {
        /// Repository reports, pull requests, dependency updates, contributors, advisories.
        Repositories = "repositories",
        /// Application reports and findings.
        Applications = "applications",
        /// Agent reports and runtime events.
        Agents = "agents",
        /// Incidents.
        Infrastructure = "infrastructure",
    }
);

/// Origin of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventSource {
    /// The group of the source.
    pub group: SourceGroup,
    /// The persistent source as the API prints its id; none for what has none, for example an ad hoc report.
    pub id: Option<String>,
}

/// An event as it lies in the outbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Its kind.
    pub kind: EventKind,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Attributes that targets filter by; none for events for every subscribed target.
    pub source: Option<EventSource>,
    /// When it happened.
    pub created_at: Timestamp,
    /// Content of `data.object`.
    pub object: serde_json::Value,
    /// The incident it is about, whose detail lists it.
    pub incident: Option<IncidentId>,
}

/// Key of an event in the outbox of its partition's ledger: what comes later has the greater key. `seq` is the
/// number the ledger has after the commit that writes it, `index` the event's place among those of that commit.
#[must_use]
pub fn outbox_key(seq: u64, index: u16) -> Vec<u8> {
    [seq.to_be_bytes().as_slice(), &index.to_be_bytes()].concat()
}
