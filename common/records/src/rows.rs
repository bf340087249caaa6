//! The rows of a ledger of records.
//!
//! | kind | key | body |
//! |---|---|---|
//! | head | organization, name `/`, id | the record |
//! | detail | the same | its detail |
//! | history | the same, number of the entry | an entry |
//! | outbox | number of the commit, place in it | [`Event`](common::event::Event) |
//! | state | `state/`, organization, name `/`, the type's own key | the type's own rows, tombstones among them |
//! | state | another table `/`, its key | rows of other crates, for example jobs |
//! | state | `commit/`, number of the commit modulo 64 | the commit's token |

use bytes::Bytes;
use common::ids::{OrganizationId, RecordId};
use common::row::encode;
use ledger::{Kind, Op, Seq};
use serde::Serialize;

use crate::error::RecordError;
use crate::record::Record;

/// Most bytes of a head: an index reads all of them.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Most bytes of a detail.
pub const MAX_DETAIL_BYTES: usize = 256 * 1024;
/// Most bytes of an entry of a history.
pub const MAX_HISTORY_BYTES: usize = 32 * 1024;
/// Most bytes of an event: a payload of 256 KiB, and what is kept beside it. The patch of a finding is shortened when the
/// payload is made.
pub const MAX_EVENT_BYTES: usize = 384 * 1024;
/// Most bytes of a row in a table.
pub const MAX_ROW_BYTES: usize = 256 * 1024;

/// Names an entry of a history; a later entry has a greater number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryNumber {
    pub(crate) seq: u64,
    pub(crate) index: u16,
}

impl HistoryNumber {
    pub(crate) fn new(seq: Seq, index: u16) -> Self {
        Self { seq: seq.0, index }
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        [self.seq.to_be_bytes().as_slice(), &self.index.to_be_bytes()].concat()
    }

    /// The number at the end of a key.
    pub(crate) fn of_key(key: &[u8]) -> Option<Self> {
        let (front, index) = key.split_last_chunk::<2>()?;
        let seq = u64::from_be_bytes(*front.last_chunk::<8>()?);
        Some(Self { seq, index: u16::from_be_bytes(*index) })
    }
}

/// The key of a head, as the change feed names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordKey<'k> {
    /// The organization.
    pub organization: OrganizationId,
    /// [`Record::NAME`] of the type.
    pub name: &'k str,
    /// The record.
    pub id: RecordId,
}

impl<'k> RecordKey<'k> {
    /// Reads the key of a head or detail; `None` when it is not one.
    #[must_use]
    pub fn parse(key: &'k [u8]) -> Option<Self> {
        let (organization, rest) = key.split_first_chunk::<16>()?;
        let (front, id) = rest.split_last_chunk::<16>()?;
        let name = std::str::from_utf8(front.strip_suffix(b"/")?).ok()?;
        let (organization, id) = (OrganizationId::from_bytes(*organization), RecordId::from_bytes(*id));
        is_name(name).then_some(Self { organization, name, id })
    }

    /// Prefix of the keys of an organization's records of a type.
    #[must_use]
    pub fn prefix<R: Record>(organization: OrganizationId) -> Vec<u8> {
        type_prefix::<R>(organization)
    }

    /// Key of the head of a record.
    #[must_use]
    pub fn of<R: Record>(organization: OrganizationId, id: RecordId) -> Vec<u8> {
        record_key::<R>(organization, id)
    }
}

/// Whether a text may stand in keys as name of a type or table.
pub(crate) const fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_lowercase() || bytes[at] == b'-') {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= 32
}

/// Prefix of the heads and details of an organization's records of one type.
pub(crate) fn type_prefix<R: Record>(organization: OrganizationId) -> Vec<u8> {
    const {
        assert!(
            is_name(R::NAME),
            "the name of a type of record has other characters than letters and hyphens"
        )
    };
    [organization.as_bytes().as_slice(), R::NAME.as_bytes(), b"/"].concat()
}

/// Key of a head and of a detail, and prefix of a history.
pub(crate) fn record_key<R: Record>(organization: OrganizationId, id: RecordId) -> Vec<u8> {
    [type_prefix::<R>(organization).as_slice(), id.as_bytes()].concat()
}

/// Key of an entry of a history.
pub(crate) fn history_key(record: &[u8], number: HistoryNumber) -> Vec<u8> {
    [record, &number.bytes()].concat()
}

/// The operation that writes a body of bounded size.
pub(crate) fn put<T: Serialize>(
    kind: Kind,
    key: Vec<u8>,
    value: &T,
    (row, limit): (&'static str, usize),
) -> Result<Op, RecordError> {
    let body = encode(value)?;
    if body.len() > limit {
        return Err(RecordError::TooLarge { row, found: body.len(), limit });
    }
    Ok(Op::Put { kind, key: key.into(), body: body.into() })
}

/// The operation that removes a row.
pub(crate) fn delete(kind: Kind, key: impl Into<Bytes>) -> Op {
    Op::Delete { kind, key: key.into() }
}
