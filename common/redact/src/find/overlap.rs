//! Candidates into matches: those of types that are not looked for go, and those that overlap become one.

use super::Secret;
use crate::entity::{EntitySet, Match};

/// Adds a candidate, if its type is looked for and it hides anything.
pub(super) fn push(matches: &mut Vec<Match>, on: EntitySet, secret: Secret) {
    if on.contains(secret.entity) && secret.start < secret.end {
        matches.push(Match { start: secret.start, end: secret.end, entity: secret.entity });
    }
}

/// Sorts the candidates and joins those that overlap; see the head of [`crate::find`].
pub(super) fn merge(matches: &mut Vec<Match>) {
    matches.sort_unstable();
    matches.dedup_by(|later, earlier| {
        let overlaps = later.start < earlier.end;
        if overlaps {
            earlier.end = earlier.end.max(later.end);
            earlier.entity = earlier.entity.min(later.entity);
        }
        overlaps
    });
}
