//! The two shapes of error bodies: every refusal and failure of the kit has them, wherever it arises.

use axum::body::Body;
use credits::Plan;
use http::{Method, Request, StatusCode};
use rest::error::Shape;
use serde_json::json;

use crate::harness::{Family, MESSAGE, PER_MINUTE, Reply};

fn assert_message(reply: &Reply, status: u16, message: &str) {
    assert_eq!((reply.status.as_u16(), &reply.body), (status, &json!({ "error": message })));
    assert_eq!(reply.headers["content-type"], "application/json");
    assert!(
        reply.headers.contains_key("x-request-id"),
        "{status}: the id is in a header, since the body has none"
    );
}

#[tokio::test]
async fn errors_of_the_guard_family_are_one_message() {
    let family = Family::mounted(MESSAGE).await;
    let post = |path, key, body: &str| family.ask(Method::POST, path, key, Body::from(body.to_owned()));
    let key = Some(family.key.as_str());

    assert_eq!(family.analysis("hello").await.body, json!("hello"));
    assert_message(&post("/api/guard", None, "{}").await, 401, "API key missing");
    assert_message(&post("/api/guard", Some("pal_live_no"), "{}").await, 401, "Invalid API key");
    assert_message(
        &post("/api/guard", Some(&family.narrowed), "{}").await,
        403,
        "API key lacks scope guard:use",
    );
    assert_message(&post("/api/guard?x=1", key, "{}").await, 400, "unknown query parameter `x`");
    assert_message(&post("/api/guard", key, "[]").await, 400, "the body must be a JSON object");
    assert_message(&post("/api/nowhere", key, "{}").await, 404, "path not found");
    assert_message(&family.analysis("unpaid").await, 402, "No subscription found");
    assert_message(&family.analysis("no team").await, 404, "Team not found");
    assert_message(&family.analysis("broken").await, 500, "Failed to analyze prompt");
    assert_message(&family.analysis("panic").await, 500, "Failed to analyze prompt");

    let busy = family.analysis("busy").await;
    assert_message(&busy, 503, "Service busy");
    assert!(busy.headers.contains_key("retry-after"));

    let large = format!("{{\"text\":\"{}\"}}", "a".repeat(300_000));
    assert_message(&post("/api/guard", key, &large).await, 413, "Input too large");

    let wrong_method = family.ask(Method::GET, "/api/guard", None, Body::empty()).await;
    assert_message(&wrong_method, 405, "this path does not support the method; see the header Allow");
    assert_eq!(wrong_method.headers["allow"], "POST");

    let text = Request::post("/api/guard").header("authorization", format!("Bearer {}", family.key));
    let text = text.header("content-type", "text/plain").body(Body::from("{}")).unwrap();
    assert_message(&family.send(text).await, 415, "Unsupported content type");
}

#[tokio::test]
async fn a_rate_limit_of_the_guard_family_is_one_message_with_a_time_to_wait() {
    let family = Family::mounted(MESSAGE).await;
    for _ in 0..PER_MINUTE {
        assert_eq!(family.analysis("hello").await.status, StatusCode::OK);
    }
    let refused = family.analysis("hello").await;
    assert_message(&refused, 429, "Rate limit exceeded");
    assert_eq!(refused.headers["retry-after"], "3");
    assert_eq!(refused.headers["x-ratelimit-over-limit"], "yes");
    assert_eq!(refused.headers["x-ratelimit-remaining-requests"], "0");
}

#[tokio::test]
async fn a_key_may_come_in_another_header_of_the_family() {
    let family = Family::mounted(MESSAGE).await;
    let ask = |name: &'static str, key: &str| {
        let request = Request::post("/api/guard").header("content-type", "application/json");
        let request = request.header(name, key).body(Body::from(r#"{"text":"hello"}"#)).unwrap();
        family.send(request)
    };
    for name in ["x-api-key", "x-service-api-key"] {
        let reply = ask(name, &family.key).await;
        assert_eq!((reply.status, &reply.body), (StatusCode::OK, &json!("hello")), "{name}");
        assert_eq!(reply.headers["x-ratelimit-over-limit"], "no");
        assert_message(&ask(name, "pal_live_no").await, 401, "Invalid API key");
    }
    assert_message(&ask("x-other-key", &family.key).await, 401, "API key missing");
}

#[tokio::test]
async fn too_low_a_balance_is_told_before_the_rate_and_the_body() {
    let family = Family::priced(MESSAGE, 2).await;
    assert_eq!(family.analysis("hello").await.status, StatusCode::OK, "the plan has no limit");
    family.credits.set_plan(family.organization, Plan::Limited(1)).await.unwrap();
    for _ in 0..=PER_MINUTE {
        let refused = family.analysis("hello").await;
        assert_message(&refused, 402, "No subscription found");
        assert!(!refused.headers.contains_key("x-ratelimit-remaining-requests"), "nothing was counted");
    }
    family.credits.set_plan(family.organization, Plan::Limited(2)).await.unwrap();
    assert_eq!(family.analysis("hello").await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_same_errors_elsewhere_are_objects_with_a_code() {
    let family = Family::mounted(Shape::Object).await;
    for (reply, status, code) in [
        (family.analysis("unpaid").await, 402, "invalid_request"),
        (family.analysis("busy").await, 503, "service_unavailable"),
        (family.analysis("panic").await, 500, "internal_error"),
        (family.ask(Method::POST, "/api/guard", None, Body::empty()).await, 401, "unauthorized"),
        (family.ask(Method::POST, "/api/nowhere", None, Body::empty()).await, 404, "not_found"),
        (family.ask(Method::GET, "/api/guard", None, Body::empty()).await, 405, "method_not_allowed"),
    ] {
        assert_eq!(reply.status.as_u16(), status);
        assert_eq!(reply.body["error"]["code"], code);
        assert_eq!(reply.body["error"]["request_id"], reply.headers["x-request-id"].to_str().unwrap());
        assert!(!reply.body.to_string().contains("no client may see"));
    }
}
