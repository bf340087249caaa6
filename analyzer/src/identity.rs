//! Identities of deliveries and records, keyed so that guessed secrets cannot be confirmed. A delivery is a repeat
//! when it carries the same `Idempotency-Key`, or when every record in it has a time of its own and the body is the
//! same.

use common::batch::BatchHeaders;
use common::partition::Offset;
use common::pepper::Pepper;
use incidents::identity::{RecordId, short};

/// Identity of a delivery: 16 bytes of a keyed hash.
pub(crate) type DeliveryId = [u8; 16];

/// The identity of a batch's delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// Input of the identities of its records.
    pub id: DeliveryId,
    /// Marks of the delivery: a batch that shares one of these is the same delivery again. Without any, every batch is a
    /// delivery of its own.
    pub marks: Vec<DeliveryId>,
}

/// The delivery of a batch. A key and a body are each enough to recognise it: a sender may repeat with a key a batch that it
/// first sent without.
pub(crate) fn delivery(pepper: &Pepper, headers: &BatchHeaders, offset: Offset) -> Delivery {
    let source = headers.source.as_bytes().as_slice();
    let by_key =
        headers.idempotency.as_ref().map(|key| short(&pepper.hash("delivery by key", &[source, key])));
    let by_body = headers
        .every_record_timed
        .then(|| short(&pepper.hash("delivery by body", &[source, &headers.digest])));
    let marks: Vec<DeliveryId> = by_key.into_iter().chain(by_body).collect();
    let id = marks.first().copied().unwrap_or_else(|| {
        let place = offset.0.to_be_bytes();
        short(&pepper.hash("delivery by offset", &[source, &headers.digest, &place]))
    });
    Delivery { id, marks }
}

/// The identity of a record: its native id where its source gives one, else its place in its
/// delivery.
pub(crate) fn record(
    pepper: &Pepper,
    headers: &BatchHeaders,
    delivery: &DeliveryId,
    index: u32,
    native: Option<&str>,
) -> RecordId {
    let source = headers.source.as_bytes().as_slice();
    RecordId(match native {
        Some(native) => short(&pepper.hash("record by native id", &[source, native.as_bytes()])),
        None => short(&pepper.hash("record by place", &[delivery, &index.to_be_bytes()])),
    })
}
