//! Types passed from the evaluation of rules to incidents.

use std::sync::Arc;

use common::batch::BatchHeaders;
use common::ids::{OrganizationId, SourceId};
use common::incident::{Entity, Qualification};
use common::partition::Position;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use crate::identity::{RecordId, digest, short};
use crate::note::Note;
use crate::plan::Subject;

/// A qualified finding, or its growth: records that are to be members of an incident.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Family of the incident it joins.
    pub family: String,
    /// The entity it is about.
    pub entity: Entity,
    /// Reason why it qualified.
    pub qualification: Qualification,
    /// The new members; at least one.
    pub members: Vec<Member>,
}

/// Findings of one record, or of the end of one window.
#[derive(Debug, Default)]
pub struct Findings {
    /// Findings that join incidents.
    pub new: Vec<Finding>,
    /// Earlier findings that are superseded.
    pub superseded: Vec<Superseded>,
}

/// Findings about an entity that the incident about a widespread rule supersedes.
#[derive(Debug)]
pub struct Superseded {
    /// Of which kind of incident.
    pub family: String,
    /// The entity it is about.
    pub entity: Entity,
    /// The widespread rule.
    pub rule: String,
    /// Whether the weak signs of the entity do not add up without it.
    pub no_longer_adds_up: bool,
}

/// A record that is to be a member.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its identity.
    pub record: RecordId,
    /// Its event time.
    pub event_time: Timestamp,
    /// Its note; absent where there was no room to keep it.
    pub note: Option<Arc<Note>>,
    /// The rule it is a member through.
    pub subject: Arc<Subject>,
}

/// Position of a record in the log, and the headers of its batch.
#[derive(Clone, Copy, Debug)]
pub struct RecordContext<'a> {
    /// Headers of its batch.
    pub headers: &'a BatchHeaders,
    /// Its offset and index.
    pub position: Position,
    /// The log's time: never decreases, unlike the times of acceptance of batches that two machines took in. Retention is
    /// measured by it.
    pub log_time: Timestamp,
}

/// Owner of the records that state is kept of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Owner {
    /// The organization.
    pub organization: OrganizationId,
    /// The source.
    pub source: SourceId,
    /// The source's application group when the records were accepted.
    pub application_group: String,
    /// Its environment then.
    pub environment: String,
}

/// Properties of the rules in force that apply to all findings of a record.
#[derive(Clone, Copy, Debug)]
pub struct RulePolicy<'a> {
    /// Version of the organization's rules.
    pub rules_version: &'a str,
    /// Whether severities are one step milder in this environment.
    pub milder: bool,
}

impl Owner {
    /// The owner that headers name.
    pub fn of(headers: &BatchHeaders) -> Self {
        Self {
            organization: headers.organization,
            source: headers.source,
            application_group: headers.application_group.clone(),
            environment: headers.environment.clone(),
        }
    }

    /// Headers like those of a batch of its records, which state only that time has passed.
    pub fn headers(&self, at: Timestamp) -> BatchHeaders {
        BatchHeaders {
            organization: self.organization,
            source: self.source,
            application_group: self.application_group.clone(),
            environment: self.environment.clone(),
            received_at: at,
            digest: [0; 32],
            idempotency: None,
            every_record_timed: false,
            record_count: 0,
            tick: true,
            fingerprints: common::fingerprint::Fingerprints::default(),
        }
    }
}

impl RecordContext<'_> {
    /// Key of a state row that belongs to the source, its application group and environment.
    pub(crate) fn state_key<'p>(&'p self, parts: impl IntoIterator<Item = &'p [u8]>) -> [u8; 16] {
        let BatchHeaders { organization, source, application_group, environment, .. } = self.headers;
        let owner = [
            organization.as_bytes().as_slice(),
            source.as_bytes(),
            application_group.as_bytes(),
            environment.as_bytes(),
        ];
        short(&digest(&owner.into_iter().chain(parts).collect::<Vec<_>>()))
    }

    /// When the batch was accepted: the time that is shown.
    pub fn received_at(&self) -> Timestamp {
        self.headers.received_at
    }
}
