//! `GET /findings`, `/findings/histogram` and `/findings/facets`.

use std::time::Duration;

use engine::Level;
use serde_json::{Value, json};

use super::observed::{application, observation, repository, run, seed};
use crate::harness::{Tenant, World};

fn titles(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|finding| finding["title"].as_str().unwrap()).collect()
}

/// Five findings of three targets, one a minute.
async fn five(world: &World, tenant: &Tenant) {
    let targets = [
        (application(1), "/a", Level::Low),
        (application(2), "/b", Level::Critical),
        (repository("7", "acme/shop"), "src/c.php", Level::High),
        (application(1), "/d", Level::High),
        (repository("7", "acme/shop"), "src/e.php", Level::Informational),
    ];
    for (number, (target, path, risk)) in targets.into_iter().enumerate() {
        world.clock.advance(Duration::from_secs(60));
        let run = run(world, tenant, target, number as u128);
        world.findings().record(&run, vec![observation(path, risk)]).await.unwrap();
    }
    world.one_poll_later().await;
}

async fn listed(world: &World, tenant: &Tenant, query: &str) -> Vec<String> {
    let page = world.get(&tenant.key, &format!("/findings?{query}")).await.ok(200);
    let ends: Vec<String> =
        titles(&page).iter().map(|title| title.rsplit(' ').next().unwrap().to_owned()).collect();
    if !query.contains("offset") && !query.contains("limit") {
        assert_eq!(page["pagination"]["total"], ends.len(), "{query}");
    }
    ends
}

#[tokio::test(start_paused = true)]
async fn a_summary_has_every_property_of_the_specification() {
    let world = World::new();
    let tenant = world.tenant("summary").await;
    let ids = seed(&world, &tenant, &[("/search", Level::High)]).await;
    let page = world.get(&tenant.key, "/findings").await.ok(200);
    assert_eq!(page["pagination"], json!({"limit": 25, "offset": 0, "total": 1, "has_more": false}));
    let summary = &page["data"][0];
    let expected = json!({
        "id": ids[0],
        "object": "finding",
        "kind": "web_app_red_team",
        "report_id": "",
        "title": "Reflected cross-site scripting in /search",
        "description": "A parameter is written to the page without encoding.",
        "cvss_vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N",
        "severity": "high",
        "risk_level": "high",
        "weakness": "CWE-79",
        "cwe_ids": ["CWE-79", "CWE-116"],
        "advisory_url": null,
        "source": "report",
        "status": "done",
        "triage_status": "new",
        "triage_resolution": null,
        "board_position": (1_u64 << 52) - 65_536,
        "assignee": null,
        "application_id": "01010101-0101-0101-0101-010101010101",
        "agent_id": null,
        "report": {"repository": "", "label": "Nightly scan", "status": "done"},
        "created_at": summary["created_at"],
        "updated_at": summary["created_at"],
    });
    assert_eq!(*summary, expected);
}

#[tokio::test(start_paused = true)]
async fn every_filter_and_order_selects_exactly_the_matching_findings() {
    let world = World::new();
    let tenant = world.tenant("filters").await;
    five(&world, &tenant).await;
    for (query, expected) in [
        ("", vec!["src/e.php", "/d", "src/c.php", "/b", "/a"]),
        ("limit=2&offset=1", vec!["/d", "src/c.php"]),
        ("offset=2147483647", vec![]),
        ("sort=newest&limit=1", vec!["src/e.php"]),
        ("sort=severity", vec!["/b", "/d", "src/c.php", "/a", "src/e.php"]),
        ("sort=board", vec!["src/e.php", "/d", "src/c.php", "/b", "/a"]),
        ("severity=high", vec!["/d", "src/c.php"]),
        ("risk_level=critical", vec!["/b"]),
        ("application_id=01010101-0101-0101-0101-010101010101", vec!["/d", "/a"]),
        ("repository=Acme/Shop", vec!["src/e.php", "src/c.php"]),
        ("repository=7&severity=high", vec!["src/c.php"]),
        ("agent_id=01010101-0101-0101-0101-010101010101", vec![]),
        ("kind=web_app_red_team&state=open", vec!["src/e.php", "/d", "src/c.php", "/b", "/a"]),
        ("kind=advisory", vec![]),
        ("state=resolved", vec![]),
        ("triage_status=new&source=report&sort=severity&limit=1", vec!["/b"]),
        ("cwe=CWE-116&risk_level=low", vec!["/a"]),
        ("cwe=89", vec![]),
        ("q=SCRIPTING%20in%20/D", vec!["/d"]),
        ("q=acme/sh", vec!["src/e.php", "src/c.php"]),
        ("q=%25", vec![]),
        ("from=2026-07-08T09:02:00Z&to=2026-07-08T09:04:00Z", vec!["src/c.php", "/b"]),
        ("assignee=nobody", vec![]),
        ("report_id=01010101-0101-0101-0101-010101010101", vec![]),
    ] {
        assert_eq!(listed(&world, &tenant, query).await, expected, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_repeated_and_malformed_parameters_are_refused() {
    let world = World::new();
    let tenant = world.tenant("strict").await;
    for query in [
        "colour=red",
        "kind=web_app_red_team&kind=advisory",
        "kind=unknown",
        "severity=unknown",
        "sort=created",
        "cwe=xss",
        "cwe=CWE-",
        "report_id=7",
        "application_id=7",
        "repository=",
        "from=yesterday",
        "limit=0",
        "limit=101",
        "offset=2147483648",
    ] {
        world.get(&tenant.key, &format!("/findings?{query}")).await.refused(400, "invalid_request");
    }
}

#[tokio::test(start_paused = true)]
async fn counts_agree_with_lists() {
    let world = World::new();
    let tenant = world.tenant("counts").await;
    five(&world, &tenant).await;
    let facets = world.get(&tenant.key, "/findings/facets").await.ok(200);
    assert_eq!(facets["total"], 5);
    let repository = json!({"values": [{"value": "7", "name": "acme/shop", "count": 2}], "other": 0});
    assert_eq!(facets["repository"], repository);
    assert_eq!(facets["cwe"]["values"][0], json!({"value": "CWE-79", "name": null, "count": 5}));
    assert_eq!(facets["risk_level"]["values"][0], json!({"value": "high", "name": null, "count": 2}));
    let narrowed = world.get(&tenant.key, "/findings/facets?repository=7").await.ok(200);
    assert_eq!((&narrowed["total"], &narrowed["application_id"]["values"]), (&json!(2), &json!([])));
    let query = "/findings/histogram?from=2026-07-08T09:00:30Z&to=2026-07-08T09:06:30Z&buckets=6";
    let histogram = world.get(&tenant.key, query).await.ok(200);
    let totals: Vec<_> =
        histogram["data"].as_array().unwrap().iter().map(|bucket| &bucket["total"]).collect();
    assert_eq!(totals, [1, 1, 1, 1, 1, 0]);
    let first = &histogram["data"][0]["severities"];
    assert_eq!(*first, json!({"informational": 0, "low": 1, "medium": 0, "high": 0, "critical": 0}));
}

#[tokio::test(start_paused = true)]
async fn a_list_shows_changes_of_another_process_after_one_poll() {
    let world = World::new();
    let tenant = world.tenant("two").await;
    let neighbour = world.neighbour();
    let ids = seed(&world, &tenant, &[("/a", Level::Low)]).await;
    assert_eq!(listed(&neighbour, &tenant, "assignee=ana").await, Vec::<String>::new());
    world.patch(&tenant.key, &format!("/findings/{}", ids[0]), json!({"assignee": "ana"})).await.ok(200);
    assert_eq!(listed(&world, &tenant, "assignee=ana").await, ["/a"], "at once in the same process");
    neighbour.one_poll_later().await;
    assert_eq!(listed(&neighbour, &tenant, "assignee=ana").await, ["/a"]);
}

#[tokio::test(start_paused = true)]
async fn lists_and_ids_of_organizations_never_mix() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let ids = seed(&world, &ours, &[("/a", Level::Low)]).await;
    let other = seed(&world, &theirs, &[("/a", Level::Low)]).await;
    assert_ne!(ids, other, "the same weakness of two organizations");
    assert_eq!(listed(&world, &theirs, "").await.len(), 1);
    let path = format!("/findings/{}", ids[0]);
    world.get(&theirs.key, &path).await.refused(404, "not_found");
    world.patch(&theirs.key, &path, json!({"triage_status": "triaged"})).await.refused(404, "not_found");
    world.delete(&theirs.key, &path).await.refused(404, "not_found");
    world.post(&theirs.key, &format!("{path}/triage"), json!({})).await.refused(404, "not_found");
    world.get(&ours.key, &path).await.ok(200);
    let narrowed = world.narrowed(&ours, &["findings:read"]).await;
    world.get(&narrowed, &path).await.ok(200);
    world.patch(&narrowed, &path, json!({"triage_status": "triaged"})).await.refused(403, "forbidden");
    let stranger = world.narrowed(&ours, &["incidents:read"]).await;
    world.get(&stranger, "/findings").await.refused(403, "forbidden");
}
