//! Behavior: activity over time, and the reception of pull requests. Pull requests to a login's own repositories and organizations
//! are not judged.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use code_host::PullRequestState;
use common::timestamp::Timestamp;

use super::identity::capped;
use super::{Points, Signal};
use crate::facts::{Facts, Pull, Relation};
use crate::weights::{
    BEHAVIOR_BASE, BURST, BURST_AGE, BURST_PULLS, DAY, LOW_MERGE_RATE, LOW_MERGE_RATE_PERCENT,
    NEW_REPOSITORIES, NEW_REPOSITORIES_MOST, NEW_REPOSITORIES_TIME, RECENT, REJECTED, REJECTED_REPOSITORIES,
    REVIEW, REVIEWS_MOST, SILENCE, SLEEPER, SPRAY, SPRAY_PULLS, SPRAY_REPOSITORIES, STEADY_MONTH,
    STEADY_MONTHS_MOST, UNSOLICITED, UNSOLICITED_LEAST, UNSOLICITED_PERCENT,
};

/// A month, of which the last year has twelve.
const MONTH: Duration = Duration::from_secs(365 * 24 * 3600 / 12);

pub(super) fn points(facts: &Facts) -> Points {
    let mut outside: Vec<&Pull> = facts.pulls.iter().filter(|pull| pull.is_outside()).collect();
    outside.sort_by_key(|pull| pull.created_at);
    let mut points = Points::new(BEHAVIOR_BASE);
    let reviews = facts.activity.iter().filter(|activity| activity.is_review).count();
    points.points += capped(reviews, REVIEW, REVIEWS_MOST);
    points.points += capped(steady_months(facts), STEADY_MONTH, STEADY_MONTHS_MOST);
    points.signal_if(has_sprayed(facts, &outside), SPRAY, Signal::PrSpray);
    // Proportions and a silence are unknown where pull requests may be missing; a spray is proved by those that were found.
    if !facts.is_partial {
        points.signal_if(has_low_merge_rate(&outside), LOW_MERGE_RATE, Signal::LowMergeRate);
        points.signal_if(has_awoken(facts, &outside), SLEEPER, Signal::SleeperAccount);
        points.signal_if(is_unsolicited(&outside), UNSOLICITED, Signal::UnsolicitedPrPattern);
        points.signal_if(is_rejected(facts, &outside), REJECTED, Signal::PrRejectedAcrossRepos);
    }
    let new = facts.repositories.iter().filter(|at| is_within(facts, **at, NEW_REPOSITORIES_TIME)).count();
    points.add_if(new > NEW_REPOSITORIES_MOST, NEW_REPOSITORIES);
    points
}

fn is_within(facts: &Facts, at: Timestamp, time: Duration) -> bool {
    at >= facts.now.minus(time)
}

/// Months of the last year with activity, not counting the current one, in which every new account is active.
fn steady_months(facts: &Facts) -> usize {
    let times = facts.pulls.iter().map(|pull| pull.created_at);
    let times = times.chain(facts.activity.iter().map(|activity| activity.at));
    let number = |at: Timestamp| facts.now.since(at).as_secs() / MONTH.as_secs();
    let months: BTreeSet<u64> = times.map(number).filter(|month| (1..12).contains(month)).collect();
    months.len()
}

fn has_low_merge_rate(outside: &[&Pull]) -> bool {
    let in_state = |state| outside.iter().filter(|pull| pull.state == state).count();
    let (merged, closed) = (in_state(PullRequestState::Merged), in_state(PullRequestState::Closed));
    // Smoothed, so that a rejection alone says nothing.
    (merged + 2) * 100 < LOW_MERGE_RATE_PERCENT * (merged + closed + 4)
}

/// A silence of a year that is known to be one, and many pull requests to others directly after it.
fn has_awoken(facts: &Facts, outside: &[&Pull]) -> bool {
    let mut times: Vec<Timestamp> = vec![facts.known_since.max(facts.created_at)];
    times.extend(facts.pulls.iter().map(|pull| pull.created_at));
    times.extend(facts.activity.iter().map(|activity| activity.at));
    times.extend(&facts.repositories);
    times.retain(|at| *at >= facts.known_since);
    times.sort_unstable();
    let awakenings = times.windows(2).filter_map(|pair| match pair {
        [before, after] if after.since(*before) >= SILENCE => Some(*after),
        _ => None,
    });
    awakenings.filter(|at| is_within(facts, *at, BURST_AGE)).any(|at| {
        let in_burst = |pull: &&&Pull| pull.created_at >= at && pull.created_at < at.plus(BURST);
        outside.iter().filter(in_burst).count() >= BURST_PULLS
    })
}

/// Many pull requests to many repositories within some 24 hours.
fn has_sprayed(facts: &Facts, outside: &[&Pull]) -> bool {
    let recent: Vec<&&Pull> =
        outside.iter().filter(|pull| is_within(facts, pull.created_at, RECENT)).collect();
    let mut of_day: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first = 0;
    for (number, pull) in recent.iter().enumerate() {
        *of_day.entry(&pull.repository).or_default() += 1;
        while let Some(earliest) =
            recent.get(first).filter(|one| pull.created_at.since(one.created_at) >= DAY)
        {
            match of_day.get_mut(earliest.repository.as_str()) {
                Some(count) if *count > 1 => *count -= 1,
                _ => {
                    of_day.remove(earliest.repository.as_str());
                }
            }
            first += 1;
        }
        if number + 1 - first >= SPRAY_PULLS && of_day.len() >= SPRAY_REPOSITORIES {
            return true;
        }
    }
    false
}

fn is_unsolicited(outside: &[&Pull]) -> bool {
    let strangers = outside.iter().filter(|pull| pull.relation == Relation::Stranger).count();
    outside.len() >= UNSOLICITED_LEAST && strangers * 100 > UNSOLICITED_PERCENT * outside.len()
}

/// Repositories that rejected pull requests and merged none, if they outnumber the repositories that merged some: ordinary
/// contributors are rejected now and then.
fn is_rejected(facts: &Facts, outside: &[&Pull]) -> bool {
    let repositories = |state| -> BTreeSet<&str> {
        let recent = outside.iter().filter(|pull| is_within(facts, pull.created_at, RECENT));
        recent.filter(|pull| pull.state == state).map(|pull| pull.repository.as_str()).collect()
    };
    let merged = repositories(PullRequestState::Merged);
    let rejected = repositories(PullRequestState::Closed).difference(&merged).count();
    rejected >= REJECTED_REPOSITORIES && rejected > merged.len()
}
