//! Identity: the account itself.

use std::collections::BTreeSet;

use code_host::PullRequestState;

use super::{Points, Signal};
use crate::facts::Facts;
use crate::weights::{
    AGE, DAY, FOLLOWERS, IDENTITY_BASE, IDENTITY_LEAST, MERGED_WORK, MERGED_WORK_MOST, NEW_ACCOUNT_DAYS,
    OLD_ACCOUNT, ORGANIZATION, ORGANIZATIONS_MOST, SIGNING_KEY, STANDING_MOST,
};

pub(super) fn score(facts: &Facts) -> u8 {
    let mut points = Points::new(IDENTITY_BASE);
    let age = age(facts);
    points.points += AGE.into_iter().find(|(below, _)| age < DAY * *below).map_or(OLD_ACCOUNT, |(_, of)| of);
    points.add_if(facts.signing_keys > 0, SIGNING_KEY);
    points.points += capped(facts.organizations, ORGANIZATION, ORGANIZATIONS_MOST);
    points.points += standing(facts);
    points.score(IDENTITY_LEAST)
}

/// A new account with the other signs of an attack. Its points are those of its age and of these signs.
pub(super) fn is_malicious(facts: &Facts, signals: &BTreeSet<Signal>) -> bool {
    let is_new = age(facts) < DAY * NEW_ACCOUNT_DAYS;
    let is_attack = |one: &crate::facts::Reviewed| one.checks.has_chain || one.checks.has_hidden_characters;
    is_new && (signals.contains(&Signal::PrSpray) || facts.reviews.iter().any(is_attack))
}

fn age(facts: &Facts) -> std::time::Duration {
    facts.now.since(facts.created_at)
}

/// Followers and merged work.
fn standing(facts: &Facts) -> i32 {
    let followers = FOLLOWERS.into_iter().find(|(from, _)| facts.followers >= *from).map_or(0, |(_, of)| of);
    let merged =
        facts.pulls.iter().filter(|pull| pull.is_outside() && pull.state == PullRequestState::Merged);
    (followers + capped(merged.count(), MERGED_WORK, MERGED_WORK_MOST)).min(STANDING_MOST)
}

/// Points for each of some, at most so many.
pub(super) fn capped(count: usize, each: i32, most: i32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX).saturating_mul(each).min(most)
}
