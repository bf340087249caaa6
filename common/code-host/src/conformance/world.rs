//! The world of the suite, for each implementation.

use std::path::Path;
use std::process::Command;

use common::timestamp::Timestamp;
use serde_json::{Value, json};

use super::{MAIN, installation, name};
use crate::content::{Commit, Release};
use crate::hosted::{HostedInstallation, HostedRepository};
use crate::memory::{MemoryContents, MemoryHost, MemoryUser, repository};
use crate::people::{Account, AccountKind, KeyKind, PublicEvent, SigningKey, User};
use crate::pulls::{PullRequest, PullRequestFile, PullRequestState, Review};

const README: &str = "# Shop\n";
const FIRST_MAIN: &str = "fn main() {}\n";

fn time(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn hosted(number: u64, full_name: &str) -> HostedRepository {
    repository(number.to_string().parse().unwrap(), name(full_name))
}

/// In memory.
pub(crate) fn memory() -> MemoryHost {
    let host = MemoryHost::default();
    let site = HostedRepository { private: false, archived: true, ..hosted(43, "acme/site") };
    let tool = HostedRepository {
        private: false,
        fork: true,
        parent: Some(name("acme/site")),
        created_at: Some(time("2024-05-06T07:08:09Z")),
        stars: 12,
        ..hosted(50, "octo/tool")
    };
    host.put(installation(7), vec![hosted(42, "acme/shop"), site]);
    host.put(installation(8), Vec::new());
    for (number, suspended) in [(7, false), (8, true)] {
        let account = "acme".to_owned();
        host.put_installation(HostedInstallation { id: installation(number), account, suspended });
    }
    host.put_other(tool);
    host.put_other(hosted(51, "octo/secret"));
    host.rename(name("acme/old-shop"), "42".parse().unwrap());
    for code in ["good", "of-seven"] {
        host.issue_code(code, vec![installation(7)]);
    }
    host.put_contents("42".parse().unwrap(), shop());
    host.put_contents(
        "50".parse().unwrap(),
        MemoryContents { releases: vec![release()], ..MemoryContents::default() },
    );
    host.put_user(&"octo".parse().unwrap(), octo());
    for (repository, number, state) in [
        ("acme/site", 3, PullRequestState::Merged),
        ("acme/site", 4, PullRequestState::Closed),
        ("acme/shop", 5, PullRequestState::Open),
    ] {
        let (pull, files, reviews) = pull(repository, number, state);
        host.put_pull_request(pull, files, reviews);
    }
    host
}

fn shop() -> MemoryContents {
    let commit = |message: &str, at: &str, paths: &[&str]| {
        let commit = Commit {
            id: "1".repeat(40),
            message: message.to_owned(),
            author: Some("octo".to_owned()),
            committed_at: Some(time(at)),
            verified: false,
        };
        (commit, paths.iter().map(|path| (*path).to_owned()).collect())
    };
    MemoryContents {
        files: [("README.md", README), ("src/main.rs", MAIN)]
            .map(|(path, text)| (path.to_owned(), text.into()))
            .into(),
        archive: [&[0x1f, 0x8b][..], &[0; 100]].concat().into(),
        commits: vec![
            commit("Say what it is", "2026-03-03T00:00:00Z", &["README.md"]),
            commit("Print a line", "2026-03-02T00:00:00Z", &["src/main.rs"]),
            commit("Begin", "2026-03-01T00:00:00Z", &["src/main.rs"]),
        ],
        releases: Vec::new(),
    }
}

fn release() -> Release {
    Release {
        tag: "v1.0".to_owned(),
        name: Some("1.0".to_owned()),
        draft: false,
        prerelease: false,
        immutable: false,
        author: Some("octo".to_owned()),
        published_at: Some(time("2025-01-01T00:00:00Z")),
    }
}

fn octo() -> MemoryUser {
    let event = |kind: &str| PublicEvent {
        kind: kind.to_owned(),
        repository: Some(name("octo/tool")),
        public: true,
        created_at: time("2026-03-04T00:00:00Z"),
    };
    let key = |kind| SigningKey { kind, created_at: None, expires_at: None, revoked: false };
    MemoryUser {
        user: User {
            id: 583_231,
            login: "octo".to_owned(),
            kind: AccountKind::User,
            followers: 20,
            public_repositories: 1,
            created_at: time("2011-01-25T18:44:36Z"),
        },
        events: vec![event("PushEvent"), event("WatchEvent")],
        keys: vec![key(KeyKind::Gpg), key(KeyKind::Ssh)],
        organizations: vec![Account { id: 1, login: "acme".to_owned() }],
    }
}

fn pull(
    repository: &str,
    number: u64,
    state: PullRequestState,
) -> (PullRequest, Vec<PullRequestFile>, Vec<Review>) {
    let pull = PullRequest {
        repository: name(repository),
        number,
        title: "Fix it".to_owned(),
        body: "Because.".to_owned(),
        url: format!("https://github.example/{repository}/pull/{number}"),
        state,
        author: Some("octo".to_owned()),
        author_association: "CONTRIBUTOR".to_owned(),
        created_at: time(&format!("2026-04-0{number}T00:00:00Z")),
        closed_at: None,
    };
    let file = PullRequestFile {
        path: "index.html".to_owned(),
        previous_path: None,
        status: "added".to_owned(),
        additions: 1,
        deletions: 0,
        patch: Some("@@ -0,0 +1 @@\n+a".to_owned()),
    };
    let review =
        Review { reviewer: Some("acme-owner".to_owned()), state: "APPROVED".to_owned(), submitted_at: None };
    (pull, vec![file], vec![review])
}

/// For the stand-in of GitHub, with git repositories below a directory.
pub(crate) fn state(directory: &Path) -> Value {
    let (shop, other) = (directory.join("shop.git"), directory.join("other.git"));
    let files = [("src/main.rs", FIRST_MAIN), ("src/main.rs", MAIN), ("README.md", README)];
    let messages = ["Begin", "Print a line", "Say what it is"];
    make(&shop, files.into_iter().zip(messages));
    make(&other, [("README.md", "# Other\n")].into_iter().zip(["Begin"]));
    let authors = json!({"octo@example.com": "octo"});
    let private = |path: &Path, full_name: &str| json!({"full_name": full_name, "git": path, "private": true, "authors": authors});
    let public =
        |path: &Path, full_name: &str| json!({"full_name": full_name, "git": path, "authors": authors});
    let mut site = public(&other, "acme/site");
    site["archived"] = json!(true);
    let mut tool = public(&other, "octo/tool");
    for (key, value) in
        [("parent", json!(43)), ("stars", json!(12)), ("created_at", json!("2024-05-06T07:08:09Z"))]
    {
        tool[key] = value;
    }
    tool["releases"] = json!([{
        "tag_name": "v1.0", "name": "1.0", "draft": false, "prerelease": false,
        "author": {"login": "octo"}, "published_at": "2025-01-01T00:00:00Z",
    }]);
    json!({
        "app": {"id": 99, "slug": "palisade", "client_id": "Iv1.1", "client_secret": "the secret of the client"},
        "installations": {
            "7": {"account": "acme", "repositories": [42, 43]},
            "8": {"account": "acme", "repositories": [], "suspended": true},
        },
        "repositories": {
            "42": private(&shop, "acme/shop"),
            "43": site,
            "50": tool,
            "51": private(&other, "octo/secret"),
        },
        "renamed": {"acme/old-shop": 42},
        "users": {"octo": user()},
        "pulls": [
            pull_state("acme/site", 3, "closed", Some("2026-04-10T00:00:00Z")),
            pull_state("acme/site", 4, "closed", None),
            pull_state("acme/shop", 5, "open", None),
        ],
        "codes": {"good": [7], "of-seven": [7]},
    })
}

fn user() -> Value {
    let event = |kind: &str| {
        json!({"id": "1", "type": kind, "public": true, "created_at": "2026-03-04T00:00:00Z",
            "repo": {"id": 50, "name": "octo/tool", "url": "https://github.example/x"}})
    };
    json!({
        "profile": {
            "id": 583_231, "type": "User", "followers": 20, "public_repos": 1, "created_at": "2011-01-25T18:44:36Z",
        },
        "events": [event("PushEvent"), event("WatchEvent")],
        "gpg_keys": [{"id": 1, "can_sign": true, "revoked": false}, {"id": 2, "can_sign": false, "revoked": false}],
        "ssh_signing_keys": [{"id": 3}],
        "orgs": [{"id": 1, "login": "acme"}],
    })
}

fn pull_state(repository: &str, number: u64, state: &str, merged_at: Option<&str>) -> Value {
    json!({
        "repository": repository, "number": number, "title": "Fix it", "body": "Because.", "state": state,
        "author": "octo", "author_association": "CONTRIBUTOR", "merged_at": merged_at,
        "created_at": format!("2026-04-0{number}T00:00:00Z"),
        "files": [{"sha": "1".repeat(40), "filename": "index.html", "status": "added", "additions": 1,
            "deletions": 0, "changes": 1, "patch": "@@ -0,0 +1 @@\n+a"}],
        "reviews": [{"user": {"login": "acme-owner"}, "state": "APPROVED"}],
    })
}

/// A bare repository with one commit for each file.
fn make<'f>(path: &Path, commits: impl Iterator<Item = ((&'f str, &'f str), &'f str)>) {
    let work = path.with_extension("work");
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main"], "");
    for (number, ((file, text), message)) in commits.enumerate() {
        let file = work.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        git(&work, &["add", "--all"], "");
        let date = format!("2026-03-0{}T00:00:00Z", number + 1);
        git(&work, &["commit", "--quiet", "--message", message], &date);
    }
    let target = path.to_str().unwrap();
    git(&work, &["clone", "--quiet", "--bare", ".", target], "");
}

/// Runs git without the settings of the machine.
fn git(work: &Path, arguments: &[&str], date: &str) {
    let done = Command::new("git")
        .arg("-C")
        .arg(work)
        .args(arguments)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .envs([
            ("GIT_AUTHOR_NAME", "Octo"),
            ("GIT_AUTHOR_EMAIL", "octo@example.com"),
            ("GIT_AUTHOR_DATE", date),
        ])
        .envs([("GIT_COMMITTER_NAME", "Octo"), ("GIT_COMMITTER_EMAIL", "octo@example.com")])
        .env("GIT_COMMITTER_DATE", date)
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}
