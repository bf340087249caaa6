//! In any order, split in any way and interrupted anywhere, the same is taken back.

use super::*;

#[tokio::test(start_paused = true)]
async fn taking_back_may_be_interrupted_at_any_commit() {
    let filter = filter("any", "client.address|cidr: 198.51.100.0/28");
    let filtered = || catalogue(&(rules::critical() + &filter));
    other_rules_may_be_interrupted_at_any_commit(filtered, || sign("loud", ADDRESS, 2)).await;
}

/// Filters of which each takes some of the happenings away.
fn filters() -> impl Strategy<Value = String> {
    let selection = prop::sample::select(vec![
        "client.address: 203.0.113.1",
        "client.address|cidr: 203.0.113.0/31",
        "user.name: user1",
        "client.address: 203.0.113.2, user.name: [user0, user3]",
    ]);
    let condition = prop::sample::select(vec!["condition: selection", "condition: not selection"]);
    (selection, condition, any::<bool>()).prop_map(|(selection, condition, is_login)| {
        let filter = match is_login {
            true => filter_of("{product: linux, service: sshd}", "any", selection),
            false => filter("any", selection),
        };
        filter.replace("condition: selection", condition)
    })
}

/// Ids of the rules that count, by family and entity.
fn counting(outcomes: &[Outcome]) -> BTreeMap<(String, String), BTreeSet<String>> {
    let rules = |outcome: &Outcome| outcome.assessment.rules.iter().map(|rule| rule.id.clone()).collect();
    let of = |outcome: &Outcome| ((outcome.family.clone(), outcome.entity.clone()), rules(outcome));
    outcomes.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_repetition_and_batches_change_nothing_of_what_is_taken_back(
        (lines, shuffled, per_batch, other_per_batch) in happenings(60).prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle(), 1_usize..30, 1_usize..30)
        }),
        filter in filters(),
    ) {
        in_paused_time(async {
            let plain = deliveries(&lines, per_batch);
            let other = deliveries(&shuffled, other_per_batch);
            let expected = after(&rules::all(), &plain, &filter).await.outcomes();
            let both: Vec<Delivery> = other.iter().chain(&plain).cloned().collect();
            for happened in [&other, &both] {
                let found = after(&rules::all(), happened, &filter).await.outcomes();
                assert!(found == expected, "{filter}\n{}", difference(&found, &expected));
            }
            // What would have been found with the filter there from the beginning still counts.
            let strict = World::new(&(rules::all() + &filter));
            strict.take(&plain).await;
            let counting_after = counting(&expected);
            for (key, rules) in counting(&strict.outcomes()) {
                let left = counting_after.get(&key).cloned().unwrap_or_default();
                assert!(rules.is_subset(&left), "{key:?}: {rules:?} of {left:?}\n{filter}");
            }
        });
    }

    #[test]
    fn faults_at_any_commits_change_nothing_of_what_is_taken_back(
        lines in happenings(60), per_batch in 1_usize..12, faults in faults(), filter in filters(),
    ) {
        in_paused_time(async {
            let happened = deliveries(&lines, per_batch);
            let undisturbed = after(&rules::all(), &happened, &filter).await;
            let disturbed = eager(World::new(&rules::all()));
            disturbed.take(&happened).await;
            let committed = disturbed.ledger.book().len();
            disturbed.ledger.plan_faults(faults.into_iter().map(|(at, fault)| (committed + at % 4, fault)));
            put_in_force(&disturbed, &(rules::all() + &filter)).await;
            assert_eq!(disturbed.rows(), undisturbed.rows());
        });
    }
}
