//! A member's row: which partitions it holds, and its beat.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bytes::Bytes;
use common::partition::Partition;
use common::row::{self, BodyError};
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, Range};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// Prefix of the keys of members.
const MEMBERS: &[u8] = b"member";
/// Most living members: each writes every second, so that far fewer would be too many for one ledger. No one
/// joins beyond it; the rows of the dead do not count.
pub(crate) const MOST_MEMBERS: usize = 256;
/// Rows read at a time.
const PAGE: usize = 500;

/// Names a member: a process, for one of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(Uuid);

impl MemberId {
    /// A member of this name, which must be unlike every other's: a random or time-ordered UUID.
    #[must_use]
    pub fn new(id: Uuid) -> Self {
        Self(id)
    }
}

impl MemberId {
    /// A number that members have unlike each other, for waiting unlike each other.
    pub(crate) fn spread(self) -> u64 {
        self.0.as_u64_pair().1
    }
}

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Contents of a member's row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    /// Rises with every row it writes.
    pub beat: u64,
    /// Partitions that it holds: works on, or is about to.
    pub partitions: BTreeSet<Partition>,
    /// Those of them on which it cannot work, each with a word for the reason.
    pub troubles: BTreeMap<Partition, String>,
}

/// The rows of all members.
pub(crate) type Members = BTreeMap<MemberId, Member>;

/// Reason why the members could not be read or written.
#[derive(Debug, Error)]
pub enum MemberError {
    /// The call of the ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A row does not decode.
    #[error("the row of a member cannot be used: {0}")]
    Body(#[from] BodyError),
    /// A row is not named as members' rows are.
    #[error("the key of a member has {found} bytes, expected {}", MEMBERS.len() + 16)]
    Key {
        /// Bytes of its key.
        found: usize,
    },
    /// There are as many members as there may be.
    #[error("{MOST_MEMBERS} other members already share the work, which is the limit")]
    TooMany,
    /// The ledger took too long.
    #[error("the ledger did not answer within {limit:?}")]
    Slow {
        /// Time waited.
        limit: std::time::Duration,
    },
}

/// Reads all members.
pub(crate) async fn read(ledger: &dyn Ledger, id: LedgerId) -> Result<Members, MemberError> {
    let mut members = Members::new();
    let mut after: Option<Bytes> = None;
    loop {
        let range = Range { prefix: MEMBERS, after: after.as_deref(), backwards: false };
        let rows = ledger.scan(id, Kind::State, range, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(members) };
        after = Some(last.key.clone());
        for found in rows {
            members.insert(named(&found.key)?, row::decode(&found.body)?);
        }
    }
}

fn named(key: &[u8]) -> Result<MemberId, MemberError> {
    let name = key.get(MEMBERS.len()..).and_then(|name| <[u8; 16]>::try_from(name).ok());
    let name = name.ok_or(MemberError::Key { found: key.len() })?;
    Ok(MemberId(Uuid::from_bytes(name)))
}

/// The operation that writes a member's row.
pub(crate) fn put(id: MemberId, member: &Member) -> Result<Op, MemberError> {
    let body = row::encode(member)?;
    Ok(Op::Put { kind: Kind::State, key: key(id).into(), body: body.into() })
}

/// The operation that removes it.
pub(crate) fn delete(id: MemberId) -> Op {
    Op::Delete { kind: Kind::State, key: key(id).into() }
}

fn key(id: MemberId) -> Vec<u8> {
    [MEMBERS, id.0.as_bytes()].concat()
}
