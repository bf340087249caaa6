//! Every signal with a case in which it holds and one in which it does not, kinds of accounts, and bounds.

use std::collections::BTreeSet;

use code_host::PullRequestState::{self, Closed, Merged, Open};
use common::timestamp::Timestamp;
use proptest::prelude::*;

use super::{Scored, Signal, score};
use crate::artifact::{Confidence, Verdict};
use crate::facts::{Activity, Facts, Pull, Relation, Reviewed};
use crate::review::DiffChecks;
use crate::weights::DAY;

const NOW: Timestamp = Timestamp(1_790_000_000 * 1_000_000_000);

fn days_ago(days: u32) -> Timestamp {
    NOW.minus(DAY * days)
}

/// An account of an age, of which nothing else is known.
fn account(days: u32) -> Facts {
    Facts {
        now: NOW,
        created_at: days_ago(days),
        followers: 0,
        signing_keys: 0,
        organizations: 0,
        repositories: Vec::new(),
        activity: Vec::new(),
        pulls: Vec::new(),
        known_since: days_ago(days),
        reviews: Vec::new(),
    }
}

fn pull(repository: &str, days: u32, state: PullRequestState, relation: Relation) -> Pull {
    Pull { repository: repository.to_owned(), state, created_at: days_ago(days), relation }
}

const CLEAN: Reviewed = Reviewed {
    relation: Relation::Stranger,
    has_body: true,
    names_issue: true,
    checks: DiffChecks {
        has_chain: false,
        has_hidden_characters: false,
        has_hook: false,
        has_binary: false,
        is_complete: true,
    },
};

fn reviewed(change: impl Fn(&mut Reviewed)) -> Reviewed {
    let mut one = CLEAN;
    change(&mut one);
    one
}

fn signals(facts: &Facts) -> BTreeSet<Signal> {
    score(facts).signals
}

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

fn identity(change: impl Fn(&mut Facts)) -> u8 {
    let mut facts = account(400);
    change(&mut facts);
    score(&facts).assessment.sub_scores.identity
}

fn content(reviews: Vec<Reviewed>) -> u8 {
    score(&Facts { reviews, ..account(400) }).assessment.sub_scores.content
}

#[test]
fn a_new_account_alone_leaves_at_least_50() {
    for days in [0, 1, 29] {
        let scored = score(&account(days));
        assert_eq!(scored.assessment.sub_scores.identity, 10);
        assert!(scored.assessment.score >= 50 && scored.signals.is_empty(), "{scored:?}");
        assert_eq!(scored.assessment.verdict, Verdict::Caution);
    }
}

#[test]
fn identity_grows_with_age_keys_memberships_followers_and_merged_work() {
    let ages = [29, 30, 90, 365, 730, 1_096].map(|days| score(&account(days)).assessment.sub_scores.identity);
    assert_eq!(ages, [10, 30, 50, 65, 75, 85]);
    assert_eq!(identity(|_| ()), 65);
    assert_eq!(identity(|facts| facts.signing_keys = 1), 75);
    assert_eq!(identity(|facts| facts.signing_keys = 9), 75);
    assert_eq!(identity(|facts| facts.organizations = 1), 75);
    assert_eq!(identity(|facts| facts.organizations = 7), 85);
    let followed = [9, 10, 100, 1_000].map(|count| identity(|facts| facts.followers = count));
    assert_eq!(followed, [65, 67, 70, 73]);
    let merged = |count: u32, relation| {
        identity(|facts| facts.pulls = (0..count).map(|day| pull("a/b", day, Merged, relation)).collect())
    };
    assert_eq!([merged(1, Relation::Known), merged(9, Relation::Known), merged(9, Relation::Own)], [67, 75, 65]);
    let most = identity(|facts| {
        facts.followers = 5_000;
        facts.pulls = (0..9).map(|day| pull("a/b", day, Merged, Relation::Known)).collect();
    });
    assert_eq!(most, 80);
}

#[test]
fn reviews_and_steady_months_raise_behavior() {
    let with = |activity: Vec<Activity>| score(&Facts { activity, ..account(2_000) }).assessment.sub_scores.behavior;
    let at = |days: u32, is_review| Activity { at: days_ago(days), is_review };
    assert_eq!(with(Vec::new()), 85);
    assert_eq!(with(vec![at(1, true), at(2, true)]), 87);
    assert_eq!(with(vec![at(1, true); 50]), 90);
    assert_eq!(with((0..3).map(|month| at(31 * month, false)).collect()), 87, "the current month does not count");
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
    assert!(without(|facts| facts.pulls.truncate(9)), "few pull requests");
    assert!(without(|facts| facts.repositories.push(days_ago(300))), "no silence");
    assert!(without(|facts| facts.known_since = days_ago(100)), "earlier activity is not known");
    assert!(without(|facts| facts.pulls.iter_mut().for_each(|pull| pull.relation = Relation::Own)), "own work");
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
    let (points, _) = behavior((0..5).map(|number| pull(&format!("o/r{number}"), 100, Open, Relation::Known)).collect());
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
            (0..count).map(move |number| pull(&format!("{name}/{number}"), days + number * 2, state, Relation::Known))
        };
        behavior(all(rejected, Closed, "no").chain(all(merged, Merged, "yes")).collect()).1
    };
    assert!(of(3, 0, 100).contains(&Signal::PrRejectedAcrossRepos));
    assert!(of(4, 3, 100).contains(&Signal::PrRejectedAcrossRepos));
    for (rejected, merged, days) in [(2, 0, 100), (3, 3, 100), (5, 30, 100), (9, 0, 400)] {
        assert!(!of(rejected, merged, days).contains(&Signal::PrRejectedAcrossRepos), "{rejected} {merged} {days}");
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

#[test]
fn content_is_100_less_the_failed_checks_and_60_without_pull_requests() {
    assert_eq!(content(Vec::new()), 60);
    assert_eq!(content(vec![CLEAN]), 100);
    for (points, change) in [
        (20, (|one| one.has_body = false) as fn(&mut Reviewed)),
        (10, |one| one.names_issue = false),
        (60, |one| one.checks.has_chain = true),
        (40, |one| one.checks.has_hidden_characters = true),
        (15, |one| one.checks.has_hook = true),
        (15, |one| one.checks.has_binary = true),
        (0, |one| one.checks.is_complete = false),
    ] {
        assert_eq!(content(vec![reviewed(change)]), 100 - points);
    }
    let worst = reviewed(|one| {
        (one.has_body, one.names_issue) = (false, false);
        one.checks = DiffChecks { has_chain: true, has_hidden_characters: true, has_hook: true, has_binary: true, is_complete: true };
    });
    assert_eq!(content(vec![worst; 10]), 0);
}

#[test]
fn low_effort_needs_half_of_the_pull_requests_and_one_issue_is_enough() {
    let with = |reviews: Vec<Reviewed>| signals(&Facts { reviews, ..account(400) });
    let empty = reviewed(|one| one.has_body = false);
    let plain = reviewed(|one| one.names_issue = false);
    assert_eq!(with(vec![empty, CLEAN]), BTreeSet::from([Signal::LowEffortPr]));
    assert_eq!(with(vec![empty, CLEAN, CLEAN]), BTreeSet::new());
    assert_eq!(with(vec![plain, plain]), BTreeSet::from([Signal::NoIssueLinkage]));
    assert_eq!(with(vec![plain, CLEAN]), BTreeSet::new());
    let own = reviewed(|one| (one.relation, one.has_body, one.names_issue) = (Relation::Own, false, false));
    assert_eq!(with(vec![own; 5]), BTreeSet::new());
}

#[test]
fn a_malicious_new_account_is_new_and_attacks() {
    let attack = reviewed(|one| one.checks.has_chain = true);
    let of = |days, reviews| signals(&Facts { reviews, ..account(days) });
    assert_eq!(of(10, vec![attack]), BTreeSet::from([Signal::MaliciousNewAccount]));
    assert_eq!(of(10, vec![CLEAN]), BTreeSet::new());
    assert_eq!(of(40, vec![attack]), BTreeSet::new());
    let scored = score(&Facts { reviews: vec![attack], ..account(10) });
    assert_eq!(scored.assessment.verdict, Verdict::Suspicious, "{scored:?}");
}

#[test]
fn confidence_follows_the_reviewed_pull_requests() {
    for (count, expected) in [
        (0, Confidence::Low),
        (2, Confidence::Low),
        (3, Confidence::Medium),
        (9, Confidence::Medium),
        (10, Confidence::High),
    ] {
        let scored = score(&Facts { reviews: vec![CLEAN; count], ..account(400) });
        assert_eq!(scored.assessment.confidence, expected, "{count}");
        assert_eq!(scored.assessment.analyzed_pr_count as usize, count);
    }
}

/// An ordinary maintainer: years of work in own and other repositories, rejected now and then.
fn maintainer() -> Facts {
    let mut facts = account(2_500);
    (facts.followers, facts.signing_keys, facts.organizations) = (150, 1, 2);
    facts.repositories = (0..12).map(|number| days_ago(200 * number)).collect();
    facts.activity = (0..100).map(|number| Activity { at: days_ago(number / 2), is_review: number % 5 == 0 }).collect();
    facts.pulls = (0..150)
        .map(|number| match number % 10 {
            0 => pull(&format!("other/{number}"), number * 5, Closed, Relation::Stranger),
            1..=4 => pull("other/main", number * 5, Merged, Relation::Known),
            _ => pull("team/main", number * 5, Merged, Relation::Own),
        })
        .collect();
    let own = reviewed(|one| (one.relation, one.has_body, one.names_issue) = (Relation::Own, false, false));
    let workflow = reviewed(|one| one.checks.has_hook = true);
    facts.reviews = vec![own, own, CLEAN, CLEAN, workflow, own, CLEAN, CLEAN, own, CLEAN];
    facts
}

#[test]
fn kinds_of_accounts_have_the_verdicts_that_people_expect() {
    let trusted = score(&maintainer());
    assert_eq!(trusted.assessment.verdict, Verdict::Trusted, "{trusted:?}");
    let newcomer = Facts {
        pulls: vec![pull("a/b", 3, Open, Relation::Stranger), pull("c/d", 9, Closed, Relation::Stranger)],
        reviews: vec![CLEAN, reviewed(|one| one.names_issue = false)],
        ..account(20)
    };
    let honest = score(&newcomer);
    assert_eq!((honest.assessment.verdict, honest.signals), (Verdict::Caution, BTreeSet::new()));
    let spray = Facts {
        pulls: (0..15).map(|number| pull(&format!("o/{number}"), 2, Closed, Relation::Stranger)).collect(),
        reviews: vec![reviewed(|one| (one.has_body, one.names_issue) = (false, false)); 10],
        ..account(15)
    };
    let sprayed = score(&spray);
    assert!(sprayed.assessment.score < 50, "{sprayed:?}");
    let sleeper = Facts {
        pulls: (0..15).map(|number| pull(&format!("o/{number}"), 20 - number, Open, Relation::Stranger)).collect(),
        reviews: vec![reviewed(|one| one.checks.has_chain = true); 10],
        ..account(1_500)
    };
    let awake = score(&sleeper);
    assert!(awake.assessment.score < 60 && awake.signals.contains(&Signal::SleeperAccount), "{awake:?}");
    let mut attacker = sleeper;
    attacker.reviews = vec![reviewed(|one| {
        (one.has_body, one.names_issue, one.checks.has_chain) = (false, false, true);
        one.checks.has_hidden_characters = true;
    })];
    attacker.created_at = days_ago(25);
    attacker.pulls.extend((0..9).map(|number| pull(&format!("p/{number}"), 1, Closed, Relation::Stranger)));
    assert_eq!(score(&attacker).assessment.verdict, Verdict::Dangerous, "{:?}", score(&attacker));
}

fn any_state() -> impl Strategy<Value = PullRequestState> {
    prop_oneof![Just(Open), Just(Closed), Just(Merged)]
}

fn any_relation() -> impl Strategy<Value = Relation> {
    prop_oneof![Just(Relation::Own), Just(Relation::Known), Just(Relation::Stranger)]
}

fn any_time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![(0u32..3_000).prop_map(days_ago), any::<i64>().prop_map(Timestamp)]
}

fn any_facts() -> impl Strategy<Value = Facts> {
    let pull = (0u8..9, any_state(), any_time(), any_relation()).prop_map(|(name, state, created_at, relation)| {
        Pull { repository: format!("a/{name}"), state, created_at, relation }
    });
    let activity = (any_time(), any::<bool>()).prop_map(|(at, is_review)| Activity { at, is_review });
    let checks = any::<[bool; 5]>().prop_map(|[has_chain, has_hidden_characters, has_hook, has_binary, is_complete]| {
        DiffChecks { has_chain, has_hidden_characters, has_hook, has_binary, is_complete }
    });
    let review = (any_relation(), any::<[bool; 2]>(), checks).prop_map(|(relation, [has_body, names_issue], checks)| {
        Reviewed { relation, has_body, names_issue, checks }
    });
    let lists = (
        prop::collection::vec(any_time(), 0..30),
        prop::collection::vec(activity, 0..30),
        prop::collection::vec(pull, 0..40),
        prop::collection::vec(review, 0..10),
    );
    (any_time(), any::<u64>(), any::<usize>(), any::<usize>(), any_time(), lists).prop_map(
        |(created_at, followers, signing_keys, organizations, known_since, (repositories, activity, pulls, reviews))| Facts {
            now: NOW,
            created_at,
            followers,
            signing_keys,
            organizations,
            repositories,
            activity,
            pulls,
            known_since,
            reviews,
        },
    )
}

proptest! {
    #[test]
    fn every_score_is_bounded_and_deterministic(facts in any_facts()) {
        let scored = score(&facts);
        let of = scored.assessment.sub_scores;
        prop_assert!(scored.assessment.score <= 100 && of.behavior <= 100 && of.content <= 100);
        prop_assert!((10..=100).contains(&of.identity));
        prop_assert_eq!(&scored, &score(&facts));
        let exact = (f64::from(of.identity) * 35.0 + f64::from(of.behavior) * 40.0 + f64::from(of.content) * 25.0) / 100.0;
        prop_assert!((f64::from(scored.assessment.score) - exact).abs() <= 0.5);
    }

    #[test]
    fn the_order_of_pull_requests_and_events_does_not_matter(facts in any_facts()) {
        let mut reversed = facts.clone();
        reversed.pulls.reverse();
        reversed.activity.reverse();
        reversed.repositories.reverse();
        prop_assert_eq!(score(&facts), score(&reversed));
    }
}
