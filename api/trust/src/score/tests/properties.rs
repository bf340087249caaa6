//! Bounds of all scores.

use code_host::PullRequestState::{self, Closed, Merged, Open};
use common::timestamp::Timestamp;
use proptest::prelude::*;

use super::{NOW, days_ago};
use crate::artifact::{Confidence, Gap, Part, Skipped};
use crate::facts::{Activity, Facts, Pull, Relation, Reviewed};
use crate::review::DiffChecks;
use crate::score::score;

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
    let pull =
        (0u8..9, any_state(), any_time(), any_relation()).prop_map(|(name, state, created_at, relation)| {
            Pull { repository: format!("a/{name}"), state, created_at, relation }
        });
    let activity = (any_time(), any::<bool>()).prop_map(|(at, is_review)| Activity { at, is_review });
    let checks = any::<[bool; 5]>().prop_map(
        |[has_chain, has_hidden_characters, has_hook, has_binary, is_complete]| DiffChecks {
            has_chain,
            has_hidden_characters,
            has_hook,
            has_binary,
            is_complete,
        },
    );
    let review = (any_relation(), any::<[bool; 2]>(), checks).prop_map(
        |(relation, [has_body, names_issue], checks)| Reviewed { relation, has_body, names_issue, checks },
    );
    let lists = (
        prop::collection::vec(any_time(), 0..30),
        prop::collection::vec(activity, 0..30),
        prop::collection::vec(pull, 0..40),
        prop::collection::vec(review, 0..10),
    );
    (any_time(), any::<u64>(), any::<usize>(), any::<usize>(), (any_time(), any::<bool>()), lists).prop_map(
        |(
            created_at,
            followers,
            signing_keys,
            organizations,
            (known_since, is_partial),
            (repositories, activity, pulls, reviews),
        )| Facts {
            now: NOW,
            created_at,
            followers,
            signing_keys,
            organizations,
            repositories,
            activity,
            pulls,
            is_partial,
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
    fn an_incomplete_search_lowers_no_score_and_is_named(facts in any_facts()) {
        let of = |is_partial| score(&Facts { is_partial, ..facts.clone() });
        let (complete, partial) = (of(false), of(true));
        let (before, after) = (complete.assessment.sub_scores, partial.assessment.sub_scores);
        prop_assert!(after.behavior >= before.behavior && after.content >= before.content);
        prop_assert_eq!((after.identity, complete.assessment.skipped.len()), (before.identity, 0));
        prop_assert!(partial.signals.is_subset(&complete.signals));
        prop_assert_eq!(partial.assessment.confidence, Confidence::Low);
        let named = [Skipped { what: Part::PullRequests, reason: Gap::SearchIncomplete }];
        prop_assert_eq!(partial.assessment.skipped, named);
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
