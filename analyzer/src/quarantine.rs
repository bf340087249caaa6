//! Records that are set aside because they cannot be analysed: written down with the cause and the record
//! itself, read from the log once more, so that an operator can send it again.

use std::time::Duration;

use common::partition::{Partition, Position};
use common::row::QuarantinedRecord;
use durable_log::{DurableLog, Entry};

use incidents::identity::hex;
use normalize::record::records;

/// Most bytes of a record that are kept with it: as hexadecimal digits half of a commit's limit.
const MOST_BYTES: usize = 256 * 1024;

/// Description of a record in quarantine.
pub(crate) async fn describe(
    log: &dyn DurableLog,
    partition: Partition,
    position: Position,
    cause: &str,
) -> QuarantinedRecord {
    let entries = log.fetch(partition, position.offset, 1, Duration::ZERO).await.unwrap_or_default();
    let entry = entries.into_iter().next().filter(|entry| entry.offset == position.offset);
    let payload = entry.as_ref().and_then(|entry| alone(entry, position.record));
    let headers = entry.map(|entry| entry.batch.headers);
    QuarantinedRecord {
        position,
        cause: cause.to_owned(),
        headers,
        payload: payload.map(|bytes| hex(&bytes)),
    }
}

fn alone(entry: &Entry, record: u32) -> Option<Vec<u8>> {
    let index = usize::try_from(record).ok()?;
    let payload = records(&entry.batch.payload).nth(index)?.alone();
    (payload.len() <= MOST_BYTES).then_some(payload)
}
