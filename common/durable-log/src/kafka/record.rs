//! A batch as a message of Kafka: the payload is its value, the source its key, and its metadata
//! its headers.
//!
//! One header is ours and is the only one read back; the others state the same in text, for other
//! readers of the topic.

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use rdkafka::message::{BorrowedMessage, Header, Headers, Message, OwnedHeaders};
use thiserror::Error;

/// The header that is read back: [`crate::headers::encode`].
pub(super) const BATCH_HEADER: &str = "palisade-batch";
/// Bytes that a message takes beside its payload, at most: two texts of 400 bytes, twice, fields of fixed size, and 24 KiB
/// of fingerprints.
pub(super) const OVERHEAD_BYTES: u64 = 28 * 1024;

/// Reason why a message is no batch.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum RecordError {
    #[error("it has no header {BATCH_HEADER}: it was not written by this log")]
    NoHeader,
    #[error(transparent)]
    Header(#[from] crate::headers::HeadersError),
}

pub(super) fn headers(headers: &BatchHeaders) -> OwnedHeaders {
    let mut encoded = Vec::new();
    crate::headers::encode(headers, &mut encoded);
    let texts = [
        ("organization", headers.organization.to_string()),
        ("source", headers.source.to_string()),
        ("application-group", headers.application_group.clone()),
        ("environment", headers.environment.clone()),
        ("received-at", headers.received_at.to_iso()),
        ("record-count", headers.record_count.to_string()),
        ("content-type", "application/x-protobuf".to_owned()),
    ];
    let ours = Header { key: BATCH_HEADER, value: Some(&encoded) };
    let mut all = OwnedHeaders::new_with_capacity(texts.len() + 1).insert(ours);
    for (key, text) in &texts {
        all = all.insert(Header { key, value: Some(text) });
    }
    all
}

/// Reads a message; its payload is copied, since the message's memory is the library's.
pub(super) fn batch(message: &BorrowedMessage<'_>) -> Result<Batch, RecordError> {
    Ok(Batch {
        headers: batch_headers(message)?,
        payload: Bytes::copy_from_slice(message.payload().unwrap_or_default()),
    })
}

/// The headers of the batch in a message.
pub(super) fn batch_headers(message: &BorrowedMessage<'_>) -> Result<BatchHeaders, RecordError> {
    let headers = message.headers().ok_or(RecordError::NoHeader)?;
    let ours = headers.iter().find(|header| header.key == BATCH_HEADER);
    let encoded = ours.and_then(|header| header.value).ok_or(RecordError::NoHeader)?;
    Ok(crate::headers::decode(encoded)?.0)
}
