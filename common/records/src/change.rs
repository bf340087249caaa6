//! A change of one record: the rows that are written together.

use common::event::Event;
use common::ids::{OrganizationId, RecordId};
use common::row::encode;
use serde::Serialize;

use crate::error::RecordError;
use crate::record::Record;
use crate::removal::Removal;

/// A change of one record, see [`Draft::add`](crate::Draft::add).
#[derive(Debug)]
pub struct Change<R: Record> {
    pub(crate) subject: Subject<R>,
    pub(crate) detail: Option<R::Detail>,
    pub(crate) history: Vec<R::History>,
    pub(crate) events: Vec<Event>,
    pub(crate) states: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

#[derive(Debug)]
pub(crate) enum Subject<R> {
    Put(R),
    Removal(Removal<R>),
}

impl<R: Record> Change<R> {
    /// Writes the head. Detail and history stay as they are unless the change names them.
    #[must_use]
    pub fn put(head: R) -> Self {
        Self::of(Subject::Put(head))
    }

    /// Removes head, detail and history.
    #[must_use]
    pub fn delete(removal: Removal<R>) -> Self {
        Self::of(Subject::Removal(removal))
    }

    fn of(subject: Subject<R>) -> Self {
        Self { subject, detail: None, history: Vec::new(), events: Vec::new(), states: Vec::new() }
    }

    /// Writes the detail; not together with [`Change::delete`], which removes it.
    #[must_use]
    pub fn detail(self, detail: R::Detail) -> Self {
        Self { detail: Some(detail), ..self }
    }

    /// Appends an entry to the history.
    #[must_use]
    pub fn history(mut self, entry: R::History) -> Self {
        self.history.push(entry);
        self
    }

    /// Tells subscribers.
    #[must_use]
    pub fn event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// Writes a row of the type's own beside the record, under a key of at most 512 bytes that the type chooses: for example
    /// from the identity of a finding to its id, and after [`Change::delete`] its tombstone.
    ///
    /// # Errors
    /// [`RecordError::Body`] when it cannot be written as JSON.
    pub fn state<T: Serialize>(mut self, key: &[u8], value: &T) -> Result<Self, RecordError> {
        self.states.push((key.to_vec(), Some(encode(value)?)));
        Ok(self)
    }

    /// Removes such a row.
    #[must_use]
    pub fn without_state(mut self, key: &[u8]) -> Self {
        self.states.push((key.to_vec(), None));
        self
    }

    /// The head that it leaves; `None` when it removes the record.
    #[must_use]
    pub fn head(&self) -> Option<&R> {
        match &self.subject {
            Subject::Put(head) => Some(head),
            Subject::Removal(_) => None,
        }
    }

    pub(crate) fn named(&self) -> (OrganizationId, RecordId) {
        let (Subject::Put(head) | Subject::Removal(Removal { head, .. })) = &self.subject;
        (head.organization(), head.id())
    }
}
