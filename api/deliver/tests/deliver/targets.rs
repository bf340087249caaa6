//! Operations of users on targets: accepted URLs and headers, and tests.

use std::collections::BTreeMap;

use common::event::{EventKind, EventSource, SourceGroup};
use deliver::{AddressChange, NewTarget, TargetError};
use directory::ReceiverKind::Webhook;
use directory::{DirectoryError, SourceFilter};
use serde_json::Value;

use crate::house::House;
use crate::signatures::is_genuine;

fn new(url: &str, headers: &[(&str, &str)]) -> NewTarget {
    NewTarget {
        name: Some("target".to_owned()),
        url: url.to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        events: None,
        sources: SourceFilter::default(),
        enabled: true,
    }
}

#[tokio::test]
async fn urls_that_lead_inside_are_refused() {
    let house = House::new().await;
    house.names.known.lock().unwrap().insert("inside.example".to_owned(), "10.1.2.3".parse().unwrap());
    let urls = [
        "https://10.0.0.1/",
        "https://0x0a.1/",
        "https://user:secret@example.com/",
        "ftp://example.com/",
        "https://example.com:25/",
        "https://[::1]:8443/",
        "https://inside.example/",
        "hook",
    ];
    for url in urls {
        let Err(error) = house.receivers.create_webhook(house.organization, new(url, &[])).await else {
            panic!("{url}")
        };
        assert!(matches!(error, TargetError::Invalid { field: "url", .. }), "{url}: {error}");
        assert!(!error.to_string().contains("secret@"), "{error}");
    }
    let unknown = new("https://unknown.example/hook", &[]);
    let (target, _) = house.receivers.create_webhook(house.organization, unknown).await.unwrap();
    assert_eq!(target.url, "https://unknown.example/hook", "it may be known in a minute");
}

#[tokio::test]
async fn headers_that_are_ours_or_malformed_are_refused() {
    let house = House::new().await;
    let url = house.receiver.url("/status/200");
    let long = "x".repeat(8_192);
    let refusals = [
        ("Content-Type", "text/plain"),
        ("user-agent", "me"),
        ("X-Service-Signature", "t=1"),
        ("Host", "other"),
        ("a b", "c"),
        ("x-a", "line\r\nx-b: c"),
        ("x-a", "ü"),
        ("x-a", &long),
    ];
    for (name, value) in refusals {
        let outcome = house.receivers.create_webhook(house.organization, new(&url, &[(name, value)])).await;
        let field = match outcome {
            Err(
                TargetError::Invalid { field, .. }
                | TargetError::Directory(DirectoryError::Invalid { field, .. }),
            ) => field,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(field, "headers", "{name}");
    }
    let twice = new(&url, &[("X-A", "1"), ("x-a", "2")]);
    assert!(matches!(
        house.receivers.create_webhook(house.organization, twice).await,
        Err(TargetError::Invalid { field: "headers", .. })
    ));
}

#[tokio::test]
async fn a_test_event_is_an_ordinary_request_and_its_outcome_is_told() {
    let house = House::new().await;
    let (target, secret) = house.target("/status/200").await;
    let disabled = house.set_enabled(&target, false).await;
    let tested = house.receivers.send_test(Webhook, house.organization, disabled.id).await.unwrap();
    assert!(tested.acknowledged);
    assert_eq!(tested.attempt.status_code, Some(200));
    let sent = house.receiver.received("/status/200").remove(0);
    assert!(is_genuine(secret.expose(), &sent));
    assert_eq!(sent.header("x-service-event-type"), "webhook.test");
    assert_eq!(sent.header("authorization"), "Bearer of-the-target");
    let body: Value = serde_json::from_slice(&sent.body).unwrap();
    assert_eq!(body["id"], tested.event.to_string());
    assert_eq!(body["type"], "webhook.test");
    assert_eq!(body["data"]["object"]["object"], "webhook_test");
    assert_eq!(body["data"]["object"]["target_id"], target.id.to_string());
    let address = AddressChange { url: Some(house.receiver.url("/close")), ..AddressChange::default() };
    house.receivers.change(Webhook, house.organization, target.id, address, |_| Ok(())).await.unwrap();
    let tested = house.receivers.send_test(Webhook, house.organization, target.id).await.unwrap();
    assert!(!tested.acknowledged && tested.attempt.error.is_some());
}

#[tokio::test]
async fn changing_headers_replaces_all_of_them() {
    let house = House::new().await;
    let (target, _) = house.target("/status/200").await;
    let headers = BTreeMap::from([("X-Team".to_owned(), "blue".to_owned())]);
    let address = AddressChange { headers: Some(headers), ..AddressChange::default() };
    let changed =
        house.receivers.change(Webhook, house.organization, target.id, address, |_| Ok(())).await.unwrap();
    assert_eq!(changed.headers.keys().collect::<Vec<_>>(), ["x-team"]);
    house.receivers.send_test(Webhook, house.organization, target.id).await.unwrap();
    let sent = house.receiver.received("/status/200").remove(0);
    assert_eq!(sent.header("x-team"), "blue");
    assert!(!sent.headers.contains_key("authorization"));
    let foreign = EventSource { group: SourceGroup::Agents, id: None };
    assert!(changed.wants(EventKind::AgentActionBlocked, Some(&foreign)));
}
