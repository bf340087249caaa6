//! Kinds of accounts.

use std::collections::BTreeSet;

use code_host::PullRequestState::{Closed, Merged, Open};

use super::{CLEAN, account, days_ago, pull, reviewed};
use crate::artifact::Verdict;
use crate::facts::{Activity, Facts, Relation};
use crate::score::{Signal, score};

/// An ordinary maintainer: years of work in own and other repositories, rejected now and then.
fn maintainer() -> Facts {
    let mut facts = account(2_500);
    (facts.followers, facts.signing_keys, facts.organizations) = (150, 1, 2);
    facts.repositories = (0..12).map(|number| days_ago(200 * number)).collect();
    facts.activity =
        (0..100).map(|number| Activity { at: days_ago(number / 2), is_review: number % 5 == 0 }).collect();
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
        pulls: (0..15)
            .map(|number| pull(&format!("o/{number}"), 20 - number, Open, Relation::Stranger))
            .collect(),
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
