//! Batches counted for their sources.

use ::statistics::{SourceKey, Totals, Writer, read};
use directory::Source;
use durable_log::AppendError;

use crate::harness::{Front, NOW, otlp, path_of};

const PARTITIONS: u16 = 4;

async fn totals(front: &Front, source: &Source) -> Option<Totals> {
    let (ledger, statistics) = (front.ledger.clone(), front.statistics.clone());
    Writer::new(ledger, front.clock.clone(), statistics, PARTITIONS, 7).flush().await;
    let key = SourceKey { organization: source.organization, source: source.id };
    read(front.ledger.as_ref(), PARTITIONS, key, NOW).await.unwrap()
}

#[tokio::test]
async fn accepted_records_and_refused_requests_are_counted_for_their_source() {
    let front = Front::start().await;
    for (content_type, body, status) in [
        ("application/x-protobuf", otlp(3), 200),
        ("application/x-protobuf", otlp(2), 200),
        ("application/json", b"[]".to_vec(), 200),
        ("application/json", b"[{".to_vec(), 400),
        ("text/csv", b"a,b".to_vec(), 415),
        ("text/csv", b"a,b".to_vec(), 415),
        ("application/x-protobuf", otlp(10_001), 413),
    ] {
        assert_eq!(front.post(content_type, body).send().await.status, status);
    }
    front.log.fail_with(Some(AppendError::Full { used: 1, capacity: 1 }));
    assert_eq!(front.post_one().send().await.status, 503);
    let totals = totals(&front, &front.source).await.unwrap();
    assert_eq!((totals.accepted, totals.first_at, totals.last_at), (5, Some(NOW), Some(NOW)));
    let refused: Vec<(&str, u64)> =
        totals.refused.iter().map(|(reason, count)| (reason.as_ref(), *count)).collect();
    assert_eq!(refused, [("malformed", 1), ("too_large", 1), ("unavailable", 1), ("unsupported", 2)]);
}

#[tokio::test]
async fn requests_without_a_known_source_are_not_counted() {
    let front = Front::start().await;
    let foreign = path_of(&front.foreign_source.id.to_string());
    let disabled = path_of(&front.disabled_source.to_string());
    for (path, key, status) in [
        (foreign.as_str(), &front.key, 404),
        (disabled.as_str(), &front.key, 404),
        (front.path().as_str(), &front.narrow_key, 403),
        (front.path().as_str(), &front.foreign_key, 404),
    ] {
        let post = front.post_one().path(path).header("authorization", &format!("Bearer {key}"));
        assert_eq!(post.send().await.status, status, "{path}");
    }
    assert_eq!(totals(&front, &front.source).await, None);
    assert_eq!(totals(&front, &front.foreign_source).await, None);
}
