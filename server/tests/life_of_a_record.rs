//! The path of one record, for every content type, plain and compressed, over real sockets: sent,
//! durably accepted, analysed, an incident in the list, its detail, a person's review, and all of it
//! still present after the process was killed.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "another process is waited for on the wall clock")]
#![expect(dead_code, reason = "the support is shared with the other whole-system tests")]

#[path = "support/http.rs"]
mod http;
#[path = "support/lines.rs"]
mod lines;
#[path = "support/server.rs"]
mod server;
#[path = "support/servers.rs"]
mod servers;
#[path = "support/skip.rs"]
mod skip;

use serde_json::{Value, json};

use lines::{Form, failed_logins, gzip};
use server::{Server, everywhere};

#[test]
fn every_form_of_a_record_becomes_a_reviewed_incident() {
    everywhere("every form of a record becomes a reviewed incident", |server| {
        let mut reviewed = Vec::new();
        for form in Form::ALL {
            for compressed in [false, true] {
                reviewed.push(walk(server, form, compressed));
            }
        }
        server.kill();
        server.run();
        for before in reviewed {
            let id = before["id"].as_str().unwrap();
            let after = server.get(&format!("/incidents/{id}"));
            assert_eq!(after, before, "an incident changed although nothing was sent");
        }
    });
}

fn walk(server: &Server, form: Form, compressed: bool) -> Value {
    let source = server.source(&format!("{form:?} {compressed}"));
    accepted(server, form, compressed, &source);
    let incident = listed(server, &source);
    let id = incident["id"].as_str().unwrap().to_owned();
    let detail = server.get(&format!("/incidents/{id}"));
    explained(&incident, &detail);
    triaged(server, &id);
    server.get(&format!("/incidents/{id}"))
}

/// Steps accept to respond: 200, and the body that the content type asks for.
fn accepted(server: &Server, form: Form, compressed: bool, source: &str) {
    let body = form.body(&failed_logins(12, "root", "203.0.113.9"));
    let path = format!("/infrastructure/sources/{source}/v1/logs");
    let mut request = server.request("POST", &path).header("content-type", form.content_type());
    request = if compressed {
        request.header("content-encoding", "gzip").body(gzip(&body))
    } else {
        request.body(body)
    };
    let response = request.send(server.address());
    assert_eq!(response.status, 200, "{form:?}: {}", response.text());
    match form {
        Form::Protobuf => assert!(response.body.is_empty()),
        _ => assert_eq!(response.text(), "{}"),
    }
}

/// Steps fetch to commit: one incident about the address, with every record in it.
fn listed(server: &Server, source: &str) -> Value {
    let incidents =
        server.incidents(source, |incidents| incidents.iter().any(|incident| incident["event_count"] == 12));
    assert_eq!(incidents.len(), 1, "{incidents:?}");
    let incident = incidents.into_iter().next().unwrap();
    assert_eq!(incident["object"], "incident");
    assert_eq!(incident["entity"], json!({"kind": "client.address", "value": "203.0.113.9"}));
    assert_eq!(incident["source"]["id"], source);
    assert_eq!(incident["first_seen_at"], "2026-07-08T09:00:00.000Z");
    assert_eq!(incident["last_activity_at"], "2026-07-08T09:00:11.000Z");
    assert_eq!((&incident["triage_status"], &incident["triage_version"]), (&json!("new"), &json!(1)));
    assert!(["medium", "high"].contains(&incident["severity"].as_str().unwrap()), "{incident}");
    incident
}

/// Step answer: the detail contains the reason.
fn explained(incident: &Value, detail: &Value) {
    assert_eq!(detail["event_count"], incident["event_count"]);
    assert_eq!(detail["assessment"]["qualified_by"], "threshold", "{detail}");
    assert!(
        detail["assessment"]["techniques"]
            .as_array()
            .unwrap()
            .iter()
            .any(|technique| technique.as_str().unwrap().starts_with("T1110"))
    );
    let evidence = detail["evidence"].as_array().unwrap();
    assert!(
        evidence
            .iter()
            .all(|evidence| evidence["message"].as_str().unwrap().contains("Failed password for root")),
        "{detail}"
    );
    assert!(!evidence.is_empty() && evidence.len() <= 40);
    assert!(!detail["assessment_revisions"].as_array().unwrap().is_empty());
    assert_eq!(detail["review_history"], json!([]));
    assert_eq!(detail["webhook_events"], json!([]));
}

/// Step answer, the other way: a review, its view by a second reviewer, and a stale one.
fn triaged(server: &Server, id: &str) {
    let path = format!("/incidents/{id}");
    let review = json!({"triage_version": 1, "triage_status": "resolved", "triage_resolution": "fixed", "comment": "blocked"});
    let response = server.send("PATCH", &path, &review);
    assert_eq!(response.status, 200, "{}", response.text());
    let detail = response.json();
    assert_eq!((&detail["triage_status"], &detail["triage_version"]), (&json!("resolved"), &json!(2)));
    assert_eq!(detail["review_history"][0]["comment"], "blocked");
    assert_eq!(server.send("PATCH", &path, &review).status, 409);
    let list =
        server.get("/incidents?triage_status=resolved&triage_resolution=fixed&q=203.0.113.9&limit=100");
    assert!(
        list["data"].as_array().unwrap().iter().any(|incident| incident["id"] == *id),
        "own writes are seen at once"
    );
}
