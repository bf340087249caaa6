//! What a window keeps of an event beside its time and identity, and how that is written.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::carried::Carried;
use crate::note::Note;

/// What is kept of an event until it is a member, and a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptRow", into = "KeptRow")]
pub(super) struct Kept {
    /// For evidence.
    pub(super) note: Option<Arc<Note>>,
    /// For outer correlations.
    pub(super) carried: Option<Arc<Carried>>,
}

/// [`Kept`] as it is written: a note alone stands for itself, as most do.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeptRow {
    Carrying {
        carried: Arc<Carried>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Arc<Note>>,
    },
    Note(Arc<Note>),
}

impl Kept {
    /// `None` where there is nothing to keep.
    pub(super) fn some(note: Option<Arc<Note>>, carried: Option<Arc<Carried>>) -> Option<Self> {
        (note.is_some() || carried.is_some()).then_some(Self { note, carried })
    }

    /// About how many bytes it costs to keep.
    pub(super) fn cost(&self) -> usize {
        let note = self.note.as_ref().map_or(0, |note| note.cost());
        note + self.carried.as_ref().map_or(0, |carried| carried.cost())
    }
}

impl From<Kept> for KeptRow {
    fn from(Kept { note, carried }: Kept) -> Self {
        match (note, carried) {
            (Some(note), None) => Self::Note(note),
            (note, carried) => Self::Carrying { carried: carried.unwrap_or_default(), note },
        }
    }
}

impl From<KeptRow> for Kept {
    fn from(row: KeptRow) -> Self {
        match row {
            KeptRow::Carrying { carried, note } => Self { note, carried: Some(carried) },
            KeptRow::Note(note) => Self { note: Some(note), carried: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;
    use sigma::event::{Event, Value};

    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_note_alone_is_written_as_ever() {
        let mut event = Event::default();
        event.push("user.name", Value::String("eve".into()));
        let note = Arc::new(Note::of(&event, "hello", Timestamp(1), false, Timestamp(2)));
        let carried = Carried::of(&["user.name".to_owned()], &event);
        let alone = Kept { note: Some(Arc::clone(&note)), carried: None };
        assert_eq!(serde_json::to_value(&alone).unwrap(), serde_json::to_value(&note).unwrap());
        let both = Kept { note: Some(note), carried: carried.clone() };
        for kept in [alone, both, Kept { note: None, carried }] {
            let written = serde_json::to_string(&kept).unwrap();
            assert_eq!(serde_json::from_str::<Kept>(&written).unwrap(), kept);
        }
    }
}
