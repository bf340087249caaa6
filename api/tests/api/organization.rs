//! `/organization`.

use credits::{Credits, Plan};
use serde_json::json;

use crate::harness::World;

#[tokio::test]
async fn it_tells_whose_key_it_is_and_the_limits() {
    let world = World::new();
    let tenant = world.tenant("Acme").await;
    let body = world.get(&tenant.key, "/organization").await.ok(200);
    let expected = json!({
        "id": tenant.organization.to_string(),
        "object": "organization",
        "name": "Acme",
        "plan": "unlimited",
        "credits": {"balance": null, "reserved": 0, "used_this_period": 0},
        "limits": {
            "requests_per_minute": 600,
            "organization_requests_per_minute": 3_000,
            "request_body_bytes": 262144,
            "page_limit": 100,
            "page_offset": 1_000_000,
        },
        "created_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(body, expected);
    world.get(&tenant.key, "/organization?id=1").await.refused(400, "invalid_request");
    let narrowed = world.narrowed(&tenant, &["incidents:read"]).await;
    world.get(&narrowed, "/organization").await.refused(403, "forbidden");
}

#[tokio::test]
async fn credits_of_a_limited_plan_are_shown_as_they_are_reserved_and_charged() {
    let world = World::new();
    let tenant = world.tenant("Acme").await;
    let credits = Credits::new(world.ledger.clone(), world.clock.clone());
    let shown = async || {
        let body = world.get(&tenant.key, "/organization").await.ok(200);
        (body["plan"].clone(), body["credits"].clone())
    };
    credits.set_plan(tenant.organization, Plan::Limited(10)).await.unwrap();
    let key = tenant.organization.0;
    credits.reserve(tenant.organization, key, 5).await.unwrap();
    assert_eq!(
        shown().await,
        (json!("limited"), json!({"balance": 5, "reserved": 5, "used_this_period": 0}))
    );
    credits.settle(tenant.organization, key, 4).await.unwrap();
    assert_eq!(
        shown().await,
        (json!("limited"), json!({"balance": 6, "reserved": 0, "used_this_period": 4}))
    );
}
