//! Findings on a real server: the results of another tool are imported, reviewed and triaged, and arrive at a receiver; kills
//! during imports lose and double nothing.

use std::collections::{BTreeMap, BTreeSet};

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

/// Results of the imports that are killed: the server is asked every 120 ms whether one has begun, and merges fewer than these
/// in between.
const RESULTS: usize = 4_000;

fn total(server: &Server) -> usize {
    usize::try_from(server.get("/findings?limit=1")["pagination"]["total"].as_u64().unwrap()).unwrap()
}

/// All findings of the list, by title, which here names the identity.
fn by_title(server: &Server) -> BTreeMap<String, Vec<Value>> {
    let (mut all, mut ids) = (BTreeMap::<String, Vec<Value>>::new(), BTreeSet::new());
    loop {
        let page = server.get(&format!("/findings?limit=100&offset={}", ids.len()));
        let listed = page["data"].as_array().unwrap().clone();
        if listed.is_empty() {
            assert_eq!(page["pagination"]["total"], ids.len());
            return all;
        }
        for finding in listed {
            assert!(ids.insert(text(&finding["id"])), "twice in the list: {finding}");
            all.entry(text(&finding["title"])).or_default().push(finding);
        }
    }
}

/// Imports all results, and kills the server when `has_begun` says that some are merged, after `meanwhile`.
fn killed_import(
    server: &mut Server,
    application: &str,
    has_begun: impl Fn(&Server) -> bool,
    meanwhile: impl FnOnce(&Server),
) {
    let path = format!("/findings/import?application_id={application}");
    let request =
        server.request("POST", &path).header("content-type", "application/json").body(many(RESULTS));
    let address = server.address();
    let importing = std::thread::spawn(move || request.try_send(address).map(|response| response.status));
    wait_for("the import has begun", || has_begun(server).then_some(()));
    meanwhile(server);
    server.kill();
    assert_ne!(importing.join().unwrap(), Some(200), "the server is killed before it has answered");
    server.run();
}

/// Outcomes of a whole import by their number.
fn imported(server: &Server, application: &str) -> BTreeMap<String, usize> {
    let reply = import(server, application, many(RESULTS));
    assert_eq!(reply.status, 200, "{}", reply.text());
    let mut outcomes = BTreeMap::new();
    for result in reply.json()["data"]["results"].as_array().unwrap() {
        *outcomes.entry(text(&result["outcome"])).or_default() += 1;
    }
    outcomes
}

fn resolve(server: &Server, id: &str, resolution: &str) {
    let body = json!({"triage_status": "resolved", "triage_resolution": resolution});
    let reviewed = server.send("PATCH", &format!("/findings/{id}"), &body);
    assert_eq!(reviewed.status, 200, "{}", reviewed.text());
}

/// Accepts the risk of one of the new findings.
fn accept_one(server: &Server, accepted: &mut BTreeSet<String>) {
    let id = text(&server.get("/findings?triage_status=new&limit=1")["data"][0]["id"]);
    resolve(server, &id, "accepted_risk");
    accepted.insert(id);
}

/// Findings of each identity: at most one is open, and those whose risk was accepted stay resolved.
fn check(server: &Server, accepted: &BTreeSet<String>) -> BTreeMap<String, Vec<Value>> {
    let all = by_title(server);
    for (title, findings) in &all {
        let open = findings.iter().filter(|finding| finding["triage_status"] != "resolved").count();
        assert!(open <= 1, "{title}: {findings:?}");
    }
    let kept = all.values().flatten().filter(|finding| finding["triage_resolution"] == "accepted_risk");
    assert_eq!(kept.map(|finding| text(&finding["id"])).collect::<BTreeSet<_>>(), *accepted);
    all
}

/// The ids of the events about each finding, once there are some about `findings` findings.
fn events(receiver: &Receiver, findings: usize) -> BTreeMap<String, BTreeSet<String>> {
    wait_for("an event for each finding", || {
        let mut events = BTreeMap::<String, BTreeSet<String>>::new();
        for event in receiver.wait_for(1).iter().map(|received| received.json()) {
            assert_eq!(event["type"], "finding.accepted");
            events.entry(text(&event["data"]["object"]["id"])).or_default().insert(text(&event["id"]));
        }
        (events.len() == findings).then_some(events)
    })
}

#[test]
fn kills_during_imports_lose_and_double_no_finding_review_or_event() {
    everywhere("findings over kills during imports", |server| {
        server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
        server.set("PALISADE__WEBHOOKS__RETRY_SECONDS", "[1, 1, 1, 1, 1, 1, 1, 1]");
        assert!(server.interrupt());
        server.run();
        let shop = application(server, "Shop");
        let receiver = Receiver::start(Answer::Status(204));
        target(server, &receiver, &json!([shop]));
        let mut accepted = BTreeSet::new();

        for _ in 0..3 {
            let before = total(server);
            let has_begun = |server: &Server| total(server) > before;
            killed_import(server, &shop, has_begun, |server| accept_one(server, &mut accepted));
            let all = check(server, &accepted);
            assert!(all.len() > before && all.values().all(|findings| findings.len() == 1));
        }
        let before = total(server);
        assert!(before < RESULTS, "each import was killed");
        let outcomes =
            BTreeMap::from([("seen_again".to_owned(), before), ("created".to_owned(), RESULTS - before)]);
        assert_eq!(imported(server, &shop), outcomes);
        assert_eq!(check(server, &accepted).len(), RESULTS);

        // The next imports renew all findings; those that were fixed recur. The oldest ones are among the first of the file.
        let oldest = format!("/findings?triage_status=new&limit=50&offset={}", RESULTS - accepted.len() - 50);
        let fixed: Vec<Value> = server.get(&oldest)["data"].as_array().unwrap().clone();
        fixed.iter().for_each(|finding| resolve(server, &text(&finding["id"]), "fixed"));
        let has_begun = |server: &Server| total(server) > RESULTS;
        killed_import(server, &shop, has_begun, |server| accept_one(server, &mut accepted));
        check(server, &accepted);
        assert!(!imported(server, &shop).contains_key("created"), "each identity is known");
        let all = check(server, &accepted);
        assert_eq!((all.len(), total(server)), (RESULTS, RESULTS + fixed.len()));
        for finding in fixed {
            let episodes: Vec<&Value> = all[&text(&finding["title"])].iter().collect();
            assert_eq!(episodes.len(), 2, "{episodes:?}");
        }
        let events = events(&receiver, accepted.len());
        assert_eq!(events.keys().cloned().collect::<BTreeSet<_>>(), accepted);
        assert!(events.values().all(|ids| ids.len() == 1), "one event for each: {events:?}");
    });
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
