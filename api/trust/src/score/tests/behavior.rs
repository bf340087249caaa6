//! Signals of behavior.

use std::collections::BTreeSet;

use code_host::PullRequestState::{Closed, Merged, Open};

use super::{DAY, NOW, account, days_ago, pull, signals};
use crate::facts::{Activity, Facts, Pull, Relation};
use crate::score::{Scored, Signal, score};

/// Behavior with these pull requests, compared with an account without any, and the signals.
fn behavior(pulls: Vec<Pull>) -> (i32, BTreeSet<Signal>) {
    let mut facts = account(2_000);
    let before = score(&facts).assessment.sub_scores.behavior;
    // Activity of its own, so that no silence precedes the pull requests.
    facts.repositories = (0..8).map(|year| days_ago(250 * year)).collect();
    facts.pulls = pulls;
    let Scored { assessment, signals } = score(&facts);
    (i32::from(assessment.sub_scores.behavior) - i32::from(before), signals)
}

#[test]
fn reviews_and_steady_months_raise_behavior() {
    let with =
        |activity: Vec<Activity>| score(&Facts { activity, ..account(2_000) }).assessment.sub_scores.behavior;
    let at = |days: u32, is_review| Activity { at: days_ago(days), is_review };
    assert_eq!(with(Vec::new()), 85);
    assert_eq!(with(vec![at(1, true), at(2, true)]), 87);
    assert_eq!(with(vec![at(1, true); 50]), 90);
    assert_eq!(
        with((0..3).map(|month| at(31 * month, false)).collect()),
        87,
        "the current month does not count"
    );
    assert_eq!(with((0..40).map(|month| at(31 * month, false)).collect()), 95);
}

#[test]
fn a_low_merge_rate_is_smoothed() {
    let rate = |merged: u32, closed: u32, relation| {
        let of = |count: u32, state| (0..count).map(move |_| pull("a/b", 600, state, relation));
        behavior(of(merged, Merged).chain(of(closed, Closed)).collect())
    };
    let signal = Signal::LowMergeRate;
    assert_eq!(rate(0, 3, Relation::Known), (-15, BTreeSet::from([signal])));
    assert!(rate(1, 9, Relation::Known).1.contains(&signal));
    for (merged, closed) in [(0, 0), (0, 2), (1, 5), (10, 20)] {
        assert!(!rate(merged, closed, Relation::Known).1.contains(&signal), "{merged} of {closed}");
    }
    assert!(!rate(0, 9, Relation::Own).1.contains(&signal), "own repositories are not judged");
}

#[test]
fn a_sleeper_account_sends_a_burst_after_a_year_of_silence() {
    let burst = |count: u32, days: u32, relation| -> Vec<Pull> {
        (0..count).map(|number| pull(&format!("a/r{}", number % 2), days - number, Open, relation)).collect()
    };
    let mut facts = account(2_000);
    facts.repositories = vec![days_ago(1_990), days_ago(1_900)];
    facts.pulls = burst(12, 20, Relation::Known);
    let asleep = score(&facts);
    assert_eq!(asleep.signals, BTreeSet::from([Signal::SleeperAccount]));
    assert_eq!(asleep.assessment.sub_scores.behavior, 60);
    let without = |change: fn(&mut Facts)| {
        let mut facts = facts.clone();
        change(&mut facts);
        !signals(&facts).contains(&Signal::SleeperAccount)
    };
    assert!(without(|facts| facts.is_partial = true), "pull requests of the silence may be missing");
    assert!(without(|facts| facts.pulls.truncate(9)), "few pull requests");
    assert!(without(|facts| facts.repositories.push(days_ago(300))), "no silence");
    assert!(without(|facts| facts.known_since = days_ago(100)), "earlier activity is not known");
    assert!(
        without(|facts| facts.pulls.iter_mut().for_each(|pull| pull.relation = Relation::Own)),
        "own work"
    );
    assert!(without(|facts| facts.now = NOW.plus(DAY * 200)), "long ago");
    // An account that was created for later use and never used.
    facts.repositories.clear();
    assert!(signals(&facts).contains(&Signal::SleeperAccount));
}

#[test]
fn spray_is_many_pull_requests_to_many_repositories_within_a_day() {
    let spray = |count: u32, repositories: u32, apart: u32, relation| {
        let one = |number: u32| Pull {
            repository: format!("o/r{}", number % repositories),
            state: Open,
            created_at: days_ago(500).plus(DAY * 400 + DAY / 24 * number * apart),
            relation,
        };
        behavior((0..count).map(one).collect()).1.contains(&Signal::PrSpray)
    };
    assert!(spray(5, 4, 1, Relation::Known));
    assert!(spray(15, 15, 1, Relation::Stranger));
    assert!(spray(5, 5, 5, Relation::Known), "20 hours");
    assert!(!spray(4, 4, 1, Relation::Known));
    assert!(!spray(30, 3, 1, Relation::Known), "few repositories");
    assert!(!spray(15, 15, 7, Relation::Known), "over days");
    assert!(!spray(15, 15, 1, Relation::Own), "an owner of them");
    let (points, _) =
        behavior((0..5).map(|number| pull(&format!("o/r{number}"), 100, Open, Relation::Known)).collect());
    assert_eq!(points, 1 - 20, "a steady month, and the spray");
}

#[test]
fn unsolicited_pull_requests_are_a_pattern_from_five_on() {
    let of = |strangers: u32, known: u32| {
        let all = |count, relation| (0..count).map(move |day| pull("a/b", 500 + day * 2, Open, relation));
        behavior(all(strangers, Relation::Stranger).chain(all(known, Relation::Known)).collect())
    };
    assert_eq!(of(5, 0), (-20, BTreeSet::from([Signal::UnsolicitedPrPattern])));
    assert_eq!(of(9, 2).0, -20);
    assert_eq!(of(4, 0).0, 0, "the first ones of a new contributor");
    assert_eq!(of(8, 2).0, 0, "80 percent");
    let own = (0..50).map(|day| pull("me/b", 500 + day, Open, Relation::Own)).collect();
    assert_eq!(behavior(own).0, 0);
}

#[test]
fn rejections_in_three_repositories_count_unless_others_merge() {
    let of = |rejected: u32, merged: u32, days: u32| {
        let all = |count, state, name: &'static str| {
            (0..count).map(move |number| {
                pull(&format!("{name}/{number}"), days + number * 2, state, Relation::Known)
            })
        };
        behavior(all(rejected, Closed, "no").chain(all(merged, Merged, "yes")).collect()).1
    };
    assert!(of(3, 0, 100).contains(&Signal::PrRejectedAcrossRepos));
    assert!(of(4, 3, 100).contains(&Signal::PrRejectedAcrossRepos));
    for (rejected, merged, days) in [(2, 0, 100), (3, 3, 100), (5, 30, 100), (9, 0, 400)] {
        assert!(
            !of(rejected, merged, days).contains(&Signal::PrRejectedAcrossRepos),
            "{rejected} {merged} {days}"
        );
    }
    let same = (0..9).map(|day| pull("a/b", 100 + day, Closed, Relation::Known)).collect();
    assert!(!behavior(same).1.contains(&Signal::PrRejectedAcrossRepos), "one repository");
}

#[test]
fn more_than_twenty_new_repositories_in_three_months_lower_behavior() {
    let with = |count: usize, days| {
        let facts = Facts { repositories: vec![days_ago(days); count], ..account(2_000) };
        score(&facts).assessment.sub_scores.behavior
    };
    assert_eq!([with(20, 5), with(21, 5), with(99, 100)], [85, 75, 85]);
}
