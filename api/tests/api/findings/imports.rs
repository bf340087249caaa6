//! `POST /findings/import`.

use axum::body::Body;
use directory::NewApplication;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Reply, Tenant, World};

/// Output of real tools about one small project; see the README beside it.
pub(super) const BANDIT: &[u8] = include_bytes!("../../../../analyzer/engines/tests/sarif/bandit.sarif");
const GOSEC: &[u8] = include_bytes!("../../../../analyzer/engines/tests/sarif/gosec.sarif");
const ESLINT: &[u8] = include_bytes!("../../../../analyzer/engines/tests/sarif/eslint.sarif");
const RUFF: &[u8] = include_bytes!("../../../../analyzer/engines/tests/sarif/ruff.sarif");

pub(super) async fn application(world: &World, tenant: &Tenant) -> String {
    let new = NewApplication {
        id: None,
        name: "Shop".to_owned(),
        url: "https://shop.example".to_owned(),
        repository_id: None,
    };
    world.directory.create_application(tenant.organization, new).await.unwrap().id.to_string()
}

pub(super) async fn import(
    world: &World,
    key: &str,
    query: &str,
    media_type: &str,
    body: impl Into<Body>,
) -> Reply {
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/api/v1/findings/import?{query}"))
        .header("authorization", format!("Bearer {key}"))
        .header("content-type", media_type)
        .body(body.into())
        .unwrap();
    world.send(request).await
}

fn outcomes(reply: &Reply) -> Vec<Value> {
    let body = reply.ok(200);
    let results = body["data"]["results"].as_array().unwrap();
    for (place, result) in results.iter().enumerate() {
        assert_eq!(result["index"], place);
        assert_eq!(result["finding_id"].is_null(), result["outcome"] == "rejected");
        assert_eq!(result["reason"].is_null(), result["outcome"] != "rejected");
    }
    results.iter().map(|result| result["outcome"].clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn files_of_public_tools_become_findings_once() {
    let world = World::new();
    let tenant = world.tenant("tools").await;
    let query = format!("application_id={}", application(&world, &tenant).await);
    let mut total = 0;
    for file in [BANDIT, GOSEC, ESLINT] {
        let first = outcomes(&import(&world, &tenant.key, &query, "application/sarif+json", file).await);
        assert!(!first.is_empty() && first.iter().all(|outcome| outcome == "created"), "{first:?}");
        let second = outcomes(&import(&world, &tenant.key, &query, "application/json", file).await);
        assert!(second.iter().all(|outcome| outcome == "seen_again"), "{second:?}");
        total += first.len();
    }
    let page = world.get(&tenant.key, "/findings?kind=imported&source=import").await.ok(200);
    assert_eq!(page["pagination"]["total"], total);
    let facets = world.get(&tenant.key, "/findings/facets").await.ok(200);
    assert!(facets["cwe"]["values"].as_array().unwrap().len() > 2, "weaknesses of the tools");
    let finding = &page["data"][0];
    assert_eq!((&finding["status"], &finding["report_id"]), (&"done".into(), &"".into()));
    assert!(
        ["Bandit", "gosec", "ESLint"].iter().any(|tool| finding["report"]["label"] == *tool),
        "{finding}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_finding_that_was_fixed_recurs_with_a_later_file() {
    let world = World::new();
    let tenant = world.tenant("recurs").await;
    let query = format!("application_id={}", application(&world, &tenant).await);
    let first = import(&world, &tenant.key, &query, "application/json", BANDIT).await.ok(200);
    let id = first["data"]["results"][0]["finding_id"].as_str().unwrap();
    let fixed = json!({"triage_status": "resolved", "triage_resolution": "fixed"});
    world.patch(&tenant.key, &format!("/findings/{id}"), fixed).await.ok(200);
    let second = outcomes(&import(&world, &tenant.key, &query, "application/json", BANDIT).await);
    assert_eq!(second[0], "recurred");
}

#[tokio::test(start_paused = true)]
async fn secrets_in_snippets_are_masked() {
    let world = World::new();
    let tenant = world.tenant("masked").await;
    let query = format!("application_id={}", application(&world, &tenant).await);
    let secret = "correct-horse-battery-9";
    let log = json!({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "demo"}},
        "results": [{
            "ruleId": "hard-coded-key",
            "message": {"text": format!("A password in the code: password={secret}")},
            "fixes": [{"description": {"text": format!("Remove password={secret} and rotate it.")}}],
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "app.py"},
                "region": {"startLine": 3, "snippet": {"text": format!("password = '{secret}'")}}
            }}]
        }]
    }]});
    let reply = import(&world, &tenant.key, &query, "application/json", log.to_string()).await.ok(200);
    let id = reply["data"]["results"][0]["finding_id"].as_str().unwrap();
    let detail = world.get(&tenant.key, &format!("/findings/{id}")).await;
    let text = String::from_utf8(detail.body.clone()).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert_eq!(detail.ok(200)["locations"][0]["start_line"], 3);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_no_finding_is_rejected_with_its_reason_and_the_others_are_not() {
    let world = World::new();
    let tenant = world.tenant("rejected").await;
    let query = format!("application_id={}", application(&world, &tenant).await);
    let log = json!({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "demo"}},
        "results": [
            {"ruleId": "a", "kind": "pass", "message": {"text": "fine"}},
            {"ruleId": "b", "message": {"text": "broken"}, "locations": [{"physicalLocation":
                {"artifactLocation": {"uri": "b.py"}}}]},
            7
        ]
    }]});
    let reply = import(&world, &tenant.key, &query, "application/json", log.to_string()).await;
    assert_eq!(outcomes(&reply), ["rejected", "created", "rejected"]);
}

#[tokio::test(start_paused = true)]
async fn two_checkouts_in_different_folders_give_the_same_findings() {
    let world = World::new();
    let tenant = world.tenant("checkouts").await;
    let query = format!("application_id={}", application(&world, &tenant).await);
    for file in [ESLINT, RUFF] {
        let written = String::from_utf8(file.to_vec()).unwrap();
        let mut findings = Vec::new();
        for (folder, root) in
            [("tmp/project", "file:///tmp/project"), ("home/ci/repo", "%2Fhome%2Fci%2Frepo%2F")]
        {
            let moved = written.replace("tmp/project", folder);
            let query = format!("{query}&root={root}");
            let reply = import(&world, &tenant.key, &query, "application/sarif+json", moved).await.ok(200);
            let results = reply["data"]["results"].as_array().unwrap().clone();
            findings.push(results.iter().map(|one| one["finding_id"].clone()).collect::<Vec<_>>());
        }
        assert_eq!(findings[0], findings[1]);
        let id = findings[0][0].as_str().unwrap();
        let detail = world.get(&tenant.key, &format!("/findings/{id}")).await.ok(200);
        let path = detail["locations"][0]["path"].as_str().unwrap();
        assert!(["web/basket.js", "orders.py"].contains(&path), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_root_that_is_not_that_of_the_file_is_refused_with_the_reason() {
    let world = World::new();
    let tenant = world.tenant("roots").await;
    let query = format!("application_id={}", application(&world, &tenant).await);
    let long = format!("/{}", "a".repeat(1_000));
    for (root, reason) in [
        ("", "root"),
        ("src", "root: expected an absolute path or a file URI, found \"src\""),
        ("https://shop.example/", "root: expected an absolute path or a file URI"),
        (long.as_str(), "1000"),
        ("/home/ci/repo", "expected files below the stated root, found \"/tmp/project/web/basket.js\""),
        ("/tmp&root=/tmp", "root"),
    ] {
        let query = format!("{query}&root={root}");
        let reply = import(&world, &tenant.key, &query, "application/json", ESLINT).await;
        let message = reply.refused(400, "invalid_request");
        assert!(message.contains(reason), "{message}");
    }
    assert_eq!(world.get(&tenant.key, "/findings").await.ok(200)["pagination"]["total"], 0);
}

#[tokio::test(start_paused = true)]
async fn requests_of_another_form_are_refused() {
    let world = World::new();
    let (tenant, stranger) = (world.tenant("refused").await, world.tenant("stranger").await);
    let id = application(&world, &tenant).await;
    let query = format!("application_id={id}");
    let json = "application/json";
    for bad in
        ["", "application_id=7", "repository=", &format!("{query}&repository=a/b"), &format!("{query}&x=1")]
    {
        import(&world, &tenant.key, bad, json, BANDIT).await.refused(400, "invalid_request");
    }
    for unknown in
        ["repository=acme/unknown", "repository=77", "application_id=01010101-0101-0101-0101-010101010101"]
    {
        import(&world, &tenant.key, unknown, json, BANDIT).await.refused(404, "not_found");
    }
    import(&world, &stranger.key, &query, json, BANDIT).await.refused(404, "not_found");
    import(&world, &tenant.key, &query, "text/plain", BANDIT).await.refused(415, "invalid_request");
    for body in
        ["", "{}", "[]", "{\"version\": \"2.0.0\", \"runs\": []}", "{\"version\": \"2.1.0\"}", "not json"]
    {
        let message = import(&world, &tenant.key, &query, json, body).await.refused(400, "invalid_request");
        assert!(message.contains("expected") && message.contains("found"), "{message}");
    }
    let large = vec![b' '; 20 * 1024 * 1024 + 1];
    import(&world, &tenant.key, &query, json, large).await.refused(413, "invalid_request");
    let reader = world.narrowed(&tenant, &["findings:read"]).await;
    import(&world, &reader, &query, json, BANDIT).await.refused(403, "forbidden");
    assert_eq!(world.get(&tenant.key, "/findings").await.ok(200)["pagination"]["total"], 0);
}
