//! Organizations do not see each other.

use serde_json::json;

use crate::http::Request;
use crate::lines::{Form, failed_logins};
use crate::server::everywhere;

#[test]
fn a_foreign_organization_finds_nothing() {
    everywhere("a foreign organization finds nothing", |server| {
        let source = server.source("mine");
        assert_eq!(
            server
                .ingest(
                    &source,
                    "application/x-ndjson",
                    Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"))
                )
                .status,
            200
        );
        let incident = server.incidents(&source, |incidents| !incidents.is_empty())[0]["id"]
            .as_str()
            .unwrap()
            .to_owned();

        let run = |arguments: &[&str]| {
            let output = server.command(arguments).stdout(std::process::Stdio::piped()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let made = run(&["org", "create", "--name", "others"]);
        let organization = made.split_whitespace().find(|word| word.len() == 36).unwrap().to_owned();
        let key = run(&["key", "create", "--org", &organization, "--name", "theirs"])
            .lines()
            .next()
            .unwrap()
            .to_owned();
        let theirs = |method: &str, path: &str| {
            Request::new(method, &format!("/api/v1{path}"))
                .header("authorization", &format!("Bearer {key}"))
                .header("content-type", "application/json")
        };
        assert_eq!(theirs("GET", "/incidents").send(server.address()).json()["pagination"]["total"], 0);
        assert_eq!(theirs("GET", &format!("/incidents/{incident}")).send(server.address()).status, 404);
        let review = json!({"triage_version": 1, "triage_status": "triaged"}).to_string().into_bytes();
        assert_eq!(
            theirs("PATCH", &format!("/incidents/{incident}")).body(review).send(server.address()).status,
            404
        );
        assert_eq!(
            theirs("GET", &format!("/infrastructure/sources/{source}")).send(server.address()).status,
            404
        );
        let logs = theirs("POST", &format!("/infrastructure/sources/{source}/v1/logs")).body(b"[]".to_vec());
        assert_eq!(logs.send(server.address()).status, 404);
    });
}
