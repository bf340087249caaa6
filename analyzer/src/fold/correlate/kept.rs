//! What a window keeps of an event beside its time and identity, and how that is written.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::carried::Carried;
use crate::fold::ground::{Ground, HeldGround};
use crate::note::Note;

/// What is kept of an event until it is a member, and a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KeptRow", into = "KeptRow")]
pub(super) struct Kept {
    /// For evidence.
    pub(super) note: Option<Arc<Note>>,
    /// For outer correlations.
    pub(super) carried: Option<Arc<Carried>>,
    /// For filters that are added later.
    pub(super) ground: Option<KeptGround>,
}

/// The ground of an event: whole while it is at hand, else as it is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeptGround {
    Whole(Arc<Ground>),
    Held(Arc<HeldGround>),
}

/// [`Kept`] as it is written: a note alone stands for itself, as most do.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeptRow {
    Grounded {
        ground: Arc<HeldGround>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carried: Option<Arc<Carried>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Arc<Note>>,
    },
    Carrying {
        carried: Arc<Carried>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Arc<Note>>,
    },
    Note(Arc<Note>),
}

impl Kept {
    /// `None` where there is nothing to keep.
    pub(super) fn some(self) -> Option<Self> {
        let Self { note, carried, ground } = &self;
        (note.is_some() || carried.is_some() || ground.is_some()).then_some(self)
    }

    /// The event's ground, if it is known and at hand.
    pub(super) fn ground(&self) -> Option<&Arc<Ground>> {
        match &self.ground {
            Some(KeptGround::Whole(ground)) => Some(ground),
            Some(KeptGround::Held(_)) | None => None,
        }
    }

    /// About how many bytes its ground costs to keep; a whole one is not kept.
    pub(super) fn ground_cost(&self) -> usize {
        match &self.ground {
            Some(KeptGround::Held(ground)) => ground.cost(),
            Some(KeptGround::Whole(_)) | None => 0,
        }
    }

    /// About how many bytes the rest of it costs to keep.
    pub(super) fn cost(&self) -> usize {
        let note = self.note.as_ref().map_or(0, |note| note.cost());
        note + self.carried.as_ref().map_or(0, |carried| carried.cost())
    }
}

impl From<Kept> for KeptRow {
    fn from(Kept { note, carried, ground }: Kept) -> Self {
        match (ground, note, carried) {
            (Some(KeptGround::Held(ground)), note, carried) => Self::Grounded { ground, carried, note },
            (_, Some(note), None) => Self::Note(note),
            (_, note, carried) => Self::Carrying { carried: carried.unwrap_or_default(), note },
        }
    }
}

impl From<KeptRow> for Kept {
    fn from(row: KeptRow) -> Self {
        match row {
            KeptRow::Grounded { ground, carried, note } => {
                Self { note, carried, ground: Some(KeptGround::Held(ground)) }
            }
            KeptRow::Carrying { carried, note } => Self { note, carried: Some(carried), ground: None },
            KeptRow::Note(note) => Self { note: Some(note), carried: None, ground: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use common::timestamp::Timestamp;
    use sigma::event::{Event, Value};

    use super::*;
    use crate::fold::ground::FirstGround;

    #[test]
    fn what_is_written_is_read_and_a_note_alone_is_written_as_ever() {
        let mut event = Event::default();
        event.push("user.name", Value::String("eve".into()));
        let note = Arc::new(Note::of(&event, "hello", Timestamp(1), false, Timestamp(2)));
        let carried = Carried::of(&["user.name".to_owned()], &event);
        let alone = Kept { note: Some(Arc::clone(&note)), carried: None, ground: None };
        assert_eq!(serde_json::to_value(&alone).unwrap(), serde_json::to_value(&note).unwrap());
        let both = Kept { note: Some(note), carried: carried.clone(), ground: None };
        let ground = Ground::of(["a rule".to_owned()], &Arc::new(sigma::Constants::of(&event, &[])));
        let held = FirstGround::default().hold(&ground).map(|held| KeptGround::Held(Arc::new(held)));
        let grounded = Kept { ground: held.clone(), ..both.clone() };
        let ground_alone = Kept { note: None, carried: None, ground: held };
        let carried_alone = Kept { note: None, carried, ground: None };
        for kept in [alone, both, grounded, ground_alone, carried_alone] {
            let written = serde_json::to_string(&kept).unwrap();
            assert_eq!(serde_json::from_str::<Kept>(&written).unwrap(), kept);
        }
    }
}
