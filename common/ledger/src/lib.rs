//! The ledger: all durable state except batches, by compare-and-append. The contract is defined here;
//! each implementation is a module, and all of them pass the one conformance suite. No domain knowledge.

mod bounds;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
#[cfg(feature = "cql")]
pub mod cql;
pub mod cql_config;
pub mod embedded;
mod feed;
mod id;
mod interval;
pub mod memory;
mod name;
pub mod retry;
#[cfg(any(test, feature = "conformance"))]
pub mod wrapped;

use async_trait::async_trait;
use bytes::Bytes;
use common::format::Formats;
use thiserror::Error;

pub use id::{LedgerId, Work};

/// Format versions of ledgers: the tables, and the keys and bodies of the rows that this build writes into them. The embedded
/// file records the version; in a cluster the deployment does.
pub const FORMATS: Formats = Formats { oldest: 4, newest: 4 };

/// A set of ledgers. Each is a sorted map of rows under a sequence number, and changes by one
/// operation only: a commit that names the sequence number it was decided at.
///
/// * A commit is atomic and durable when [`Commit::Done`] is returned, and visible to every reader
///   that starts afterwards.
/// * Every commit raises `seq` by exactly one and writes a feed row that names the rows it touched,
///   so that a reader can follow without scanning. Feed rows expire; a reader that finds a gap
///   reloads instead of assuming that nothing changed.
/// * Rows are ordered by kind, then by the bytes of their key.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// The number of commits so far; 0 for a ledger without any.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`] when the store cannot be reached.
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError>;

    /// Applies all of `ops` and raises `seq` to `at + 1`, if it is `at` now; otherwise changes
    /// nothing. Later operations on a row win over earlier ones in the same list. An empty list is a
    /// commit like any other.
    ///
    /// # Errors
    /// [`LedgerError::TooLarge`] above [`MAX_COMMIT_BYTES`] of keys and bodies or [`MAX_COMMIT_ROWS`] operations;
    /// [`LedgerError::Unavailable`] when certainly nothing was changed.
    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError>;

    /// One row's body.
    ///
    /// # Errors
    /// [`LedgerError::NotAllowed`] for [`Kind::Feed`], which is read by [`Ledger::changes`] only;
    /// [`LedgerError::Unavailable`] when the store cannot be reached; [`LedgerError::Damaged`] when the row differs from
    /// the written one, and the store detects it.
    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError>;

    /// Rows of a kind whose key begins with `range.prefix`, in key order or backwards, at most
    /// `limit` of them (0 is taken as 1). To continue, pass the last key as `range.after`.
    ///
    /// # Errors
    /// [`LedgerError::NotAllowed`] for [`Kind::Feed`], which is read by [`Ledger::changes`] only;
    /// [`LedgerError::Unavailable`] when the store cannot be reached; [`LedgerError::Damaged`] when a row differs from
    /// the written one, and the store detects it.
    async fn scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError>;

    /// Rows touched by commits after `after`, oldest first, at most [`MAX_CHANGES`] commits a call,
    /// and fewer when they touched more than [`MAX_CHANGES_BYTES`] of keys. An `after` that the ledger
    /// has not reached is a [`Changes::Gap`]: the reader has seen commits that no longer exist.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`] when the store cannot be reached.
    async fn changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError>;
}

/// Most bytes of keys and bodies one commit may carry.
pub const MAX_COMMIT_BYTES: usize = 1024 * 1024;
/// Most operations one commit may carry.
pub const MAX_COMMIT_ROWS: usize = 1000;
/// Most commits that one call of [`Ledger::changes`] returns.
pub const MAX_CHANGES: usize = 256;

/// Approximate bytes of keys that one call of [`Ledger::changes`] returns: it stops at the first
/// commit that reaches this.
pub const MAX_CHANGES_BYTES: usize = 4 * 1024 * 1024;
/// Longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 1024;

/// Number of commits of a ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

/// Kind of a row. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Current state of a resource: one small row each, loaded by indexes.
    Head = 0,
    /// The change feed, written by the ledger itself; not allowed in [`Op`].
    Feed = 1,
    /// Past changes, append-only.
    History = 2,
    /// Events to be sent out.
    Outbox = 3,
    /// State that an analyzer needs to continue.
    State = 4,
    /// The large part of a resource, read only to show one.
    Detail = 5,
}

impl Kind {
    /// The number that is stored.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Head, Self::Feed, Self::History, Self::Outbox, Self::State, Self::Detail]
            .into_iter()
            .find(|kind| kind.number() == number)
    }
}

/// One change in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Writes a row, whether or not it exists.
    Put {
        /// Kind of the row.
        kind: Kind,
        /// Its key, 1..=[`MAX_KEY_BYTES`] bytes.
        key: Bytes,
        /// Its body.
        body: Bytes,
    },
    /// Removes a row; no effect if there is none.
    Delete {
        /// Kind of the row.
        kind: Kind,
        /// Its key.
        key: Bytes,
    },
}

/// Outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// It took effect; the ledger now has this sequence number.
    Done(Seq),
    /// Another commit came first; nothing was changed, the ledger has this sequence number.
    Conflict(Seq),
    /// It may or may not have taken effect. The caller reads again before it decides anything.
    Unknown,
}

/// Which keys to scan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range<'a> {
    /// Keys must begin with these bytes; empty for all.
    pub prefix: &'a [u8],
    /// Continue after this key (in the direction of the scan).
    pub after: Option<&'a [u8]>,
    /// From the last key to the first.
    pub backwards: bool,
}

/// A row as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its key.
    pub key: Bytes,
    /// Its body.
    pub body: Bytes,
}

/// Changes of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The rows touched by the commits after the given one, through `seq`; a row that several
    /// commits touched appears once. `seq` may be smaller than the ledger's when there is more.
    Touched {
        /// The last commit reported.
        seq: Seq,
        /// The rows, in the order of their first change.
        rows: Vec<(Kind, Bytes)>,
    },
    /// Feed rows in between have expired: reload. The ledger has this sequence number.
    Gap {
        /// The ledger's sequence number.
        seq: Seq,
    },
}

/// Reason why a call of the ledger failed.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The commit is larger than the contract allows; nothing was changed.
    #[error(
        "the commit has {rows} operations and {bytes} bytes, allowed are {MAX_COMMIT_ROWS} and {MAX_COMMIT_BYTES}"
    )]
    TooLarge {
        /// Operations in it.
        rows: usize,
        /// Bytes of keys and bodies in it.
        bytes: usize,
    },
    /// The operation breaks the contract: a feed row, or a key that is empty or too long.
    #[error("the operation is not allowed: {cause}")]
    NotAllowed {
        /// The violated bound.
        cause: &'static str,
    },
    /// The store cannot be reached or failed; nothing was changed.
    #[error("the ledger is unavailable: {cause}")]
    Unavailable {
        /// Description of the failure.
        cause: String,
    },
    /// The stored data differs from the written data. Retrying does not help; nothing was changed.
    #[error("the ledger of {ledger} is damaged{}: {cause}", place(row.as_ref()))]
    Damaged {
        /// The ledger.
        ledger: LedgerId,
        /// The row, if known.
        row: Option<(Kind, Bytes)>,
        /// Description of the damage.
        cause: String,
    },
}

impl LedgerError {
    /// Whether stored data is damaged, so that retrying does not help.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}

/// Location of the damage, as part of a sentence.
fn place(row: Option<&(Kind, Bytes)>) -> String {
    let Some((kind, key)) = row else { return String::new() };
    format!(" in the {kind:?} row {:x}", key).to_lowercase()
}
