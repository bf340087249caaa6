//! What many windows have in common and is held once: whose they are, and what is kept of a record that a dozen of
//! them count.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use sigma::Constants;

use crate::fold::finding::Owner;
use crate::fold::ground::Ground;
use crate::note::Note;

/// Shapes of events whose names are held once; the usual source has a handful.
const MOST_SHAPES: usize = 64;

/// What is held already.
#[derive(Debug, Default)]
pub(super) struct Once {
    owners: HashSet<Arc<Owner>>,
    rules: HashSet<Arc<BTreeSet<String>>>,
    /// Fields of which others hold the names.
    shapes: Vec<Arc<Constants>>,
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
        let fields = self.fields(&ground.fields);
        once(&mut self.grounds, Arc::new(ground.of_same(rules, fields)))
    }

    fn fields(&mut self, fields: &Arc<Constants>) -> Arc<Constants> {
        if let Some(held) = self.fields.get(fields) {
            return Arc::clone(held);
        }
        let shape = self.shapes.iter().find(|shape| shape.are_named_like(fields));
        let fields = shape.map_or_else(|| Arc::clone(fields), |shape| fields.named_like(shape).into());
        if shape.is_none() && self.shapes.len() < MOST_SHAPES {
            self.shapes.push(Arc::clone(&fields));
        }
        once(&mut self.fields, fields)
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
        self.shapes.retain(|shape| Arc::strong_count(shape) > 1);
    }
}

fn once<T: Eq + Hash>(held: &mut HashSet<Arc<T>>, value: Arc<T>) -> Arc<T> {
    if let Some(held) = held.get(&value) {
        return Arc::clone(held);
    }
    held.insert(Arc::clone(&value));
    value
}
