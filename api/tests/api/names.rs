//! Names and headers that people choose, wherever they can be chosen.

use std::collections::BTreeMap;

use directory::Source;
use http::Method;
use ledger::{Kind, Ledger, LedgerId};
use serde_json::{Value, json};

use crate::harness::{Reply, Tenant, World, request};
use crate::seed::put;

/// All characters with the Unicode property `Bidi_Control`.
const CONTROLS: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Every field of every resource that holds a text people choose to recognise it by.
fn with_text(text: &str) -> Vec<(&'static str, Value)> {
    let url = "http://127.0.0.1:9999/";
    let policy = |field: &str| json!({"name": "p", field: [text]});
    let yaml = |title: &str| format!("title: {title}\nid: one\n");
    vec![
        ("/api-keys", json!({"name": text})),
        ("/infrastructure/sources", json!({"name": text})),
        ("/infrastructure/sources", json!({"name": "s", "application_group": text})),
        ("/infrastructure/sources", json!({"name": "s", "environment": text})),
        ("/monitoring-policies", json!({"name": text})),
        ("/monitoring-policies", policy("application_groups")),
        ("/monitoring-policies", policy("environments")),
        ("/webhooks", json!({"name": text, "url": url})),
        ("/applications", json!({"name": text, "url": url})),
        ("/agents", json!({"name": text, "agent_type": "chatbot"})),
        ("/telemetry", json!({"name": text, "endpoint": url, "protocol": "http/json"})),
        ("/detection-rules", json!({"yaml": yaml(text)})),
        ("/suppressions", json!({"yaml": yaml(text), "reason": "r"})),
        ("/suppressions", json!({"yaml": yaml("t"), "reason": text})),
    ]
}

async fn create(world: &World, tenant: &Tenant, path: &str, body: Value) -> Reply {
    world.send(request(Method::POST, path, Some(&tenant.key), Some(body))).await
}

#[tokio::test]
async fn no_name_can_be_displayed_as_another_one() {
    let world = World::new();
    let tenant = world.tenant("names").await;
    for control in CONTROLS {
        let text = format!("invoice{control}fdp.exe");
        for (path, body) in with_text(&text) {
            let message = create(&world, &tenant, path, body).await.refused(400, "invalid_request");
            let expected =
                format!("bidirectional controls are not allowed, found U+{:04X}", u32::from(control));
            assert!(message.contains(&expected), "{path}: {message}");
        }
        assert!(world.directory.create_organization(&text).await.is_err());
    }
    // Names in scripts that are written from right to left need none.
    for (path, body) in with_text("\u{5e9}\u{5e8}\u{5ea} \u{62e}\u{627}\u{62f}\u{645} 7") {
        create(&world, &tenant, path, body).await.ok(201);
    }
}

#[tokio::test]
async fn a_name_from_before_is_no_reason_to_refuse_other_changes() {
    let world = World::new();
    let tenant = world.tenant("before").await;
    let source = world.source(&tenant, "named").await;
    let name = "named\u{202e}before";
    let (id, key) =
        (LedgerId::Organization(tenant.organization), [b"source/", source.id.as_bytes().as_slice()].concat());
    let seq = world.ledger.seq(id).await.unwrap();
    let row = put(Kind::Head, key, &Source { name: name.to_owned(), ..source.clone() });
    world.ledger.commit(id, seq, vec![row]).await.unwrap();
    let path = format!("/infrastructure/sources/{}", source.id);
    let changed = world.patch(&tenant.key, &path, json!({"enabled": false})).await.ok(200);
    assert_eq!((&changed["enabled"], &changed["name"]), (&json!(false), &json!(name)));
    let other = json!({"name": "other\u{202e}name"});
    world.patch(&tenant.key, &path, other).await.refused(400, "invalid_request");
    world.patch(&tenant.key, &path, json!({"name": "other"})).await.ok(200);
}

#[tokio::test]
async fn reserved_headers_are_refused_whoever_receives_them() {
    let world = World::new();
    let tenant = world.tenant("headers").await;
    for name in [
        "Content-Encoding",
        "Proxy-Authorization",
        "Forwarded",
        "HTTP2-Settings",
        "Date",
        "Host",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "User-Agent",
        "Content-Type",
        "X-Service-Signature",
    ] {
        let headers = BTreeMap::from([(name, "value")]);
        for (path, body) in [
            ("/webhooks", json!({"name": "w", "url": "http://127.0.0.1:9999/", "headers": headers})),
            (
                "/telemetry",
                json!({"endpoint": "http://127.0.0.1:9999/", "protocol": "http/json", "headers": headers}),
            ),
        ] {
            let message = create(&world, &tenant, path, body).await.refused(400, "invalid_request");
            assert!(message.contains(&format!("{} is reserved", name.to_lowercase())), "{message}");
        }
    }
    let headers = json!({"Authorization": "Bearer x", "X-Forwarded-For": "203.0.113.9", "X-Date": "today"});
    let body = json!({"name": "w", "url": "http://127.0.0.1:9999/", "headers": headers});
    create(&world, &tenant, "/webhooks", body).await.ok(201);
}
