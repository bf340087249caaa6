//! Runs without requests, and runs that will never end.

use std::sync::Arc;
use std::time::Duration;

use directory::NewApplication;
use jobs::Jobs;
use serde_json::{Value, json};

use super::site::Site;
use super::{application, discover};
use crate::harness::{Tenant, World};

/// An application whose URL the API would refuse; its path.
async fn stored(world: &World, tenant: &Tenant, name: &str, url: &str) -> String {
    let new = NewApplication { id: None, name: name.to_owned(), url: url.to_owned(), repository_id: None };
    let created = world.directory.create_application(tenant.organization, new).await.unwrap();
    format!("/applications/{}", created.id)
}

#[tokio::test]
async fn the_coverage_states_that_and_why_nothing_may_be_sent_to_an_application() {
    let world = World::new();
    let tenant = world.tenant("refused").await;
    for (url, reason) in [("http://10.0.0.1/", "plain_http"), ("https://10.0.0.2/", "address")] {
        let shop = stored(&world, &tenant, reason, url).await;
        let run = discover(&world, &tenant, &shop).await;
        assert_eq!(
            (&run["status"], &run["coverage"]["complete"]),
            (&json!("completed"), &json!(false)),
            "{run}"
        );
        let skipped = run["coverage"]["skipped"].as_array().unwrap();
        let of = |what: &str| skipped.iter().filter(|one| one["what"] == what).collect::<Vec<&Value>>();
        for what in ["pages", "files"] {
            let found = of(what);
            assert_eq!(found.len(), 1, "{what}: {run}");
            let only = found[0];
            assert_eq!(only["reason"], reason, "{run}");
            assert!(only["message"].as_str().unwrap().contains("outbound.allow_networks"), "{run}");
        }
    }
}

#[tokio::test]
async fn a_page_with_an_error_of_the_server_keeps_a_run_from_telling_that_assets_are_gone() {
    let world = World::new();
    let tenant = world.tenant("error").await;
    let site = Site::start();
    site.page("/", "<a href=/a>a</a>").page("/a", "");
    let shop = application(&world, &tenant, &site).await;
    discover(&world, &tenant, &shop).await;
    site.put("/", "503", "");
    for _ in 0..4 {
        let run = discover(&world, &tenant, &shop).await;
        assert_eq!((&run["gone"], &run["coverage"]["complete"]), (&json!(0), &json!(false)), "{run}");
        assert!(run["coverage"]["skipped"].to_string().contains("error_reply"), "{run}");
    }
}

#[tokio::test]
async fn a_run_whose_job_was_abandoned_does_not_stand_in_the_way_of_another() {
    let world = World::new();
    let tenant = world.tenant("abandoned").await;
    let site = Site::start();
    site.page("/", "");
    let shop = application(&world, &tenant, &site).await;
    let path = format!("{shop}/inventory");
    let first = world.post(&tenant.key, &path, json!({})).await.ok(202)["run"]["id"].clone();
    // A process that does not know the kind ends the job without its failure handler.
    let records = Arc::clone(world.jobs.records());
    let elsewhere = Jobs::new(records, Vec::new(), world.clock.clone());
    assert!(elsewhere.cancel(first.as_str().unwrap().parse().unwrap()).await.unwrap());
    let second = world.post(&tenant.key, &path, json!({})).await.ok(202)["run"]["id"].clone();
    assert_ne!(first, second);
    world.clock.advance(Duration::from_secs(48 * 3_600));
    assert_eq!(
        world.post(&tenant.key, &path, json!({})).await.ok(202)["run"]["id"],
        second,
        "a run that waits for long is not replaced, and keeps its place"
    );
}

#[tokio::test]
async fn each_application_of_an_organization_may_wait_for_its_run() {
    let world = World::new();
    let tenant = world.tenant("many").await;
    // More than the usual number of queued jobs of a kind.
    for number in 0..110 {
        let url = format!("https://a{number}.example.com/");
        let shop = stored(&world, &tenant, &format!("a{number}"), &url).await;
        world.clock.advance(Duration::from_secs(1));
        world.post(&tenant.key, &format!("{shop}/inventory"), json!({})).await.ok(202);
    }
}
