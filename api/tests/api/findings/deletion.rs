//! `DELETE /findings/{finding_id}`.

use engine::Level;
use findings::Outcome;
use serde_json::json;

use super::observed::{application, observation, record, run, seed};
use crate::harness::World;

#[tokio::test(start_paused = true)]
async fn a_deleted_finding_is_gone_and_comes_back_as_a_new_one() {
    let world = World::new();
    let tenant = world.tenant("deleted").await;
    let ids = seed(&world, &tenant, &[("/a", Level::Low)]).await;
    let path = format!("/findings/{}", ids[0]);
    world.get(&tenant.key, "/findings").await.ok(200);
    assert_eq!(world.delete(&tenant.key, &path).await.status, 204);
    world.delete(&tenant.key, &path).await.refused(404, "not_found");
    world.get(&tenant.key, &path).await.refused(404, "not_found");
    let listed = world.get(&tenant.key, "/findings").await.ok(200);
    assert_eq!(listed["pagination"]["total"], 0, "at once in the same process");
    let recorded =
        record(&world, &run(&world, &tenant, application(1), 2), vec![observation("/a", Level::Low)]).await;
    assert_eq!(recorded[0].outcome, Outcome::Created);
    assert_ne!(recorded[0].finding.to_string(), ids[0], "a new id");
    let detail = world.get(&tenant.key, &format!("/findings/{}", recorded[0].finding)).await.ok(200);
    assert_eq!((&detail["episode"], detail["history"].as_array().unwrap().len()), (&2.into(), 1));
    assert!(detail["previous_finding_id"].is_null());
}

#[tokio::test(start_paused = true)]
async fn an_older_episode_can_be_deleted_without_touching_the_current_one() {
    let world = World::new();
    let tenant = world.tenant("older").await;
    let first = seed(&world, &tenant, &[("/a", Level::Low)]).await;
    let fixed = json!({"triage_status": "resolved", "triage_resolution": "fixed"});
    world.patch(&tenant.key, &format!("/findings/{}", first[0]), fixed).await.ok(200);
    let again = || vec![observation("/a", Level::Low)];
    let second = record(&world, &run(&world, &tenant, application(1), 2), again()).await;
    assert_eq!(world.delete(&tenant.key, &format!("/findings/{}", first[0])).await.status, 204);
    let third = record(&world, &run(&world, &tenant, application(1), 3), again()).await;
    assert_eq!((third[0].finding, third[0].outcome), (second[0].finding, Outcome::SeenAgain));
}
