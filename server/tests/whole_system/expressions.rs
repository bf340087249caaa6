//! Expressions that are expensive to search with, from one organization: they affect only its own detection, not
//! that of other sources in the same partition.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::letters::random_letters;
use crate::lines::{Form, failed_logins};
use crate::server::{Server, wait_for};
use crate::skip::say;
use crate::tenant::Tenant;

/// The letters that both expressions count, followed by a digit: the permitted rule finds it.
const REPETITIONS: usize = 999;
/// Records of the attack, with their size in bytes: a record has at most 1 MiB.
const RECORDS: usize = 30;
const RECORD_BYTES: usize = 1_000_000;
/// Longest time of the victim's incident. The hostile organization may take some hundred million steps from others, which
/// are a second of an optimized build and many of a debug build on a busy machine; all its records would be minutes.
const SOON: Duration = Duration::from_secs(60);
/// Longest time until the permitted rule matches: the minute of the log after an attack, in which few
/// steps are left to the organization, and the same again on a busy machine.
const A_MINUTE_LATER: Duration = Duration::from_secs(120);

fn rule(expression: &str) -> Value {
    let yaml = format!(
        "title: Letters and a digit\nid: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e21\nlogsource: {{product: linux, service: sshd}}\n\
         detection: {{selection: {{message|re: '{expression}'}}, condition: selection}}\nlevel: high\n\
         incident_family: letters\nincident_entity: host.name\n"
    );
    json!({ "yaml": yaml })
}

fn permitted() -> Value {
    rule(&format!(r"a[ab]{{{REPETITIONS}}}\pN"))
}

/// The hostile organization, its source, and the path of its rule.
struct Hostile {
    tenant: Tenant,
    source: String,
    rule: String,
}

impl Hostile {
    fn ingest(&self, message: String) {
        self.tenant.ingest(&self.source, Form::Ndjson.content_type(), Form::Ndjson.body(&[message]));
    }

    /// The number of the attack distinguishes its records from others: a repeated delivery is not new.
    fn attack(&self, attack: usize) {
        let letters = random_letters(RECORD_BYTES);
        for number in 0..RECORDS {
            self.ingest(format!("{attack} {number} {letters}"));
        }
    }

    fn suspended(&self) -> Value {
        self.tenant.get(&self.rule)["suspended"].clone()
    }

    /// Sends matching records until the rule finds another one.
    fn finds(&self, state: &str) {
        let found = || self.tenant.get(&self.rule)["counts"]["qualified"].as_u64().unwrap();
        let (before, begun) = (found(), Instant::now());
        for number in 1.. {
            self.ingest(format!("{number} a{}7", "b".repeat(REPETITIONS)));
            if found() > before {
                return;
            }
            assert!(begun.elapsed() < A_MINUTE_LATER, "waited {A_MINUTE_LATER:?} in vain: {state}");
            std::thread::sleep(Duration::from_millis(120));
        }
    }
}

/// Time from sending a victim's failed logins to their incident.
fn detection(victim: &Tenant, source: &str, address: &str) -> Duration {
    let begun = Instant::now();
    victim.ingest(
        source,
        Form::Ndjson.content_type(),
        Form::Ndjson.body(&failed_logins(12, "root", address)),
    );
    let is_it = |incident: &Value| incident.to_string().contains(address);
    while !victim.get("/incidents?limit=100")["data"].as_array().unwrap().iter().any(is_it) {
        assert!(begun.elapsed() < SOON, "the incident of {address} has not come within {SOON:?}");
        std::thread::sleep(Duration::from_millis(120));
    }
    begun.elapsed()
}

/// A server with one partition, which contains the sources of all organizations.
pub(crate) fn crowded() -> (Server, tempfile::NamedTempFile) {
    let mut settings = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
    settings.write_all(b"[log]\npartitions = 1\n").unwrap();
    let server = Server::start_with(&["--config", settings.path().to_str().unwrap()]);
    (server, settings)
}

#[test]
fn an_expensive_rule_of_one_organization_is_suspended_and_delays_no_other_in_the_partition_for_long() {
    let (mut server, _settings) = crowded();
    let (hostile, victim) = (Tenant::new(&server, "hostile"), Tenant::new(&server, "victim"));
    let refused = hostile.send("POST", "/detection-rules", &rule(r"a[ab]{20000}\pN"));
    assert_eq!(refused.status, 400, "{}", refused.text());
    let told = "expected at most 1000 counted repetitions, found 20000";
    assert!(refused.text().contains(told), "{}", refused.text());
    let created = hostile.create("/detection-rules", &permitted());
    assert_eq!(created["suspended"], Value::Null);
    let rule = format!("/detection-rules/{}", created["id"].as_str().unwrap());
    let source = hostile.source("hostile");
    let hostile = Hostile { tenant: hostile, source, rule };
    hostile.finds("the rule is in force");

    let source = victim.source("bastion");
    hostile.attack(1);
    say(&format!("the victim's incident took {:?}", detection(&victim, &source, "203.0.113.9")));
    let suspended = wait_for("the rule is suspended", || Some(hostile.suspended()).filter(Value::is_object));
    assert!(suspended["reason"].as_str().unwrap().contains("times the"), "{suspended}");
    assert_eq!(server.metric("palisade_analysis_rules_suspended_total"), [(String::new(), 1.0)]);

    server.kill();
    server.run();
    assert_eq!(hostile.suspended(), suspended, "it survives a restart");
    let replaced = hostile.tenant.send("PUT", &hostile.rule, &permitted());
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    wait_for("the same rule, put again, is suspended no more", || {
        hostile.suspended().is_null().then_some(())
    });
    hostile.finds("the rule is in force again");

    hostile.attack(2);
    server.kill();
    server.run();
    let took = detection(&victim, &source, "203.0.113.10");
    say(&format!("with a backlog at the start the victim's incident took {took:?}"));
}

#[test]
fn rules_that_would_take_more_memory_than_an_organization_may_have_are_refused_with_limit_and_found() {
    let server = Server::start();
    let large = |number: u32| {
        let values: String = (0..3_000).map(|value| format!("      - v{number}x{value}\n")).collect();
        let yaml = format!(
            "title: Large\nid: 0d3a7c9e-0000-4000-8000-2000000{number:05}\nlogsource: {{product: linux}}\n\
             detection:\n  s:\n    message|contains:\n{values}  condition: s\n"
        );
        json!({ "yaml": yaml })
    };
    let mut answers = (0..30).map(|number| server.send("POST", "/detection-rules", &large(number)));
    let refused = answers.find(|answer| answer.status != 201).unwrap();
    let told =
        "expected at most 16777216 bytes of compiled rules and suppressions of the organization, found";
    assert!(refused.status == 400 && refused.text().contains(told), "{}", refused.text());
    let small = server.send("POST", "/detection-rules", &rule("one more"));
    assert_eq!(small.status, 201, "there is room for a small one: {}", small.text());
}
