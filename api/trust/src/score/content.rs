//! Content: the newest pull requests, and the added lines of their diffs.

use super::{Points, Signal};
use crate::facts::{Facts, Relation, Reviewed};
use crate::weights::{
    BINARY, CHAIN, CONTENT_BASE, CONTENT_WITHOUT_PULLS, EMPTY_BODIES, HIDDEN_CHARACTERS, HOOK, NO_ISSUE,
};

pub(super) fn points(facts: &Facts) -> Points {
    if facts.reviews.is_empty() {
        return Points::new(CONTENT_WITHOUT_PULLS);
    }
    let mut points = Points::new(CONTENT_BASE);
    // Owners need not explain their changes to themselves.
    let outside: Vec<&Reviewed> = facts.reviews.iter().filter(|one| one.relation != Relation::Own).collect();
    let empty = outside.iter().filter(|one| !one.has_body).count();
    let is_low_effort = empty > 0 && empty * 2 >= outside.len();
    let names_none = !outside.is_empty() && outside.iter().all(|one| !one.names_issue);
    // Unknown where newer pull requests may be missing.
    points.signal_if(!facts.is_partial && is_low_effort, EMPTY_BODIES, Signal::LowEffortPr);
    points.signal_if(!facts.is_partial && names_none, NO_ISSUE, Signal::NoIssueLinkage);
    let any = |check: fn(&Reviewed) -> bool| facts.reviews.iter().any(check);
    points.add_if(any(|one| one.checks.has_chain), CHAIN);
    points.add_if(any(|one| one.checks.has_hidden_characters), HIDDEN_CHARACTERS);
    points.add_if(any(|one| one.checks.has_hook), HOOK);
    points.add_if(any(|one| one.checks.has_binary), BINARY);
    points
}
