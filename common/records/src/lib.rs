//! Records of organizations: resources of which there may be any number, for example findings, reports and trust scans. Each
//! has a head, which lists and indexes read, and may have a detail, a history and events.
//!
//! * One commit writes everything that belongs to a change: heads, details, history, events, and rows of other tables, for
//!   example jobs. It takes effect as a whole or not at all. The rows of one commit lie in one ledger, so that everything
//!   that must change together has the same anchor: [`shard_of_anchor`].
//! * The id of a record carries its shard, so that one record is read and changed without an index. Every key begins with the
//!   organization: the id of another organization's record finds nothing.
//! * [`Attempts`] is the optimistic loop. A commit of unknown outcome is settled before it returns: `true` means that it took
//!   effect exactly once, `false` that it did not, and an error that neither could be found out.
//! * This crate is the only writer of the outbox in these ledgers. The delivery worker reads it as it reads the outbox of
//!   incidents, and an event arrives once for each commit that contains it. Only [`Home::Records`] has an outbox.
//! * Bodies are bounded, see `rows`, and begin with a schema version; a body of an unknown version is an error.
//! * Deleting a record removes head, detail and history. What must be remembered, a tombstone, is a row of the record's
//!   table of states, written by the same commit.
//!
//! ```
//! # use records::{Attempts, Change, Home, Record, RecordError, Records};
//! # use common::ids::{OrganizationId, RecordId};
//! # #[derive(Clone, serde::Serialize, serde::Deserialize)]
//! # struct Report { id: RecordId, organization: OrganizationId, runs: u32 }
//! # impl Record for Report {
//! #     const NAME: &'static str = "report";
//! #     type Detail = String;
//! #     type History = String;
//! #     fn id(&self) -> RecordId { self.id }
//! #     fn organization(&self) -> OrganizationId { self.organization }
//! # }
//! # async fn count(records: &Records, organization: OrganizationId, id: RecordId) -> Result<(), RecordError> {
//! let mut attempts = records.attempts(Home::Records, id.shard());
//! while let Some(mut draft) = attempts.next().await? {
//!     let Some(mut report) = records.get::<Report>(organization, id).await? else { return Ok(()) };
//!     report.runs += 1;
//!     draft.add(Change::put(report).history("ran".to_owned()))?;
//!     if attempts.commit(draft).await? {
//!         return Ok(());
//!     }
//! }
//! # Err(RecordError::Conflict)
//! # }
//! ```

mod actor;
mod attempts;
mod change;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod draft;
mod error;
mod record;
mod removal;
mod rows;
mod store;
mod tables;

pub use actor::{Actor, ActorKind};
pub use attempts::Attempts;
pub use change::Change;
pub use draft::Draft;
pub use error::RecordError;
pub use record::{Home, Record, shard_of_anchor, shard_of_identifier};
pub use removal::{Removal, Removing};
pub use rows::{
    HistoryNumber, MAX_DETAIL_BYTES, MAX_EVENT_BYTES, MAX_HEAD_BYTES, MAX_HISTORY_BYTES, MAX_ROW_BYTES,
    RecordKey,
};
pub use store::{Entry, MAX_PAGE, Records, Written};
pub use tables::{Table, Touched};

#[cfg(test)]
mod tests;
