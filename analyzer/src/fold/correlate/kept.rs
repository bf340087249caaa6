//! What a window keeps of an event beside its time and identity, and how that is written.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::once::Once;
use crate::carried::Carried;
use crate::fold::ground::{FirstGround, Ground, HeldGround};
use crate::note::Note;

/// What is kept of an event until it is a member, and a point. Other windows that count it hold the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// For evidence.
    pub(super) note: Option<Arc<Note>>,
    /// For outer correlations.
    pub(super) carried: Option<Arc<Carried>>,
    /// For filters that are added later.
    pub(super) ground: Option<Arc<Ground>>,
    /// About how many bytes the ground takes in the window's row, where it is told by the first; 1 until it is held.
    /// Never 0, so that a place without anything kept is as small.
    pub(super) ground_bytes: NonZeroU32,
}

/// [`Kept`] as it is written: a note alone stands for itself, as most do.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum KeptRow {
    Grounded {
        ground: HeldGround,
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
        let Self { note, carried, ground, .. } = &self;
        (note.is_some() || carried.is_some() || ground.is_some()).then_some(self)
    }

    /// What a row holds, in a window whose first ground is this.
    pub(super) fn restored(row: &KeptRow, first: &FirstGround, once: &mut Once) -> Option<Self> {
        let (note, carried, held) = match row {
            KeptRow::Grounded { ground, carried, note } => (note.as_ref(), carried.clone(), Some(ground)),
            KeptRow::Carrying { carried, note } => (note.as_ref(), Some(Arc::clone(carried)), None),
            KeptRow::Note(note) => (Some(note), None, None),
        };
        let whole = held.and_then(|held| Some((first.whole(held)?, in_bytes(held.cost()))));
        let (ground, ground_bytes) = match whole {
            Some((whole, written)) => (Some(once.ground(whole)), written),
            None => (None, NonZeroU32::MIN),
        };
        let note = note.map(|note| once.note(note));
        Self { note, carried, ground, ground_bytes }.some()
    }

    /// What is written of it, in a window whose first ground is this.
    pub(super) fn row(&self, first: &FirstGround) -> Option<KeptRow> {
        let (carried, note) = (self.carried.clone(), self.note.clone());
        match self.ground.as_ref().and_then(|ground| first.held(ground)) {
            Some(ground) => Some(KeptRow::Grounded { ground, carried, note }),
            None => match (carried, note) {
                (Some(carried), note) => Some(KeptRow::Carrying { carried, note }),
                (None, note) => note.map(KeptRow::Note),
            },
        }
    }

    /// Whether its ground is whole and not held yet.
    pub(super) fn is_arriving(&self) -> bool {
        self.ground.is_some() && self.ground_bytes == NonZeroU32::MIN
    }

    /// Holds its ground with those of other events; gives it up where there is no room for any.
    pub(super) fn hold_ground(&mut self, first: &mut FirstGround) {
        let held = self.ground.as_ref().and_then(|ground| first.hold(ground));
        self.ground = self.ground.take().filter(|_| held.is_some());
        self.ground_bytes = held.map_or(NonZeroU32::MIN, |held| in_bytes(held.cost()));
    }

    /// About how many bytes its note costs to keep.
    pub(super) fn note_cost(&self) -> usize {
        self.note.as_ref().map_or(0, |note| note.cost())
    }

    /// About how many bytes its note, and what is carried, cost to keep.
    pub(super) fn cost(&self) -> usize {
        self.note_cost() + self.carried.as_ref().map_or(0, |carried| carried.cost())
    }

    /// About how many bytes its ground takes in the window's row.
    pub(super) fn ground_written(&self) -> usize {
        self.ground.as_ref().map_or(0, |_| self.ground_bytes.get() as usize)
    }

    /// About how many bytes its ground costs to keep, if no other window held it.
    pub(super) fn ground_cost(&self) -> usize {
        self.ground.as_ref().map_or(0, |ground| ground.cost())
    }
}

fn in_bytes(cost: usize) -> NonZeroU32 {
    u32::try_from(cost).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX)
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
        let alone = Kept {
            note: Some(Arc::clone(&note)),
            carried: None,
            ground: None,
            ground_bytes: NonZeroU32::MIN,
        };
        let mut first = FirstGround::default();
        let written =
            |kept: &Kept, first: &FirstGround| serde_json::to_value(kept.row(first).unwrap()).unwrap();
        assert_eq!(written(&alone, &first), serde_json::to_value(&note).unwrap());
        let both =
            Kept { note: Some(note), carried: carried.clone(), ground: None, ground_bytes: NonZeroU32::MIN };
        let ground = Ground::of(["a rule".to_owned()], &Arc::new(sigma::Constants::of(&event, &[])));
        let mut grounded = Kept { ground: Some(ground), ..both.clone() };
        grounded.hold_ground(&mut first);
        let ground_alone = Kept { note: None, carried: None, ..grounded.clone() };
        let carried_alone = Kept { note: None, carried, ground: None, ground_bytes: NonZeroU32::MIN };
        for kept in [alone, both, grounded, ground_alone, carried_alone] {
            let row: KeptRow = serde_json::from_value(written(&kept, &first)).unwrap();
            assert_eq!(Kept::restored(&row, &first, &mut Once::default()).unwrap(), kept);
        }
    }

    #[test]
    fn windows_that_are_read_back_hold_a_record_once() {
        let mut event = Event::default();
        event.push("user.name", Value::String("eve".into()));
        let note = Arc::new(Note::of(&event, "hello", Timestamp(1), false, Timestamp(2)));
        let ground = Ground::of(["a rule".to_owned()], &Arc::new(sigma::Constants::of(&event, &[])));
        let (mut first, mut once) = (FirstGround::default(), Once::default());
        let mut kept =
            Kept { note: Some(note), carried: None, ground: Some(ground), ground_bytes: NonZeroU32::MIN };
        kept.hold_ground(&mut first);
        let written = serde_json::to_string(&kept.row(&first).unwrap()).unwrap();
        let mut restored = || {
            let row: KeptRow = serde_json::from_str(&written).unwrap();
            Kept::restored(&row, &first, &mut once).unwrap()
        };
        let [one, other] = [restored(), restored()];
        assert!(one.note.zip(other.note).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other)));
        assert!(one.ground.zip(other.ground).is_some_and(|(one, other)| Arc::ptr_eq(&one, &other)));
    }
}
