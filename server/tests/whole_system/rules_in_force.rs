//! Rules that come into force while the server runs: additions and removals of an organization, and changes of
//! the operator in a directory.

use std::process::Command;

use serde_json::{Value, json};

use crate::lines::Form;
use crate::server::{Server, everywhere, wait_for};

const RULE: &str = "title: A word nobody says
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e11
name: own_word
logsource: {product: linux, service: sshd}
detection: {selection: {message|contains: abracadabra}, condition: selection}
level: high
incident_entity: host.name
incident_family: own_words
";

const FILTER: &str = "title: Said by the magician
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e13
logsource: {product: linux, service: sshd}
filter: {rules: [own_word], magician: {message|contains: merlin}, condition: magician}
";

/// Sends a line until a result appears: rules come into force within seconds.
fn say_until(
    server: &Server,
    source: &str,
    what: &str,
    line: &str,
    followed: impl Fn() -> Option<Value>,
) -> Value {
    let mut number = 0;
    wait_for(what, || {
        number += 1;
        let body = Form::OtlpJson.body(&[format!("{line} number {number}")]);
        assert_eq!(server.ingest(source, Form::OtlpJson.content_type(), body).status, 200);
        followed()
    })
}

fn incident(server: &Server, source: &str) -> Option<Value> {
    let list = server.get(&format!("/incidents?source_id={source}"));
    let first = list["data"].as_array().unwrap().first()?;
    Some(server.get(&format!("/incidents/{}", first["id"].as_str().unwrap())))
}

#[test]
fn what_an_organization_adds_is_in_force_within_seconds_and_can_be_taken_back() {
    everywhere("what an organization adds comes into force", |server| {
        let source = server.source("bastion");
        let rule = server.send("POST", "/detection-rules", &json!({"yaml": RULE}));
        assert_eq!(rule.status, 201, "{}", rule.text());
        let rule = format!("/detection-rules/{}", rule.json()["id"].as_str().unwrap());
        let found =
            say_until(server, &source, "the rule is in force", "abracadabra", || incident(server, &source));
        assert_eq!(found["severity"], "high");
        assert_eq!(found["assessment"]["rules"][0]["title"], "A word nobody says");

        let suppression = json!({"yaml": FILTER, "reason": "He may"});
        let suppression = server.send("POST", "/suppressions", &suppression);
        assert_eq!(suppression.status, 201, "{}", suppression.text());
        let suppression = format!("/suppressions/{}", suppression.json()["id"].as_str().unwrap());
        let counted =
            say_until(server, &source, "the suppression is in force", "merlin: abracadabra", || {
                let suppression = server.get(&suppression);
                (suppression["counts"]["suppressed"].as_u64() > Some(0)).then_some(suppression)
            });
        assert_eq!(counted["reason"], "He may");

        assert_eq!(server.request("DELETE", &suppression).send(server.address()).status, 204);
        assert_eq!(server.request("DELETE", &rule).send(server.address()).status, 204);
        let taken_back = wait_for("the rule is withdrawn", || {
            incident(server, &source).filter(|incident| incident["severity"] == "low")
        });
        let assessment = &taken_back["assessment"];
        assert_eq!(assessment["peak_severity"], "high");
        assert_eq!(assessment["withdrawn_rules"][0]["title"], "A word nobody says");
        let revisions = taken_back["assessment_revisions"].as_array().unwrap();
        assert!(
            revisions.iter().any(|revision| revision["reasons"][0] == "severity_lowered"),
            "{revisions:?}"
        );
    });
}

#[test]
fn a_rule_is_tested_on_events_before_it_is_added() {
    let server = Server::start();
    let events = json!([
        {"program": "sshd", "message": "abracadabra"},
        {"message": "Nov 25 09:10:11 bastion-1 sshd[7]: abracadabra"},
        {"program": "cron", "message": "abracadabra"},
        {"program": "sshd", "message": "nothing"},
        {"program": "sshd", "message": "login with password=abracadabra"}
    ]);
    let tested = server.send("POST", "/detection-rules/test", &json!({"yaml": RULE, "events": events}));
    assert_eq!(tested.status, 200, "{}", tested.text());
    let tested = tested.json();
    let found: Vec<_> = tested["matches"].as_array().unwrap().iter().map(|found| &found["event"]).collect();
    assert_eq!(found, [0, 1], "secrets are masked before rules see them: {tested}");
    assert_eq!(tested["matches"][0]["title"], "A word nobody says");
    assert_eq!(server.get("/detection-rules")["data"], json!([]));
}

#[test]
fn a_suppression_resolves_the_open_incidents_that_it_covers_where_it_is_asked_to() {
    everywhere("a suppression resolves", |server| {
        let source = server.source("bastion");
        let rule = server.send("POST", "/detection-rules", &json!({"yaml": RULE}));
        assert_eq!(rule.status, 201, "{}", rule.text());
        say_until(server, &source, "the rule is in force", "abracadabra", || incident(server, &source));
        let others = FILTER.replace("message|contains: merlin", "host.name: bastion-2");
        let preview = server.send("POST", "/suppressions/preview", &json!({"yaml": others}));
        assert_eq!((preview.status, &preview.json()["matching_open_incidents"]), (200, &json!([])));
        let ours = FILTER.replace("message|contains: merlin", "host.name: bastion-1");
        let body = json!({"yaml": ours, "reason": "He may", "resolve_matching": true});
        let suppression = server.send("POST", "/suppressions", &body);
        assert_eq!(suppression.status, 201, "{}", suppression.text());
        let resolved = &suppression.json()["matching_open_incidents"][0];
        assert_eq!(resolved["resolved"], true, "{}", suppression.text());
        let incident = server.get(&format!("/incidents/{}", resolved["id"].as_str().unwrap()));
        assert_eq!((&incident["triage_status"], &incident["severity"]), (&json!("resolved"), &json!("high")));
        let comment = "Covered by the suppression \"Said by the magician\": He may";
        assert_eq!(incident["review_history"][0]["comment"], comment);
    });
}

#[test]
fn a_stored_suppression_that_cannot_be_used_any_more_says_so_until_it_can() {
    let rules = tempfile::tempdir().unwrap();
    let settings = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
    std::fs::write(settings.path(), format!("[rules]\ndirectories = [{:?}]\n", rules.path())).unwrap();
    std::fs::write(rules.path().join("own.yml"), RULE).unwrap();
    let mut server = Server::start_with(&["--config", settings.path().to_str().unwrap()]);
    let created = server.send("POST", "/suppressions", &json!({"yaml": FILTER, "reason": "He may"}));
    assert_eq!(created.status, 201, "{}", created.text());
    let suppression = format!("/suppressions/{}", created.json()["id"].as_str().unwrap());
    let unusable = [(String::new(), 1.0)];
    std::fs::remove_file(rules.path().join("own.yml")).unwrap();
    let hung_up = Command::new("kill").args(["-HUP", &server.id().to_string()]).status().unwrap();
    assert!(hung_up.success());
    let suspended = || Some(server.get(&suppression)["suspended"].clone()).filter(Value::is_object);
    let told = wait_for("the suppression cannot be used", suspended);
    assert!(told["reason"].as_str().unwrap().contains("refers to `own_word`"), "{told}");
    assert_eq!(server.metric("palisade_own_rules_unusable"), unusable);
    server.kill();
    server.run();
    assert_eq!(server.get(&suppression)["suspended"], told, "since the same moment");
    assert_eq!(server.metric("palisade_own_rules_unusable"), unusable);
    std::fs::write(rules.path().join("own.yml"), RULE).unwrap();
    server.kill();
    server.run();
    wait_for("it can be used again", || server.get(&suppression)["suspended"].is_null().then_some(()));
}

#[test]
fn a_directory_of_rules_is_read_again_on_sighup_and_a_broken_one_changes_nothing() {
    let rules = tempfile::tempdir().unwrap();
    let settings = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
    std::fs::write(settings.path(), format!("[rules]\ndirectories = [{:?}]\n", rules.path())).unwrap();
    let server = Server::start_with(&["--config", settings.path().to_str().unwrap()]);
    let source = server.source("bastion");
    let hang_up = || {
        let hung_up = Command::new("kill").args(["-HUP", &server.id().to_string()]).status().unwrap();
        assert!(hung_up.success());
    };
    std::fs::write(rules.path().join("own.yml"), RULE).unwrap();
    hang_up();
    say_until(&server, &source, "the file is in force", "abracadabra", || incident(&server, &source));
    std::fs::write(rules.path().join("own.yml"), RULE.replace("contains", "sideways")).unwrap();
    hang_up();
    let before = incident(&server, &source).unwrap()["event_count"].as_u64().unwrap();
    say_until(&server, &source, "the earlier rules stay", "abracadabra again", || {
        incident(&server, &source).filter(|incident| incident["event_count"].as_u64().unwrap() > before + 5)
    });
    assert_eq!(incident(&server, &source).unwrap()["severity"], "high");
}
