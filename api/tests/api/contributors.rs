//! `/contributors` and `/contributor-trust-scans`, with the code host in memory.

mod privacy;
mod scans;

use code_host::memory::{MemoryUser, repository};
use code_host::{
    Account, AccountKind, HostedRepository, KeyKind, Login, PublicEvent, PullRequest, PullRequestFile,
    PullRequestState, SigningKey, User,
};
use common::event::Event;
use common::partition::Shard;
use common::row;
use common::timestamp::Timestamp;
use http::Method;
use ledger::{Kind, Ledger, LedgerId, Range};
use serde_json::{Value, json};

use crate::harness::{PARTITIONS, Reply, Tenant, World, request};

const EVENT: &str = "contributor_trust.finished";
const SCANS: &str = "/contributors/octo/trust-scans";

fn time(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn hosted(number: u64, full_name: &str, private: bool) -> HostedRepository {
    let id = number.to_string().parse().unwrap();
    HostedRepository { private, ..repository(id, full_name.parse().unwrap()) }
}

/// A pull request of octo with one file.
fn put_pull(world: &World, repository: &str, number: u64, state: PullRequestState) {
    let pull = PullRequest {
        repository: repository.parse().unwrap(),
        number,
        title: format!("Change {number} of {repository}"),
        body: "Because.".to_owned(),
        url: format!("https://host.example/{repository}/pull/{number}"),
        state,
        author: Some("octo".to_owned()),
        author_association: "CONTRIBUTOR".to_owned(),
        created_at: time(&format!("2026-04-0{number}T00:00:00Z")),
        closed_at: None,
    };
    let file = PullRequestFile {
        path: format!("src/{}.rs", repository.replace('/', "-")),
        previous_path: None,
        status: "added".to_owned(),
        additions: 1,
        deletions: 0,
        patch: Some("@@ -0,0 +1 @@\n+fn secret_of_the_patch() {}\n".to_owned()),
    };
    world.code_host.put_pull_request(pull, vec![file], Vec::new());
}

fn user(login: &str, created_at: &str, events: Vec<PublicEvent>) -> MemoryUser {
    let key = |kind| SigningKey { kind, created_at: None, expires_at: None, revoked: false };
    MemoryUser {
        user: User {
            id: 1,
            login: login.to_owned(),
            kind: AccountKind::User,
            followers: 3,
            public_repositories: 1,
            created_at: time(created_at),
        },
        events,
        keys: vec![key(KeyKind::Gpg)],
        organizations: vec![Account { id: 9, login: "octo-org".to_owned() }],
    }
}

fn event(kind: &str, repository: &str) -> PublicEvent {
    let (repository, created_at) = (repository.parse().ok(), time("2026-07-01T00:00:00Z"));
    PublicEvent { kind: kind.to_owned(), repository, public: true, created_at }
}

/// The contributor Octo, with pull requests 3 and 4 in the public repository `open/tool`.
fn put_octo(world: &World) {
    world.code_host.put_other(hosted(900, "open/tool", false));
    let events = vec![event("PullRequestReviewEvent", "open/tool")];
    put_user(world, user("Octo", "2011-01-25T18:44:36Z", events));
    put_pull(world, "open/tool", 3, PullRequestState::Merged);
    put_pull(world, "open/tool", 4, PullRequestState::Closed);
}

fn put_user(world: &World, user: MemoryUser) {
    let login: Login = user.user.login.parse().unwrap();
    world.code_host.put_user(&login, user);
}

async fn webhook(world: &World, tenant: &Tenant, change: Value) -> String {
    let mut body = json!({"name": "trust", "url": "https://127.0.0.1:9009/", "events": [EVENT]});
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    let created = world.post(&tenant.key, "/webhooks", body).await.ok(201);
    created["id"].as_str().unwrap().to_owned()
}

/// An organization that may scan.
async fn ready(world: &World, name: &str) -> Tenant {
    let tenant = world.tenant(name).await;
    world.repositories(&tenant, &[(42, "acme/shop")]).await;
    webhook(world, &tenant, json!({})).await;
    tenant
}

async fn start(world: &World, tenant: &Tenant, path: &str) -> Reply {
    world.send(request(Method::POST, path, Some(&tenant.key), None)).await
}

async fn scan(world: &World, tenant: &Tenant, id: &Value) -> Value {
    // The rate of a key is not met.
    world.clock.advance(std::time::Duration::from_millis(200));
    world.get(&tenant.key, &format!("/contributor-trust-scans/{}", id.as_str().unwrap())).await.ok(200)
}

/// Starts a scan and lets it end.
async fn scanned(world: &World, tenant: &Tenant, path: &str) -> Value {
    let begun = start(world, tenant, path).await.ok(202);
    assert_eq!((begun["status"].as_str(), begun["started_at"].is_null()), (Some("queued"), true));
    world
        .work_until(async || {
            let status = scan(world, tenant, &begun["id"]).await["status"].clone();
            status == "completed" || status == "failed"
        })
        .await;
    scan(world, tenant, &begun["id"]).await
}

/// All events, in the order of each shard.
async fn events(world: &World) -> Vec<Event> {
    let mut events = Vec::new();
    for shard in 0..PARTITIONS {
        let ledger = LedgerId::Records(Shard(shard));
        let rows = world.ledger.scan(ledger, Kind::Outbox, Range::default(), 1_000).await.unwrap();
        events.extend(rows.iter().map(|row| row::decode::<Event>(&row.body).unwrap()));
    }
    events
}
