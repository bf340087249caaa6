//! A private repository in every listing of the host is in no row, reply or event, and one that becomes private leaves them.

use std::time::Duration;

use code_host::{HostError, PullRequestState};
use common::partition::Shard;
use ledger::{Kind, Ledger, LedgerId, Range};

use serde_json::{Value, json};

use super::{SCANS, event, events, hosted, put_octo, put_pull, put_user, ready, scan, scanned, user};
use crate::harness::{PARTITIONS, World, installation_of};

const ALL: [Kind; 5] = [Kind::Head, Kind::History, Kind::Outbox, Kind::State, Kind::Detail];

/// The texts of all rows of records and shared results of these kinds, keys included.
async fn rows(world: &World, kinds: &[Kind]) -> String {
    let mut all = String::new();
    for shard in (0..PARTITIONS).map(Shard) {
        for ledger in [LedgerId::Records(shard), LedgerId::Shared(shard)] {
            for kind in kinds {
                for row in world.ledger.scan(ledger, *kind, Range::default(), 1_000).await.unwrap() {
                    all.push_str(&String::from_utf8_lossy(&row.key));
                    all.push_str(&String::from_utf8_lossy(&row.body));
                }
            }
        }
    }
    all
}

#[tokio::test]
async fn a_private_repository_in_every_listing_is_in_no_row_reply_or_event() {
    let world = World::new();
    put_octo(&world);
    let tenant = ready(&world, "private").await;
    // Both are shown to the installation: one of octo, and one of the organization.
    let private = [hosted(70, "octo/hidden-notes", true), hosted(71, "acme/hidden-plans", true)];
    world.code_host.put(installation_of(tenant.organization), private.to_vec());
    world.code_host.leak();
    let kinds = ["PullRequestReviewEvent", "PushEvent"];
    let leaked = kinds.into_iter().flat_map(|kind| {
        ["octo/hidden-notes", "acme/hidden-plans", "gone/hidden-away"].map(|name| event(kind, name))
    });
    let public = vec![event("PullRequestReviewEvent", "open/tool")];
    put_user(&world, user("Octo", "2011-01-25T18:44:36Z", public.into_iter().chain(leaked).collect()));
    for (number, repository) in [(5, "octo/hidden-notes"), (6, "acme/hidden-plans"), (7, "gone/hidden-away")]
    {
        put_pull(&world, repository, number, PullRequestState::Merged);
    }
    let found = world.get(&tenant.key, "/contributors/octo/trust").await;
    found.refused(404, "not_found");
    let ended = scanned(&world, &tenant, SCANS).await;
    assert_eq!(
        (ended["score"].as_u64(), ended["analyzed_pr_count"].as_u64()),
        (Some(92), Some(2)),
        "{ended}"
    );
    let cached = world.get(&tenant.key, "/contributors/octo/trust").await.ok(200);
    let (rows, events) = (rows(&world, &ALL).await, format!("{:?}", events(&world).await));
    for text in [&rows, &events, &ended.to_string(), &cached.to_string()] {
        assert!(text.contains("open/tool"), "the public one is there");
        for secret in ["hidden", "secret_of_the_patch", "Because."] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

const TRUST: &str = "/contributors/octo/trust";
/// Time for which a confirmation is used again.
const FRESH: Duration = Duration::from_secs(60);

fn repositories(result: &Value) -> Vec<&str> {
    result["public_evidence"].as_array().unwrap().iter().map(|one| one["repo"].as_str().unwrap()).collect()
}

/// Octo with pull requests in two public repositories.
async fn scanned_world() -> (World, crate::harness::Tenant, Value) {
    let world = World::new();
    put_octo(&world);
    world.code_host.put_other(hosted(901, "open/site", false));
    put_pull(&world, "open/site", 5, PullRequestState::Merged);
    let tenant = ready(&world, "later").await;
    let ended = scanned(&world, &tenant, SCANS).await;
    assert_eq!(repositories(&ended), ["open/site", "open/tool", "open/tool"]);
    (world, tenant, ended)
}

#[tokio::test]
async fn evidence_leaves_replies_and_rows_when_its_repository_becomes_private_or_is_deleted() {
    let (world, tenant, ended) = scanned_world().await;
    // One is private now, the other one has another name, and no redirect leads to it.
    for (became, left) in
        [(hosted(901, "open/site", true), &["open/tool"; 2][..]), (hosted(900, "open/other", false), &[][..])]
    {
        world.code_host.put_other(became);
        world.clock.advance(FRESH);
        let shown = world.get(&tenant.key, TRUST).await.ok(200);
        let read = scan(&world, &tenant, &ended["id"]).await;
        for result in [&shown, &read] {
            assert_eq!(repositories(result), left, "{result}");
            assert_eq!(result["coverage"], json!({"complete": true, "skipped": []}));
            assert_eq!((&result["score"], &result["analyzed_pr_count"]), (&ended["score"], &json!(3)));
        }
        // The event is as it was sent.
        let kept = rows(&world, &[Kind::Head, Kind::History, Kind::State, Kind::Detail]).await;
        assert_eq!((kept.contains("open/site"), kept.contains("open/tool")), (false, !left.is_empty()));
    }
    world.code_host.put_other(hosted(901, "open/site", false));
    world.clock.advance(FRESH);
    assert!(
        repositories(&world.get(&tenant.key, TRUST).await.ok(200)).is_empty(),
        "until a new scan reads it"
    );
}

#[tokio::test]
async fn evidence_that_the_host_does_not_confirm_is_left_out_of_the_reply_only() {
    let (world, tenant, ended) = scanned_world().await;
    let until = super::time("2026-07-08T20:00:00Z");
    let unconfirmed = json!([{"what": "public_evidence", "reason": "not_confirmed"}]);
    for error in [HostError::Unavailable("for a test".to_owned()), HostError::RateLimited { until }] {
        world.clock.advance(FRESH);
        world.code_host.fail(Some(error));
        let shown = world.get(&tenant.key, TRUST).await.ok(200);
        let read = scan(&world, &tenant, &ended["id"]).await;
        for result in [&shown, &read] {
            assert!(repositories(result).is_empty(), "{result}");
            assert_eq!(result["coverage"], json!({"complete": false, "skipped": unconfirmed}));
        }
        world.code_host.fail(None);
        assert_eq!(repositories(&world.get(&tenant.key, TRUST).await.ok(200)).len(), 3);
    }
    // An organization without an installation cannot ask.
    let stranger = world.tenant("stranger").await;
    assert_eq!(
        repositories(&world.get(&stranger.key, TRUST).await.ok(200)).len(),
        3,
        "asked within a minute"
    );
    world.clock.advance(FRESH);
    let shown = world.get(&stranger.key, TRUST).await.ok(200);
    assert_eq!((repositories(&shown).len(), &shown["coverage"]["skipped"]), (0, &unconfirmed));
}

#[tokio::test]
async fn a_recent_result_with_evidence_of_a_private_repository_is_not_reused() {
    let (world, _, first) = scanned_world().await;
    let other = ready(&world, "other").await;
    world.code_host.put_other(hosted(901, "open/site", true));
    world.clock.advance(FRESH);
    let second = scanned(&world, &other, SCANS).await;
    assert_eq!(repositories(&second), ["open/tool"; 2], "{second}");
    assert_eq!((&first["analyzed_pr_count"], &second["analyzed_pr_count"]), (&json!(3), &json!(2)));
    let events = events(&world).await;
    let of_other = events.iter().find(|event| event.organization == other.organization).unwrap();
    assert!(!of_other.object.to_string().contains("open/site"), "{of_other:?}");
}
