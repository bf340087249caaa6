//! Recording: created, seen again, recurred, absent.

use engine::Level;
use findings::Outcome;
use serde_json::json;

use super::observed::{application, observation, record, run, seed};
use crate::harness::World;

#[tokio::test(start_paused = true)]
async fn a_second_run_sees_the_same_finding_again() {
    let world = World::new();
    let tenant = world.tenant("again").await;
    let first = seed(&world, &tenant, &[("/a", Level::Low)]).await;
    let mut moved = observation("/a", Level::Low);
    moved.locations[0].region = None;
    let recorded = record(&world, &run(&world, &tenant, application(1), 2), vec![moved]).await;
    assert_eq!(recorded[0].outcome, Outcome::SeenAgain);
    assert_eq!(recorded[0].finding.to_string(), first[0]);
    let detail = world.get(&tenant.key, &format!("/findings/{}", first[0])).await.ok(200);
    assert_eq!((&detail["observed_count"], &detail["locations"][0]["start_line"]), (&2.into(), &json!(null)));
    assert_eq!(detail["history"].as_array().unwrap().len(), 1, "an observation is no change by an actor");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_call_of_a_run_changes_nothing_and_has_the_same_outcomes() {
    let world = World::new();
    let tenant = world.tenant("repeat").await;
    let run = run(&world, &tenant, application(1), 1);
    let observations = || vec![observation("/a", Level::Low), observation("/b", Level::High)];
    let first = record(&world, &run, observations()).await;
    let second = record(&world, &run, observations()).await;
    assert_eq!(first, second);
    assert!(first.iter().all(|recorded| recorded.outcome == Outcome::Created));
    let detail = world.get(&tenant.key, &format!("/findings/{}", first[0].finding)).await.ok(200);
    assert_eq!(detail["observed_count"], 1);
}

#[tokio::test(start_paused = true)]
async fn observations_of_one_identity_are_one_finding_with_all_locations() {
    let world = World::new();
    let tenant = world.tenant("joined").await;
    let (first, mut second) = (observation("/a", Level::Low), observation("/a", Level::High));
    second.locations[0].path = "/a/print".to_owned();
    let recorded = record(&world, &run(&world, &tenant, application(1), 1), vec![first, second]).await;
    assert_eq!(recorded[0], recorded[1]);
    let detail = world.get(&tenant.key, &format!("/findings/{}", recorded[0].finding)).await.ok(200);
    assert_eq!(detail["locations"].as_array().unwrap().len(), 2);
    assert_eq!(detail["risk_level"], "high");
}

#[tokio::test(start_paused = true)]
async fn a_fixed_finding_that_is_observed_again_begins_an_episode_that_names_the_old_one() {
    let world = World::new();
    let tenant = world.tenant("recurs").await;
    let first = seed(&world, &tenant, &[("/a", Level::Low)]).await;
    let fixed = json!({"triage_status": "resolved", "triage_resolution": "fixed"});
    world.patch(&tenant.key, &format!("/findings/{}", first[0]), fixed).await.ok(200);
    let second = run(&world, &tenant, application(1), 2);
    let recorded = record(&world, &second, vec![observation("/a", Level::Low)]).await;
    assert_eq!(recorded[0].outcome, Outcome::Recurred);
    let again = record(&world, &second, vec![observation("/a", Level::Low)]).await;
    assert_eq!(again, recorded, "a repeated call has the same outcome");
    let detail = world.get(&tenant.key, &format!("/findings/{}", recorded[0].finding)).await.ok(200);
    assert_eq!((&detail["episode"], &detail["previous_finding_id"]), (&2.into(), &first[0].as_str().into()));
    assert_eq!(world.get(&tenant.key, "/findings?state=open").await.ok(200)["pagination"]["total"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_finding_that_a_run_does_not_observe_any_more_is_fixed_unless_a_user_works_on_it() {
    let world = World::new();
    let tenant = world.tenant("absent").await;
    let paths = [
        ("/gone", Level::Low),
        ("/worked-on", Level::Low),
        ("/not-covered", Level::Low),
        ("/seen", Level::Low),
    ];
    let ids = seed(&world, &tenant, &paths).await;
    let working = json!({"triage_status": "in_progress"});
    world.patch(&tenant.key, &format!("/findings/{}", ids[1]), working).await.ok(200);
    world.clock.advance(std::time::Duration::from_secs(60));
    let second = run(&world, &tenant, application(1), 2);
    record(&world, &second, vec![observation("/seen", Level::Low)]).await;
    let covers = |_: &findings::Finding, detail: &findings::FindingDetail| {
        detail.locations.iter().all(|location| location.path != "/not-covered")
    };
    assert_eq!(world.findings().absent(&second, covers).await.unwrap(), 1);
    assert_eq!(world.findings().absent(&second, covers).await.unwrap(), 0, "once");
    let gone = world.get(&tenant.key, &format!("/findings/{}", ids[0])).await.ok(200);
    assert_eq!((&gone["triage_status"], &gone["triage_resolution"]), (&"resolved".into(), &"fixed".into()));
    assert_eq!(gone["history"][0]["change"], "absent");
    for id in &ids[1..] {
        let other = world.get(&tenant.key, &format!("/findings/{id}")).await.ok(200);
        assert_ne!(other["triage_status"], "resolved");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_of_a_thousand_observations_is_recorded_in_order() {
    let world = World::new();
    let tenant = world.tenant("many").await;
    let path = |number: u32| format!("/{number:04}");
    let observations = || (0..1_000).map(|number| observation(&path(number), Level::Medium)).collect();
    let first = record(&world, &run(&world, &tenant, application(1), 1), observations()).await;
    assert_eq!(first.len(), 1_000);
    let second = record(&world, &run(&world, &tenant, application(1), 2), observations()).await;
    assert!(first.iter().zip(&second).all(|(one, other)| one.finding == other.finding));
    let page = world.get(&tenant.key, "/findings?sort=board&limit=1&offset=999").await.ok(200);
    assert_eq!(page["pagination"]["total"], 1_000);
    assert!(page["data"][0]["title"].as_str().unwrap().ends_with("/0000"), "the first is at the bottom");
}
