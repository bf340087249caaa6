//! The batch into the durable log: its digest, its headers, its partition. The batch is accepted
//! when the log says that it is durable, never before.

use std::sync::Arc;

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::partition::{Offset, Partition};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::Source;
use durable_log::{AppendError, DurableLog};

/// Purpose under which the pepper hashes the inflated body, before redaction, as its only part: the
/// batch's digest.
pub const DIGEST_PURPOSE: &str = "palisade batch digest";
/// Purpose under which the pepper hashes the value of the `Idempotency-Key` header, as its only part.
pub const IDEMPOTENCY_PURPOSE: &str = "palisade idempotency key";

/// The digest of an inflated body.
pub(crate) fn digest(pepper: &Pepper, body: &[u8]) -> [u8; 32] {
    pepper.hash(DIGEST_PURPOSE, &[body])
}

/// The hash of an `Idempotency-Key`.
pub(crate) fn idempotency(pepper: &Pepper, key: &[u8]) -> [u8; 32] {
    pepper.hash(IDEMPOTENCY_PURPOSE, &[key])
}

/// A batch that only lacks a place in the log.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) payload: Bytes,
    pub(crate) record_count: u32,
    pub(crate) every_record_timed: bool,
    pub(crate) digest: [u8; 32],
}

/// Appends a batch of `source` and waits until it is durable.
pub(crate) async fn append(
    log: &Arc<dyn DurableLog>,
    source: &Source,
    prepared: Prepared,
    idempotency: Option<[u8; 32]>,
    received_at: Timestamp,
) -> Result<Offset, AppendError> {
    let headers = BatchHeaders {
        organization: source.organization,
        source: source.id,
        application_group: source.application_group.clone(),
        environment: source.environment.clone(),
        received_at,
        digest: prepared.digest,
        idempotency,
        every_record_timed: prepared.every_record_timed,
        record_count: prepared.record_count,
        tick: false,
    };
    let partition = Partition::of_source(source.id, log.partitions());
    log.append(partition, Batch { headers, payload: prepared.payload }).await
}
