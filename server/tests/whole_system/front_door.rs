//! One listener for everything: the routing of paths, and the form of the answer for unknown ones.

use std::process::Command;

use serde_json::Value;

use crate::http::Request;
use crate::server::{Server, everywhere, wait_for};

#[test]
fn every_path_is_somebodys_and_errors_have_one_shape() {
    everywhere("every path is somebodys and errors have one shape", |server| {
        let plain = |method: &str, path: &str| Request::new(method, path).send(server.address());
        assert_eq!(plain("GET", "/healthz").status, 200);
        assert_eq!(plain("GET", "/readyz").status, 200);
        let document = plain("GET", "/api/v1/openapi.json");
        assert_eq!(
            (document.status, document.json()["openapi"].as_str().map(|version| version.starts_with("3."))),
            (200, Some(true))
        );
        for (method, path, status, code) in [
            ("GET", "/nothing", 404, "not_found"),
            ("GET", "/api/v1/nothing", 404, "not_found"),
            ("GET", "/api/v1/incidents", 401, "unauthorized"),
            ("DELETE", "/api/v1/incidents", 405, "method_not_allowed"),
        ] {
            let response = plain(method, path);
            assert_eq!(response.status, status, "{method} {path}");
            assert_eq!(response.json()["error"]["code"], code, "{method} {path}");
            assert!(response.header("x-request-id").is_some(), "{method} {path}");
        }
        let unknown = server.request("GET", "/incidents?colour=red").send(server.address());
        assert_eq!(
            (unknown.status, unknown.json()["error"]["code"].clone()),
            (400, "invalid_request".into())
        );
        // The client of these tests already sends its host.
        let twice = Request::new("GET", "/healthz").header("host", "another").send(server.address());
        assert_eq!((twice.status, twice.json()["error"]["code"].clone()), (400, "invalid_request".into()));
        let logs = "/api/v1/infrastructure/sources/67e55044-10b1-426f-9247-bb680e5fe0c8/v1/logs";
        assert_eq!(plain("GET", logs).status, 405);
        assert_eq!(plain("POST", logs).status, 401);
    });
}

#[test]
fn roles_that_a_process_does_not_play_are_not_served() {
    let server = Server::start_with(&["--role", "ingest,analyzer"]);
    assert_eq!(Request::new("GET", "/readyz").send(server.address()).status, 200);
    assert_eq!(server.request("GET", "/incidents").send(server.address()).status, 404);
    let source = server.first_run()["source_id"].as_str().unwrap().to_owned();
    assert_eq!(server.ingest(&source, "application/json", b"[]".to_vec()).status, 200);
}

#[test]
fn a_source_that_was_disabled_or_enabled_answers_so_at_once() {
    everywhere("a source that was disabled or enabled answers so at once", |server| {
        let source = server.source("switched");
        let path = format!("/infrastructure/sources/{source}");
        let send = || server.ingest(&source, "application/json", b"[]".to_vec()).status;
        assert_eq!(send(), 200);
        for (enabled, expected) in [(false, 404), (true, 200), (false, 404), (true, 200)] {
            let changed = server.send("PATCH", &path, &serde_json::json!({"enabled": enabled}));
            assert_eq!((changed.status, changed.json()["enabled"].clone()), (200, enabled.into()));
            assert_eq!(send(), expected, "enabled: {enabled}");
            assert_eq!(server.get(&path)["enabled"], enabled);
        }
        assert_eq!(server.request("DELETE", &path).send(server.address()).status, 204);
        assert_eq!(send(), 404);
    });
}

/// The commands of the page at `/`, run unchanged.
#[test]
fn the_first_steps_of_the_start_page_make_an_incident() {
    let server = Server::start();
    let page = Request::new("GET", "/").send(server.address()).text();
    let mut commands = page.split("<pre><code>").skip(1).map(|rest| {
        let command = rest.split("</code></pre>").next().unwrap();
        command.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    });
    let run = |command: &str, logs_url: &str| {
        let mut shell = Command::new("bash");
        shell.args(["-ec", command]).env("API_KEY", server.key()).env("LOGS_URL", logs_url);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let source = run(&commands.next().unwrap(), "");
    let logs_url = source["logs_url"].as_str().unwrap();
    assert_eq!(run(&commands.next().unwrap(), logs_url), serde_json::json!({}));
    let list = commands.next().unwrap();
    let incident = wait_for("the incident is listed", || run(&list, logs_url)["data"].get(0).cloned());
    assert_eq!(incident["event_count"], 6, "{incident}");
}
