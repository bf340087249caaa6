//! Names whose name servers are silent delay only their own organization.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::{Request, Response};
use crate::lines::{Form, failed_logins};
use crate::name_server::NameServer;
use crate::receiver::{Answer, Receiver};
use crate::server::{Server, wait_for};
use crate::tenant::Tenant;

/// Webhooks whose name servers are silent: more than the blocking pool of the runtime has threads.
const HOSTILE: usize = 560;
/// Concurrent ones.
const AT_ONCE: usize = 80;
/// Far longer than any of these requests takes, and less than a look-up without an answer.
const SOON: Duration = Duration::from_secs(2);

fn webhook(tenant: &Tenant, url: &str) -> Response {
    tenant.send("POST", "/webhooks", &json!({"name": "hook", "url": url}))
}

/// Statuses of answers, and their longest time.
#[derive(Debug, Default)]
struct Answers {
    statuses: Vec<u16>,
    slowest: Duration,
}

impl Answers {
    fn note(&mut self, response: &Response, begun: Instant) {
        self.statuses.push(response.status);
        self.slowest = self.slowest.max(begun.elapsed());
    }

    fn count(&self, status: u16) -> usize {
        self.statuses.iter().filter(|one| **one == status).count()
    }
}

/// Creates webhooks whose name servers are silent, from a number of threads.
fn attack(hostile: &Tenant) -> Answers {
    let mut all = Answers::default();
    thread::scope(|scope| {
        let attackers: Vec<_> = (0..AT_ONCE)
            .map(|attacker| {
                scope.spawn(move || {
                    let mut answers = Answers::default();
                    for number in 0..HOSTILE / AT_ONCE {
                        let begun = Instant::now();
                        let url = format!("https://{number}.{attacker}.silent.test/hook");
                        answers.note(&webhook(hostile, &url), begun);
                    }
                    answers
                })
            })
            .collect();
        for attacker in attackers {
            let answers = attacker.join().unwrap();
            all.statuses.extend(answers.statuses);
            all.slowest = all.slowest.max(answers.slowest);
        }
    });
    all
}

/// Requests of other organizations, until stopped: readiness, a read from the ledger, a write with a look-up.
fn watch(other: &Tenant, over: &AtomicBool) -> (Answers, Answers) {
    let (mut ready, mut own) = (Answers::default(), Answers::default());
    let mut number = 0;
    while !over.load(Ordering::Relaxed) || number < 4 {
        let begun = Instant::now();
        ready.note(&Request::new("GET", "/readyz").send(other.address), begun);
        let begun = Instant::now();
        own.note(&other.send("GET", "/infrastructure/sources", &Value::Null), begun);
        if number < 20 {
            let begun = Instant::now();
            own.note(&webhook(other, &format!("https://{number}.receiver.test/hook")), begun);
        }
        number += 1;
        // The keys of an organization have a limit of requests.
        thread::sleep(Duration::from_millis(100));
    }
    (ready, own)
}

/// A server that uses the test's name server.
fn served_by(names: &NameServer, arguments: &[&str]) -> Server {
    let mut server = Server::start_with(arguments);
    server.set("PALISADE__OUTBOUND__NAME_SERVERS", &names.setting());
    assert!(server.interrupt());
    server.run();
    server
}

#[test]
fn silent_name_servers_of_one_organization_slow_no_other_and_leave_the_service_ready() {
    let names = NameServer::start(Ipv4Addr::new(93, 184, 216, 34));
    let server = served_by(&names, &[]);
    let (hostile, other) = (Tenant::new(&server, "hostile"), Tenant::new(&server, "other"));
    let over = AtomicBool::new(false);
    let (attack, (ready, own)) = thread::scope(|scope| {
        let watching = scope.spawn(|| watch(&other, &over));
        let answers = attack(&hostile);
        over.store(true, Ordering::Relaxed);
        (answers, watching.join().unwrap())
    });
    assert!(names.unanswered() > 0, "the attack reached the name server");
    assert_eq!(ready.count(200), ready.statuses.len(), "{ready:?}");
    assert!(ready.slowest < SOON, "{ready:?}");
    assert_eq!(own.count(200) + own.count(201), own.statuses.len(), "{own:?}");
    assert!(own.count(201) >= 4 && own.slowest < SOON, "{own:?}");
    // Four wait for an answer that does not come, the others are refused for now.
    assert!(attack.count(429) > HOSTILE / 2, "{attack:?}");
    assert_eq!(attack.count(201) + attack.count(429), HOSTILE, "{attack:?}");
    let list = hostile.send("GET", "/webhooks", &Value::Null).json();
    let test = format!("/webhooks/{}/test", list["data"][0]["id"].as_str().unwrap());
    let webhook = json!({"name": "hook", "url": "https://again.silent.test/hook"});
    let telemetry = json!({"endpoint": "https://again.silent.test/v1/logs", "protocol": "http/json"});
    for (path, body) in [("/webhooks", &webhook), (&test, &Value::Null), ("/telemetry", &telemetry)] {
        let refused = one_of_five(&hostile, path, body);
        assert_eq!(refused.json()["error"]["code"], "rate_limited", "{}", refused.text());
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
}

/// The answer to the one of five requests that exceeds the limit.
fn one_of_five(hostile: &Tenant, path: &str, body: &Value) -> Response {
    thread::scope(|scope| {
        let requests: Vec<_> = (0..5).map(|_| scope.spawn(|| hostile.send("POST", path, body))).collect();
        let answers: Vec<Response> = requests.into_iter().map(|request| request.join().unwrap()).collect();
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        let refused = answers.into_iter().find(|answer| answer.status == 429);
        refused.unwrap_or_else(|| panic!("POST {path}: {statuses:?}"))
    })
}

#[test]
fn events_reach_a_receiver_beside_targets_whose_names_nobody_answers_for() {
    let receiver = Receiver::start(Answer::Status(204));
    let names = NameServer::start(Ipv4Addr::LOCALHOST);
    let mut server = served_by(&names, &["--outbound-allow", "127.0.0.0/8"]);
    server.set("PALISADE__OUTBOUND__RESOLVE_TIMEOUT_MS", "1000");
    assert!(server.interrupt());
    server.run();
    let policy = json!({"name": "all", "minimum_severity": "low"});
    let made = server.send("POST", "/monitoring-policies", &policy);
    assert_eq!(made.status, 201, "{}", made.text());
    let silent = (0..12).map(|number| format!("https://{number}.silent.test/hook"));
    for url in silent.chain([receiver.url().replace("127.0.0.1", "receiver.test")]) {
        let events = ["infrastructure.incident.escalated"];
        let made = server.send("POST", "/webhooks", &json!({"name": "hook", "url": url, "events": events}));
        assert_eq!(made.status, 201, "{}", made.text());
    }
    let source = server.source("logins");
    let body = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"));
    assert_eq!(server.ingest(&source, "application/x-ndjson", body).status, 200);
    receiver.wait_for(1);
    // Those with silent name servers were attempted, too, and none of them is lost.
    wait_for("every delivery has been attempted", || {
        let list = server.get("/webhook-deliveries?limit=100");
        let deliveries = list["data"].as_array().unwrap().clone();
        let attempted =
            |delivery: &&Value| delivery["attempts"].as_array().is_some_and(|all| !all.is_empty());
        (deliveries.len() >= 13 && deliveries.iter().filter(attempted).count() == deliveries.len())
            .then_some(())
    });
}
