//! What many windows have in common and is held once: whose they are, and the note of a record that a dozen of them
//! count.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use crate::fold::finding::Owner;
use crate::note::Note;

/// What is held already.
#[derive(Debug, Default)]
pub(super) struct Once {
    owners: HashSet<Arc<Owner>>,
    /// Of all records while windows are read back.
    notes: HashSet<Arc<Note>>,
}

impl Once {
    /// An owner.
    pub(super) fn owner(&mut self, owner: Owner) -> Arc<Owner> {
        once(&mut self.owners, owner.into())
    }

    /// The note of a record.
    pub(super) fn note(&mut self, note: &Arc<Note>) -> Arc<Note> {
        once(&mut self.notes, Arc::clone(note))
    }

    /// Leaves it to windows to hold what is kept of records.
    pub(super) fn forget_records(&mut self) {
        self.notes.clear();
    }

    /// Forgets what no window holds any more.
    pub(super) fn forget_unused(&mut self) {
        self.owners.retain(|owner| Arc::strong_count(owner) > 1);
    }
}

fn once<T: Eq + Hash>(held: &mut HashSet<Arc<T>>, value: Arc<T>) -> Arc<T> {
    if let Some(held) = held.get(&value) {
        return Arc::clone(held);
    }
    held.insert(Arc::clone(&value));
    value
}
