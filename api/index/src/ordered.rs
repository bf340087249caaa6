//! Resources in the order of the index, as columns in blocks: a change moves one block's worth of memory, and a scan runs over
//! contiguous columns. Knows nothing of organizations and filters.

use std::sync::Arc;

use crate::listed::{Listed, Place};

/// Most resources in a block. Larger blocks scan no faster and cost more to insert into.
pub(crate) const BLOCK: usize = 1024;

/// Outcome of a filter for one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It does not match.
    No,
    /// It matches.
    Yes,
    /// It matches if its own texts contain the searched text, or none is searched.
    IfText,
}

/// A sorted sequence of resources.
#[derive(Debug)]
pub(crate) struct Ordered<L: Listed> {
    blocks: Vec<Block<L>>,
    len: usize,
}

/// A run of it. The columns have the same length, never zero.
#[derive(Debug)]
pub(crate) struct Block<L: Listed> {
    places: Vec<Place<L::Id>>,
    facets: Vec<L::Facets>,
    /// Milliseconds of the creation: a column of its own, which few orders of a list read.
    created: Vec<i64>,
    rows: Vec<Arc<L::Row>>,
    /// Numbers of their texts.
    texts: Vec<u32>,
}

/// One resource of a block.
pub struct Item<'b, L: Listed> {
    /// Its position in the order.
    pub place: Place<L::Id>,
    /// Its columns.
    pub facets: &'b L::Facets,
    /// The part that a list shows.
    pub row: &'b Arc<L::Row>,
    block: &'b Block<L>,
    /// Its number in the block.
    pub(crate) at: usize,
}

impl<L: Listed> Item<'_, L> {
    /// Milliseconds since 1970 of its creation.
    #[must_use]
    pub fn created_millis(&self) -> i64 {
        self.block.created.get(self.at).copied().unwrap_or_default()
    }

    /// Number of its text.
    pub(crate) fn text(&self) -> Option<u32> {
        self.block.texts.get(self.at).copied()
    }
}

/// The parts of a resource that a block keeps.
pub(crate) struct Parts<L: Listed> {
    pub(crate) place: Place<L::Id>,
    pub(crate) facets: L::Facets,
    pub(crate) created: i64,
    pub(crate) row: Arc<L::Row>,
    /// Number of its text.
    pub(crate) text: u32,
}

/// A resource that was removed.
pub(crate) struct Removed<L: Listed> {
    pub(crate) row: Arc<L::Row>,
    /// Number of its text.
    pub(crate) text: u32,
}

impl<L: Listed> Block<L> {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Item<'_, L>> {
        let columns = self.places.iter().zip(&self.facets).zip(&self.rows).enumerate();
        columns.map(|(at, ((place, facets), row))| Item { place: *place, facets, row, block: self, at })
    }

    /// Milliseconds of the latest and of the earliest last activity in the block.
    pub(crate) fn activity(&self) -> (i64, i64) {
        let millis = |place: Option<&Place<L::Id>>| place.map_or(0, Place::activity_millis);
        (millis(self.places.first()), millis(self.places.last()))
    }

    pub(crate) fn rows(&self) -> &[Arc<L::Row>] {
        &self.rows
    }

    pub(crate) fn id(&self, at: usize) -> Option<L::Id> {
        self.places.get(at).map(Place::id)
    }

    /// The resource at a place.
    pub(crate) fn item(&self, at: usize) -> Option<Item<'_, L>> {
        let (place, facets, row) = (*self.places.get(at)?, self.facets.get(at)?, self.rows.get(at)?);
        Some(Item { place, facets, row, block: self, at })
    }

    fn insert(&mut self, at: usize, parts: Parts<L>) {
        self.places.insert(at, parts.place);
        self.facets.insert(at, parts.facets);
        self.created.insert(at, parts.created);
        self.rows.insert(at, parts.row);
        self.texts.insert(at, parts.text);
    }

    fn remove(&mut self, at: usize) -> Removed<L> {
        self.places.remove(at);
        self.facets.remove(at);
        self.created.remove(at);
        Removed { row: self.rows.remove(at), text: self.texts.remove(at) }
    }

    /// Cuts the second half off.
    fn split(&mut self) -> Self {
        let half = self.len() / 2;
        Self {
            places: self.places.split_off(half),
            facets: self.facets.split_off(half),
            created: self.created.split_off(half),
            rows: self.rows.split_off(half),
            texts: self.texts.split_off(half),
        }
    }
}

impl<L: Listed> Default for Block<L> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            facets: Vec::new(),
            created: Vec::new(),
            rows: Vec::new(),
            texts: Vec::new(),
        }
    }
}

impl<L: Listed> Default for Ordered<L> {
    fn default() -> Self {
        Self { blocks: Vec::new(), len: 0 }
    }
}

impl<L: Listed> Ordered<L> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn blocks(&self) -> &[Block<L>] {
        &self.blocks
    }

    /// Puts a resource at a place where no other is.
    pub(crate) fn insert(&mut self, parts: Parts<L>) {
        let number = self.block_of(parts.place);
        if self.blocks.is_empty() {
            self.blocks.push(Block::default());
        }
        let Some(block) = self.blocks.get_mut(number) else { return };
        let at = block.places.partition_point(|other| *other < parts.place);
        block.insert(at, parts);
        if block.len() > BLOCK {
            let second = block.split();
            self.blocks.insert(number + 1, second);
        }
        self.len += 1;
    }

    /// Takes the resource at a place out.
    pub(crate) fn remove(&mut self, place: Place<L::Id>) -> Option<Removed<L>> {
        let number = self.block_of(place);
        let block = self.blocks.get_mut(number)?;
        let at = block.places.binary_search(&place).ok()?;
        let removed = block.remove(at);
        if block.len() == 0 {
            self.blocks.remove(number);
        }
        self.len -= 1;
        Some(removed)
    }

    /// The place of the last resource: the one least recently active.
    pub(crate) fn last(&self) -> Option<Place<L::Id>> {
        self.blocks.last()?.places.last().copied()
    }

    /// The block that a place belongs into: the last one that begins at or before it, else the first.
    fn block_of(&self, place: Place<L::Id>) -> usize {
        let after =
            self.blocks.partition_point(|block| block.places.first().is_some_and(|first| *first <= place));
        after.saturating_sub(1)
    }
}
