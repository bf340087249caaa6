//! Prerequisites, results, failures and repetition of scans.

use std::collections::BTreeSet;
use std::time::Duration;

use code_host::{AccountKind, HostError, HostedInstallation};
use http::Method;
use serde_json::json;

use super::{EVENT, SCANS, events, hosted, put_octo, put_user, ready, scan, scanned, start, user, webhook};
use crate::harness::{World, installation_of, request};

const NO_INSTALLATION: &str =
    "the organization has no active code host installation: connect one with POST /code-host/installations";
const NO_WEBHOOK: &str = "the organization has no enabled webhook subscribed to contributor_trust.finished: create or enable one below /webhooks";
const ACTIVE: &str = "a scan of this login by the organization is queued or in progress";

#[tokio::test]
async fn prerequisites_are_checked_in_order_and_the_message_names_the_missing_one() {
    let world = World::new();
    put_octo(&world);
    let tenant = world.tenant("order").await;
    let bad = start(&world, &tenant, "/contributors/not_a_login/trust-scans").await;
    let message = bad.refused(400, "invalid_request");
    assert_eq!(message, "login: expected 1 to 39 letters, digits and `-`, optionally followed by [bot]");
    assert_eq!(start(&world, &tenant, SCANS).await.refused(409, "conflict"), NO_INSTALLATION);
    world.repositories(&tenant, &[(42, "acme/shop")]).await;
    assert_eq!(start(&world, &tenant, SCANS).await.refused(409, "conflict"), NO_WEBHOOK);
    webhook(&world, &tenant, json!({"events": ["finding.created"]})).await;
    let disabled = webhook(&world, &tenant, json!({"enabled": false})).await;
    assert_eq!(start(&world, &tenant, SCANS).await.refused(409, "conflict"), NO_WEBHOOK);
    world.patch(&tenant.key, &format!("/webhooks/{disabled}"), json!({"enabled": true})).await.ok(200);
    // Suspended.
    let id = installation_of(tenant.organization);
    let put = |suspended| {
        world.code_host.put_installation(HostedInstallation { id, account: "acme".to_owned(), suspended });
    };
    let sync = async || {
        let (clock, host) = (world.clock.as_ref(), world.code_host.as_ref());
        code_host::sync(&world.directory, clock, host, tenant.organization, id).await.unwrap();
    };
    put(true);
    sync().await;
    assert_eq!(start(&world, &tenant, SCANS).await.refused(409, "conflict"), NO_INSTALLATION);
    put(false);
    sync().await;
    let first = start(&world, &tenant, SCANS).await.ok(202);
    assert_eq!(first["object"], "contributor_trust_scan");
    assert_eq!(start(&world, &tenant, SCANS).await.refused(409, "conflict"), ACTIVE);
    let other_case = start(&world, &tenant, "/contributors/OCTO/trust-scans").await;
    assert_eq!(other_case.refused(409, "conflict"), ACTIVE);
    start(&world, &tenant, "/contributors/other/trust-scans").await.ok(202);
    let neighbour = ready(&world, "neighbour").await;
    start(&world, &neighbour, SCANS).await.ok(202);
    world.work_until(async || scan(&world, &tenant, &first["id"]).await["status"] == "completed").await;
    start(&world, &tenant, SCANS).await.ok(202);
}

#[tokio::test]
async fn a_scan_ends_with_a_result_and_one_event_of_the_same_shape() {
    let world = World::new();
    put_octo(&world);
    let tenant = ready(&world, "result").await;
    world.get(&tenant.key, "/contributors/octo/trust").await.refused(404, "not_found");
    let ended = scanned(&world, &tenant, SCANS).await;
    let evidence = |number: u64| {
        json!({
            "repo": "open/tool",
            "number": number,
            "title": format!("Change {number} of open/tool"),
            "url": format!("https://host.example/open/tool/pull/{number}"),
            "verdict": "clean",
            "files_reviewed": ["src/open-tool.rs"],
        })
    };
    let expected = json!({
        "id": ended["id"],
        "object": "contributor_trust_scan",
        "login": "Octo",
        "status": "completed",
        "score": 92,
        "score_version": "2026-11-28",
        "verdict": "trusted",
        "confidence": "low",
        "sub_scores": {"identity": 100, "behavior": 87, "content": 90},
        "analyzed_pr_count": 2,
        "public_evidence": [evidence(4), evidence(3)],
        "coverage": {"complete": true, "skipped": []},
        "error": null,
        "started_at": ended["started_at"],
        "completed_at": ended["completed_at"],
        "created_at": ended["created_at"],
        "updated_at": ended["completed_at"],
    });
    assert_eq!(ended, expected);
    let events = events(&world).await;
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((event.kind.as_str(), &event.object), (EVENT, &ended));
    assert_eq!((event.organization, &event.source), (tenant.organization, &None));
    let shown = world.get(&tenant.key, "/contributors/OCTO/trust").await.ok(200);
    let mut cached = json!({
        "object": "contributor_trust",
        "scanned_at": shown["scanned_at"],
        "updated_at": shown["updated_at"],
    });
    for field in
        ["login", "score", "score_version", "verdict", "confidence", "sub_scores", "analyzed_pr_count"]
    {
        cached[field] = ended[field].clone();
    }
    for field in ["public_evidence", "coverage"] {
        cached[field] = ended[field].clone();
    }
    assert_eq!(shown, cached);
}

#[tokio::test]
async fn organizations_share_the_result_for_ten_minutes_and_each_has_its_own_event() {
    let world = World::new();
    put_octo(&world);
    let (one, other) = (ready(&world, "one").await, ready(&world, "other").await);
    let first = scanned(&world, &one, SCANS).await;
    // The account is a new one now.
    put_user(&world, user("Octo", "2026-07-01T00:00:00Z", Vec::new()));
    let shared = scanned(&world, &other, "/contributors/oCto/trust-scans").await;
    for field in ["login", "score", "sub_scores", "public_evidence"] {
        assert_eq!(shared[field], first[field], "{field}");
    }
    assert_ne!(shared["id"], first["id"]);
    let path = |id: &serde_json::Value| format!("/contributor-trust-scans/{}", id.as_str().unwrap());
    world.get(&one.key, &path(&shared["id"])).await.refused(404, "not_found");
    world.get(&other.key, &path(&first["id"])).await.refused(404, "not_found");
    let organizations: BTreeSet<_> = events(&world).await.iter().map(|event| event.organization).collect();
    assert_eq!(organizations, BTreeSet::from([one.organization, other.organization]));
    let before = world.get(&one.key, "/contributors/octo/trust").await.ok(200);
    world.clock.advance(Duration::from_secs(600));
    let again = scanned(&world, &other, SCANS).await;
    assert_eq!(again["sub_scores"]["identity"], 32, "read again: {again}");
    let after = world.get(&one.key, "/contributors/octo/trust").await.ok(200);
    assert!(after["scanned_at"].as_str() > before["scanned_at"].as_str());
    assert_eq!(after["score"], again["score"]);
}

#[tokio::test]
async fn a_login_that_cannot_be_read_is_a_failed_scan_with_an_event() {
    let world = World::new();
    put_octo(&world);
    let mut company = user("company", "2011-01-25T18:44:36Z", Vec::new());
    company.user.kind = AccountKind::Organization;
    put_user(&world, company);
    let tenant = ready(&world, "failures").await;
    let unknown = scanned(&world, &tenant, "/contributors/nobody/trust-scans").await;
    assert_eq!(unknown["error"]["message"], "the code host has no such login, or does not show it");
    for field in ["score", "verdict", "confidence", "sub_scores", "coverage"] {
        assert!(unknown[field].is_null(), "{field}");
    }
    assert_eq!((&unknown["status"], &unknown["public_evidence"]), (&json!("failed"), &json!([])));
    let company = scanned(&world, &tenant, "/contributors/company/trust-scans").await;
    assert_eq!(company["error"]["message"], "the login names an organization, not a contributor");
    let until = super::time("2026-07-08T10:00:00Z");
    for (error, message) in [
        (
            HostError::RateLimited { until },
            "the rate limit of the code host is used up until 2026-07-08T10:00:00.000Z",
        ),
        (HostError::NotInstalled, "the organization has no active code host installation"),
        (
            HostError::Denied("/repos/acme/secret".to_owned()),
            "the public data of the login could not be read from the code host",
        ),
    ] {
        world.code_host.fail(Some(error));
        let failed = scanned(&world, &tenant, SCANS).await;
        assert_eq!(
            (failed["status"].as_str(), &failed["error"]["message"]),
            (Some("failed"), &json!(message))
        );
    }
    let events = events(&world).await;
    assert_eq!(events.len(), 5);
    assert!(events.iter().all(|event| event.object["status"] == "failed"));
    world.get(&tenant.key, "/contributors/octo/trust").await.refused(404, "not_found");
    world.code_host.fail(None);
    assert_eq!(scanned(&world, &tenant, SCANS).await["status"], "completed");
}

#[tokio::test]
async fn an_incomplete_search_is_named_in_the_result_and_its_event() {
    let world = World::new();
    put_octo(&world);
    let tenant = ready(&world, "incomplete").await;
    world.code_host.end_searches_early(&[1, 1]);
    let ended = scanned(&world, &tenant, SCANS).await;
    let skipped = json!([{"what": "pull_requests", "reason": "search_incomplete"}]);
    assert_eq!(ended["coverage"], json!({"complete": false, "skipped": skipped}), "{ended}");
    assert_eq!((&ended["confidence"], &ended["analyzed_pr_count"]), (&json!("low"), &json!(1)));
    assert_eq!(ended["sub_scores"]["content"], 100, "whether an issue is named is unknown");
    assert_eq!(events(&world).await[0].object, ended);
    assert_eq!(
        world.get(&tenant.key, "/contributors/octo/trust").await.ok(200)["coverage"],
        ended["coverage"]
    );
}

#[tokio::test]
async fn a_host_that_is_away_is_asked_three_times() {
    let world = World::new();
    put_octo(&world);
    let tenant = ready(&world, "away").await;
    world.code_host.fail(Some(HostError::Unavailable("for a test".to_owned())));
    let begun = start(&world, &tenant, SCANS).await.ok(202);
    for pause in [0, 11, 121] {
        world.clock.advance(Duration::from_secs(pause));
        world.work().await;
        assert!(events(&world).await.len() <= 1);
    }
    world.work_until(async || scan(&world, &tenant, &begun["id"]).await["status"] == "failed").await;
    let failed = scan(&world, &tenant, &begun["id"]).await;
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.contains("could not be completed") && !message.contains("for a test"), "{message}");
    assert_eq!(events(&world).await.len(), 1);
}

#[tokio::test]
async fn a_repeated_request_finds_the_scan_of_the_first() {
    let world = World::new();
    put_octo(&world);
    let tenant = ready(&world, "repeated").await;
    let keyed = async || {
        let mut request = request(Method::POST, SCANS, Some(&tenant.key), None);
        request.headers_mut().insert("idempotency-key", "a".parse().unwrap());
        world.send(request).await
    };
    let first = keyed().await.ok(202);
    let again = keyed().await;
    assert_eq!((again.header("idempotency-replayed"), again.json()), ("true", first.clone()));
    crate::creation::forget_reply(&world, &tenant, "a").await;
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(keyed().await.ok(202)["id"], first["id"], "its process died before it answered");
    assert_eq!(world.jobs.list(None, 100).await.unwrap().len(), 1);
}

#[tokio::test]
async fn logins_ids_and_scopes_are_checked() {
    let world = World::new();
    put_octo(&world);
    let tenant = ready(&world, "checks").await;
    for login in ["a_b", "a.b", "%20", "a%2Fb", "%5Bbot%5D", &"a".repeat(40)] {
        world.get(&tenant.key, &format!("/contributors/{login}/trust")).await.refused(400, "invalid_request");
    }
    let missing = world.get(&tenant.key, "/contributors/dependabot%5Bbot%5D/trust").await;
    missing.refused(404, "not_found");
    for id in ["a", "0", "00000000-0000-8000-8000-000000000000", "ffffffff-ffff-8fff-bfff-ffffffffffff"] {
        world.get(&tenant.key, &format!("/contributor-trust-scans/{id}")).await.refused(404, "not_found");
    }
    let read = world.narrowed(&tenant, &["contributors:read"]).await;
    let write = world.narrowed(&tenant, &["contributors:write"]).await;
    world.send(request(Method::POST, SCANS, Some(&read), None)).await.refused(403, "forbidden");
    world.get(&write, "/contributors/octo/trust").await.refused(403, "forbidden");
    let begun = world.send(request(Method::POST, SCANS, Some(&write), None)).await.ok(202);
    let path = format!("/contributor-trust-scans/{}", begun["id"].as_str().unwrap());
    world.get(&write, &path).await.refused(403, "forbidden");
    world.get(&read, &path).await.ok(200);
    world.code_host.put_other(hosted(901, "unused/unused", false));
}

#[tokio::test]
async fn the_end_of_a_scan_and_its_event_are_one_commit_under_any_outcome() {
    use crate::stage::Fate;
    for fates in [[Fate::Lost; 4], [Fate::AnswerLost; 4], [Fate::Conflict; 4], [Fate::Refused; 4]] {
        let world = World::new();
        put_octo(&world);
        let tenant = ready(&world, "outcomes").await;
        let begun = start(&world, &tenant, SCANS).await.ok(202);
        world.ledger.deal(&fates);
        world
            .work_until(async || {
                world.clock.advance(Duration::from_secs(1));
                scan(&world, &tenant, &begun["id"]).await["status"] == "completed"
            })
            .await;
        assert_eq!(events(&world).await.len(), 1, "{fates:?}");
    }
}
