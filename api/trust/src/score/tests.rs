//! Every signal with a case in which it holds and one in which it does not, kinds of accounts, and bounds.

mod accounts;
mod behavior;
mod properties;

use std::collections::BTreeSet;

use code_host::PullRequestState::{self, Merged};
use common::timestamp::Timestamp;

use super::{Signal, score};
use crate::artifact::{Confidence, Verdict};
use crate::facts::{Facts, Pull, Relation, Reviewed};
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
        is_partial: false,
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
    assert_eq!(
        [merged(1, Relation::Known), merged(9, Relation::Known), merged(9, Relation::Own)],
        [67, 75, 65]
    );
    let most = identity(|facts| {
        facts.followers = 5_000;
        facts.pulls = (0..9).map(|day| pull("a/b", day, Merged, Relation::Known)).collect();
    });
    assert_eq!(most, 80);
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
        one.checks = DiffChecks {
            has_chain: true,
            has_hidden_characters: true,
            has_hook: true,
            has_binary: true,
            is_complete: true,
        };
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
