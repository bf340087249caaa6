//! Removing a record with its whole history, which may be longer than a commit.

use bytes::Bytes;
use common::ids::{OrganizationId, RecordId};
use ledger::{Kind, Range};

use crate::error::RecordError;
use crate::record::Record;
use crate::rows::{delete, record_key};
use crate::store::Records;

/// Entries of a history that are removed by one commit: at most 8 MiB of them are read.
const MOST_ENTRIES: usize = 256;

/// A record that can be removed by one commit, as [`Records::removal`] read it.
#[derive(Debug)]
pub struct Removal<R> {
    /// The record.
    pub head: R,
    /// Keys of its history.
    pub(crate) history: Vec<Bytes>,
}

impl Records {
    /// Prepares the removal of a record in an attempt, after [`Attempts::next`](crate::Attempts::next); `None` when there is
    /// no such record. The oldest entries of a history that is longer than a commit are removed right away, so that an
    /// attempt may be lost to that, and a deletion that is interrupted leaves the record with a shorter history.
    ///
    /// # Errors
    /// As [`Records::get`] and [`Attempts::commit`](crate::Attempts::commit).
    pub async fn removal<R: Record>(
        &self,
        organization: OrganizationId,
        id: RecordId,
    ) -> Result<Option<Removal<R>>, RecordError> {
        let Some(head) = self.get::<R>(organization, id).await? else { return Ok(None) };
        let prefix = record_key::<R>(organization, id);
        loop {
            let range = Range { prefix: &prefix, ..Range::default() };
            let ledger = R::HOME.ledger(id.shard());
            let rows = self.ledger.scan(ledger, Kind::History, range, MOST_ENTRIES + 1).await?;
            let history: Vec<Bytes> = rows.into_iter().map(|row| row.key).collect();
            if history.len() <= MOST_ENTRIES {
                return Ok(Some(Removal { head, history }));
            }
            self.remove_entries::<R>(id, history).await?;
        }
    }

    async fn remove_entries<R: Record>(&self, id: RecordId, keys: Vec<Bytes>) -> Result<(), RecordError> {
        let mut attempts = self.attempts(R::HOME, id.shard());
        while let Some(mut draft) = attempts.next().await? {
            keys.iter().for_each(|key| draft.push(delete(Kind::History, key.clone())));
            if attempts.commit(draft).await? {
                return Ok(());
            }
        }
        Err(RecordError::Conflict)
    }
}
