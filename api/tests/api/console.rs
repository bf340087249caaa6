//! `/console`: pages for people at the addresses that events carry.

use http::Method;

use crate::harness::{Reply, World};
use crate::seed::Seed;

const ID: &str = "0198a2f4-6c1b-8d3e-9a51-3f2b8c7d6e5f";

#[track_caller]
fn html(reply: &Reply, status: u16) -> String {
    assert_eq!(reply.status, status);
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(reply.header("referrer-policy"), "no-referrer");
    assert!(reply.header("content-security-policy").starts_with("default-src 'none';"));
    assert!(reply.header("content-security-policy").contains("frame-ancestors 'none'"));
    String::from_utf8(reply.body.clone()).unwrap()
}

#[tokio::test]
async fn the_address_in_an_event_names_the_incident_and_the_call_that_shows_it() {
    let world = World::new();
    let tenant = world.tenant("secretive").await;
    let source = world.source(&tenant, "a source").await;
    let seed = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    let page = html(&world.page(Method::GET, &format!("/console{}", seed.path())).await, 200);
    assert!(page.contains(&format!("<h1>Incident {}</h1>", seed.id())), "{page}");
    assert!(page.contains(&format!("<pre>GET /api/v1{}</pre>", seed.path())), "{page}");
    assert!(page.contains(&format!("'http://127.0.0.1:8080/api/v1{}'", seed.path())), "{page}");
    assert!(page.contains("<code>incidents:read</code>"), "{page}");
    // The page is made of its address alone.
    let unknown = html(&world.page(Method::GET, &format!("/console/incidents/{ID}")).await, 200);
    assert_eq!(unknown, page.replace(&seed.id().to_string(), ID));
}

#[tokio::test]
async fn every_call_that_a_page_names_is_one_of_the_api() {
    let world = World::new();
    let tenant = world.tenant("calls").await;
    let start = html(&world.page(Method::GET, "/console").await, 200);
    assert_eq!(html(&world.page(Method::GET, "/console/").await, 200), start);
    let calls: Vec<_> =
        start.split("GET /api/v1").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert_eq!(calls.len(), 12);
    for call in calls {
        world.get(&tenant.key, call).await.ok(200);
    }
    for section in [
        "sources",
        "rules",
        "suppressions",
        "policies",
        "webhooks",
        "telemetry",
        "incidents",
        "applications",
        "agents",
    ] {
        let list = html(&world.page(Method::GET, &format!("/console/{section}")).await, 200);
        let path = list.split("GET /api/v1").nth(1).unwrap().split('<').next().unwrap();
        let detail = html(&world.page(Method::GET, &format!("/console/{section}/{ID}")).await, 200);
        assert!(detail.contains(&format!("<pre>GET /api/v1{path}/{ID}</pre>")), "{detail}");
        // The API knows the path, and no such object.
        let missing = world.get(&tenant.key, &format!("{path}/{ID}")).await.refused(404, "not_found");
        assert!(!missing.contains("path"), "{missing}");
    }
}

#[tokio::test]
async fn any_other_address_is_a_404_that_says_how_to_go_on_and_repeats_nothing() {
    let world = World::new();
    let hostile = "%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    for path in [
        "/console/nothing",
        "/console/findings/17",
        "/console/keys/0198a2f4-6c1b-8d3e-9a51-3f2b8c7d6e5f",
        "/console/incidents/7",
        "/console/incidents/0198a2f4-6c1b-8d3e-9a51-3f2b8c7d6e5f/more",
        &format!("/console/{hostile}"),
        &format!("/console/incidents/{hostile}"),
        "/console/incidents/%22%20onload%3D%22x",
    ] {
        let page = html(&world.page(Method::GET, path).await, 404);
        assert!(page.contains("GET /api/v1/incidents"), "{page}");
        assert!(!page.contains("alert") && !page.contains("<script") && !page.contains("onload"), "{page}");
    }
    assert_eq!(world.page(Method::GET, "/elsewhere").await.status, 404);
    assert_eq!(world.page(Method::POST, "/console/incidents").await.status, 405);
    let head = world.page(Method::HEAD, &format!("/console/incidents/{ID}")).await;
    assert!(head.status == 200 && head.body.is_empty());
}
