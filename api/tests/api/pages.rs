//! `/` and `/docs`: pages for people, without a key and without anything from elsewhere.

use http::Method;

use crate::harness::World;

#[tokio::test]
async fn anyone_may_read_the_pages() {
    let world = World::new();
    for (path, parts) in [
        ("/", ["http://127.0.0.1:8080/api/v1/infrastructure/sources", "href=\"docs\"", "docs/senders.md"]),
        (
            "/docs",
            ["GET /api/v1/incidents/{incident_id}", "id=\"schema-IncidentSummary\"", "http://127.0.0.1:8080"],
        ),
    ] {
        let reply = world.page(Method::GET, path).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "text/html; charset=utf-8"));
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        let page = String::from_utf8(reply.body).unwrap();
        for part in parts {
            assert!(page.contains(part), "{path}: {part}");
        }
        assert!(!page.contains("<script") && !page.contains("src="), "{path}");
        assert_eq!(world.page(Method::POST, path).await.status.as_u16(), 405);
    }
}
