//! Removing a record with its whole history, which may be longer than a commit.

use bytes::Bytes;
use common::ids::{OrganizationId, RecordId};
use ledger::{Kind, Range};

use crate::draft::Draft;
use crate::error::RecordError;
use crate::record::Record;
use crate::rows::{delete, record_key};
use crate::store::Records;

/// Entries of a history that are removed by one commit: at most 8 MiB of them are read.
const MOST_ENTRIES: usize = 256;

/// Removal of a record, as [`Records::removal`] read it.
#[derive(Debug)]
pub enum Removing<R> {
    /// By this commit, with [`Change::delete`](crate::Change::delete).
    Whole(Removal<R>),
    /// By a later one, since its history is longer than a commit. This one removes the oldest entries.
    Shortened,
}

/// A record that can be removed by one commit.
#[derive(Debug)]
pub struct Removal<R> {
    /// The record.
    pub head: R,
    /// Keys of its history.
    pub(crate) history: Vec<Bytes>,
}

impl Records {
    /// Prepares the removal of a record in a draft; `None` when there is no such record. When it is
    /// [`Removing::Shortened`] the draft is to be committed as it is, and the removal prepared anew in the next attempt: a
    /// deletion that is interrupted leaves the record with a shorter history.
    ///
    /// # Errors
    /// As [`Records::get`], and [`RecordError::WrongLedger`] for a draft of another ledger.
    pub async fn removal<R: Record>(
        &self,
        draft: &mut Draft,
        organization: OrganizationId,
        id: RecordId,
    ) -> Result<Option<Removing<R>>, RecordError> {
        let ledger = R::HOME.ledger(id.shard());
        if draft.ledger != ledger {
            return Err(RecordError::WrongLedger);
        }
        let Some(head) = self.get::<R>(organization, id).await? else { return Ok(None) };
        let prefix = record_key::<R>(organization, id);
        let range = Range { prefix: &prefix, ..Range::default() };
        let rows = self.ledger.scan(ledger, Kind::History, range, MOST_ENTRIES + 1).await?;
        let history: Vec<Bytes> = rows.into_iter().map(|row| row.key).collect();
        if history.len() <= MOST_ENTRIES {
            return Ok(Some(Removing::Whole(Removal { head, history })));
        }
        history.into_iter().for_each(|key| draft.push(delete(Kind::History, key)));
        Ok(Some(Removing::Shortened))
    }
}
