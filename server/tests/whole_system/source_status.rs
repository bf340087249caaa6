//! Visibility for a user that a log arrives and is understood.

use serde_json::{Value, json};

use crate::lines::failed_logins;
use crate::server::{Server, everywhere, wait_for};
use crate::tenant::Tenant;

const NONSENSE: [&str; 2] = ["[[job 7]] state 3 -> 4", "[[job 8]] state 4 -> 5 password=hunter2hunter2"];

fn status(server: &Server, source: &str) -> Value {
    server.get(&format!("/infrastructure/sources/{source}/status"))
}

/// The status, once it counts this many analysed and refused records.
fn settled(server: &Server, source: &str, accepted: u64, refused: u64, formats: &Value) -> Value {
    wait_for("the status", || {
        let status = status(server, source);
        let requests = status["refused"].as_array().unwrap().iter();
        let count: u64 = requests.map(|refused| refused["count"].as_u64().unwrap()).sum();
        let is_settled =
            status["accepted"] == accepted && count == refused && status["recognised_as"] == *formats;
        is_settled.then_some(status)
    })
}

fn send(server: &Server, source: &str, lines: &[String]) {
    let objects: Vec<String> = lines.iter().map(|line| json!({"message": line}).to_string()).collect();
    let response = server.ingest(source, "application/x-ndjson", objects.join("\n").into_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
}

#[test]
fn a_user_sees_whether_a_log_is_understood() {
    everywhere("a user sees whether a log is understood", |server| {
        let source = server.source("mixed");
        let before = status(server, &source);
        assert_eq!(
            before,
            json!({
                "id": source, "object": "infrastructure_source_status", "first_log_at": null,
                "last_log_at": null, "accepted": 0, "refused": [], "recognised_as": [],
                "unrecognised": {"share": 0.0, "examples": []},
            })
        );
        send(server, &source, &failed_logins(12, "root", "203.0.113.7"));
        let request = |number| {
            format!(r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET /{number} HTTP/1.1" 200 12"#)
        };
        send(server, &source, &(0..5).map(request).collect::<Vec<_>>());
        send(server, &source, &NONSENSE.map(str::to_owned));
        send(server, &source, &["Jul  8 09:10:11 web-1 billing[9]: invoice 12 written".to_owned()]);
        let broken = server.ingest(&source, "application/json", b"[{".to_vec());
        assert_eq!(broken.status, 400);
        assert_eq!(server.ingest(&source, "text/csv", b"a,b".to_vec()).status, 415);
        assert_eq!(server.ingest(&source, "text/csv", b"a,b".to_vec()).status, 415);

        let formats = json!([
            {"format": "OpenSSH", "share": 0.6},
            {"format": "Apache or nginx access log", "share": 0.25},
            {"format": "syslog, program not recognised", "share": 0.05},
        ]);
        let seen = settled(server, &source, 20, 3, &formats);
        assert_eq!(
            seen["refused"],
            json!([{"reason": "unsupported", "count": 2}, {"reason": "malformed", "count": 1}])
        );
        assert_eq!(seen["unrecognised"]["share"], 0.1);
        let examples = seen["unrecognised"]["examples"].as_array().unwrap();
        let texts: Vec<&str> = examples.iter().map(|example| example["text"].as_str().unwrap()).collect();
        assert_eq!(texts.len(), 2);
        assert!(texts.contains(&NONSENSE[0]), "{texts:?}");
        assert!(texts.iter().all(|text| !text.contains("hunter2")), "{texts:?}");
        assert!(seen["first_log_at"].as_str() <= seen["last_log_at"].as_str());

        // Totals outlive the process, and the last counts are written at an orderly shutdown.
        send(server, &source, &failed_logins(20, "root", "203.0.113.8"));
        server.incidents(&source, |incidents| incidents.len() == 2);
        assert!(server.interrupt());
        server.run();
        let formats = json!([
            {"format": "OpenSSH", "share": 0.8},
            {"format": "Apache or nginx access log", "share": 0.125},
            {"format": "syslog, program not recognised", "share": 0.025},
        ]);
        let after = settled(server, &source, 40, 3, &formats);
        assert_eq!(after["first_log_at"], seen["first_log_at"]);
        assert_eq!(after["unrecognised"]["examples"], seen["unrecognised"]["examples"]);

        let counted = server.metric("palisade_analysis_formats_total");
        assert!(counted.len() > 40, "every format has a series: {counted:?}");
        assert!(counted.iter().all(|(labels, _)| !labels.contains(&source)), "no series names a source");
    });
}

#[test]
fn the_status_is_the_organization_s_own_and_goes_with_the_source() {
    let server = Server::start();
    let source = server.source("ours");
    let path = format!("/infrastructure/sources/{source}/status");
    let tenant = Tenant::new(&server, "others");
    assert_eq!(tenant.send("GET", &path, &Value::Null).status, 404);
    assert_eq!(server.request("GET", &format!("{path}?colour=red")).send(server.address()).status, 400);
    assert_eq!(
        server.request("GET", "/infrastructure/sources/none/status").send(server.address()).status,
        404
    );
    send(&server, &source, &NONSENSE.map(str::to_owned));
    wait_for("the record is counted", || {
        (status(&server, &source)["unrecognised"]["share"] == 1.0).then_some(())
    });
    let deleted = server.request("DELETE", &format!("/infrastructure/sources/{source}"));
    assert_eq!(deleted.send(server.address()).status, 204);
    assert_eq!(server.request("GET", &path).send(server.address()).status, 404);
}
