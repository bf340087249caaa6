//! Interned values that many windows share: their owners, and the notes of records that several of them count.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use crate::finding::Owner;
use crate::note::Note;

/// The values that are in memory.
#[derive(Debug, Default)]
pub(super) struct Interner {
    owners: HashSet<Arc<Owner>>,
    /// Of all records while windows are read back.
    notes: HashSet<Arc<Note>>,
}

impl Interner {
    /// An owner.
    pub(super) fn owner(&mut self, owner: Owner) -> Arc<Owner> {
        intern(&mut self.owners, owner.into())
    }

    /// The note of a record.
    pub(super) fn note(&mut self, note: &Arc<Note>) -> Arc<Note> {
        intern(&mut self.notes, Arc::clone(note))
    }

    /// Leaves the notes of records to the windows.
    pub(super) fn forget_records(&mut self) {
        self.notes.clear();
    }

    /// Forgets owners that no window has any more.
    pub(super) fn forget_unused(&mut self) {
        self.owners.retain(|owner| Arc::strong_count(owner) > 1);
    }
}

fn intern<T: Eq + Hash>(held: &mut HashSet<Arc<T>>, value: Arc<T>) -> Arc<T> {
    if let Some(held) = held.get(&value) {
        return Arc::clone(held);
    }
    held.insert(Arc::clone(&value));
    value
}
