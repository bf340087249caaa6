//! Changes by a user while a run is under way.

use serde_json::{Value, json};

use super::site::Site;
use super::{application, assets, discover, run, values};
use crate::harness::{Tenant, World};

/// Requests a discovery, changes something when the site has got the request that it holds, and lets the run end; the run.
async fn discover_while(
    world: &World,
    tenant: &Tenant,
    (shop, site): (&str, &Site),
    (path, change): (&str, Value),
) -> Value {
    let requested = world.post(&tenant.key, &format!("{shop}/inventory"), json!({})).await.ok(202);
    let mut is_changed = false;
    world
        .work_until(async || {
            if !is_changed && site.is_held() {
                world.patch(&tenant.key, path, change.clone()).await.ok(200);
                site.requests();
                site.release();
                is_changed = true;
            }
            is_changed && run(world, tenant, shop).await["completed_at"].is_string()
        })
        .await;
    world.one_poll_later().await;
    let ended = run(world, tenant, shop).await;
    assert_eq!(ended["id"], requested["run"]["id"]);
    ended
}

#[tokio::test]
async fn a_host_that_is_excluded_during_a_run_stays_excluded_with_everything_on_it() {
    let world = World::new();
    let tenant = world.tenant("meanwhile").await;
    let site = Site::start();
    site.page("/", "<a href=/a>a</a>").page("/a", "<a href=/b>b</a>").page("/b", "");
    let shop = application(&world, &tenant, &site).await;
    discover(&world, &tenant, &shop).await;
    let host = assets(&world, &tenant, &shop, "type=host").await[0].clone();
    let path = format!("{shop}/inventory/{}", host["id"].as_str().unwrap());
    site.page("/a", "<a href=/b>b</a><a href=/new>n</a>").page("/new", "");
    site.hold("/a");
    let excluded = json!({"scope_status": "excluded"});
    let ended = discover_while(&world, &tenant, (&shop, &site), (&path, excluded)).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(site.requests(), [""; 0], "nothing is sent after the batch that was under way");
    let all = assets(&world, &tenant, &shop, "").await;
    assert!(values(&all, &site).contains(&"GET /new".to_owned()), "the run still recorded links: {all:#?}");
    assert!(all.iter().all(|asset| asset["scope_status"] == "excluded"), "{all:#?}");
}

#[tokio::test]
async fn a_run_goes_on_at_the_new_url_and_sends_nothing_more_to_the_earlier_one() {
    let world = World::new();
    let tenant = world.tenant("moved").await;
    let (before, after) = (Site::start(), Site::start());
    before.page("/", "<a href=/old>o</a>").page("/old", "");
    after.page("/", "<a href=/fresh>f</a>").page("/fresh", "");
    let shop = application(&world, &tenant, &before).await;
    before.hold("/");
    let moved = json!({"url": after.url("/")});
    let ended = discover_while(&world, &tenant, (&shop, &before), (&shop, moved)).await;
    assert_eq!(
        (&ended["status"], &ended["coverage"]["complete"]),
        (&json!("completed"), &json!(true)),
        "{ended}"
    );
    assert_eq!(before.requests(), [""; 0]);
    let endpoints = values(&assets(&world, &tenant, &shop, "type=endpoint").await, &after);
    assert!(endpoints.contains(&"GET /fresh".to_owned()), "{endpoints:?}");
    assert!(!endpoints.iter().any(|endpoint| endpoint.contains("/old")), "{endpoints:?}");
}
