//! Appending of the batch to the durable log: its headers, its partition. The batch is accepted
//! when the log reports it durable, never before.

use std::sync::Arc;

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::fingerprint::Fingerprints;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use directory::Source;
use durable_log::{AppendError, DurableLog};

/// A batch that only lacks a place in the log.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) payload: Bytes,
    pub(crate) record_count: u32,
    pub(crate) every_record_timed: bool,
    pub(crate) digest: [u8; 32],
    pub(crate) fingerprints: Fingerprints,
}

/// Whether batches of `source` are taken at present, as far as is known without a batch.
pub(crate) fn check(log: &dyn DurableLog, source: &Source) -> Result<(), AppendError> {
    log.takes(Partition::of_source(source.id, log.partitions()))
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
        fingerprints: prepared.fingerprints,
    };
    let partition = Partition::of_source(source.id, log.partitions());
    log.append(partition, Batch { headers, payload: prepared.payload }).await
}
