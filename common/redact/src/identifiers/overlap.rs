//! Which of several candidates for the same place counts.

use std::cmp::Reverse;

use super::entity::Entity;

/// How much a candidate is worth where others overlap it, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Secret,
    Zone,
    Address,
    Checked,
    Named,
    Born,
    Custom,
    Place,
    Form,
    Phone,
    Weak,
}

/// A possible span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) entity: Entity,
    pub(crate) reason: &'static str,
    pub(crate) rank: Rank,
    /// Words to the label that names it; 0 where none is needed.
    pub(crate) distance: u32,
}

/// The best candidates that do not overlap, in the order of the text. A candidate that overlaps a better one is
/// dropped. The order of the input does not matter.
pub(crate) fn resolve(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|one| {
        (one.rank, one.distance, Reverse(one.end - one.start), one.start, one.entity, one.reason)
    });
    let mut kept: std::collections::BTreeMap<usize, Candidate> = std::collections::BTreeMap::new();
    for candidate in candidates {
        let before = kept.range(..candidate.end).next_back();
        if before.is_none_or(|(_, other)| other.end <= candidate.start) {
            kept.insert(candidate.start, candidate);
        }
    }
    kept.into_values().collect()
}
