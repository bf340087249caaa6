//! From a log line to a webhook: an incident that a policy escalates reaches its receiver, signed, despite kills on
//! the way, and no file contains the organization's secrets for it.

use std::process::Stdio;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::http::Request;
use crate::lines::{Form, failed_logins};
use crate::receiver::{Answer, Received, Receiver};
use crate::server::{Server, assert_in_no_file, everywhere, files_below, wait_for};

const HEADER_VALUE: &str = "Bearer entrusted-to-nobody-else-5517";

/// A server that may send to loopback, and retries soon.
fn configure(server: &mut Server) {
    server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    server.set("PALISADE__WEBHOOKS__RETRY_SECONDS", "[1, 1, 1, 1, 1, 1, 1, 1]");
    assert!(server.interrupt());
    server.run();
}

/// A webhook target for everything of every source, and a policy that escalates it.
fn subscribe(server: &Server, receiver: &Receiver) -> Value {
    let policy = json!({"name": "on call", "minimum_severity": "low"});
    assert_eq!(server.send("POST", "/monitoring-policies", &policy).status, 201);
    let target = json!({
        "name": "pager",
        "url": receiver.url(),
        "events": ["infrastructure.incident.escalated"],
        "headers": {"authorization": HEADER_VALUE},
    });
    let created = server.send("POST", "/webhooks", &target);
    assert_eq!(created.status, 201, "{}", created.text());
    created.json()
}

/// Verifies a request as specified for receivers (Signatures).
pub(crate) fn verify(received: &Received, secret: &str) {
    let timestamp = received.header("x-service-timestamp");
    let signed = [timestamp.as_bytes(), b".", &received.body].concat();
    let mut hmac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    hmac.update(&signed);
    let digits: String = hmac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(received.header("x-service-signature"), format!("t={timestamp},v1={digits}"));
}

fn attack(server: &Server, source: &str, address: &str) {
    let body = Form::Ndjson.body(&failed_logins(12, "root", address));
    assert_eq!(server.ingest(source, Form::Ndjson.content_type(), body).status, 200);
}

#[test]
fn an_incident_arrives_signed_also_after_a_kill_between_and_its_detail_tells_of_it() {
    everywhere("an incident arrives as a signed webhook", |server| {
        configure(server);
        let receiver = Receiver::start(Answer::Nothing);
        let webhook = subscribe(server, &receiver);
        let source = server.source("bastion");
        attack(server, &source, "203.0.113.9");
        receiver.wait_for(1);
        // It was sent and not acknowledged: the next process must send it again.
        server.kill();
        receiver.answer_with(Answer::Status(204));
        let before = receiver.wait_for(1).len();
        server.run();
        let received = receiver.wait_for(before + 1);

        let incident = server.incidents(&source, |incidents| incidents.len() == 1)[0].clone();
        let first = received[0].json();
        assert_eq!(first["type"], "infrastructure.incident.escalated");
        assert_eq!(
            (&first["api_version"], &first["data"]["object"]["id"]),
            (&json!("2026-07-08"), &incident["id"])
        );
        let dashboard = first["data"]["object"]["dashboard_url"].as_str().unwrap();
        let site = format!("http://{}", server.address());
        let page = Request::new("GET", dashboard.strip_prefix(&site).unwrap()).send(server.address());
        let incident_id = incident["id"].as_str().unwrap();
        assert_eq!(page.status, 200, "{dashboard}");
        assert!(page.text().contains(&format!("GET /api/v1/incidents/{incident_id}")), "{}", page.text());
        let secret = webhook["secret"].as_str().unwrap();
        for one in &received {
            verify(one, secret);
            assert_eq!(one.header("authorization"), HEADER_VALUE);
            assert_eq!(one.header("x-service-event-id"), one.json()["id"].as_str().unwrap());
            assert_eq!(one.header("x-service-event-type"), "infrastructure.incident.escalated");
        }
        let again = received.iter().skip(before).find(|one| one.json()["id"] == first["id"]);
        assert_eq!(again.unwrap().body, received[0].body, "the same bytes under the same id");

        let path = format!("/incidents/{}", incident["id"].as_str().unwrap());
        let event = wait_for("the detail tells that it arrived", || {
            let detail = server.get(&path);
            let events = detail["webhook_events"].as_array().unwrap().clone();
            let own = events.into_iter().find(|event| event["id"] == first["id"])?;
            (own["deliveries"][0]["status"] == "succeeded").then_some(own)
        });
        assert_eq!(event["deliveries"][0]["webhook_id"], webhook["id"]);
        let attempts = event["deliveries"][0]["attempts"].as_array().unwrap();
        assert_eq!(attempts.last().unwrap()["status_code"], 204, "{attempts:?}");
        assert_in_no_file(&files_below(&server.data_dir()), &[secret, HEADER_VALUE]);
        rewrapped(server, &receiver, &webhook);
    });
}

/// Another key replaces the first one: earlier secrets remain readable.
fn rewrapped(server: &mut Server, receiver: &Receiver, webhook: &Value) {
    let file = server.data_dir().join("key-encryption-keys");
    // On Kafka and Cassandra the keys are given to every process, and none are in the directory.
    let Ok(old) = std::fs::read_to_string(&file) else { return };
    let rewrap = |server: &Server| {
        let output = server.command(&["key", "rewrap"]).stdout(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let new = "7b".repeat(32);
    std::fs::write(&file, format!("{new}\n{old}")).unwrap();
    assert!(
        rewrap(server).contains(": 1; already wrapped with it: 0"),
        "one organization has entrusted something"
    );
    assert!(rewrap(server).contains(": 0; already wrapped with it: 1"));
    assert!(server.interrupt());
    std::fs::write(&file, format!("{new}\n")).unwrap();
    server.run();
    let before = receiver.wait_for(1).len();
    let test = format!("/webhooks/{}/test", webhook["id"].as_str().unwrap());
    let tested = server.send("POST", &test, &json!({}));
    assert_eq!(tested.json()["accepted"], true, "{}", tested.text());
    let received = receiver.wait_for(before + 1);
    verify(received.last().unwrap(), webhook["secret"].as_str().unwrap());
    assert_eq!(received.last().unwrap().header("authorization"), HEADER_VALUE);
}

#[test]
fn a_rotated_secret_and_a_disabled_target_are_in_force_after_the_reply() {
    everywhere("a rotated secret is in force after the reply", |server| {
        configure(server);
        let receiver = Receiver::start(Answer::Status(503));
        let webhook = subscribe(server, &receiver);
        let path = format!("/webhooks/{}", webhook["id"].as_str().unwrap());
        attack(server, &server.source("bastion"), "203.0.113.9");
        receiver.wait_for(1);
        for _ in 0..2 {
            let rotated = server.send("POST", &format!("{path}/rotate-secret"), &json!({})).json();
            let before = receiver.wait_for(1).len();
            // The first of these may have been in flight before the reply; the next one follows a second later.
            let received = receiver.wait_for(before + 2);
            verify(&received[before + 1], rotated["secret"].as_str().unwrap());
        }
        assert_eq!(server.send("PATCH", &path, &json!({"enabled": false})).status, 200);
        let deliveries = format!("{path}/deliveries");
        wait_for("what waits is cancelled", || {
            let deliveries = server.get(&deliveries);
            let latest = deliveries["data"][0].clone();
            (latest["status"] == "failed").then_some(())
        });
        let sent = receiver.wait_for(1).len();
        assert_eq!(server.send("PATCH", &path, &json!({"enabled": true})).status, 200);
        let test = server.send("POST", &format!("{path}/test"), &json!({}));
        assert_eq!(test.status, 200);
        assert_eq!(receiver.wait_for(sent + 1).len(), sent + 1, "only the test was sent");
    });
}

#[test]
fn without_a_word_of_the_operator_nothing_is_sent_to_the_machine_itself() {
    let server = Server::start();
    let receiver = Receiver::start(Answer::Status(200));
    let plain = json!({"name": "a", "url": receiver.url()});
    let encrypted = json!({"name": "a", "url": receiver.url().replace("http:", "https:")});
    for body in [plain, encrypted] {
        let refused = server.send("POST", "/webhooks", &body);
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(
            refused.json()["error"]["message"].as_str().unwrap().starts_with("url: "),
            "{}",
            refused.text()
        );
    }
    let allowing = Server::start_with(&["--outbound-allow", "127.0.0.0/8", "--outbound-allow", "10.0.0.0/8"]);
    let created = allowing.send("POST", "/webhooks", &json!({"name": "a", "url": receiver.url()}));
    assert_eq!(created.status, 201, "{}", created.text());
    let test = format!("/webhooks/{}/test", created.json()["id"].as_str().unwrap());
    assert_eq!(allowing.send("POST", &test, &json!({})).json()["accepted"], true);
}
