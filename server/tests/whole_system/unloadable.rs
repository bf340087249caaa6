//! A damaged rule of one organization affects only its own detection, not that of other sources in
//! the same partition.

use serde_json::{Value, json};

use crate::expressions::crowded;
use crate::lines::{Form, failed_logins};
use crate::server::{Server, wait_for};
use crate::tenant::Tenant;

/// The number of `Kind::Head` in the file.
const HEAD: u8 = 0;

fn rule(number: u8, word: &str) -> Value {
    let yaml = format!(
        "title: Said {word}\nid: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e{number:02}\nlogsource: {{product: linux}}\n\
         detection: {{selection: {{message|contains: {word}}}, condition: selection}}\nlevel: high\n\
         incident_family: {word}\nincident_entity: host.name\n"
    );
    json!({ "yaml": yaml })
}

/// Waits for an incident of an organization that contains a text; sends lines until then.
fn finds(tenant: &Tenant, source: &str, text: &str, lines: impl Fn(usize) -> Vec<String>) {
    let mut sent = 0;
    wait_for(text, || {
        sent += 1;
        tenant.ingest(source, Form::Ndjson.content_type(), Form::Ndjson.body(&lines(sent)));
        let incidents = tenant.get("/incidents?limit=100");
        incidents["data"].as_array().unwrap().iter().any(|one| one.to_string().contains(text)).then_some(())
    });
}

fn detects_logins(tenant: &Tenant, source: &str, address: &str) {
    finds(tenant, source, address, |_| failed_logins(12, "root", address));
}

/// Replaces the body of a detection rule directly in the ledger's file; returns the original.
fn replace_body(server: &Server, id: &str, body: &[u8]) -> Vec<u8> {
    let file = rusqlite::Connection::open(server.data_dir().join("ledger.sqlite3")).unwrap();
    let mut key = b"detection-rule/".to_vec();
    key.extend(uuid::Uuid::parse_str(id).unwrap().as_bytes());
    let before = "SELECT body FROM entries WHERE kind = ?1 AND key = ?2";
    let before = file.query_row(before, rusqlite::params![HEAD, key], |row| row.get(0)).unwrap();
    let replace = "UPDATE entries SET body = ?3 WHERE kind = ?1 AND key = ?2";
    assert_eq!(file.execute(replace, rusqlite::params![HEAD, key, body]).unwrap(), 1);
    before
}

fn failing(server: &Server) -> f64 {
    let failing = server.metric("palisade_own_rules_failing");
    failing.iter().filter(|(labels, _)| labels.contains("damaged")).map(|(_, count)| count).sum()
}

#[test]
fn a_damaged_rule_of_one_organization_delays_no_other_and_works_once_it_is_repaired() {
    let (mut server, _settings) = crowded();
    let (hostile, victim) = (Tenant::new(&server, "hostile"), Tenant::new(&server, "victim"));
    let [damaged, other] = [(11, "abracadabra"), (12, "simsalabim")].map(|(number, word)| {
        let created = hostile.create("/detection-rules", &rule(number, word));
        created["id"].as_str().unwrap().to_owned()
    });
    let other = format!("/detection-rules/{other}");
    let (hostiles, victims) = (hostile.source("hostile"), victim.source("bastion"));
    finds(&hostile, &hostiles, "abracadabra", |sent| vec![format!("{sent} abracadabra")]);
    assert!(server.interrupt());

    let body = replace_body(&server, &damaged, b" ");
    server.run();
    detects_logins(&victim, &victims, "203.0.113.9");
    detects_logins(&hostile, &hostiles, "203.0.113.10");
    let noted = || Some(hostile.get(&other)["suspended"].clone()).filter(Value::is_object);
    let suspended = wait_for("the other rule tells of it", noted);
    assert!(suspended["reason"].as_str().unwrap().contains("damaged"), "{suspended}");
    assert!(failing(&server) > 0.0);

    replace_body(&server, &damaged, &body);
    wait_for("the rules are read again", || hostile.get(&other)["suspended"].is_null().then_some(()));
    assert!(failing(&server) == 0.0);
    finds(&hostile, &hostiles, "simsalabim", |sent| vec![format!("{sent} simsalabim")]);
    detects_logins(&victim, &victims, "203.0.113.11");
}
