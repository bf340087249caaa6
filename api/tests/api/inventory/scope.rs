//! `PATCH /applications/{application_id}/inventory/{asset_id}`.

use serde_json::{Value, json};

use super::site::Site;
use super::{application, assets, discover, values};
use crate::harness::{Tenant, World};

async fn asset(world: &World, tenant: &Tenant, shop: &str, query: &str) -> Value {
    let found = assets(world, tenant, shop, query).await;
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

fn path(shop: &str, asset: &Value) -> String {
    format!("{shop}/inventory/{}", asset["id"].as_str().unwrap())
}

#[tokio::test]
async fn an_excluded_endpoint_is_not_requested_again_and_stays_excluded() {
    let world = World::new();
    let (tenant, foreign) = (world.tenant("scope").await, world.tenant("foreign").await);
    let site = Site::start();
    site.page("/", "<a href=/admin>a</a><a href=/open>o</a>").page("/admin", "").page("/open", "");
    let shop = application(&world, &tenant, &site).await;
    discover(&world, &tenant, &shop).await;
    assert!(site.requested().contains("/admin"));
    let admin = asset(&world, &tenant, &shop, "q=/admin").await;
    let excluded = json!({"scope_status": "excluded"});
    world.patch(&foreign.key, &path(&shop, &admin), excluded.clone()).await.refused(404, "not_found");
    let changed = world.patch(&tenant.key, &path(&shop, &admin), excluded.clone()).await.ok(200);
    assert_eq!(
        (&changed["scope_status"], &changed["scope_reason"]),
        (&json!("excluded"), &json!("listed_excluded"))
    );
    assert_eq!(asset(&world, &tenant, &shop, "scope_status=excluded").await, changed, "at once in the list");

    discover(&world, &tenant, &shop).await;
    let requested = site.requested();
    assert!(requested.contains("/open") && !requested.contains("/admin"), "{requested:?}");
    let kept = asset(&world, &tenant, &shop, "q=/admin").await;
    assert_eq!((&kept["scope_status"], &kept["state"]), (&json!("excluded"), &json!("active")));
    let included = json!({"scope_status": "included"});
    let back = world.patch(&tenant.key, &path(&shop, &admin), included).await.ok(200);
    assert_eq!(
        (&back["scope_status"], &back["scope_reason"]),
        (&json!("included"), &json!("application_host"))
    );
    discover(&world, &tenant, &shop).await;
    assert!(site.requested().contains("/admin"));

    let unverified = json!({"scope_status": "unverified"});
    let message = world.patch(&tenant.key, &path(&shop, &admin), unverified.clone()).await;
    assert!(message.refused(400, "invalid_request").contains("its host decides"));
    let product = asset(&world, &tenant, &shop, "type=technology").await;
    world.patch(&tenant.key, &path(&shop, &product), excluded.clone()).await.refused(400, "invalid_request");
    for body in
        [json!({}), json!({"scope_status": "foreign"}), json!({"scope_status": "excluded", "type": "host"})]
    {
        world.patch(&tenant.key, &path(&shop, &admin), body).await.refused(400, "invalid_request");
    }
    let unknown = format!("{shop}/inventory/67e55044-10b1-826f-9247-bb680e5fe0c8");
    world.patch(&tenant.key, &unknown, excluded.clone()).await.refused(404, "not_found");
    let malformed = format!("{shop}/inventory/first");
    world.patch(&tenant.key, &malformed, excluded).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn nothing_is_sent_to_an_excluded_host() {
    let world = World::new();
    let tenant = world.tenant("host").await;
    let site = Site::start();
    site.page("/", "<a href=/a>a</a>").page("/a", "");
    let shop = application(&world, &tenant, &site).await;
    discover(&world, &tenant, &shop).await;
    let host = asset(&world, &tenant, &shop, "type=host").await;
    let unverified =
        world.patch(&tenant.key, &path(&shop, &host), json!({"scope_status": "unverified"})).await;
    assert!(unverified.refused(400, "invalid_request").contains("since it is included"));
    world.patch(&tenant.key, &path(&shop, &host), json!({"scope_status": "excluded"})).await.ok(200);
    let all = assets(&world, &tenant, &shop, "").await;
    assert!(all.iter().all(|asset| asset["scope_status"] == "excluded"), "everything on it: {all:#?}");
    site.requests();
    let run = discover(&world, &tenant, &shop).await;
    assert_eq!(
        (site.requests(), &run["coverage"]["counts"]["handshakes"]),
        (Vec::<String>::new(), &json!(0))
    );
    assert_eq!(run["status"], "completed");
    let kept = asset(&world, &tenant, &shop, "type=host").await;
    assert_eq!(kept["scope_status"], "excluded");
    assert!(values(&all, &site).contains(&"GET /a".to_owned()));
}
