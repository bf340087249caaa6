//! Runs: their results, their requests, and the differences to earlier runs.

use serde_json::json;

use super::site::Site;
use super::{application, assets, discover, values};
use crate::harness::World;

#[tokio::test]
async fn a_run_finds_hosts_endpoints_and_products_and_asks_no_other_host() {
    let world = World::new();
    let (tenant, foreign) = (world.tenant("found").await, world.tenant("foreign").await);
    let (site, outside) = (Site::start(), Site::start());
    site.page("/", "<a href=/items/7?page=2>i</a><a href=/leave>l</a><a href=/private/a>p</a><script src=/app.js></script>");
    site.page("/items/7?page=2", "<form method=post action=/cart><input name=amount></form>");
    site.redirect("/leave", &outside.url("/landing"));
    site.put("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private/\n");
    site.put("/app.js", "text/javascript", "fetch('/api/orders')");
    let shop = application(&world, &tenant, &site).await;
    world.patch(&tenant.key, &shop, json!({"headers": {"X-Token": "of-the-shop"}})).await.ok(200);
    let empty = world.get(&tenant.key, &format!("{shop}/inventory")).await.ok(200);
    assert_eq!((&empty["data"], &empty["run"]), (&json!([]), &json!(null)));

    let run = discover(&world, &tenant, &shop).await;
    assert_eq!((&run["status"], &run["error"]), (&json!("completed"), &json!(null)), "{run}");
    assert!(run["started_at"].is_string() && run["completed_at"].is_string());
    let endpoints = assets(&world, &tenant, &shop, "type=endpoint").await;
    let expected =
        ["GET /", "GET /api/orders", "GET /items/{id}", "GET /leave", "GET /private/a", "POST /cart"];
    assert!(
        expected.iter().all(|one| values(&endpoints, &site).contains(&(*one).to_owned())),
        "{endpoints:#?}"
    );
    assert!(
        endpoints.iter().all(|asset| asset["scope_status"] == "included" && asset["parent_id"].is_string())
    );
    let hosts = assets(&world, &tenant, &shop, "type=host").await;
    assert_eq!((hosts.len(), &hosts[0]["value"]), (1, &json!("127.0.0.1")));
    assert_eq!(hosts[0]["id"], endpoints[0]["parent_id"]);
    let products = assets(&world, &tenant, &shop, "type=technology&state=active").await;
    let nginx = products.iter().find(|asset| asset["value"] == "nginx").unwrap();
    assert_eq!(nginx["attributes"]["versions"], json!(["1.25.3"]));
    assert_eq!(assets(&world, &tenant, &shop, "q=CART").await.len(), 1);
    assert!(assets(&world, &tenant, &shop, "scope_status=excluded").await.is_empty());

    assert_eq!(outside.requests(), [""; 0], "nothing out of scope is requested");
    let heads = site.requests();
    assert!(!heads.iter().any(|head| head.contains("/private/") || head.starts_with("POST")), "{heads:#?}");
    assert!(
        heads
            .iter()
            .all(|head| head.contains("user-agent: Palisade/") && head.contains("x-token: of-the-shop"))
    );
    let skipped = run["coverage"]["skipped"].as_array().unwrap();
    let reasons: Vec<&str> = skipped.iter().map(|one| one["reason"].as_str().unwrap()).collect();
    assert!(reasons.contains(&"robots") && reasons.contains(&"out_of_scope"), "{skipped:?}");
    assert_eq!(run["coverage"]["complete"], true, "neither is a failure: {run}");
    let counted = world.get(&tenant.key, &shop).await.ok(200)["inventory"]["assets"].clone();
    assert_eq!(counted["endpoint"], endpoints.len());
    assert_eq!(run["new"], assets(&world, &tenant, &shop, "").await.len());

    for path in [shop.clone(), format!("{shop}/inventory")] {
        world.get(&foreign.key, &path).await.refused(404, "not_found");
    }
    world.post(&foreign.key, &format!("{shop}/inventory"), json!({})).await.refused(404, "not_found");
    let reader = world.narrowed(&tenant, &["applications:read"]).await;
    world.post(&reader, &format!("{shop}/inventory"), json!({})).await.refused(403, "forbidden");
    for query in ["type=page", "state=lost", "scope_status=foreign", "limit=0"] {
        let path = format!("{shop}/inventory?{query}");
        world.get(&tenant.key, &path).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn an_active_run_is_answered_instead_of_a_second_one() {
    let world = World::new();
    let tenant = world.tenant("active").await;
    let site = Site::start();
    site.page("/", "");
    let shop = application(&world, &tenant, &site).await;
    let path = format!("{shop}/inventory");
    let first = world.post(&tenant.key, &path, json!({})).await.ok(202)["run"]["id"].clone();
    assert_eq!(world.post(&tenant.key, &path, json!({})).await.ok(202)["run"]["id"], first);
    world.work_until(async || super::run(&world, &tenant, &shop).await["status"] == "completed").await;
    assert_ne!(world.post(&tenant.key, &path, json!({})).await.ok(202)["run"]["id"], first);
}

#[tokio::test]
async fn later_runs_tell_of_new_changed_and_after_three_of_gone_assets() {
    let world = World::new();
    let tenant = world.tenant("later").await;
    let site = Site::start();
    site.page("/", "<a href=/old>o</a>").page("/old", "");
    let shop = application(&world, &tenant, &site).await;
    let first = discover(&world, &tenant, &shop).await;
    assert_eq!((&first["gone"], &first["changed"]), (&json!(0), &json!(0)));
    let again = discover(&world, &tenant, &shop).await;
    assert_eq!((&again["new"], &again["gone"], &again["changed"]), (&json!(0), &json!(0), &json!(0)));

    site.page("/", "<a href=/fresh?q=1>f</a>").page("/fresh?q=1", "");
    site.remove("/old");
    let second = discover(&world, &tenant, &shop).await;
    assert_eq!((&second["new"], &second["gone"]), (&json!(1), &json!(0)), "{second}");
    site.page("/", "<a href=/fresh?q=1&r=2>f</a>").page("/fresh?q=1&r=2", "");
    site.remove("/fresh?q=1");
    let third = discover(&world, &tenant, &shop).await;
    assert_eq!(
        (&third["new"], &third["gone"], &third["changed"]),
        (&json!(0), &json!(0), &json!(1)),
        "{third}"
    );
    let fourth = discover(&world, &tenant, &shop).await;
    assert_eq!(fourth["gone"], 1, "{fourth}");
    let gone = assets(&world, &tenant, &shop, "state=gone").await;
    assert_eq!(values(&gone, &site), ["GET /old"]);
    site.page("/old", "").page("/", "<a href=/old>o</a><a href=/fresh?q=1&r=2>f</a>");
    let fifth = discover(&world, &tenant, &shop).await;
    assert_eq!((&fifth["new"], &fifth["gone"]), (&json!(1), &json!(0)), "it is back: {fifth}");
    assert_eq!(assets(&world, &tenant, &shop, "state=gone").await.len(), 0);
}
