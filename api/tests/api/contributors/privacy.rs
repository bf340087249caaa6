//! A private repository in every listing of the host is in no row, reply or event.

use code_host::PullRequestState;
use common::partition::Shard;
use ledger::{Kind, Ledger, LedgerId, Range};

use super::{SCANS, event, events, hosted, put_octo, put_pull, put_user, ready, scanned, user};
use crate::harness::{PARTITIONS, World, installation_of};

/// The texts of all rows of records and shared results, keys included.
async fn rows(world: &World) -> String {
    let mut all = String::new();
    for shard in (0..PARTITIONS).map(Shard) {
        for ledger in [LedgerId::Records(shard), LedgerId::Shared(shard)] {
            for kind in [Kind::Head, Kind::History, Kind::Outbox, Kind::State, Kind::Detail] {
                for row in world.ledger.scan(ledger, kind, Range::default(), 1_000).await.unwrap() {
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
    let (rows, events) = (rows(&world).await, format!("{:?}", events(&world).await));
    for text in [&rows, &events, &ended.to_string(), &cached.to_string()] {
        assert!(text.contains("open/tool"), "the public one is there");
        for secret in ["hidden", "secret_of_the_patch", "Because."] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}
