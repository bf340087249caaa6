//! A page of an organization's incidents in one of three orders.

use index::Page;

use super::filter::{Filter, SourceNames};
use super::incidents::{Incidents, Item, OrganizationIndex};

common::words!(
    /// The order of a list.
    #[derive(Default)]
    Sort {
        /// Newest activity first, then id descending: the order of the index.
        #[default]
        Activity = "activity",
        /// Newest first, then as by activity.
        Created = "created",
        /// Most severe first, then as by activity.
        Severity = "severity",
    }
);

/// The part of a list, and its order.
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
) -> Page<Incidents> {
    let Part { sort, offset, limit } = part;
    let part = index::Part { offset, limit };
    if sort == Sort::Activity && !filter.narrows() {
        return index::all(index, part);
    }
    let Some(compiled) = filter.compile(index, names) else { return (Vec::new(), 0) };
    let (scan, matches) = (compiled.scan(), |item: &Item<'_>| compiled.matches(item));
    match sort {
        Sort::Activity => index::by_activity(index, &scan, matches, part),
        Sort::Created => index::by_key(index, &scan, matches, |item: &Item<'_>| item.created_millis(), part),
        Sort::Severity => index::by_key(index, &scan, matches, |item| item.facets.severity as i64, part),
    }
}
