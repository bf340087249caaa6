//! The index of one organization: its resources in order, within a budget, each as new as some commit of its shard's ledger.
//! Pure: the ledger is read by the loader and the follower.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ledger::Seq;

use crate::listed::{Listed, Place};
use crate::ordered::{Block, Item, Match, Ordered, Parts};
use crate::text::{Needle, haystack};
use crate::texts::{Containing, Texts};

/// The resources of one organization.
#[derive(Debug)]
pub struct OrganizationIndex<L: Listed> {
    order: Ordered<L>,
    texts: Texts,
    values: L::Values,
    known: HashMap<L::Id, Known<L::Id>>,
    /// Per shard, the commit through which everything is here; `None` while it is being loaded.
    cursors: Vec<Option<Seq>>,
    /// Memory without the texts.
    bytes: usize,
    budget: usize,
    /// The newest place that was cut off for want of budget: nothing at or behind it is kept, so that the rest is exactly the
    /// newest part.
    floor: Option<Place<L::Id>>,
}

/// State of a resource besides its row.
#[derive(Clone, Copy, Debug)]
struct Known<Id> {
    place: Place<Id>,
    /// The row is at least as new as this commit of its shard.
    seq: Seq,
}

/// The parts of a filter that the index applies itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan<'q> {
    /// Milliseconds of the earliest last activity.
    pub from: Option<i64>,
    /// Milliseconds that the last activity must be before.
    pub to: Option<i64>,
    /// A text that resources with [`Match::IfText`] must contain.
    pub needle: Option<&'q Needle>,
}

impl Scan<'_> {
    /// Whether a resource is within the time and matches.
    fn is_met<L: Listed>(
        &self,
        item: &Item<'_, L>,
        matches: impl Fn(&Item<'_, L>) -> Match,
        containing: &mut Option<Containing<'_>>,
    ) -> bool {
        let activity = item.place.activity_millis();
        if self.from.is_some_and(|from| activity < from) || self.to.is_some_and(|to| activity >= to) {
            return false;
        }
        match (matches(item), containing) {
            (Match::No, _) => false,
            (Match::Yes, _) | (Match::IfText, None) => true,
            (Match::IfText, Some(containing)) => item.text().is_some_and(|text| containing.has(text)),
        }
    }
}

/// Values of dictionaries for each resource: more than a resource has columns.
const VALUES_OF_RESOURCE: usize = 8;
/// Values of dictionaries that are never too many.
const FEW_VALUES: usize = 10_000;

impl<L: Listed> OrganizationIndex<L> {
    /// Whether most values of the dictionaries belong to no resource any more, so that the index is to be loaded again: values are
    /// not counted in the budget, and users can write new ones as often as requests are allowed.
    pub(crate) fn has_stale_values(&self) -> bool {
        L::values_count(&self.values) > FEW_VALUES + VALUES_OF_RESOURCE * self.len()
    }

    /// An empty index of `shards` shards, within a budget in bytes.
    #[must_use]
    pub fn new(shards: u16, budget: usize) -> Self {
        Self {
            order: Ordered::default(),
            texts: Texts::default(),
            values: L::Values::default(),
            known: HashMap::new(),
            cursors: vec![None; usize::from(shards)],
            bytes: 0,
            budget,
            floor: None,
        }
    }

    /// Whether every shard has been loaded.
    pub(crate) fn is_complete(&self) -> bool {
        self.cursors.iter().all(Option::is_some)
    }

    pub(crate) fn cursor(&self, shard: u16) -> Option<Seq> {
        self.cursors.get(usize::from(shard)).copied().flatten()
    }

    /// Says that everything through `seq` is here. Never goes back.
    pub(crate) fn advance(&mut self, shard: u16, seq: Seq) {
        if let Some(cursor) = self.cursors.get_mut(usize::from(shard)) {
            *cursor = Some(cursor.map_or(seq, |before| before.max(seq)));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.texts.bytes()
    }

    /// Whether the oldest resources are missing for want of memory.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.floor.is_some()
    }

    /// Number of resources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no resource.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Texts and ids behind the numbers in the columns.
    #[must_use]
    pub fn values(&self) -> &L::Values {
        &self.values
    }

    pub(crate) fn blocks(&self) -> &[Block<L>] {
        self.order.blocks()
    }

    pub(crate) fn row(&self, block: usize, at: usize) -> Option<Arc<L::Row>> {
        self.order.blocks().get(block)?.rows().get(at).cloned()
    }

    pub(crate) fn id(&self, block: usize, at: usize) -> Option<L::Id> {
        self.order.blocks().get(block)?.id(at)
    }

    /// Calls `found` with each resource that matches, newest activity first, and the number of its block. Blocks outside of the
    /// time are skipped; texts are searched only where a resource depends on them.
    pub fn each<'i>(
        &'i self,
        scan: &Scan<'_>,
        matches: impl Fn(&Item<'_, L>) -> Match,
        mut found: impl FnMut(usize, Item<'i, L>),
    ) {
        let mut containing = scan.needle.map(|needle| self.texts.search(needle));
        for (number, block) in self.order.blocks().iter().enumerate() {
            let (latest, earliest) = block.activity();
            if scan.to.is_some_and(|to| earliest >= to) {
                continue;
            }
            if scan.from.is_some_and(|from| latest < from) {
                return;
            }
            for item in block.iter() {
                if scan.is_met(&item, &matches, &mut containing) {
                    found(number, item);
                }
            }
        }
    }

    /// Calls `found` with the resources that match among every `step`th one.
    pub(crate) fn each_of_sample<'i>(
        &'i self,
        step: usize,
        scan: &Scan<'_>,
        matches: impl Fn(&Item<'_, L>) -> Match,
        mut found: impl FnMut(usize, Item<'i, L>),
    ) {
        let mut containing = scan.needle.map(|needle| self.texts.search(needle));
        let mut at = 0;
        for (number, block) in self.order.blocks().iter().enumerate() {
            while let Some(item) = block.item(at) {
                if scan.is_met(&item, &matches, &mut containing) {
                    found(number, item);
                }
                at += step.max(1);
            }
            at -= block.len();
        }
    }

    /// Takes in a resource as it is at `seq` or later, unless the one here is newer.
    pub fn put(&mut self, head: &L::Head, seq: Seq) {
        let (_, id) = L::identity(head);
        if self.known.get(&id).is_some_and(|known| known.seq > seq) {
            return;
        }
        self.forget(id);
        if !L::is_listed(head) {
            return;
        }
        let place = Place::new(L::activity_millis(head), id);
        if self.floor.is_some_and(|floor| place >= floor) {
            return;
        }
        let (facets, row) = L::facets(head, &mut self.values);
        let text = self.texts.take(&haystack(&L::texts(head)));
        self.bytes += bytes_of::<L>(&row);
        let (created, row) = (L::created_millis(head), Arc::new(row));
        self.order.insert(Parts { place, facets, created, row, text });
        self.known.insert(id, Known { place, seq });
        self.cut();
    }

    /// Removes a resource that is not there at `seq` or later, unless what is here is newer.
    pub fn remove(&mut self, id: L::Id, seq: Seq) {
        if self.known.get(&id).is_some_and(|known| known.seq <= seq) {
            self.forget(id);
        }
    }

    /// Removes a shard's resources that a whole scan begun at `seq` did not meet.
    pub(crate) fn retain_seen(&mut self, shard: u16, seen: &HashSet<L::Id>, seq: Seq) {
        let gone: Vec<L::Id> =
            self.known.keys().filter(|id| L::shard(**id) == shard && !seen.contains(id)).copied().collect();
        for id in gone {
            self.remove(id, seq);
        }
    }

    fn forget(&mut self, id: L::Id) {
        let Some(known) = self.known.remove(&id) else { return };
        if let Some(removed) = self.order.remove(known.place) {
            self.bytes -= bytes_of::<L>(&removed.row);
            self.texts.release(removed.text);
        }
    }

    /// Cuts the oldest off until the rest is within budget.
    fn cut(&mut self) {
        while self.bytes() > self.budget {
            let Some(last) = self.order.last() else { return };
            self.forget(last.id());
            self.floor = Some(last);
        }
    }
}

/// Memory that a resource takes without its text, in bytes: its row, its columns and its entry among the known places with some
/// slack for the spare room of the tables.
fn bytes_of<L: Listed>(row: &L::Row) -> usize {
    let columns =
        size_of::<Place<L::Id>>() + size_of::<L::Facets>() + size_of::<i64>() + 2 * size_of::<u32>();
    size_of::<L::Row>() + 2 * size_of::<usize>() + 2 * (columns + 64) + L::row_bytes(row)
}
