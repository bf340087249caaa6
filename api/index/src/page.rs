//! Pages of an organization's resources: the parts of a scan that a list shows, with the exact total.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use crate::listed::Listed;
use crate::ordered::{Item, Match};
use crate::organization::{OrganizationIndex, Scan};

/// The part of a list.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Resources to skip.
    pub offset: usize,
    /// Most resources of the part, at least 1.
    pub limit: usize,
}

/// A part of the rows, and how many resources match in all.
pub type Page<L> = (Vec<Arc<<L as Listed>::Row>>, usize);

/// A part of the resources that match, newest activity first.
pub fn by_activity<L: Listed>(
    index: &OrganizationIndex<L>,
    scan: &Scan<'_>,
    matches: impl Fn(&Item<'_, L>) -> Match,
    part: Part,
) -> Page<L> {
    let mut rows = Vec::with_capacity(part.limit);
    let mut total = 0;
    index.each(scan, matches, |_, item| {
        if total >= part.offset && rows.len() < part.limit {
            rows.push(Arc::clone(item.row));
        }
        total += 1;
    });
    (rows, total)
}

/// Position of a resource in the blocks of an index.
type Spot = (u32, u32);

/// A part of the resources that match, greatest key first, and newest activity first where keys are equal. Selects the page
/// among the keys of all matches, and sorts the page only.
pub fn by_key<L: Listed, K: Ord>(
    index: &OrganizationIndex<L>,
    scan: &Scan<'_>,
    matches: impl Fn(&Item<'_, L>) -> Match,
    key: impl Fn(&Item<'_, L>) -> K,
    part: Part,
) -> Page<L> {
    let keys = keys(index, scan, matches, |item| Reverse(key(item)));
    select(index, keys, Ord::cmp, part)
}

/// A part of the resources that match, smallest key first, and smallest id first where keys are equal, which should be rare: then
/// ids are looked up.
pub fn by_key_and_id<L: Listed, K: Ord>(
    index: &OrganizationIndex<L>,
    scan: &Scan<'_>,
    matches: impl Fn(&Item<'_, L>) -> Match,
    key: impl Fn(&Item<'_, L>) -> K,
    part: Part,
) -> Page<L> {
    let keys = keys(index, scan, matches, key);
    let id = |spot: Spot| index.id(spot.0 as usize, spot.1 as usize);
    let order =
        |one: &(K, Spot), other: &(K, Spot)| one.0.cmp(&other.0).then_with(|| id(one.1).cmp(&id(other.1)));
    select(index, keys, order, part)
}

fn keys<L: Listed, K>(
    index: &OrganizationIndex<L>,
    scan: &Scan<'_>,
    matches: impl Fn(&Item<'_, L>) -> Match,
    key: impl Fn(&Item<'_, L>) -> K,
) -> Vec<(K, Spot)> {
    let mut keys = Vec::new();
    // An index within any budget has far fewer than 2^32 blocks.
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    index.each(scan, matches, |block, item| keys.push((key(&item), (number(block), number(item.at)))));
    keys
}

fn select<L: Listed, K>(
    index: &OrganizationIndex<L>,
    mut keys: Vec<(K, Spot)>,
    order: impl Fn(&(K, Spot), &(K, Spot)) -> Ordering,
    part: Part,
) -> Page<L> {
    let total = keys.len();
    if part.offset >= total {
        return (Vec::new(), total);
    }
    let (_, _, _) = keys.select_nth_unstable_by(part.offset, &order);
    let mut page = keys.split_off(part.offset);
    if page.len() > part.limit {
        let (_, _, _) = page.select_nth_unstable_by(part.limit, &order);
        page.truncate(part.limit);
    }
    page.sort_unstable_by(&order);
    let row = |(_, (block, at)): &(K, Spot)| index.row(*block as usize, *at as usize);
    (page.iter().filter_map(row).collect(), total)
}

/// A part of the whole list, newest activity first: blocks in front of it are skipped by their lengths.
pub fn all<L: Listed>(index: &OrganizationIndex<L>, part: Part) -> Page<L> {
    let mut rows = Vec::with_capacity(part.limit);
    let mut skip = part.offset;
    for block in index.blocks() {
        if skip >= block.len() {
            skip -= block.len();
            continue;
        }
        rows.extend(block.rows().iter().skip(skip).take(part.limit - rows.len()).cloned());
        skip = 0;
        if rows.len() == part.limit {
            break;
        }
    }
    (rows, index.len())
}
