//! `/applications/{application_id}/inventory`, over discoveries of sites on loopback.

mod deletion;
mod meanwhile;
mod refused;
mod runs;
mod scope;
mod site;

use serde_json::{Value, json};

use crate::harness::{Tenant, World};
use site::Site;

/// An application at a site; its path.
async fn application(world: &World, tenant: &Tenant, site: &Site) -> String {
    let body = json!({"name": "Shop", "url": site.url("/")});
    let created = world.post(&tenant.key, "/applications", body).await.ok(201);
    format!("/applications/{}", created["id"].as_str().unwrap())
}

/// Requests a discovery and lets it end; the run.
async fn discover(world: &World, tenant: &Tenant, application: &str) -> Value {
    let path = format!("{application}/inventory");
    let requested = world.post(&tenant.key, &path, json!({})).await.ok(202);
    assert_eq!(requested["run"]["status"], "queued");
    world
        .work_until(async || {
            let run = run(world, tenant, application).await;
            !["queued", "in_progress"].contains(&run["status"].as_str().unwrap())
        })
        .await;
    world.one_poll_later().await;
    let ended = run(world, tenant, application).await;
    assert_eq!(ended["id"], requested["run"]["id"]);
    ended
}

/// The latest run. The clock advances by as much as a request may cost, so that the rate of a key is not met.
async fn run(world: &World, tenant: &Tenant, application: &str) -> Value {
    world.clock.advance(std::time::Duration::from_millis(200));
    world.get(&tenant.key, application).await.ok(200)["inventory"]["run"].clone()
}

/// Assets of a filter: type and value, in order.
async fn assets(world: &World, tenant: &Tenant, application: &str, query: &str) -> Vec<Value> {
    let listed = world.get(&tenant.key, &format!("{application}/inventory?limit=100&{query}")).await.ok(200);
    let mut assets = listed["data"].as_array().unwrap().clone();
    assert_eq!(listed["pagination"]["total"], assets.len());
    assets.sort_by_key(|asset| asset["value"].as_str().unwrap().to_owned());
    assets
}

/// The values of assets, without the origin of the site.
fn values(assets: &[Value], site: &Site) -> Vec<String> {
    let origin = site.url("");
    assets.iter().map(|asset| asset["value"].as_str().unwrap().replace(&origin, "")).collect()
}
