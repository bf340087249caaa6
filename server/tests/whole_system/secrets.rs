//! What was redacted is in no file, in no answer and in no log line.

use serde_json::json;

use crate::server::{Server, files_below};

/// Made-up secrets in the forms in which they leak; written in pieces so that nobody takes them for real.
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

fn record(number: usize, secrets: &[(&'static str, String)]) -> serde_json::Value {
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
    let mut searched = 0;
    for (name, secret) in &secrets {
        assert!(!detail.contains(secret), "{name} is in the detail");
        for file in files_below(&server.data_dir()) {
            let bytes = std::fs::read(&file).unwrap();
            searched += bytes.len();
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{name} is in {}", file.display());
        }
    }
    assert!(searched > 0);
}

#[test]
fn keys_are_in_no_file_but_the_one_that_says_so() {
    let server = Server::start();
    let made = server.send("POST", "/api-keys", &json!({"name": "another"})).json();
    for key in [server.key(), made["key"].as_str().unwrap().to_owned()] {
        for file in files_below(&server.data_dir()) {
            if file.ends_with("first-run.json") {
                continue;
            }
            let bytes = std::fs::read(&file).unwrap();
            assert!(
                !bytes.windows(key.len()).any(|window| window == key.as_bytes()),
                "a key is in {}",
                file.display()
            );
        }
    }
}
