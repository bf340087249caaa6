//! API keys that are revoked or rotated while in use.

use std::thread;

use serde_json::json;

use crate::http::Request;
use crate::server::Server;

#[test]
fn a_key_that_was_revoked_opens_nothing_in_the_same_process() {
    let server = Server::start();
    let source = server.source("bastion");
    let logs = format!("/api/v1/infrastructure/sources/{source}/v1/logs");
    for ended_by in ["revocation", "rotation"] {
        let made = server.send("POST", "/api-keys", &json!({"name": "sender"})).json();
        let (id, key) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
        let with_key = |method: &str, path: &str| {
            let request = Request::new(method, path).header("authorization", &format!("Bearer {key}"));
            request.header("content-type", "application/json")
        };
        let send = || {
            with_key("POST", &logs).body(b"[{\"message\":\"hello\"}]".to_vec()).send(server.address()).status
        };
        let list = || with_key("GET", "/api/v1/incidents").send(server.address()).status;
        assert_eq!((send(), list()), (200, 200), "both roles know the key now");
        match ended_by {
            "revocation" => {
                let revoked = server.request("DELETE", &format!("/api-keys/{id}")).send(server.address());
                assert_eq!(revoked.status, 204);
            }
            _ => {
                let body = json!({"overlap_seconds": 0});
                assert_eq!(server.send("POST", &format!("/api-keys/{id}/rotate"), &body).status, 200);
            }
        }
        assert_eq!((send(), list()), (401, 401), "after its {ended_by}");
    }
}

#[test]
fn of_many_rotations_at_once_one_succeeds() {
    let server = Server::start();
    let made = server.send("POST", "/api-keys", &json!({"name": "contended"})).json();
    let path = format!("/api-keys/{}/rotate", made["id"].as_str().unwrap());
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let rotate = || server.send("POST", &path, &json!({"overlap_seconds": 60})).status;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(rotate)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(
        server.get("/api-keys")["pagination"]["total"],
        3,
        "the first key, the old one and its successor"
    );
}
