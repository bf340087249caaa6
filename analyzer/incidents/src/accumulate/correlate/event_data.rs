//! Data of an event in a window, beside its time and identity.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::interner::Interner;
use crate::carried::Carried;
use crate::note::Note;

/// Data of an event until it is a member, and a point. Other windows that count it share them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EventData {
    /// For evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<Arc<Note>>,
    /// For outer correlations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) carried: Option<Arc<Carried>>,
}

impl EventData {
    /// `None` where there is nothing to keep.
    pub(super) fn some(self) -> Option<Self> {
        (self.note.is_some() || self.carried.is_some()).then_some(self)
    }

    /// The same after it was read, with the note that other windows share.
    pub(super) fn interned(&self, interner: &mut Interner) -> Self {
        Self { note: self.note.as_ref().map(|note| interner.note(note)), carried: self.carried.clone() }
    }

    /// Bytes, about, that its note takes.
    pub(super) fn note_cost(&self) -> usize {
        self.note.as_ref().map_or(0, |note| note.cost())
    }

    /// Bytes, about, that its note and carried fields take.
    pub(super) fn cost(&self) -> usize {
        self.note_cost() + self.carried.as_ref().map_or(0, |carried| carried.cost())
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;
    use sigma::event::{Event, Value};

    use super::*;

    #[test]
    fn windows_that_are_read_back_share_the_note_of_a_record() {
        let mut event = Event::default();
        event.push("user.name", Value::String("eve".into()));
        let note = Some(Arc::new(Note::of(&event, "hello", Timestamp(1), false, Timestamp(2))));
        let data = EventData { note, carried: Carried::of(&["user.name".to_owned()], &event) };
        let (written, mut interner) = (serde_json::to_string(&data).unwrap(), Interner::default());
        let mut restored = || serde_json::from_str::<EventData>(&written).unwrap().interned(&mut interner);
        let [one, other] = [restored(), restored()];
        assert_eq!(one, data);
        assert!(one.note.zip(other.note).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other)));
    }
}
