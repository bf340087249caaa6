//! Distinct masked values are counted, and their fingerprints are never shown.

use std::collections::BTreeSet;

use common::ids::OrganizationId;
use common::pepper::Pepper;
use ingest::sanitize::{FINGERPRINT_KEY_PURPOSE, FINGERPRINT_PURPOSE};
use serde_json::{Value, json};

use crate::receiver::{Answer, Receiver};
use crate::server::{Server, files_below, wait_for};

const RULE: &str = "title: API key refused
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3f01
name: key_refused
logsource: {category: application}
detection: {selection: {event.action: key_refused}, condition: selection}
level: informational
";

const CORRELATION: &str = "title: Many API keys tried
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3f02
name: many_keys
correlation:
  type: value_count
  rules: [key_refused]
  group-by: [client.address]
  timespan: 10m
  condition: {field: api_key, gte: 10}
level: high
";

/// Keys of one length, so that their masks look alike.
fn key(number: usize) -> String {
    format!("kx7-plain-looking-{number:04}")
}

fn refused(address: &str, key: &str, number: usize) -> String {
    let time = 1_783_501_200_000_u64 + number as u64 * 1000;
    json!({
        "timestamp": time,
        "event.action": "key_refused",
        "client.address": address,
        "api_key": key,
        "message": format!("refused api_key={key} number {number}"),
    })
    .to_string()
}

fn send(server: &Server, source: &str, lines: &[String]) {
    let response = server.ingest(source, "application/x-ndjson", lines.join("\n").into_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
}

/// The forms that a number may have in texts.
fn written(fingerprint: u64) -> Vec<String> {
    let swapped = fingerprint.swap_bytes();
    [fingerprint, swapped].iter().flat_map(|number| [format!("{number:x}"), number.to_string()]).collect()
}

fn pepper(server: &Server) -> Pepper {
    let digits = std::fs::read_to_string(server.data_dir().join("pepper")).unwrap();
    let digits = digits.trim();
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    Pepper::new(std::array::from_fn(byte))
}

/// The fingerprint of a key, as computed by ingestion.
fn fingerprint(pepper: &Pepper, organization: OrganizationId, key: &str) -> u64 {
    let own = Pepper::new(pepper.hash(FINGERPRINT_KEY_PURPOSE, &[organization.as_bytes()]));
    let hash = own.hash(FINGERPRINT_PURPOSE, &[key.as_bytes()]);
    u64::from_be_bytes(*hash.first_chunk().unwrap())
}

#[test]
fn distinct_masked_values_cross_a_threshold_and_their_fingerprints_are_shown_to_nobody() {
    let mut server = Server::start_verbose();
    server.set("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    server.set("PALISADE__TELEMETRY__LOG", "debug");
    assert!(server.interrupt());
    server.run();
    let receiver = Receiver::start(Answer::Status(204));
    let policy = json!({"name": "on call", "minimum_severity": "low"});
    assert_eq!(server.send("POST", "/monitoring-policies", &policy).status, 201);
    let target =
        json!({"name": "pager", "url": receiver.url(), "events": ["infrastructure.incident.escalated"]});
    assert_eq!(server.send("POST", "/webhooks", &target).status, 201);
    for yaml in [RULE, CORRELATION] {
        let rule = server.send("POST", "/detection-rules", &json!({"yaml": yaml}));
        assert_eq!(rule.status, 201, "{}", rule.text());
    }
    let source = server.source("gateway");

    // Rules come into force within seconds: lines are sent until they are.
    let mut round = 0;
    let incidents = wait_for("the rules are in force", || {
        let many: Vec<_> =
            (0..12).map(|number| refused("203.0.113.9", &key(number), round * 100 + number)).collect();
        let one: Vec<_> =
            (0..12).map(|number| refused("203.0.113.7", &key(77), round * 100 + number)).collect();
        send(&server, &source, &[many, one].concat());
        round += 1;
        let list = server.get(&format!("/incidents?limit=100&source_id={source}"));
        let incidents = list["data"].as_array().unwrap().clone();
        (!incidents.is_empty()).then_some(incidents)
    });
    assert_eq!(incidents.len(), 1, "{incidents:?}");
    let detail = server.get(&format!("/incidents/{}", incidents[0]["id"].as_str().unwrap()));
    assert_eq!(detail["assessment"]["rules"][0]["title"], "Many API keys tried");
    let shown = detail.to_string();
    assert!(shown.contains("203.0.113.9") && !shown.contains("203.0.113.7"), "{shown}");
    assert!(shown.contains("api_key=<SECRET_REDACTED>"), "{shown}");

    let organization: OrganizationId =
        server.first_run()["organization_id"].as_str().unwrap().parse().unwrap();
    let told = receiver.wait_for(1);
    let pepper = pepper(&server);
    let answers: Vec<Value> = ["/incidents", "/detection-rules", "/webhooks", "/infrastructure/sources"]
        .iter()
        .map(|path| server.get(path))
        .collect();
    assert!(server.interrupt(), "the server ends in order");
    let output = std::fs::read_to_string(server.output()).unwrap();
    let mut texts: Vec<String> = answers.iter().map(Value::to_string).chain([shown, output]).collect();
    texts.extend(told.iter().map(|received| String::from_utf8_lossy(&received.body).into_owned()));
    let fingerprints: BTreeSet<u64> =
        (0..12).map(|number| fingerprint(&pepper, organization, &key(number))).collect();
    let mut forms: Vec<String> = fingerprints.iter().flat_map(|fingerprint| written(*fingerprint)).collect();
    assert!(texts.iter().all(|text| !forms.iter().any(|form| text.contains(form))));
    forms.extend((0..12).map(key));
    let mut in_log = BTreeSet::new();
    for file in files_below(&server.data_dir()) {
        let bytes = std::fs::read(&file).unwrap();
        let held: BTreeSet<u64> = held(&bytes).filter(|number| fingerprints.contains(number)).collect();
        if file.starts_with(server.data_dir().join("log")) {
            in_log.extend(held);
        } else {
            assert!(held.is_empty(), "{held:?} in {}", file.display());
        }
        let text = String::from_utf8_lossy(&bytes);
        let found = forms.iter().find(|form| text.contains(form.as_str()));
        assert_eq!(found, None, "in {}", file.display());
    }
    assert_eq!(in_log, fingerprints, "the log has them");
}

/// Every number of eight bytes in either order.
fn held(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let numbers = bytes.windows(8).filter_map(|window| window.first_chunk().copied());
    numbers.flat_map(|number| [u64::from_le_bytes(number), u64::from_be_bytes(number)])
}
