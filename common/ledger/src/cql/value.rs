//! Representation of sequence numbers, kinds and bytes in the columns of the table.

use scylla::cluster::metadata::ColumnType;
use scylla::serialize::SerializationError;
use scylla::serialize::value::SerializeValue;
use scylla::serialize::writers::{CellWriter, WrittenCellProof};

use crate::{Kind, Seq};

/// One bound value, borrowed where it is large.
#[derive(Debug)]
pub(super) enum Value<'a> {
    /// A ledger, key or body.
    Bytes(&'a [u8]),
    /// A kind.
    Kind(i8),
    /// A sequence number.
    Seq(i64),
    /// A number of rows, or of seconds.
    Count(i32),
}

impl SerializeValue for Value<'_> {
    fn serialize<'b>(
        &self,
        typ: &ColumnType<'_>,
        writer: CellWriter<'b>,
    ) -> Result<WrittenCellProof<'b>, SerializationError> {
        match self {
            Self::Bytes(bytes) => bytes.serialize(typ, writer),
            Self::Kind(kind) => kind.serialize(typ, writer),
            Self::Seq(seq) => seq.serialize(typ, writer),
            Self::Count(count) => count.serialize(typ, writer),
        }
    }
}

/// A kind as its column holds it.
pub(super) fn kind(kind: Kind) -> i8 {
    i8::try_from(kind.number()).unwrap_or(i8::MAX)
}

/// A sequence number as its column holds it: no ledger has 2⁶³ commits.
pub(super) fn stored(seq: Seq) -> i64 {
    i64::try_from(seq.0).unwrap_or(i64::MAX)
}

/// The sequence number of a column; written by [`stored`] only, so never negative.
pub(super) fn loaded(seq: Option<i64>) -> Seq {
    Seq(seq.map_or(0, i64::cast_unsigned))
}

/// At most as many as the protocol can request.
pub(super) fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
