//! Everything that one commit is to write, decided at one sequence number.

use common::event::{Event, outbox_key};
use common::partition::Shard;
use ledger::{Kind, LedgerId, MAX_COMMIT_BYTES, MAX_COMMIT_ROWS, Op, Seq};
use serde::Serialize;

use crate::change::{Change, Subject};
use crate::error::RecordError;
use crate::record::{Home, Record};
use crate::rows::{
    HistoryNumber, MAX_DETAIL_BYTES, MAX_EVENT_BYTES, MAX_HEAD_BYTES, MAX_HISTORY_BYTES, MAX_ROW_BYTES,
    delete, history_key, put, record_key,
};
use crate::tables::{STATES, Table, state_key};

/// Kept free for the commit's token.
const RESERVED_BYTES: usize = 256;

/// See the module. Made by [`Attempts::next`](crate::Attempts::next), and committed by the same attempts.
#[derive(Debug)]
pub struct Draft {
    place: (Home, Shard),
    pub(crate) ledger: LedgerId,
    pub(crate) at: Seq,
    pub(crate) ops: Vec<Op>,
    bytes: usize,
    entries: u16,
    events: u16,
}

impl Draft {
    pub(crate) fn new(place: (Home, Shard), at: Seq) -> Self {
        let (home, shard) = place;
        Self { place, ledger: home.ledger(shard), at, ops: Vec::new(), bytes: 0, entries: 0, events: 0 }
    }

    /// Adds a change of a record.
    ///
    /// # Errors
    /// [`RecordError::WrongLedger`] for a record of another shard or home, [`RecordError::TooLarge`] above a bound,
    /// [`RecordError::NoOutbox`] for an event of a shared result, [`RecordError::WrongOrganization`] for an event of another
    /// organization. The draft cannot be used any more then.
    pub fn add<R: Record>(&mut self, change: Change<R>) -> Result<(), RecordError> {
        let (organization, id) = change.named();
        if self.ledger != R::HOME.ledger(id.shard()) {
            return Err(RecordError::WrongLedger);
        }
        let key = record_key::<R>(organization, id);
        match change.subject {
            Subject::Put(head) => {
                self.push(put(Kind::Head, key.clone(), &head, ("head", MAX_HEAD_BYTES))?);
                if let Some(detail) = &change.detail {
                    self.push(put(Kind::Detail, key.clone(), detail, ("detail", MAX_DETAIL_BYTES))?);
                }
                for entry in &change.history {
                    let number = HistoryNumber::new(Seq(self.at.0 + 1), self.entries);
                    let key = history_key(&key, number);
                    self.push(put(Kind::History, key, entry, ("history entry", MAX_HISTORY_BYTES))?);
                    self.entries = self.entries.saturating_add(1);
                }
            }
            Subject::Removal(removal) => {
                self.push(delete(Kind::Head, key.clone()));
                self.push(delete(Kind::Detail, key));
                removal.history.into_iter().for_each(|entry| self.push(delete(Kind::History, entry)));
            }
        }
        for (key, body) in change.states {
            self.push_state(state_key::<R>(organization, &key), body)?;
        }
        for event in &change.events {
            if event.organization != organization {
                return Err(RecordError::WrongOrganization);
            }
            self.push_event(event)?;
        }
        Ok(())
    }

    /// Adds a change of a record if it fits into the commit beside the others, and says whether it did. The first change of a
    /// draft is always added: if it alone is too large, that is an error.
    ///
    /// # Errors
    /// Those of [`Draft::add`].
    pub fn add_if_room<R: Record>(&mut self, change: Change<R>) -> Result<bool, RecordError> {
        let before = (self.bytes, self.entries, self.events);
        let rows = self.ops.len();
        self.add(change)?;
        let has_room = self.ops.len() < MAX_COMMIT_ROWS && self.bytes + RESERVED_BYTES <= MAX_COMMIT_BYTES;
        if rows > 0 && !has_room {
            self.ops.truncate(rows);
            (self.bytes, self.entries, self.events) = before;
            return Ok(false);
        }
        Ok(true)
    }

    /// Writes a row of a table.
    ///
    /// # Errors
    /// [`RecordError::TooLarge`] above [`MAX_ROW_BYTES`].
    pub fn put_row<T: Serialize>(&mut self, table: Table, key: &[u8], value: &T) -> Result<(), RecordError> {
        let op = put(Kind::State, table.key(key), value, (table.name(), MAX_ROW_BYTES))?;
        self.push(op);
        Ok(())
    }

    /// Removes a row of a table.
    pub fn delete_row(&mut self, table: Table, key: &[u8]) {
        self.push(delete(Kind::State, table.key(key)));
    }

    /// Whether nothing was added: such a draft is not committed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Number of the commit, if it takes effect: no other commit of the ledger has it.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.at.0 + 1
    }

    /// Rows that it changes so far.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.ops.len()
    }

    /// The ledger that it is for.
    #[must_use]
    pub fn place(&self) -> (Home, Shard) {
        self.place
    }

    /// The body that it writes under a key among the state rows, `Some(None)` where it removes the row.
    pub(crate) fn written(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        self.ops.iter().rev().find_map(|op| match op {
            Op::Put { kind: Kind::State, key: own, body } if own == key => Some(Some(body.as_ref())),
            Op::Delete { kind: Kind::State, key: own } if own == key => Some(None),
            _ => None,
        })
    }

    fn push_state(&mut self, key: Vec<u8>, body: Option<Vec<u8>>) -> Result<(), RecordError> {
        let Some(body) = body else {
            self.push(delete(Kind::State, key));
            return Ok(());
        };
        let (row, found, limit) = (STATES.name(), body.len(), MAX_ROW_BYTES);
        if found > limit {
            return Err(RecordError::TooLarge { row, found, limit });
        }
        self.push(Op::Put { kind: Kind::State, key: key.into(), body: body.into() });
        Ok(())
    }

    fn push_event(&mut self, event: &Event) -> Result<(), RecordError> {
        if !matches!(self.ledger, LedgerId::Records(_)) {
            return Err(RecordError::NoOutbox);
        }
        let key = outbox_key(self.at.0 + 1, self.events);
        self.push(put(Kind::Outbox, key, event, ("event", MAX_EVENT_BYTES))?);
        self.events = self.events.saturating_add(1);
        Ok(())
    }

    pub(crate) fn push(&mut self, op: Op) {
        let (Op::Put { key, .. } | Op::Delete { key, .. }) = &op;
        self.bytes += key.len();
        if let Op::Put { body, .. } = &op {
            self.bytes += body.len();
        }
        self.ops.push(op);
    }
}
