//! Refusals common to all routes: keys, paths, methods, bodies, rates, and failures of our own.

use std::time::Duration;

use axum::body::Body;
use http::{Method, Request};
use http_body_util::{Empty, StreamBody};
use serde_json::json;

use crate::harness::{World, request};
use crate::seed::Seed;

/// A request to every endpoint that needs a key.
fn endpoints() -> Vec<(Method, String)> {
    let id = "67e55044-10b1-826f-9247-bb680e5fe0c8";
    let paths = [
        (Method::GET, "/incidents".to_owned()),
        (Method::GET, format!("/incidents/{id}")),
        (Method::PATCH, format!("/incidents/{id}")),
        (Method::GET, "/infrastructure/sources".to_owned()),
        (Method::POST, "/infrastructure/sources".to_owned()),
        (Method::GET, format!("/infrastructure/sources/{id}")),
        (Method::PATCH, format!("/infrastructure/sources/{id}")),
        (Method::DELETE, format!("/infrastructure/sources/{id}")),
        (Method::GET, format!("/infrastructure/sources/{id}/status")),
        (Method::GET, "/detection-rules".to_owned()),
        (Method::POST, "/detection-rules".to_owned()),
        (Method::GET, format!("/detection-rules/{id}")),
        (Method::PUT, format!("/detection-rules/{id}")),
        (Method::DELETE, format!("/detection-rules/{id}")),
        (Method::GET, "/suppressions".to_owned()),
        (Method::POST, "/suppressions".to_owned()),
        (Method::GET, format!("/suppressions/{id}")),
        (Method::DELETE, format!("/suppressions/{id}")),
        (Method::GET, "/monitoring-policies".to_owned()),
        (Method::POST, "/monitoring-policies".to_owned()),
        (Method::GET, format!("/monitoring-policies/{id}")),
        (Method::PATCH, format!("/monitoring-policies/{id}")),
        (Method::DELETE, format!("/monitoring-policies/{id}")),
        (Method::GET, "/webhooks".to_owned()),
        (Method::POST, "/webhooks".to_owned()),
        (Method::GET, format!("/webhooks/{id}")),
        (Method::PATCH, format!("/webhooks/{id}")),
        (Method::DELETE, format!("/webhooks/{id}")),
        (Method::POST, format!("/webhooks/{id}/rotate-secret")),
        (Method::POST, format!("/webhooks/{id}/test")),
        (Method::POST, format!("/webhooks/{id}/recover")),
        (Method::GET, format!("/webhooks/{id}/deliveries")),
        (Method::GET, "/webhook-deliveries".to_owned()),
        (Method::POST, format!("/webhook-deliveries/dlv_{}/redeliver", "0".repeat(52))),
        (Method::GET, "/telemetry".to_owned()),
        (Method::POST, "/telemetry".to_owned()),
        (Method::GET, format!("/telemetry/{id}")),
        (Method::PATCH, format!("/telemetry/{id}")),
        (Method::DELETE, format!("/telemetry/{id}")),
        (Method::POST, format!("/telemetry/{id}/test")),
        (Method::GET, "/api-keys".to_owned()),
        (Method::POST, "/api-keys".to_owned()),
        (Method::DELETE, format!("/api-keys/{id}")),
        (Method::POST, format!("/api-keys/{id}/rotate")),
        (Method::GET, "/applications".to_owned()),
        (Method::POST, "/applications".to_owned()),
        (Method::GET, format!("/applications/{id}")),
        (Method::PATCH, format!("/applications/{id}")),
        (Method::DELETE, format!("/applications/{id}")),
        (Method::GET, format!("/applications/{id}/inventory")),
        (Method::POST, format!("/applications/{id}/inventory")),
        (Method::PATCH, format!("/applications/{id}/inventory/{id}")),
        (Method::GET, "/agents".to_owned()),
        (Method::POST, "/agents".to_owned()),
        (Method::GET, format!("/agents/{id}")),
        (Method::PATCH, format!("/agents/{id}")),
        (Method::DELETE, format!("/agents/{id}")),
        (Method::POST, format!("/agents/{id}/pairing-codes")),
        (Method::GET, format!("/agents/{id}/clients")),
        (Method::GET, format!("/agents/{id}/alerts")),
        (Method::DELETE, format!("/agents/{id}/clients/{id}")),
        (Method::GET, "/organization".to_owned()),
        (Method::GET, "/contributors/octo/trust".to_owned()),
        (Method::POST, "/contributors/octo/trust-scans".to_owned()),
        (Method::GET, format!("/contributor-trust-scans/{id}")),
    ];
    paths.into_iter().chain(context_endpoints()).chain(code_host_endpoints()).collect()
}

fn context_endpoints() -> [(Method, String); 7] {
    [
        (Method::POST, "/context/email".to_owned()),
        (Method::POST, "/context/file".to_owned()),
        (Method::POST, "/context/mcp".to_owned()),
        (Method::POST, "/context/message".to_owned()),
        (Method::POST, "/context/skill".to_owned()),
        (Method::POST, "/context/package".to_owned()),
        (Method::GET, format!("/context/message/{}", "0".repeat(64))),
    ]
}

fn code_host_endpoints() -> [(Method, String); 6] {
    [
        (Method::GET, "/code-host/installations"),
        (Method::POST, "/code-host/installations"),
        (Method::DELETE, "/code-host/installations/7"),
        (Method::GET, "/repositories"),
        (Method::GET, "/repositories/7"),
        (Method::PATCH, "/repositories/7"),
    ]
    .map(|(method, path)| (method, path.to_owned()))
}

#[tokio::test]
async fn no_endpoint_answers_without_a_valid_key() {
    let world = World::new();
    for (method, path) in endpoints() {
        let bare = world.send(request(method.clone(), &path, None, None)).await;
        bare.refused(401, "unauthorized");
        assert_eq!(bare.header("www-authenticate"), "Bearer");
        let unknown = "pal_live_0000000000000000000000000000000000AB";
        world.send(request(method, &path, Some(unknown), None)).await.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn every_endpoint_refuses_query_parameters_it_does_not_know() {
    let world = World::new();
    let tenant = world.tenant("strict").await;
    for (method, path) in endpoints() {
        let body = (method != Method::GET && method != Method::DELETE).then(|| json!({}));
        let reply = world.send(request(method, &format!("{path}?verbose=1"), Some(&tenant.key), body)).await;
        reply.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_key_comes_in_one_authorization_header() {
    let world = World::new();
    let tenant = world.tenant("bearer").await;
    let with = |values: &[String]| {
        let mut request = Request::builder().uri("/api/v1/organization");
        for value in values {
            request = request.header("authorization", value);
        }
        request.body(Body::empty()).unwrap()
    };
    let key = &tenant.key;
    world.send(with(&[format!("bearer {key}")])).await.ok(200);
    world.send(with(&[format!("Bearer  {key}")])).await.ok(200);
    for values in [
        vec![key.clone()],
        vec![format!("Basic {key}")],
        vec![format!("Bearer {key}"), format!("Bearer {key}")],
        vec![format!("Bearer {key} {key}")],
        vec!["Bearer".to_owned()],
    ] {
        world.send(with(&values)).await.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn unknown_paths_are_not_found_in_the_same_shape() {
    let world = World::new();
    let tenant = world.tenant("paths").await;
    for path in
        ["", "/", "/docs", "/incident", "/incidents/", "/incidents/a/b", "/infrastructure", "/openapi.yaml"]
    {
        world.get(&tenant.key, path).await.refused(404, "not_found");
        world.send(request(Method::POST, path, None, None)).await.refused(404, "not_found");
    }
    let outside = Request::get("/doc").body(Body::empty()).unwrap();
    world.send(outside).await.refused(404, "not_found");
}

#[tokio::test]
async fn wrong_methods_are_told_which_are_right() {
    let world = World::new();
    let id = "67e55044-10b1-826f-9247-bb680e5fe0c8";
    for (method, path, allowed) in [
        (Method::POST, "/incidents", "GET,HEAD"),
        (Method::DELETE, &*format!("/incidents/{id}"), "GET,HEAD,PATCH"),
        (Method::PUT, "/infrastructure/sources", "GET,HEAD,POST"),
        (Method::POST, &*format!("/infrastructure/sources/{id}"), "GET,HEAD,PATCH,DELETE"),
        (Method::GET, &*format!("/api-keys/{id}"), "DELETE"),
        (Method::OPTIONS, "/organization", "GET,HEAD"),
        (Method::PATCH, "/openapi.json", "GET,HEAD"),
    ] {
        let reply = world.send(request(method, path, None, None)).await;
        reply.refused(405, "method_not_allowed");
        let mut told: Vec<&str> = reply.header("allow").split(',').collect();
        let mut allowed: Vec<&str> = allowed.split(',').collect();
        told.sort_unstable();
        allowed.sort_unstable();
        assert_eq!(told, allowed, "{path}");
    }
}

#[tokio::test]
async fn request_ids_are_taken_over_or_made() {
    let world = World::new();
    let with = |id: &str| Request::get("/nowhere").header("x-request-id", id).body(Body::empty()).unwrap();
    assert_eq!(world.send(with("abc-1")).await.header("x-request-id"), "abc-1");
    for strange in ["a b", "", &"x".repeat(129)] {
        let made = world.send(with(strange)).await.header("x-request-id").to_owned();
        assert_eq!(made.parse::<uuid::Uuid>().unwrap().get_version_num(), 7);
    }
}

#[tokio::test]
async fn bodies_are_json_and_small() {
    let world = World::new();
    let tenant = world.tenant("bodies").await;
    let post = |content_type: Option<&str>, body: Body| {
        let mut request = Request::post("/api/v1/infrastructure/sources");
        request = request.header("authorization", format!("Bearer {}", tenant.key));
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        request.body(body).unwrap()
    };
    let good = || Body::from(r#"{"name":"a"}"#);
    for media_type in [None, Some("text/plain"), Some("application/x-ndjson"), Some("application/jsonish")] {
        world.send(post(media_type, good())).await.refused(415, "invalid_request");
    }
    for media_type in ["application/json", "Application/JSON; charset=utf-8"] {
        world.send(post(Some(media_type), good())).await.ok(201);
    }
    let mut encoded = post(Some("application/json"), good());
    encoded.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    world.send(encoded).await.refused(415, "invalid_request");

    for malformed in [
        "",
        "{",
        "{\"name\":\"a\"} x",
        "{\"name\":\"a\",\"name\":\"b\"}",
        "\u{feff}{}",
        "null",
        "\"a\"",
        "[\"a\"]",
    ] {
        world
            .send(post(Some("application/json"), Body::from(malformed)))
            .await
            .refused(400, "invalid_request");
    }
    world
        .send(post(Some("application/json"), Body::from(&b"{\"name\":\"\xff\"}"[..])))
        .await
        .refused(400, "invalid_request");

    let padded = |length: usize| format!("{{\"name\":\"a\"{}}}", " ".repeat(length - 12));
    world.send(post(Some("application/json"), Body::from(padded(256 * 1024)))).await.ok(201);
    world
        .send(post(Some("application/json"), Body::from(padded(256 * 1024 + 1))))
        .await
        .refused(413, "invalid_request");
    // Without an announced length the body is cut off where it becomes too large.
    let frames = (0..260)
        .map(|_| Ok::<_, std::io::Error>(http_body::Frame::data(bytes::Bytes::from(vec![b' '; 1024]))));
    let streamed = Body::new(StreamBody::new(futures_util::stream::iter(frames)));
    world.send(post(Some("application/json"), streamed)).await.refused(413, "invalid_request");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let world = World::new();
    let tenant = world.tenant("slow").await;
    let mut slow = request(Method::POST, "/infrastructure/sources", Some(&tenant.key), Some(json!({})));
    let never = futures_util::stream::pending::<Result<http_body::Frame<bytes::Bytes>, std::io::Error>>();
    *slow.body_mut() = Body::new(StreamBody::new(never));
    world.send(slow).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn an_optional_body_may_be_missing_or_null_but_not_wrong() {
    let world = World::new();
    let tenant = world.tenant("optional").await;
    let path = format!("/api-keys/{}/rotate", tenant.key_id);
    let mut wrong = request(Method::POST, &path, Some(&tenant.key), Some(json!({})));
    wrong.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    world.send(wrong).await.refused(415, "invalid_request");
    // An array is not an object whose properties stand in our order.
    let list = request(Method::POST, &path, Some(&tenant.key), Some(json!([0])));
    world.send(list).await.refused(400, "invalid_request");
    let mut empty = request(Method::POST, &path, Some(&tenant.key), None);
    *empty.body_mut() = Body::new(Empty::new());
    world.send(empty).await.ok(200);
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_told_when_to_come_back() {
    let config = api::Config { requests_per_minute: 6, ..api::Config::default() };
    let world = World::with(config);
    let (busy, calm) = (world.tenant("busy").await, world.tenant("calm").await);
    for left in (0..6).rev() {
        let reply = world.get(&busy.key, "/organization").await;
        reply.ok(200);
        assert_eq!(reply.header("x-ratelimit-limit"), "6");
        assert_eq!(reply.header("x-ratelimit-remaining"), left.to_string());
        let policy = "\"key\";q=6;w=60, \"organization\";q=3000;w=60";
        assert_eq!(reply.header("ratelimit-policy"), policy);
        let of_key = format!("\"key\";r={left};t={}, \"organization\";r=", (6 - left) * 10);
        assert!(reply.header("ratelimit").starts_with(&of_key), "{}", reply.header("ratelimit"));
    }
    let reply = world.get(&busy.key, "/incidents").await;
    reply.refused(429, "rate_limited");
    assert_eq!(reply.header("retry-after"), "10");
    assert_eq!(reply.header("x-ratelimit-remaining"), "0");
    world.get(&calm.key, "/organization").await.ok(200);
    world.clock.advance(Duration::from_secs(10));
    // Refusals count as well: what is asked wrongly is asked.
    assert_eq!(world.get(&busy.key, "/incidents?x=1").await.header("x-ratelimit-remaining"), "0");
    world.get(&busy.key, "/organization").await.refused(429, "rate_limited");
}

#[tokio::test]
async fn an_organization_has_a_limit_however_many_keys_it_makes() {
    let config =
        api::Config { requests_per_minute: 4, organization_requests_per_minute: 6, ..api::Config::default() };
    let world = World::with(config);
    let (busy, calm) = (world.tenant("busy").await, world.tenant("calm").await);
    let mut keys = Vec::new();
    for _ in 0..8 {
        keys.push(world.narrowed(&busy, &["organization:read"]).await);
    }
    for (key, left) in keys.iter().zip((0..6).rev()) {
        let reply = world.get(key, "/organization").await;
        reply.ok(200);
        let nearest = if left < 3 { (6, left) } else { (4, 3) };
        assert_eq!(reply.header("x-ratelimit-limit"), nearest.0.to_string());
        assert_eq!(reply.header("x-ratelimit-remaining"), nearest.1.to_string());
    }
    let reply = world.get(&keys[6], "/organization").await;
    reply.refused(429, "rate_limited");
    assert_eq!(reply.header("retry-after"), "10");
    assert_eq!(reply.header("ratelimit"), "\"key\";r=4;t=0, \"organization\";r=0;t=60");
    world.get(&calm.key, "/organization").await.ok(200);
    world.clock.advance(Duration::from_secs(10));
    world.get(&keys[7], "/organization").await.ok(200);
    world.get(&busy.key, "/organization").await.refused(429, "rate_limited");
}

#[tokio::test]
async fn a_ledger_out_of_reach_is_a_503_and_heals() {
    let world = World::new();
    let tenant = world.tenant("outage").await;
    let source = world.source(&tenant, "one").await;
    let seed = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    world.get(&tenant.key, "/organization").await.ok(200);
    let stranger = world.narrowed(&tenant, &["incidents:read"]).await;
    world.ledger.memory.set_unavailable(true);
    // Results of context scans are a cache, written after the reply.
    let scans = |method: &Method, path: &str| method == Method::POST && path.starts_with("/context/");
    for (method, path) in endpoints().into_iter().filter(|(method, path)| !scans(method, path)) {
        // Ids of shards that exist.
        let path = match path.as_str() {
            path if path.starts_with("/incidents/") => seed.path(),
            path if path.starts_with("/contributor-trust-scans/") => {
                seed.path().replace("/incidents/", "/contributor-trust-scans/")
            }
            _ => path,
        };
        let body = match (&method, path.as_str()) {
            (&Method::PATCH, path) if path.starts_with("/incidents") => {
                Some(json!({"triage_version": 1, "triage_status": "triaged"}))
            }
            (&Method::PATCH, path) if path.contains("/inventory/") => {
                Some(json!({"scope_status": "excluded"}))
            }
            (&Method::PATCH, path) if path.starts_with("/a") => Some(json!({"name": "a"})),
            (&Method::PATCH, _) => Some(json!({"enabled": false})),
            (&Method::POST, path) if path.ends_with("rotate") => None,
            (&Method::POST | &Method::PUT, path) if path.starts_with("/detection-rules") => {
                Some(json!({"yaml": "title: a\nid: a"}))
            }
            (&Method::POST, "/suppressions") => Some(json!({"yaml": "title: a\nid: a", "reason": "a"})),
            (&Method::POST, "/applications") => Some(json!({"name": "a", "url": "https://127.0.0.1:9009/"})),
            (&Method::POST, "/agents") => Some(json!({"name": "a", "agent_type": "coding_agent"})),
            (&Method::POST, path) if path.ends_with("/pairing-codes") => Some(json!({})),
            (&Method::POST, "/webhooks") => Some(json!({"name": "a", "url": "https://127.0.0.1:9009/"})),
            (&Method::POST, "/code-host/installations") => None,
            (&Method::POST, "/telemetry") => {
                Some(json!({"endpoint": "https://127.0.0.1:9009/", "protocol": "http/json"}))
            }
            (&Method::POST, path) if path.ends_with("/recover") => {
                Some(json!({"since": "2026-07-08T08:00:00Z", "until": "2026-07-08T09:00:00Z"}))
            }
            (&Method::POST, _) => Some(json!({"name": "a"})),
            _ => None,
        };
        let reply = world.send(request(method.clone(), &path, Some(&tenant.key), body)).await;
        let message = reply.refused(503, "service_unavailable");
        assert_eq!(message, "temporarily unavailable, try again", "{method} {path}");
        assert_eq!(reply.header("retry-after"), "2");
    }
    world.get(&stranger, "/organization").await.refused(503, "service_unavailable");
    world.ledger.memory.set_unavailable(false);
    assert_eq!(world.get(&tenant.key, "/incidents").await.ok(200)["pagination"]["total"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_loaded_list_outlives_an_outage() {
    let world = World::new();
    let tenant = world.tenant("outage").await;
    let source = world.source(&tenant, "one").await;
    Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    let before = world.get(&tenant.key, "/incidents").await.ok(200);
    world.ledger.memory.set_unavailable(true);
    world.one_poll_later().await;
    assert_eq!(world.get(&tenant.key, "/incidents").await.ok(200), before);
    world.ledger.memory.set_unavailable(false);
    Seed::new(&source, 2).write(world.ledger.as_ref()).await;
    world.one_poll_later().await;
    assert_eq!(world.get(&tenant.key, "/incidents").await.ok(200)["pagination"]["total"], 2);
}

#[tokio::test]
async fn a_panic_is_one_requests_500() {
    let world = World::new();
    let tenant = world.tenant("panic").await;
    world.get(&tenant.key, "/organization").await.ok(200);
    world.ledger.panic_at_next_get();
    world.get(&tenant.key, "/organization").await.refused(500, "internal_error");
    world.get(&tenant.key, "/organization").await.ok(200);
}
