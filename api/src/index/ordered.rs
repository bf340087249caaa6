//! Incidents in the order of the list, as columns in blocks: a change moves one block's worth of memory, a scan runs
//! over contiguous columns. Knows nothing of organizations and filters.

use std::sync::Arc;

use super::row::{Facets, Place, Row};

/// Most incidents in a block. Larger blocks scan no faster and cost more to insert into.
const BLOCK: usize = 1024;

/// A sorted sequence of incidents.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    blocks: Vec<Block>,
    len: usize,
}

/// A run of it. The four columns have the same length, never zero.
#[derive(Debug, Default)]
pub(super) struct Block {
    places: Vec<Place>,
    facets: Vec<Facets>,
    /// When incidents were created, in milliseconds: a column of its own, which only one order of a list reads.
    created: Vec<i64>,
    rows: Vec<Arc<Row>>,
}

/// One incident of a block.
#[derive(Clone, Copy)]
pub(super) struct Item<'b> {
    pub(super) place: Place,
    pub(super) facets: &'b Facets,
    pub(super) row: &'b Arc<Row>,
    /// Its number in the block.
    pub(super) at: usize,
}

impl Block {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Item<'_>> {
        let columns = self.places.iter().zip(&self.facets).zip(&self.rows).enumerate();
        columns.map(|(at, ((place, facets), row))| Item { place: *place, facets, row, at })
    }

    /// Milliseconds at which an incident of the block was created.
    pub(super) fn created(&self, at: usize) -> i64 {
        self.created.get(at).copied().unwrap_or_default()
    }

    /// Milliseconds of the latest and of the earliest last activity in the block.
    pub(super) fn activity(&self) -> (i64, i64) {
        let millis = |place: Option<&Place>| place.map_or(0, |place| place.activity_millis());
        (millis(self.places.first()), millis(self.places.last()))
    }

    pub(super) fn rows(&self) -> &[Arc<Row>] {
        &self.rows
    }

    fn insert(&mut self, at: usize, place: Place, facets: Facets, row: Arc<Row>) {
        self.places.insert(at, place);
        self.facets.insert(at, facets);
        self.created.insert(at, row.created_at.as_millis());
        self.rows.insert(at, row);
    }

    fn remove(&mut self, at: usize) -> Arc<Row> {
        self.places.remove(at);
        self.facets.remove(at);
        self.created.remove(at);
        self.rows.remove(at)
    }

    /// Cuts the second half off.
    fn split(&mut self) -> Self {
        let half = self.len() / 2;
        Self {
            places: self.places.split_off(half),
            facets: self.facets.split_off(half),
            created: self.created.split_off(half),
            rows: self.rows.split_off(half),
        }
    }
}

impl Ordered {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Puts an incident where no other is; one at the same place is replaced and returned.
    pub(super) fn insert(&mut self, place: Place, facets: Facets, row: Arc<Row>) -> Option<Arc<Row>> {
        let replaced = self.remove(place);
        let number = self.block_of(place);
        let Some(block) = self.blocks.get_mut(number) else {
            let created = vec![row.created_at.as_millis()];
            self.blocks.push(Block { places: vec![place], facets: vec![facets], created, rows: vec![row] });
            self.len += 1;
            return replaced;
        };
        let at = block.places.partition_point(|other| *other < place);
        block.insert(at, place, facets, row);
        if block.len() > BLOCK {
            let second = block.split();
            self.blocks.insert(number + 1, second);
        }
        self.len += 1;
        replaced
    }

    /// Takes the incident at a place out.
    pub(super) fn remove(&mut self, place: Place) -> Option<Arc<Row>> {
        let number = self.block_of(place);
        let block = self.blocks.get_mut(number)?;
        let at = block.places.binary_search(&place).ok()?;
        let row = block.remove(at);
        if block.len() == 0 {
            self.blocks.remove(number);
        }
        self.len -= 1;
        Some(row)
    }

    /// The place of the last incident: the one least recently active.
    pub(super) fn last(&self) -> Option<Place> {
        self.blocks.last()?.places.last().copied()
    }

    /// The block a place belongs into: the last one that begins at or before it, else the first.
    fn block_of(&self, place: Place) -> usize {
        let after =
            self.blocks.partition_point(|block| block.places.first().is_some_and(|first| *first <= place));
        after.saturating_sub(1)
    }
}
