//! Who is who: identities of deliveries and records, keyed so that guessed secrets cannot be
//! confirmed, and short stable hashes for state keys. House rule: a delivery is a repeat when it
//! carries the same `Idempotency-Key`, or when every record in it has a time of its own and the body
//! is the same.

use std::fmt;

use common::batch::BatchHeaders;
use common::hexadecimal;
pub(crate) use common::hexadecimal::print as hex;
use common::partition::Offset;
use common::pepper::Pepper;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Identity of a log record: 16 bytes of a keyed hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RecordId(pub [u8; 16]);

/// Identity of a delivery: 16 bytes of a keyed hash.
pub(crate) type DeliveryId = [u8; 16];

/// Which delivery a batch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// What the identities of its records are made of.
    pub id: DeliveryId,
    /// What it is recognised by: a batch that shares one of these is the same delivery again. Without
    /// any, every batch is a delivery of its own.
    pub marks: Vec<DeliveryId>,
}

/// The delivery a batch is. A key and a body are each enough to recognise it: a sender may repeat
/// with a key what it first sent without.
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

impl RecordId {
    /// The identity of the `number`th further event that the record stands for; 0 is the record itself.
    pub(crate) fn repeated(self, number: u32) -> Self {
        if number == 0 { self } else { Self(short(&digest(&[&self.0, &number.to_be_bytes()]))) }
    }
}

/// SHA-256 over parts, each preceded by its length: for keys made of what is not secret.
pub(crate) fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The first half of a hash.
pub(crate) fn short(hash: &[u8; 32]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&hash[..16]);
    short
}

/// The first eight bytes of a hash of a text: to tell counted values apart.
pub(crate) fn value_hash(text: &str) -> u64 {
    let hash = digest(&[text.as_bytes()]);
    hash.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// The hash of a counted value of which a part is masked and has this fingerprint. Neither is found in it.
pub(crate) fn told_apart(value: u64, fingerprint: u64) -> u64 {
    let hash = digest(&[b"masked", &value.to_be_bytes(), &fingerprint.to_be_bytes()]);
    hash.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// Most bytes of a value that things are grouped by.
const GROUPED_BYTES: usize = 256;

/// A value to group by, itself where it is short. A long one is cut and told apart by a hash: who
/// sends records chooses such values, and they are kept once for each group.
pub(crate) fn grouped(value: String) -> String {
    if value.len() <= GROUPED_BYTES {
        return value;
    }
    let mut end = GROUPED_BYTES - 40;
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…#{}", &value[..end], hex(&short(&digest(&[value.as_bytes()]))))
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordId({self})")
    }
}

impl Serialize for RecordId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hexadecimal::parse(&text)
            .and_then(|id| id.try_into().ok())
            .map(RecordId)
            .ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))
    }
}
