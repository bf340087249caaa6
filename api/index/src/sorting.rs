//! A part of a list in another order than that of the index. A list of a million has one pass over its resources and keeps the
//! keys of a few percent of them: a sample gives the keys between which the part lies.

use std::cmp::Ordering;

use crate::listed::Listed;
use crate::ordered::{Item, Match};
use crate::organization::{OrganizationIndex, Scan};
use crate::page::{Page, Part};

/// Position of a resource in the blocks of an index.
pub(crate) type Spot = (u32, u32);
/// A resource with its key.
pub(crate) type Keyed<K> = (K, Spot);

/// Resources of a sample: with fewer the bounds are wider, with more the sample itself takes longer.
const SAMPLE: usize = 4_096;
/// Resources of a sample that have to match: of fewer the keys of all matches are quickly selected from.
const FEW: usize = 256;

/// A list in the order of keys.
pub(crate) struct Sorting<'l, L: Listed, M, F, O> {
    pub(crate) index: &'l OrganizationIndex<L>,
    pub(crate) scan: &'l Scan<'l>,
    pub(crate) matches: M,
    pub(crate) key: F,
    /// The order of resources, in which no two are equal.
    pub(crate) order: O,
}

/// Resources between which a part of a list lies, probably: the first one that may be part of it, and the last one.
struct Bounds<K> {
    first: Option<Keyed<K>>,
    last: Option<Keyed<K>>,
}

/// The resources within bounds.
struct Within<K> {
    /// Number of resources in front.
    before: usize,
    keys: Vec<Keyed<K>>,
    /// Number of resources in all.
    total: usize,
}

impl<L, K, M, F, O> Sorting<'_, L, M, F, O>
where
    L: Listed,
    M: Fn(&Item<'_, L>) -> Match,
    F: Fn(&Item<'_, L>) -> K,
    O: Fn(&Keyed<K>, &Keyed<K>) -> Ordering,
{
    /// A part of the list, and the number of resources in all.
    pub(crate) fn page(&self, part: Part) -> Page<L> {
        let mut within = self.within(&self.estimate(part));
        let end = part.offset.saturating_add(part.limit.max(1)).min(within.total);
        let is_covered = within.before <= part.offset && end <= within.before + within.keys.len();
        if part.offset < within.total && !is_covered {
            within = self.within(&Bounds { first: None, last: None });
        }
        self.select(within, part)
    }

    /// The bounds of a part. A rank in the sample has a standard deviation of at most half the root of its size; five of them on
    /// each side are missed by one list in a million, and by keys that repeat with the distance of the sample.
    fn estimate(&self, part: Part) -> Bounds<K> {
        let mut bounds = Bounds { first: None, last: None };
        // Odd, since keys that repeat do so rather with an even distance.
        let step = (self.index.len() / SAMPLE) | 1;
        let mut sample = Vec::new();
        self.index.each_of_sample(step, self.scan, &self.matches, |block, item| {
            sample.push(self.keyed(block, &item));
        });
        if step == 1 || sample.len() < FEW {
            return bounds;
        }
        sample.sort_unstable_by(&self.order);
        let margin = sample.len().isqrt() * 5 / 2 + 1;
        let last = (part.offset.saturating_add(part.limit) / step).saturating_add(margin);
        bounds.last = (last < sample.len()).then(|| sample.swap_remove(last));
        let first = (part.offset / step).checked_sub(margin);
        bounds.first = first.map(|first| first.min(sample.len() - 1)).map(|first| sample.swap_remove(first));
        bounds
    }

    fn keyed(&self, block: usize, item: &Item<'_, L>) -> Keyed<K> {
        // An index within any budget has far fewer than 2^32 blocks.
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        ((self.key)(item), (number(block), number(item.at)))
    }

    /// The resources within bounds, in no order.
    fn within(&self, bounds: &Bounds<K>) -> Within<K> {
        let mut within = Within { before: 0, keys: Vec::new(), total: 0 };
        let is_before = |one: &Keyed<K>, other: &Keyed<K>| (self.order)(one, other) == Ordering::Less;
        self.index.each(self.scan, &self.matches, |block, item| {
            within.total += 1;
            let keyed = self.keyed(block, &item);
            if bounds.first.as_ref().is_some_and(|first| is_before(&keyed, first)) {
                within.before += 1;
            } else if !bounds.last.as_ref().is_some_and(|last| is_before(last, &keyed)) {
                within.keys.push(keyed);
            }
        });
        within
    }

    /// Selects the part, and sorts it only.
    fn select(&self, within: Within<K>, part: Part) -> Page<L> {
        let Within { before, mut keys, total } = within;
        if part.offset >= total {
            return (Vec::new(), total);
        }
        let offset = part.offset - before;
        let (_, _, _) = keys.select_nth_unstable_by(offset, &self.order);
        let mut page = keys.split_off(offset);
        if page.len() > part.limit {
            let (_, _, _) = page.select_nth_unstable_by(part.limit, &self.order);
            page.truncate(part.limit);
        }
        page.sort_unstable_by(&self.order);
        let row = |(_, (block, at)): &Keyed<K>| self.index.row(*block as usize, *at as usize);
        (page.iter().filter_map(row).collect(), total)
    }
}
