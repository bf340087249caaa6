//! `/organization`.

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
        "plan": "self_hosted",
        "credits": null,
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
