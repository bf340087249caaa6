//! Findings on a real server: the results of another tool are imported, reviewed and triaged, and arrive at a receiver; a kill
//! during an import loses and doubles nothing.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::http::Response;
use crate::receiver::{Answer, Receiver};
use crate::server::{Server, everywhere, wait_for};
use crate::tenant::Tenant;
use crate::webhooks::verify;

/// Output of a real tool about one small project.
const BANDIT: &[u8] = include_bytes!("../../../analyzer/engines/tests/sarif/bandit.sarif");

fn application(server: &Server, name: &str) -> String {
    let body = json!({"name": name, "url": format!("https://{}.example.com/", name.to_lowercase())});
    let created = server.send("POST", "/applications", &body);
    assert_eq!(created.status, 201, "{}", created.text());
    created.json()["id"].as_str().unwrap().to_owned()
}

fn import(server: &Server, application: &str, sarif: Vec<u8>) -> Response {
    let path = format!("/findings/import?application_id={application}");
    let request = server.request("POST", &path).header("content-type", "application/sarif+json");
    request.body(sarif).send(server.address())
}

fn target(server: &Server, receiver: &Receiver, applications: &Value) -> Value {
    let body = json!({
        "name": "findings",
        "url": receiver.url(),
        "events": ["finding.created", "finding.accepted", "finding.triage_completed"],
        "sources": {"repositories": [], "applications": applications, "agents": [], "infrastructure": []},
    });
    let created = server.send("POST", "/webhooks", &body);
    assert_eq!(created.status, 201, "{}", created.text());
    created.json()
}

#[test]
fn an_imported_finding_is_reviewed_and_triaged_and_its_events_arrive_signed_also_after_a_kill() {
    everywhere("events of a finding arrive as signed webhooks", |server| {
        server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
        server.set("PALISADE__WEBHOOKS__RETRY_SECONDS", "[1, 1, 1, 1, 1, 1, 1, 1]");
        assert!(server.interrupt());
        server.run();
        let (shop, other) = (application(server, "Shop"), application(server, "Other"));
        let (receiver, uninvolved) = (Receiver::start(Answer::Nothing), Receiver::start(Answer::Status(204)));
        let webhook = target(server, &receiver, &json!([shop]));
        target(server, &uninvolved, &json!([other]));

        let imported = import(server, &shop, BANDIT.to_vec());
        assert_eq!(imported.status, 200, "{}", imported.text());
        let results = imported.json()["data"]["results"].clone();
        let id = |place: usize| results[place]["finding_id"].as_str().unwrap().to_owned();
        let accepted = json!({"triage_status": "resolved", "triage_resolution": "accepted_risk"});
        assert_eq!(server.send("PATCH", &format!("/findings/{}", id(0)), &accepted).status, 200);
        receiver.wait_for(1);
        // It was sent and not acknowledged: the next process must send it again.
        server.kill();
        receiver.answer_with(Answer::Status(204));
        server.run();
        let triage = server.request("POST", &format!("/findings/{}/triage", id(1))).send(server.address());
        assert_eq!(triage.status, 202, "{}", triage.text());
        let detail = wait_for("the triage ends", || {
            let detail = server.get(&format!("/findings/{}", id(1)));
            (detail["triage_status"] == "triaged").then_some(detail)
        });
        assert_eq!(detail["triage"]["verification_status"], "unverifiable");
        let events = wait_for("both events arrive", || {
            let received = receiver.wait_for(1);
            let kinds: BTreeSet<String> = received.iter().map(|one| text(&one.json()["type"])).collect();
            (kinds.len() == 2).then_some(received)
        });
        let mut ids = BTreeSet::new();
        for one in &events {
            verify(one, webhook["secret"].as_str().unwrap());
            let (kind, finding) = (text(&one.json()["type"]), text(&one.json()["data"]["object"]["id"]));
            let expected = if kind == "finding.accepted" { id(0) } else { id(1) };
            assert_eq!(finding, expected, "{kind}");
            ids.insert(text(&one.json()["id"]));
        }
        assert_eq!(ids.len(), 2, "each event has one id, however often it is sent");
        let deliveries = server.get("/webhook-deliveries?limit=100");
        let of_others: Vec<&Value> = deliveries["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|delivery| delivery["webhook_id"] != webhook["id"])
            .collect();
        assert!(of_others.is_empty(), "a target for another application: {of_others:?}");
    });
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A log of so many results.
fn many(results: usize) -> Vec<u8> {
    let result = |number: usize| {
        json!({
            "ruleId": "demo",
            "message": {"text": format!("Result {number}")},
            "fingerprints": {"id/v1": format!("fingerprint-{number:06}")},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": format!("src/{number}.py")}}}],
        })
    };
    let results: Vec<Value> = (0..results).map(result).collect();
    json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "demo"}}, "results": results}]})
        .to_string()
        .into_bytes()
}

#[test]
fn a_kill_during_an_import_loses_and_doubles_no_finding() {
    const RESULTS: usize = 5_000;
    let mut server = Server::start();
    let application = application(&server, "Shop");
    let path = format!("/api/v1/findings/import?application_id={application}");
    let request = crate::http::Request::new("POST", &path)
        .header("authorization", &format!("Bearer {}", server.key()))
        .header("content-type", "application/json")
        .body(many(RESULTS));
    let address = server.address();
    let importing = std::thread::spawn(move || request.try_send(address).map(|response| response.status));
    // Some commits of the import have taken effect, and not all of them.
    wait_for("the import has begun", || {
        let total = server.get("/findings?limit=1")["pagination"]["total"].as_u64().unwrap();
        (total > 0).then_some(())
    });
    server.kill();
    assert_ne!(importing.join().unwrap(), Some(200), "the server is killed before it has answered");
    server.run();
    let before = server.get("/findings?limit=1")["pagination"]["total"].as_u64().unwrap();
    assert!(before > 0 && before < RESULTS as u64, "killed after {before} findings");
    let second = import(&server, &application, many(RESULTS));
    assert_eq!(second.status, 200, "{}", second.text());
    let results = second.json()["data"]["results"].clone();
    let count = |outcome: &str| {
        results.as_array().unwrap().iter().filter(|result| result["outcome"] == outcome).count() as u64
    };
    assert_eq!((count("seen_again"), count("created")), (before, RESULTS as u64 - before));
    assert_eq!(server.get("/findings?limit=1")["pagination"]["total"], RESULTS);
}

#[test]
fn organizations_do_not_see_each_others_findings() {
    let server = Server::start();
    let application = application(&server, "Shop");
    let imported = import(&server, &application, BANDIT.to_vec()).json();
    let id = imported["data"]["results"][0]["finding_id"].as_str().unwrap();
    let stranger = Tenant::new(&server, "stranger");
    assert_eq!(stranger.get("/findings")["pagination"]["total"], 0);
    for (method, path) in [
        ("GET", format!("/findings/{id}")),
        ("PATCH", format!("/findings/{id}")),
        ("DELETE", format!("/findings/{id}")),
        ("POST", format!("/findings/{id}/triage")),
        ("POST", format!("/findings/import?application_id={application}")),
    ] {
        let body = json!({"triage_status": "triaged"});
        assert_eq!(stranger.send(method, &path, &body).status, 404, "{method} {path}");
    }
    assert_eq!(server.get(&format!("/findings/{id}"))["triage_status"], "new");
}
