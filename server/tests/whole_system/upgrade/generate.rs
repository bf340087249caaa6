//! Writes the data directory of the formats that this build writes, with every kind of content that an upgrade must keep.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{
    Answer, DELIVERED, HEADER_VALUE, IN_LOG, Receiver, SUPPRESSED, Server, about, attack, configure, current,
    say, wait_for,
};
use crate::server::files_below;

/// A port without a listener, so that a delivery keeps waiting.
const NOWHERE: &str = "http://127.9.9.9:4919/hook";

const RULE: &str = "title: Maintenance word in an SSH log
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e11
name: maintenance_word
logsource: {product: linux, service: sshd}
detection: {selection: {message|contains: abracadabra}, condition: selection}
level: high
incident_entity: host.name
incident_family: maintenance_words
";
const FILTER: &str = "title: Scanner of our own
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e13
logsource: {product: linux, service: sshd}
filter: {rules: any, scanner: {client.address: 192.0.2.99}, condition: scanner}
";

/// Fields of the API's answers that change with the server's address, the time, or later records.
const VOLATILE: [&str; 10] = [
    "limits",
    "logs_url",
    "last_received_at",
    "quiet",
    "webhook_events",
    "counts",
    "last_used_at",
    "url",
    "disabled_reason",
    "matching_open_incidents",
];

/// Creates a resource; returns its path and the answer.
fn create(server: &Server, path: &str, body: &Value) -> (String, Value) {
    let created = server.send("POST", path, body);
    assert_eq!(created.status, 201, "POST {path}: {}", created.text());
    let created = created.json();
    (format!("{path}/{}", created["id"].as_str().unwrap()), created)
}

/// Whether a batch of any partition is not analysed yet.
fn is_behind(server: &Server) -> bool {
    let output = server.command(&["partition", "list"]).stdout(Stdio::piped()).output().unwrap();
    assert!(output.status.success());
    let list = String::from_utf8(output.stdout).unwrap();
    list.lines().skip(1).any(|row| row.split_whitespace().nth(1) != Some("-"))
}

fn start_as(server: &mut Server, roles: &str) {
    server.begin_with(&["--role", roles]);
    server.readiness(|status, _| status == 200);
}

/// Settings of an organization and incidents with a history. Returns the expectations of the test.
fn fill(server: &Server, receiver: &Receiver) -> Value {
    let first = server.first_run();
    let organization = first["organization_id"].as_str().unwrap();
    let plan = ["org", "plan", organization, "--credits", "100"];
    assert!(server.command(&plan).status().unwrap().success());
    let source = json!({"name": "bastion", "application_group": "access", "environment": "production"});
    let (source, created) = create(server, "/infrastructure/sources", &source);
    let source_id = created["id"].as_str().unwrap().to_owned();
    let (_, outbox_source) = create(server, "/infrastructure/sources", &json!({"name": "second bastion"}));
    let (policy, _) =
        create(server, "/monitoring-policies", &json!({"name": "on call", "minimum_severity": "low"}));
    let target = json!({
        "name": "pager",
        "url": receiver.url(),
        "events": ["infrastructure.incident.escalated"],
        "headers": {"authorization": HEADER_VALUE},
    });
    let (webhook, target) = create(server, "/webhooks", &target);
    let (rule, _) = create(server, "/detection-rules", &json!({"yaml": RULE}));
    let suppression = json!({"yaml": FILTER, "reason": "Scanner of our own"});
    let (suppression, _) = create(server, "/suppressions", &suppression);
    let path = |incident: &Value| format!("/incidents/{}", incident["id"].as_str().unwrap());

    attack(server, &source_id, DELIVERED, 6);
    let reviewed = path(&about(server, &source_id, DELIVERED));
    let review = json!({"triage_version": 1, "triage_status": "in_progress", "comment": "Asked the owner."});
    let answer = server.send("PATCH", &reviewed, &review);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut number = 0;
    let by_rule = wait_for("the organization's rule is in force", || {
        number += 1;
        say(server, &source_id, &format!("abracadabra number {number}"));
        let incidents = server.incidents(&source_id, |_| true);
        incidents.into_iter().find(|incident| incident["entity"]["value"] == "bastion-1")
    });
    let by_rule = path(&by_rule);
    wait_for("every batch is analysed", || (!is_behind(server)).then_some(()));
    // One event for each incident.
    receiver.wait_for(2);
    assert_eq!(server.send("PATCH", &webhook, &json!({"url": NOWHERE})).status, 200);

    let mut objects = json!({});
    let organization = "/organization".to_owned();
    for path in [&organization, &source, &policy, &webhook, &rule, &suppression, &reviewed, &by_rule] {
        let mut object = server.get(path);
        let fields = object.as_object_mut().unwrap();
        VOLATILE.iter().for_each(|name| drop(fields.remove(*name)));
        if *path == webhook {
            fields.remove("updated_at");
        }
        objects[path] = object;
    }
    json!({
        "objects": objects,
        "source_id": source_id,
        "outbox_source_id": outbox_source["id"],
        "suppression": suppression,
        "rule_incident": by_rule,
        "webhook_id": target["id"],
        "webhook_secret": target["secret"],
    })
}

/// Replaces the committed directory. Locks, and unused files of the log and pages of the ledger, are left out.
fn commit(server: &Server, content: &Value) {
    let ledger = rusqlite::Connection::open(server.data_dir().join(ledger::embedded::FILE_NAME)).unwrap();
    ledger.execute_batch("VACUUM").unwrap();
    ledger.close().unwrap();
    let directory = current();
    if directory.try_exists().unwrap() {
        std::fs::remove_dir_all(&directory).unwrap();
    }
    let data = server.data_dir();
    for file in files_below(&data) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if name.starts_with("spare-") || name.ends_with("lock") {
            continue;
        }
        let copy = directory.join("data").join(file.strip_prefix(&data).unwrap());
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(&file, &copy).unwrap();
    }
    let content = serde_json::to_string_pretty(content).unwrap();
    std::fs::write(directory.join("content.json"), content + "\n").unwrap();
}

#[test]
#[ignore = "writes into the source tree (tests/upgrade/README.md)"]
fn generate_upgrade_data() {
    let mut server = Server::unstarted();
    configure(&mut server);
    // Small files to commit; segments of any size can be opened.
    server.set("PALISADE__LOG__SEGMENT_BYTES", "8192");
    server.run();
    let receiver = Receiver::start(Answer::Status(204));
    let content = fill(&server, &receiver);
    let source = content["source_id"].as_str().unwrap();
    assert!(server.interrupt());

    // Deliveries stop while no process has the role of the API.
    start_as(&mut server, "ingest,analyzer");
    // A single line: analysis keeps each failed login in several rows.
    say(&server, content["outbox_source_id"].as_str().unwrap(), "abracadabra for the outbox");
    wait_for("the batch is analysed", || (!is_behind(&server)).then_some(()));
    assert!(server.interrupt());
    start_as(&mut server, "ingest");
    attack(&server, source, IN_LOG, 5);
    attack(&server, source, SUPPRESSED, 5);
    say(&server, source, "login with password=Tr0ub4dor-and-3-horses");
    assert!(is_behind(&server));
    assert!(server.interrupt());
    commit(&server, &content);
}
