//! What a window keeps of an event beside its time and identity, and how that is written.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::interner::Interner;
use crate::carried::Carried;
use crate::note::Note;

/// What is kept of an event until it is a member, and a point. Other windows that count it hold the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventData {
    /// For evidence.
    pub(super) note: Option<Arc<Note>>,
    /// For outer correlations.
    pub(super) carried: Option<Arc<Carried>>,
}

/// [`EventData`] as it is written: a note alone stands for itself, as most do.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum EventDataRow {
    Carrying {
        carried: Arc<Carried>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Arc<Note>>,
    },
    Note(Arc<Note>),
}

impl EventData {
    /// `None` where there is nothing to keep.
    pub(super) fn some(self) -> Option<Self> {
        (self.note.is_some() || self.carried.is_some()).then_some(self)
    }

    /// What a row holds.
    pub(super) fn restored(row: &EventDataRow, interner: &mut Interner) -> Option<Self> {
        let (note, carried) = match row {
            EventDataRow::Carrying { carried, note } => (note.as_ref(), Some(Arc::clone(carried))),
            EventDataRow::Note(note) => (Some(note), None),
        };
        let note = note.map(|note| interner.note(note));
        Self { note, carried }.some()
    }

    /// What is written of it.
    pub(super) fn row(&self) -> Option<EventDataRow> {
        match (self.carried.clone(), self.note.clone()) {
            (Some(carried), note) => Some(EventDataRow::Carrying { carried, note }),
            (None, note) => note.map(EventDataRow::Note),
        }
    }

    /// About how many bytes its note costs to keep.
    pub(super) fn note_cost(&self) -> usize {
        self.note.as_ref().map_or(0, |note| note.cost())
    }

    /// About how many bytes its note, and what is carried, cost to keep.
    pub(super) fn cost(&self) -> usize {
        self.note_cost() + self.carried.as_ref().map_or(0, |carried| carried.cost())
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;
    use sigma::event::{Event, Value};

    use super::*;

    fn note() -> Arc<Note> {
        let mut event = Event::default();
        event.push("user.name", Value::String("eve".into()));
        Arc::new(Note::of(&event, "hello", Timestamp(1), false, Timestamp(2)))
    }

    #[test]
    fn what_is_written_is_read_and_a_note_alone_is_written_by_itself() {
        let mut event = Event::default();
        event.push("user.name", Value::String("eve".into()));
        let carried = Carried::of(&["user.name".to_owned()], &event);
        let written = |kept: &EventData| serde_json::to_value(kept.row().unwrap()).unwrap();
        let alone = EventData { note: Some(note()), carried: None };
        assert_eq!(written(&alone), serde_json::to_value(note()).unwrap());
        let both = EventData { note: Some(note()), carried: carried.clone() };
        for kept in [alone, both, EventData { note: None, carried }] {
            let row: EventDataRow = serde_json::from_value(written(&kept)).unwrap();
            assert_eq!(EventData::restored(&row, &mut Interner::default()).unwrap(), kept);
        }
    }

    #[test]
    fn windows_that_are_read_back_hold_a_record_once() {
        let mut interner = Interner::default();
        let kept = EventData { note: Some(note()), carried: None };
        let written = serde_json::to_string(&kept.row().unwrap()).unwrap();
        let mut restored = || {
            let row: EventDataRow = serde_json::from_str(&written).unwrap();
            EventData::restored(&row, &mut interner).unwrap()
        };
        let [one, other] = [restored(), restored()];
        assert!(one.note.zip(other.note).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other)));
    }
}
