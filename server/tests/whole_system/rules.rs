//! Rules: those of an organization over the API, those of a directory on the command line and at the start.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::server::{Server, everywhere};
use crate::skip::{Lacking, say, skip};

const RULE: &str = "title: A word nobody says
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e01
name: own_word
logsource: {product: linux, service: sshd}
detection: {selection: {message|contains: abracadabra}, condition: selection}
level: high
";

const CORRELATION: &str = "title: A word said often
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e02
correlation: {type: event_count, rules: [own_word], group-by: [host.name], timespan: 5m, condition: {gte: 3}}
level: high
";

const FILTER: &str = "title: Said by the magician
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e03
logsource: {product: linux, service: sshd}
filter: {rules: [own_word, ssh_login_failed], magician: {user.name: merlin}, condition: magician}
";

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn palisade(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

/// Runs `rules eval` with these events on standard input.
fn eval(rules: &Path, events: &[u8]) -> Output {
    let mut child = palisade(&["rules", "eval", "--events", "-", "--rules"]).arg(rules).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let events = events.to_vec();
    let writer = std::thread::spawn(move || {
        // It may have ended before reading everything.
        let _ = input.write_all(&events);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn lines(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_organization_adds_rules_and_suppressions_to_the_built_in_pack() {
    everywhere("an organization adds rules and suppressions to the built-in pack", |server| {
        let created = server.send("POST", "/detection-rules", &json!({"yaml": RULE}));
        assert_eq!(created.status, 201, "{}", created.text());
        let rule = created.json();
        assert_eq!(rule["title"], "A word nobody says");
        let path = format!("/detection-rules/{}", rule["id"].as_str().unwrap());
        let correlation = server.send("POST", "/detection-rules", &json!({"yaml": CORRELATION}));
        assert_eq!(correlation.status, 201, "{}", correlation.text());
        let filter = json!({"yaml": FILTER, "reason": "He may"});
        let filter = server.send("POST", "/suppressions", &filter);
        assert_eq!(filter.status, 201, "{}", filter.text());

        let needed = server.request("DELETE", &path).send(server.address());
        assert_eq!(needed.status, 409);
        for other in [&correlation.json(), &filter.json()] {
            assert!(needed.text().contains(other["id"].as_str().unwrap()), "{}", needed.text());
        }
        let taken = RULE.replace("own_word", "ssh_login_failed").replace("3e01", "3e09");
        let refused = server.send("POST", "/detection-rules", &json!({"yaml": taken}));
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains("line 3: name: `ssh_login_failed` is already used"));
        let faulty = RULE.replace("contains", "sideways");
        let refused = server.send("PUT", &path, &json!({"yaml": faulty}));
        assert!(refused.status == 400 && refused.text().contains("line 5"), "{}", refused.text());

        let (yaml, enabled) = (RULE.replace("abracadabra", "alakazam"), true);
        let replaced = server.send("PUT", &path, &json!({"yaml": yaml, "enabled": enabled}));
        assert_eq!(replaced.status, 200, "{}", replaced.text());
        server.kill();
        server.run();
        assert_eq!(server.get(&path)["yaml"], yaml);
        assert_eq!(server.get("/suppressions")["data"][0]["reason"], "He may");
    });
}

#[test]
fn rules_check_tells_what_is_refused_and_why() {
    let bad = RULE.replace("contains", "sideways").replace("own_word", "bad");
    let directory = directory(&[("good.yml", RULE), ("bad.yml", &bad)]);
    let output = palisade(&["rules", "check"]).arg(directory.path()).output().unwrap();
    let (words, _) = text(&output);
    assert!(output.status.success(), "{words}");
    assert!(words.contains("1 rules") && words.contains("bad.yml") && words.contains("sideways"), "{words}");
}

#[test]
fn rules_eval_tells_which_lines_match_which_rules() {
    let windows = "title: Whoami\nid: 00000000-0000-4000-8000-000000000001\nlogsource: {product: windows, category: process_creation}\ndetection: {selection: {Image|endswith: '\\whoami.exe'}, condition: selection}\nlevel: medium\n";
    let unleveled = "title: Any failure\nid: 00000000-0000-4000-8000-000000000002\nlogsource: {product: linux}\ndetection: {selection: {message|contains: Failed password}, condition: selection}\n";
    let quiet = "title: Not for root\nlogsource: {product: linux}\nfilter: {rules: [00000000-0000-4000-8000-000000000002], root: {message|contains: root}, condition: root}\n";
    let bad = RULE.replace("contains", "sideways").replace("own_word", "bad").replace("3e01", "3e08");
    let directory = directory(&[
        ("a.yml", RULE),
        ("b.yml", windows),
        ("c.yml", unleveled),
        ("d.yml", CORRELATION),
        ("e.yml", quiet),
        ("f.yml", &bad),
    ]);
    let evtx = json!({"Event": {
        "System": {"Channel": "Microsoft-Windows-Sysmon/Operational", "EventID": 1, "Computer": "pc1"},
        "EventData": {"Image": "C:\\Windows\\System32\\whoami.exe", "CommandLine": "whoami /all"},
    }});
    let flat = json!({
        "Channel": "Security", "EventID": "4688", "NewProcessName": "C:\\Windows\\System32\\whoami.exe",
    });
    let sshd = |text: &str| json!({"message": format!("Jul  8 09:10:11 bastion sshd[7]: {text}")});
    let events = [
        evtx.to_string(),
        String::new(),
        sshd("Failed password for invalid user abracadabra from 192.0.2.1 port 5022 ssh2").to_string(),
        "{\"message\": ".to_owned(),
        "[1, 2]".to_owned(),
        sshd("Failed password for root from 192.0.2.1 port 5022 ssh2").to_string(),
        flat.to_string(),
    ]
    .join("\n");
    let output = eval(directory.path(), events.as_bytes());
    let (found, told) = text(&output);
    assert!(output.status.success(), "{told}");
    let (whoami, failure) = ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002");
    let word = "5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e01";
    let expected = [
        json!({"event": 0, "rule_id": whoami, "title": "Whoami", "level": "medium"}),
        json!({"event": 2, "rule_id": word, "title": "A word nobody says", "level": "high"}),
        json!({"event": 2, "rule_id": failure, "title": "Any failure", "level": null}),
        json!({"event": 6, "rule_id": whoami, "title": "Whoami", "level": "medium"}),
    ];
    assert_eq!(lines(&found), expected, "{told}");
    assert!(told.contains("refused") && told.contains("f.yml") && told.contains("sideways"), "{told}");
    assert!(told.contains("not evaluated  correlation") && told.contains("A word said often"), "{told}");
    assert!(told.contains("line 3: ") && told.contains("line 4: "), "{told}");

    let file = directory.path().join("events.jsonl");
    std::fs::write(&file, &events).unwrap();
    let mut again = palisade(&["rules", "eval", "--rules"]);
    let again = again.arg(directory.path()).arg("--events").arg(&file).output().unwrap();
    assert_eq!(text(&again), (found, told));
}

#[test]
fn rules_eval_bounds_lines_and_needs_a_rule() {
    let directory_of_one = directory(&[("a.yml", RULE)]);
    let said = "{\"message\": \"Jul  8 09:10:11 bastion sshd[7]: abracadabra\"}\n";
    let mut events = format!("{{\"message\": \"{}\"}}\n", "x".repeat(8 << 20)).into_bytes();
    events.extend_from_slice(said.as_bytes());
    events.extend_from_slice(b"{\"message\": \"\xff\"}\n");
    events.extend_from_slice(said.trim_end().as_bytes());
    let output = eval(directory_of_one.path(), &events);
    let (found, told) = text(&output);
    assert!(output.status.success(), "{told}");
    let numbers: Vec<u64> = lines(&found).iter().map(|found| found["event"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 3], "{told}");
    assert!(told.contains("line 0: it is longer than") && told.contains("line 2: "), "{told}");

    let useless = directory(&[("a.yml", &RULE.replace("contains", "sideways"))]);
    let output = eval(useless.path(), said.as_bytes());
    let (_, told) = text(&output);
    assert!(!output.status.success() && told.contains("none of the rules can be used"), "{told}");
    let missing = palisade(&["rules", "eval", "--events", "/nowhere/events", "--rules"])
        .arg(directory_of_one.path())
        .output()
        .unwrap();
    assert!(!missing.status.success() && text(&missing).1.contains("/nowhere/events"));
}

#[test]
fn placeholders_come_from_the_configuration() {
    let rule = RULE.replace("message|contains: abracadabra", "message|contains|expand: '%Magic-Words%'");
    let rules = directory(&[("a.yml", &rule)]);
    let settings = directory(&[(
        "palisade.toml",
        "[rules]\nplaceholders = { \"Magic-Words\" = [\"alakazam\", \"shazam\"] }\n",
    )]);
    let file = settings.path().join("palisade.toml");
    let mut child = palisade(&["rules", "eval", "--events", "-", "--rules"])
        .arg(rules.path())
        .arg("--config")
        .arg(&file)
        .spawn()
        .unwrap();
    let said = b"{\"message\": \"Jul  8 09:10:11 bastion sshd[7]: shazam\"}\n";
    child.stdin.take().unwrap().write_all(said).unwrap();
    let output = child.wait_with_output().unwrap();
    let (found, told) = text(&output);
    assert!(output.status.success() && lines(&found).len() == 1, "{found}{told}");
    let without = eval(rules.path(), said);
    assert!(text(&without).1.contains("placeholder `%Magic-Words%` is not defined"));
    let too_many = format!("[rules.placeholders]\na = [\"{}\"]\n", "x".repeat(1 << 20));
    std::fs::write(&file, too_many).unwrap();
    let refused = palisade(&["config", "check", "--config"]).arg(&file).output().unwrap();
    assert!(!refused.status.success() && text(&refused).1.contains("rules.placeholders"));
}

#[test]
fn refused_rules_stop_the_start_unless_they_may_be_left_out() {
    let bad = RULE.replace("contains", "sideways");
    let directory = directory(&[("bad.yml", &bad), ("good.yml", &RULE.replace("own_word", "good"))]);
    let path = format!("[{:?}]", directory.path().to_str().unwrap());
    let checked = |refused: &str| {
        let output = palisade(&["config", "check"])
            .env("PALISADE__RULES__DIRECTORIES", &path)
            .env("PALISADE__RULES__REFUSED", refused)
            .output()
            .unwrap();
        (output.status.success(), text(&output).1)
    };
    let (starts, told) = checked("stop");
    assert!(!starts && told.contains("bad.yml") && told.contains("1 rules were refused"), "{told}");
    let (starts, told) = checked("leave_out");
    assert!(starts, "{told}");
    let (starts, told) = checked("ignore");
    assert!(!starts && told.contains("refused"), "{told}");
}

/// A misleading rule or suppression is refused with its line and a remedy.
#[test]
fn documents_that_mislead_are_refused_with_their_line() {
    let server = Server::start();
    let said =
        |outcome: &crate::http::Response| outcome.json()["error"]["message"].as_str().unwrap().to_owned();
    let hidden = format!("{}---\n{CORRELATION}", RULE.replace("nobody", "\u{202e}ydobon"));
    let refused = server.send("POST", "/detection-rules", &json!({"yaml": hidden}));
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(
        said(&refused).contains("line 1: title: bidirectional controls are not allowed"),
        "{}",
        said(&refused)
    );

    let yaml = "title: All but the scanner
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e09
logsource: {product: linux, service: sshd}
filter:
  rules: any
  scanner: {client.address: 192.0.2.7}
  condition: not scanner
";
    let suppress = |more: Value| {
        let mut body = json!({"yaml": yaml, "reason": "only the scanner counts"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.send("POST", "/suppressions", &body)
    };
    for flag in [json!({}), json!({"allow_match_without_fields": false})] {
        let refused = suppress(flag);
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(
            said(&refused).contains("line 4: condition: it holds for a record that has none"),
            "{}",
            said(&refused)
        );
        assert!(said(&refused).contains("allow_match_without_fields"), "{}", said(&refused));
    }
    assert_eq!(suppress(json!({"allow_match_without_fields": "yes"})).status, 400);
    assert_eq!(suppress(json!({"allow_match_without_fields": true})).status, 201);
}

/// Of the operator's rules, all are usable except those with placeholders that the operator must define.
#[test]
fn every_rule_of_a_corpus_compiles_or_names_its_placeholder() {
    let Some(corpus) = std::env::var_os("PALISADE_SIGMA_CORPUS") else {
        skip(
            "the rules of a corpus",
            Lacking::Corpus,
            "PALISADE_SIGMA_CORPUS names no folder of Sigma rules",
        );
        return;
    };
    let output = palisade(&["rules", "check"]).arg(corpus).output().unwrap();
    let (words, told) = text(&output);
    assert!(output.status.success(), "{told}");
    let refused: Vec<&str> = words.lines().filter(|line| line.starts_with("refused")).collect();
    for line in &refused {
        assert!(line.contains("placeholder `%") && line.contains("is not defined"), "{line}");
    }
    say(&format!("{} rules name placeholders; {}", refused.len(), words.lines().last().unwrap_or_default()));
}

#[test]
fn secrets_are_masked_before_rules_are_evaluated() {
    let rule = "title: Word\nid: word\nlogsource: {category: application}\n\
                detection: {selection: {message|contains: abracadabra}, condition: selection}\nlevel: low\n";
    let rules = directory(&[("word.yml", rule)]);
    let events = b"{\"message\": \"login with password=abracadabra\"}\n{\"message\": \"say abracadabra\"}\n";
    let output = eval(rules.path(), events);
    let found: Vec<_> =
        lines(&String::from_utf8_lossy(&output.stdout)).iter().map(|line| line["event"].clone()).collect();
    assert_eq!(found, [1], "{}", String::from_utf8_lossy(&output.stderr));
}
