//! No file, no answer and no log line contains a redacted value.

#[path = "secrets/draw.rs"]
mod draw;
#[path = "secrets/kinds.rs"]
mod kinds;
#[path = "secrets/search.rs"]
mod search;
#[path = "secrets/structures.rs"]
mod structures;

use serde_json::{Value, json};

use crate::lines::{Form, failed_logins};
use crate::server::{Server, assert_in_no_file, files_below};
use draw::{Draw, Filled};
use search::Files;

/// Invented secrets in the forms in which they leak; written in pieces so that no scanner reports them.
fn secrets() -> Vec<(&'static str, String)> {
    vec![
        ("a token", ["ghp_", "Zq81mVxT7Lk2Rw9Nc4Yb6Hs3Jd5Pf0Qa1Ue8"].concat()),
        ("a password in a pair", "correct-horse-battery-9271".to_owned()),
        ("a password in a URL", "swordfish8842".to_owned()),
        ("a card", "4111 1111 1111 1111".to_owned()),
        ("a bearer token", "opaqueBearerValue55120983".to_owned()),
        ("the value of a sensitive key", "plain-looking-value-7731".to_owned()),
        ("a nested value", "nested-passphrase-4410".to_owned()),
    ]
}

fn record(number: usize, secrets: &[(&'static str, String)]) -> Value {
    let of = |name: &str| secrets.iter().find(|(own, _)| *own == name).unwrap().1.clone();
    json!({
        "timestamp": 1_783_501_200_000_u64 + number as u64 * 1000,
        "host": "bastion-1",
        "program": "nginx",
        "message": format!(
            r#"203.0.113.9 - - [08/Jul/2026:09:00:{number:02} +0000] "GET /find?id=1%27%20OR%20%271%27=%271&token={}&password={}&back=https://bob:{}@db.example/x HTTP/1.1" 200 5 "-" "curl, card {}""#,
            of("a token"), of("a password in a pair"), of("a password in a URL"), of("a card")
        ) + "\"",
        "headers": {"Authorization": format!("Bearer {}", of("a bearer token"))},
        "client_secret": of("the value of a sensitive key"),
        "context": {"deep": [{"passphrase": of("a nested value")}]},
    })
}

#[test]
fn are_nowhere_to_be_found() {
    let server = Server::start();
    let secrets = secrets();
    let source = server.source("leaky");
    let records: Vec<_> = (0..12).map(|number| record(number, &secrets)).collect();
    let escaped = serde_json::to_string(&records).unwrap().replace("&token=", "&\\u0074oken=");
    assert_eq!(server.ingest(&source, "application/json", escaped.into_bytes()).status, 200);
    let incidents =
        server.incidents(&source, |incidents| incidents.iter().any(|incident| incident["event_count"] == 12));
    let detail = server.get(&format!("/incidents/{}", incidents[0]["id"].as_str().unwrap())).to_string();
    assert!(detail.contains("GET /find?id=1%27%20OR%20%271%27=%271"), "what analysts need is kept: {detail}");
    assert!(detail.contains("_REDACTED>"), "what was masked is marked: {detail}");
    for (name, secret) in &secrets {
        assert!(!detail.contains(secret), "{name} is in the detail");
    }
    let hidden: Vec<&str> = secrets.iter().map(|(_, secret)| secret.as_ref()).collect();
    assert_in_no_file(&files_below(&server.data_dir()), &hidden);
}

#[test]
fn keys_are_in_no_file_but_the_one_that_says_so() {
    let server = Server::start();
    let made = server.send("POST", "/api-keys", &json!({"name": "another"})).json();
    let mut files = files_below(&server.data_dir());
    files.retain(|file| !file.ends_with("first-run.json"));
    assert_in_no_file(&files, &[&server.key(), made["key"].as_str().unwrap()]);
}

/// Lines in one batch: each has a second of one minute of its own.
const BATCH: usize = 50;

/// Sends the texts as the lines of one source.
fn send_lines(server: &Server, source: &str, form: Form, lines: &[String]) {
    for batch in lines.chunks(BATCH) {
        let response = server.ingest(source, form.content_type(), form.body(batch));
        assert_eq!(response.status, 200, "{form:?}: {}", response.text());
    }
}

/// Waits until all records of a source are analysed: partitions are analysed in order, and this comes last.
fn wait_for_analysis(server: &Server, source: &str, form: Form) {
    send_lines(server, source, form, &failed_logins(12, "root", "203.0.113.9"));
    server.incidents(source, |incidents| incidents.iter().any(|incident| incident["event_count"] == 12));
}

/// Stops the server and searches all its files: every line is kept, no secret is, and lines without one
/// are unchanged. `unchanged` are the texts of each line of `look_alikes` that must be found.
fn search(
    server: &mut Server,
    secrets: &[Filled],
    look_alikes: &[Filled],
    unchanged: fn(&Filled) -> Vec<String>,
) {
    assert!(server.interrupt(), "the server ends in order");
    let in_log = server.data_dir().join("log");
    let (log, mut others): (Vec<_>, Vec<_>) =
        files_below(&server.data_dir()).into_iter().partition(|file| file.starts_with(&in_log));
    assert!(std::fs::metadata(server.output()).unwrap().len() > 0, "the server has logged something");
    others.push(server.output());
    let log = Files::read(log);
    let mut complaints = [log.leaks(secrets), Files::read(others).leaks(secrets)].concat();
    for line in secrets.iter().chain(look_alikes) {
        if !log.hold(&line.word) {
            complaints.push(format!("the marker is not in the log: {}", line.describe()));
        }
    }
    for line in look_alikes {
        for text in unchanged(line).iter().filter(|text| !log.hold(text)) {
            complaints.push(format!("{text:?} is not in the log: {}", line.describe()));
        }
    }
    let lines = secrets.len() + look_alikes.len();
    assert!(
        complaints.is_empty(),
        "{} complaints, {lines} lines:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn of_every_kind_are_masked_in_every_form_and_look_alikes_are_kept() {
    let mut server = Server::start_verbose();
    let mut draw = Draw::new(41);
    let (mut secrets, mut look_alikes) = (Vec::new(), Vec::new());
    for form in Form::ALL {
        let source = server.source(&format!("lines as {form:?}"));
        let (own, other) = (draw.table(form, kinds::SECRETS), draw.table(form, kinds::LOOK_ALIKES));
        let lines: Vec<String> = own.iter().chain(&other).map(|line| line.text.clone()).collect();
        send_lines(&server, &source, form, &lines);
        wait_for_analysis(&server, &source, form);
        secrets.extend(own);
        look_alikes.extend(other);
    }
    search(&mut server, &secrets, &look_alikes, |line| vec![line.text.clone()]);
}

/// The objects within lines.
fn objects(lines: &[Filled]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(&line.text).unwrap()).collect()
}

#[test]
fn in_structures_are_masked_in_every_form_and_look_alikes_are_kept() {
    let mut server = Server::start_verbose();
    let mut draw = Draw::new(42);
    let (mut secrets, mut look_alikes) = (Vec::new(), Vec::new());
    for form in Form::ALL {
        let source = server.source(&format!("structures as {form:?}"));
        let (own, other) = (draw.table(form, structures::SECRETS), draw.table(form, structures::LOOK_ALIKES));
        let body = structures::body(form, &[objects(&own), objects(&other)].concat());
        let response = server.ingest(&source, form.content_type(), body);
        assert_eq!(response.status, 200, "{form:?}: {}", response.text());
        secrets.extend(own);
        look_alikes.extend(other);
        let (own, other) =
            (draw.table(form, structures::SECRET_LINES), draw.table(form, structures::KEPT_LINES));
        for line in own.iter().chain(&other) {
            let lines: Vec<String> = line.text.lines().map(str::to_owned).collect();
            send_lines(&server, &source, form, &lines);
        }
        wait_for_analysis(&server, &source, form);
        secrets.extend(own);
        look_alikes.extend(other);
    }
    search(&mut server, &secrets, &look_alikes, |line| match serde_json::from_str(&line.text) {
        Ok(object) => structures::texts(&object),
        Err(_) => line.text.lines().map(str::to_owned).collect(),
    });
}
