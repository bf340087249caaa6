//! `/infrastructure/sources/{source_id}/status`.

use std::sync::Arc;
use std::time::Duration;

use directory::Source;
use serde_json::json;
use statistics::{SourceKey, Statistics, Writer};

use crate::harness::{PARTITIONS, World, start};

/// Counts for a source, as the roles of a process of this number would.
async fn count(world: &World, process: u64, source: &Source, counting: impl FnOnce(&Statistics, SourceKey)) {
    let statistics = Arc::new(Statistics::default());
    counting(&statistics, SourceKey { organization: source.organization, source: source.id });
    let (ledger, clock) = (world.ledger.clone(), world.clock.clone());
    Writer::new(ledger, clock, statistics, PARTITIONS, process).flush().await;
}

fn path(source: &Source) -> String {
    format!("/infrastructure/sources/{}/status", source.id)
}

#[tokio::test]
async fn the_most_frequent_and_the_latest_come_first() {
    let world = World::new();
    let tenant = world.tenant("status").await;
    let source = world.source(&tenant, "web").await;
    let empty = world.get(&tenant.key, &path(&source)).await.ok(200);
    assert_eq!((&empty["accepted"], &empty["last_log_at"]), (&json!(0), &json!(null)));

    count(&world, 1, &source, |statistics, key| {
        statistics.accepted(key, 9, start());
        statistics.refused(key, "malformed");
        statistics.analysed(key, start(), [(Some("sudo"), 1), (Some("OpenSSH"), 6)], []);
    })
    .await;
    world.clock.advance(Duration::from_secs(60));
    let later = start().plus(Duration::from_secs(60));
    count(&world, 2, &source, |statistics, key| {
        statistics.accepted(key, 1, later);
        for _ in 0..2 {
            statistics.refused(key, "too_large");
        }
        statistics.analysed(key, start(), [(None, 1)], ["first".to_owned()]);
        statistics.analysed(key, later, [(None, 1)], ["second".to_owned()]);
    })
    .await;
    let expected = json!({
        "id": source.id.to_string(),
        "object": "infrastructure_source_status",
        "first_log_at": "2026-07-08T09:00:00.000Z",
        "last_log_at": "2026-07-08T09:01:00.000Z",
        "accepted": 10,
        "refused": [{"reason": "too_large", "count": 2}, {"reason": "malformed", "count": 1}],
        "recognised_as": [{"format": "OpenSSH", "share": 0.6667}, {"format": "sudo", "share": 0.1111}],
        "unrecognised": {
            "share": 0.2222,
            "examples": [
                {"text": "second", "received_at": "2026-07-08T09:01:00.000Z"},
                {"text": "first", "received_at": "2026-07-08T09:00:00.000Z"},
            ],
        },
    });
    assert_eq!(world.get(&tenant.key, &path(&source)).await.ok(200), expected);

    world.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    let old = world.get(&tenant.key, &path(&source)).await.ok(200);
    assert_eq!(old["unrecognised"], json!({"share": 0.0, "examples": []}));
    assert_eq!((&old["recognised_as"], &old["accepted"]), (&json!([]), &json!(10)));
}

#[tokio::test]
async fn the_status_of_others_is_not_found() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let source = world.source(&theirs, "web").await;
    world.get(&ours.key, &path(&source)).await.refused(404, "not_found");
    let narrowed = world.narrowed(&theirs, &["incidents:read"]).await;
    world.get(&narrowed, &path(&source)).await.refused(403, "forbidden");
    let reader = world.narrowed(&theirs, &["sources:read"]).await;
    world.get(&reader, &path(&source)).await.ok(200);
}

#[tokio::test]
async fn the_totals_of_a_deleted_source_are_removed() {
    let world = World::new();
    let tenant = world.tenant("deleted").await;
    let source = world.source(&tenant, "web").await;
    count(&world, 2, &source, |statistics, key| statistics.accepted(key, 1, start())).await;
    let key = SourceKey { organization: source.organization, source: source.id };
    let read = async || statistics::read(world.ledger.as_ref(), PARTITIONS, key, start()).await.unwrap();
    assert_eq!(read().await.map(|totals| totals.accepted), Some(1));
    let deleted = world.delete(&tenant.key, &format!("/infrastructure/sources/{}", source.id)).await;
    assert_eq!(deleted.status, 204);
    assert_eq!(read().await, None);
}
