//! The order, state and time of `GET /incidents`, and `GET /incidents/histogram` and `/incidents/facets`.

use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use serde_json::{Value, json};

use crate::harness::{Tenant, World};
use crate::seed::Seed;

/// Six incidents, a second apart: the severities take turns, and every third is resolved.
async fn world() -> (World, Tenant) {
    let world = World::new();
    let tenant = world.tenant("summary").await;
    let (first, second) = (world.source(&tenant, "first").await, world.source(&tenant, "second").await);
    for number in 0..6 {
        let source = if number < 4 { &first } else { &second };
        let seed = Seed::new(source, number).with(|head| {
            head.analysis.severity = [Severity::Low, Severity::Critical, Severity::High][number as usize % 3];
            if number % 3 == 2 {
                head.triage.status = TriageStatus::Resolved;
                head.triage.resolution = Some(TriageResolution::FalsePositive);
            }
            // Those that were active last were created first.
            head.created_at = head.created_at.minus(std::time::Duration::from_secs(u64::from(number) * 10));
        });
        seed.write(world.ledger.as_ref()).await;
    }
    (world, tenant)
}

/// Numbers of the incidents in a list, as their titles have them.
async fn numbers(world: &World, tenant: &Tenant, query: &str) -> Vec<u32> {
    let body = world.get(&tenant.key, &format!("/incidents?{query}")).await.ok(200);
    let data = body["data"].as_array().unwrap();
    data.iter()
        .map(|one| one["title"].as_str().unwrap().rsplit(' ').next().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test]
async fn a_list_is_narrowed_by_state_and_time_and_put_in_three_orders() {
    let (world, tenant) = world().await;
    for (query, expected) in [
        ("", vec![5, 4, 3, 2, 1, 0]),
        ("sort=activity", vec![5, 4, 3, 2, 1, 0]),
        ("sort=created", vec![0, 1, 2, 3, 4, 5]),
        ("sort=severity", vec![4, 1, 5, 2, 3, 0]),
        ("sort=severity&limit=2&offset=3", vec![2, 3]),
        ("sort=created&offset=6", vec![]),
        ("state=open", vec![4, 3, 1, 0]),
        ("state=resolved&sort=created", vec![2, 5]),
        ("from=2026-07-08T09:00:04Z", vec![5, 4]),
        ("to=2026-07-08T09:00:01Z", vec![0]),
        ("from=2026-07-08T11:00:01%2B02:00&to=2026-07-08T09:00:03.001Z&state=open", vec![3, 1]),
        ("from=2026-07-08T09:00:03Z&to=2026-07-08T09:00:01Z", vec![]),
    ] {
        assert_eq!(numbers(&world, &tenant, query).await, expected, "{query}");
    }
    for query in ["sort=newest", "state=new", "from=yesterday", "to=2026-07-08", "buckets=3"] {
        world.get(&tenant.key, &format!("/incidents?{query}")).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_histogram_counts_by_last_activity_and_severity() {
    let (world, tenant) = world().await;
    let shown = async |query: &str| world.get(&tenant.key, &format!("/incidents/histogram?{query}")).await;
    let body = shown("from=2026-07-08T09:00:00Z&to=2026-07-08T09:00:06Z&buckets=3").await.ok(200);
    let severities = |low: u32, high: u32, critical: u32| json!({"unknown": 0, "low": low, "medium": 0, "high": high, "critical": critical});
    let bucket = |from: u32, severities: Value| {
        let at = |second: u32| format!("2026-07-08T09:00:0{second}.000Z");
        json!({"from": at(from), "to": at(from + 2), "total": 2, "severities": severities})
    };
    let expected = json!({
        "object": "histogram",
        "from": "2026-07-08T09:00:00.000Z",
        "to": "2026-07-08T09:00:06.000Z",
        "total": 6,
        "data": [
            bucket(0, severities(1, 0, 1)),
            bucket(2, severities(1, 1, 0)),
            bucket(4, severities(0, 1, 1)),
        ],
    });
    assert_eq!(body, expected);
    let narrowed =
        shown("from=2026-07-08T09:00:00Z&to=2026-07-08T09:00:06Z&state=open&severity=low").await.ok(200);
    assert_eq!((&narrowed["total"], narrowed["data"].as_array().unwrap().len()), (&json!(2), 24));
    let of_today = shown("to=2026-07-08T09:00:06Z").await.ok(200);
    assert_eq!((&of_today["from"], &of_today["total"]), (&json!("2026-07-07T09:00:06.000Z"), &json!(6)));
    for query in ["buckets=0", "buckets=201", "limit=1", "from=2026-07-08T10:00:00Z&to=2026-07-08T10:00:00Z"]
    {
        shown(query).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn facets_count_by_value_within_the_organization() {
    let (world, tenant) = world().await;
    let body = world.get(&tenant.key, "/incidents/facets").await.ok(200);
    let counts = |facet: &str| {
        let values = body[facet]["values"].as_array().unwrap();
        values.iter().map(|one| (one["value"].clone(), one["count"].clone())).collect::<Vec<_>>()
    };
    let of = |value: &str, count: u32| (json!(value), json!(count));
    assert_eq!(body["total"], 6);
    assert_eq!(counts("severity"), [of("critical", 2), of("high", 2), of("low", 2)]);
    assert_eq!(counts("triage_status"), [of("new", 4), of("resolved", 2)]);
    assert_eq!(counts("triage_resolution"), [of("false_positive", 2)]);
    assert_eq!(counts("environment"), [of("production", 6)]);
    let sources: Vec<_> =
        body["source"]["values"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!((sources, &body["source"]["other"]), (vec![&json!("first"), &json!("second")], &json!(0)));
    let open = world.get(&tenant.key, "/incidents/facets?state=open&q=FIRST").await.ok(200);
    assert_eq!(open["total"], 3);
    let other = world.tenant("other").await;
    assert_eq!(world.get(&other.key, "/incidents/facets").await.ok(200)["total"], 0);
    let narrowed = world.narrowed(&tenant, &["organization:read"]).await;
    for path in ["/incidents/facets", "/incidents/histogram"] {
        world.get(&narrowed, path).await.refused(403, "forbidden");
    }
    world.get(&tenant.key, "/incidents/facets?sort=created").await.refused(400, "invalid_request");
}
