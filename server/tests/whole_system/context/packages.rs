//! Scans of packages over a kill of the server, in each phase of a scan.

use serde_json::{Value, json};

use super::registries::{Registries, Release, sha256};
use crate::code_host::output;
use crate::server::{Server, everywhere, wait_for};

const RELEASES: [Release; 1] = [("1.0.0", "2023-01-01T00:00:00Z", &[("widgets.py", "VALUE = 1\n")])];

/// States of all jobs that scan content.
pub(super) fn scan_jobs(server: &Server) -> Vec<String> {
    let listed = output(server, &["job", "list"]);
    let rows = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row.get(1) == Some(&"context.scan")).map(|row| row[3].to_owned()).collect()
}

/// The result at a path, once its scan has ended.
pub(super) fn whole(server: &Server, path: &str) -> Value {
    wait_for("the scan ends", || {
        let found = server.request("GET", path).send(server.address());
        // The preliminary result is written a moment after the reply, so that a kill may lose it.
        assert!([200, 404].contains(&found.status), "{}", found.text());
        (found.status == 200).then(|| found.json()).filter(|result| result["pending_deep_scan"] == false)
    })
}

fn target(name: &str) -> String {
    format!("pypi:{name}@1.0.0")
}

fn path(name: &str) -> String {
    format!("/context/package/{}?details=true", sha256(target(name).as_bytes()))
}

fn scan(server: &Server, query: &str, name: &str) -> Value {
    let scanned = server.send("POST", &format!("/context/package?{query}"), &json!({"target": target(name)}));
    assert_eq!(scanned.status, 200, "{}", scanned.text());
    scanned.json()
}

/// Sends a request that the kill leaves without an answer.
fn unanswered(server: &Server, query: &str, name: &str) -> std::thread::JoinHandle<bool> {
    let request = server
        .request("POST", &format!("/context/package?{query}"))
        .header("content-type", "application/json")
        .body(json!({"target": target(name)}).to_string().into_bytes());
    let address = server.address();
    std::thread::spawn(move || request.try_send(address).is_none())
}

#[test]
fn scans_of_packages_that_are_killed_in_any_phase_have_one_result_each_after_the_restart() {
    everywhere("killed scans of packages", |server| {
        let registries = Registries::start();
        registries.configure(server);
        assert!(server.interrupt());
        server.run();
        let names = ["acme-archive", "acme-metadata", "acme-waiting"];
        let archives = names.map(|name| registries.publish_wheels(name, &RELEASES));
        let [archive, _, waiting] = &archives;
        // The job downloads an archive; another one, whose client has no answer yet, the metadata; a client waits for a third scan, which
        // has no job.
        registries.hold(&archive.0);
        let first = scan(server, "details=true", names[0]);
        assert_eq!(
            (&first["pending_deep_scan"], &first["floor"]),
            (&json!(true), &json!("caution")),
            "{first}"
        );
        wait_for("the job downloads", || (registries.asked(&archive.0) == 1).then_some(()));
        registries.hold(&waiting.0);
        registries.hold("/simple/acme-metadata/");
        let clients = [("mode=full", names[2]), ("details=true", names[1])];
        let clients = clients.map(|(query, name)| unanswered(server, query, name));
        wait_for("the client waits", || (registries.asked(&waiting.0) == 1).then_some(()));
        wait_for("the metadata is asked for", || {
            (registries.asked("/simple/acme-metadata/") > 0).then_some(())
        });
        server.kill();
        for client in clients {
            assert!(client.join().unwrap(), "killed before the answer");
        }
        for (name, (path, bytes)) in names.iter().zip(&archives) {
            registries.publish_wheels(name, &RELEASES);
            registries.put(path, bytes.clone());
        }
        server.run();

        for (name, (_, bytes)) in names.iter().zip(&archives).take(2) {
            let result = whole(server, &path(name));
            assert_eq!((&result["floor"], &result["name"]), (&Value::Null, &json!(target(name))), "{result}");
            assert!(result.to_string().contains(&sha256(bytes)), "{result}");
        }
        let unknown = server.request("GET", &path(names[2])).send(server.address());
        assert_eq!(unknown.status, 404, "nothing is pending that no job scans: {}", unknown.text());
        assert_eq!(scan(server, "mode=full", names[2])["pending_deep_scan"], false);
        for name in names {
            let result = server.get(&path(name));
            assert_eq!(scan(server, "mode=full&details=true&refresh=true", name), result, "scanned once");
        }
        let downloads = archives.each_ref().map(|(path, _)| registries.asked(path));
        assert_eq!(downloads, [2, 1, 2], "before the kill, and once after it");
        assert_eq!(scan_jobs(server), ["succeeded", "succeeded"]);
    });
}
