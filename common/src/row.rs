//! Keys and encoding of the rows of a partition's ledger: shared by the analyzer, which
//! appends them, and the API, which reads them. Keys begin with the organization, so that one
//! organization's rows are one range.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ids::{IncidentId, OrganizationId, SourceId};

/// The version every body starts with: one byte, then JSON.
pub const SCHEMA_VERSION: u8 = 1;

/// Reason why a body could not be read.
#[derive(Debug, Error)]
pub enum BodyError {
    /// There is not even a version byte.
    #[error("the body is empty, expected schema version {SCHEMA_VERSION}")]
    Empty,
    /// Written by a version this build does not know.
    #[error("the body has schema version {found}, expected {SCHEMA_VERSION}")]
    UnknownVersion {
        /// The version byte that was read.
        found: u8,
    },
    /// The JSON does not fit the type.
    #[error("the body does not have the expected shape")]
    Shape(#[from] serde_json::Error),
}

/// Writes a body: the schema version, then JSON.
///
/// # Errors
/// [`BodyError::Shape`] when the value cannot be written as JSON.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, BodyError> {
    let mut body = vec![SCHEMA_VERSION];
    serde_json::to_writer(&mut body, value)?;
    Ok(body)
}

/// Reads a body.
///
/// # Errors
/// [`BodyError`] when it is empty, of another version, or of another shape.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, BodyError> {
    let (version, json) = body.split_first().ok_or(BodyError::Empty)?;
    if *version != SCHEMA_VERSION {
        return Err(BodyError::UnknownVersion { found: *version });
    }
    Ok(serde_json::from_slice(json)?)
}

/// Key of an incident's head and of its detail: organization, incident.
#[must_use]
pub fn incident_key(organization: OrganizationId, incident: IncidentId) -> Vec<u8> {
    [organization.as_bytes().as_slice(), incident.as_bytes()].concat()
}

/// Prefix of all revisions of an incident in the history.
#[must_use]
pub fn revisions_prefix(organization: OrganizationId, incident: IncidentId) -> Vec<u8> {
    [incident_key(organization, incident).as_slice(), b"r"].concat()
}

/// Key of one revision in the history.
#[must_use]
pub fn revision_key(organization: OrganizationId, incident: IncidentId, revision: u32) -> Vec<u8> {
    [revisions_prefix(organization, incident).as_slice(), &revision.to_be_bytes()].concat()
}

/// Prefix of all reviews of an incident in the history.
#[must_use]
pub fn reviews_prefix(organization: OrganizationId, incident: IncidentId) -> Vec<u8> {
    [incident_key(organization, incident).as_slice(), b"t"].concat()
}

/// Key of the review that produced `triage_version` in the history.
#[must_use]
pub fn review_key(organization: OrganizationId, incident: IncidentId, triage_version: u64) -> Vec<u8> {
    [reviews_prefix(organization, incident).as_slice(), &triage_version.to_be_bytes()].concat()
}

/// Key of the analyzer's [`Progress`] among the state rows.
#[must_use]
pub fn progress_key() -> Vec<u8> {
    b"progress".to_vec()
}

/// Key of what is known about a source's activity among the state rows: holds a
/// [`SourceActivity`].
#[must_use]
pub fn source_activity_key(organization: OrganizationId, source: SourceId) -> Vec<u8> {
    [b"activity".as_slice(), organization.as_bytes(), source.as_bytes()].concat()
}

/// Prefix of all [`RuleTally`] rows of a partition, among the state rows.
pub const TALLIES_PREFIX: &[u8] = b"tally";

/// Prefix of what a rule, correlation or filter has come to in a partition, among the state rows: one
/// row for each source whose records it found. `sigma_id` is the id its Sigma document states, or the
/// one that was made of its content; upper and lower case are the same, and at most 256 bytes of it count.
#[must_use]
pub fn rule_tallies_prefix(organization: OrganizationId, sigma_id: &str) -> Vec<u8> {
    let id = sigma_id.to_lowercase();
    let id = &id.as_bytes()[..id.len().min(256)];
    // The length in front, so that no id is the beginning of another.
    let length = u16::try_from(id.len()).unwrap_or(u16::MAX).to_be_bytes();
    [TALLIES_PREFIX, organization.as_bytes(), &length, id].concat()
}

/// Key of what a rule, correlation or filter has come to for one source: holds a [`RuleTally`].
#[must_use]
pub fn rule_tally_key(organization: OrganizationId, sigma_id: &str, source: SourceId) -> Vec<u8> {
    [rule_tallies_prefix(organization, sigma_id).as_slice(), source.as_bytes()].concat()
}

/// Counts of findings of a rule or correlation in one source's records, by outcome; or
/// the number that a filter removed, which is `suppressed` alone. Every finding is counted under
/// one of the four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct RuleTally {
    /// Findings that did not qualify for an incident.
    pub routine: u64,
    /// Findings that were inconclusive.
    pub inconclusive: u64,
    /// Findings that joined or opened an incident.
    pub qualified: u64,
    /// Findings that a filter took away.
    pub suppressed: u64,
    /// Latest event time of any of them.
    pub last_at: crate::timestamp::Timestamp,
}

impl RuleTally {
    /// The tally of both together, for example of two sources.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            routine: self.routine.saturating_add(other.routine),
            inconclusive: self.inconclusive.saturating_add(other.inconclusive),
            qualified: self.qualified.saturating_add(other.qualified),
            suppressed: self.suppressed.saturating_add(other.suppressed),
            last_at: self.last_at.max(other.last_at),
        }
    }
}

/// Prefix of an organization's [`SuspendedDocument`]s in a partition, among the state rows.
#[must_use]
pub fn suspensions_prefix(organization: OrganizationId) -> Vec<u8> {
    [SUSPENSIONS_PREFIX, organization.as_bytes()].concat()
}

/// Prefix of all [`SuspendedDocument`]s of a partition, among the state rows.
pub const SUSPENSIONS_PREFIX: &[u8] = b"suspended";

/// A rule or filter of an organization that took too many steps in one minute of a partition's records. It is not asked
/// for in that partition any more until it is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct SuspendedDocument {
    /// The organization.
    pub organization: OrganizationId,
    /// Id of the Sigma document.
    pub sigma_id: String,
    /// Its content when it was suspended, as hash in hexadecimal: another content is not suspended.
    pub content_hash: String,
    /// The reason, as one English sentence.
    pub reason: String,
    /// The partition's log time.
    pub since: crate::timestamp::Timestamp,
}

/// Prefix of records that were set aside, among the state rows: offset and index follow. Holds
/// [`QuarantinedRecord`]s.
pub const QUARANTINE_PREFIX: &[u8] = b"quarantine";

/// Key of a record that was set aside.
#[must_use]
pub fn quarantine_key(position: crate::partition::Position) -> Vec<u8> {
    let (offset, record) = (position.offset.0.to_be_bytes(), position.record.to_be_bytes());
    [QUARANTINE_PREFIX, &offset, &record].concat()
}

/// A record that could not be analysed, kept so that it can be sent again once it can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct QuarantinedRecord {
    /// Its position in its partition's log.
    pub position: crate::partition::Position,
    /// Reason why it could not be analysed.
    pub cause: String,
    /// Data stored with its batch; absent when the log no longer held it.
    pub headers: Option<crate::batch::BatchHeaders>,
    /// The record alone, as an OTLP logs export request in protobuf, in hexadecimal digits; absent
    /// when it is too large to be kept.
    pub payload: Option<String>,
}

/// Progress of a partition's analyzer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Progress {
    /// Position at which it continues.
    pub position: crate::partition::Position,
    /// `received_at` of the last batch it has begun.
    pub received_through: crate::timestamp::Timestamp,
    /// Version of the rules in force.
    pub rules_version: String,
    /// Raised by every take-over of the partition.
    pub owner_epoch: u64,
    /// The last batch that was folded whole: by it the log is recognised.
    pub last_batch: Option<FoldedBatch>,
}

/// Record of a batch that was folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct FoldedBatch {
    /// Its position in the log.
    pub offset: crate::partition::Offset,
    /// The beginning of its digest.
    pub digest: u64,
}

impl FoldedBatch {
    /// Record of the batch at an offset.
    #[must_use]
    pub fn new(offset: crate::partition::Offset, headers: &crate::batch::BatchHeaders) -> Self {
        let digest = headers.digest.first_chunk::<8>().map_or(0, |first| u64::from_be_bytes(*first));
        Self { offset, digest }
    }
}

/// The analyzer's observations of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct SourceActivity {
    /// When its last analysed batch was accepted.
    pub last_received_at: crate::timestamp::Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_carry_their_version() {
        let body = encode(&SourceActivity { last_received_at: crate::timestamp::Timestamp(5) }).unwrap();
        assert_eq!(body[0], SCHEMA_VERSION);
        let read: SourceActivity = decode(&body).unwrap();
        assert_eq!(read.last_received_at.0, 5);
        assert!(matches!(decode::<SourceActivity>(b""), Err(BodyError::Empty)));
        assert!(matches!(decode::<SourceActivity>(b"\x09{}"), Err(BodyError::UnknownVersion { found: 9 })));
    }

    #[test]
    fn tallies_of_one_rule_are_one_range() {
        let (organization, source) = (OrganizationId::from_bytes([1; 16]), SourceId::from_bytes([2; 16]));
        let prefix = rule_tallies_prefix(organization, "brute");
        assert!(rule_tally_key(organization, "BRUTE", source).starts_with(&prefix));
        assert!(!rule_tally_key(organization, "brute_force", source).starts_with(&prefix));
        assert!(!rule_tally_key(OrganizationId::from_bytes([3; 16]), "brute", source).starts_with(&prefix));
        assert!(rule_tally_key(organization, &"é".repeat(2_000), source).len() < 1_024);
    }
}
