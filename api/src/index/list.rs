//! A page of an organization's incidents in one of three orders.

use std::cmp::Reverse;
use std::sync::Arc;

use super::filter::{Filter, SourceNames, each};
use super::organization::OrganizationIndex;
use super::row::Row;

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Newest activity first, then id descending: the order of the index.
    #[default]
    Activity,
    /// Newest first, then as by activity.
    Created,
    /// Most severe first, then as by activity.
    Severity,
}

impl Sort {
    /// The words of the API.
    pub(crate) const WORDS: [&str; 3] = ["activity", "created", "severity"];

    pub(crate) fn parse(word: &str) -> Option<Self> {
        match word {
            "activity" => Some(Self::Activity),
            "created" => Some(Self::Created),
            "severity" => Some(Self::Severity),
            _ => None,
        }
    }
}

/// Which part of a list, in which order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) sort: Sort,
    pub(crate) offset: usize,
    /// At least 1.
    pub(crate) limit: usize,
}

/// A part of the incidents of `index` that match, and how many match in all.
pub(super) fn list(
    index: &OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    part: Part,
) -> (Vec<Arc<Row>>, usize) {
    match part.sort {
        Sort::Activity if !filter.narrows() => (slice(index, part), index.order.len()),
        Sort::Activity => by_activity(index, filter, names, part),
        Sort::Created | Sort::Severity => sorted(index, filter, names, part),
    }
}

fn by_activity(
    index: &OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    part: Part,
) -> (Vec<Arc<Row>>, usize) {
    let mut rows = Vec::with_capacity(part.limit);
    let mut total = 0;
    each(index, filter, names, |_, item| {
        if total >= part.offset && rows.len() < part.limit {
            rows.push(Arc::clone(item.row));
        }
        total += 1;
    });
    (rows, total)
}

/// Selects the page among all matches, 24 bytes each, and sorts the page only.
fn sorted(
    index: &OrganizationIndex,
    filter: &Filter,
    names: &SourceNames,
    part: Part,
) -> (Vec<Arc<Row>>, usize) {
    let blocks = index.order.blocks();
    let mut keys: Vec<(Reverse<i64>, usize, usize)> = Vec::new();
    each(index, filter, names, |block, item| {
        let key = match part.sort {
            Sort::Created => blocks.get(block).map_or(0, |block| block.created(item.at)),
            _ => item.facets.severity as i64,
        };
        keys.push((Reverse(key), block, item.at));
    });
    let total = keys.len();
    if part.offset >= total {
        return (Vec::new(), total);
    }
    let (_, _, _) = keys.select_nth_unstable(part.offset);
    let mut page = keys.split_off(part.offset);
    if page.len() > part.limit {
        let (_, _, _) = page.select_nth_unstable(part.limit);
        page.truncate(part.limit);
    }
    page.sort_unstable();
    let row = |(_, block, at): &(_, usize, usize)| blocks.get(*block)?.rows().get(*at).cloned();
    (page.iter().filter_map(row).collect(), total)
}

/// A part of the whole list: blocks in front of it are skipped by their lengths.
fn slice(index: &OrganizationIndex, part: Part) -> Vec<Arc<Row>> {
    let mut rows = Vec::with_capacity(part.limit);
    let mut skip = part.offset;
    for block in index.order.blocks() {
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
    rows
}
