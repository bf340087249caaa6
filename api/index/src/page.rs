//! Pages of an organization's resources: the parts of a scan that a list shows, with the exact total.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::listed::Listed;
use crate::ordered::{Item, Match};
use crate::organization::{OrganizationIndex, Scan};
use crate::sorting::{Keyed, Sorting, Spot};

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

/// A part of the resources that match, greatest key first, and newest activity first where keys are equal.
pub fn by_key<L: Listed, K: Ord>(
    index: &OrganizationIndex<L>,
    scan: &Scan<'_>,
    matches: impl Fn(&Item<'_, L>) -> Match,
    key: impl Fn(&Item<'_, L>) -> K,
    part: Part,
) -> Page<L> {
    let key = |item: &Item<'_, L>| Reverse(key(item));
    Sorting { index, scan, matches, key, order: Ord::cmp }.page(part)
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
    let id = |spot: Spot| index.id(spot.0 as usize, spot.1 as usize);
    let order =
        |one: &Keyed<K>, other: &Keyed<K>| one.0.cmp(&other.0).then_with(|| id(one.1).cmp(&id(other.1)));
    Sorting { index, scan, matches, key, order }.page(part)
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
