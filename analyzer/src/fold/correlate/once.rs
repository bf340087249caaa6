//! What many windows have in common and is held once: whose they are, and what is kept of a record that a dozen of
//! them count.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use sigma::Constants;

use crate::fold::finding::Owner;
use crate::fold::ground::Ground;
use crate::note::Note;

/// What is held already.
#[derive(Debug, Default)]
pub(super) struct Once {
    owners: HashSet<Arc<Owner>>,
    rules: HashSet<Arc<BTreeSet<String>>>,
    // Of the record at hand, or of all while windows are read back.
    notes: HashSet<Arc<Note>>,
    fields: HashSet<Arc<Constants>>,
    grounds: HashSet<Arc<Ground>>,
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

    /// The ground of a record.
    pub(super) fn ground(&mut self, ground: Arc<Ground>) -> Arc<Ground> {
        if let Some(held) = self.grounds.get(&ground) {
            return Arc::clone(held);
        }
        let rules = once(&mut self.rules, Arc::clone(&ground.rules));
        let fields = once(&mut self.fields, Arc::clone(&ground.fields));
        once(&mut self.grounds, Arc::new(ground.of_same(rules, fields)))
    }

    /// Leaves it to windows to hold what is kept of records.
    pub(super) fn forget_records(&mut self) {
        self.notes.clear();
        self.fields.clear();
        self.grounds.clear();
    }

    /// Forgets what no window holds any more.
    pub(super) fn forget_unused(&mut self) {
        self.owners.retain(|owner| Arc::strong_count(owner) > 1);
        self.rules.retain(|rules| Arc::strong_count(rules) > 1);
    }
}

fn once<T: Eq + Hash>(held: &mut HashSet<Arc<T>>, value: Arc<T>) -> Arc<T> {
    if let Some(held) = held.get(&value) {
        return Arc::clone(held);
    }
    held.insert(Arc::clone(&value));
    value
}
