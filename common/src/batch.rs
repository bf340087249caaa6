//! One accepted batch: the message of the durable log. The payload is an OTLP
//! `ExportLogsServiceRequest` in protobuf, already sanitized, whatever the sender used; the headers
//! say everything an analyzer must know that the payload does not.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprints;
use crate::ids::{OrganizationId, SourceId};
use crate::timestamp::Timestamp;

/// A batch as it travels: headers beside the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Description of the payload.
    pub headers: BatchHeaders,
    /// OTLP logs in protobuf, sanitized. Empty exactly when [`BatchHeaders::tick`] is set.
    pub payload: Bytes,
}

/// Data stored with a batch, so that an analyzer is a function of the log alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchHeaders {
    /// Owner of the source.
    pub organization: OrganizationId,
    /// The source the batch was sent to.
    pub source: SourceId,
    /// Application group of the source when the batch was accepted, 1..100 characters.
    pub application_group: String,
    /// Environment of the source when the batch was accepted, 1..50 characters.
    pub environment: String,
    /// When the batch was accepted.
    pub received_at: Timestamp,
    /// Keyed hash of the inflated body as sent, before redaction.
    pub digest: [u8; 32],
    /// Keyed hash of the `Idempotency-Key` header, where the sender gave one.
    pub idempotency: Option<[u8; 32]>,
    /// Whether every record carries a time of its own: only then is an equal body a repeat.
    pub every_record_timed: bool,
    /// Number of log records in the payload.
    pub record_count: u32,
    /// A message without records that only tells the analyzer that time has passed.
    pub tick: bool,
    /// Fingerprints that distinguish masked values. Only the log holds them: no row of a ledger does.
    #[serde(skip)]
    pub fingerprints: Fingerprints,
}
