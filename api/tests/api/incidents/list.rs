//! `GET /incidents`.

use std::time::Duration;

use common::incident::Triage;
use common::partition::Partition;
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use directory::Source;
use ledger::{LedgerId, Seq};
use serde_json::{Value, json};

use crate::harness::{PARTITIONS, Tenant, World, start};
use crate::seed::{Seed, commit, delete_head};

fn ids(body: &Value) -> Vec<String> {
    let incidents = body["data"].as_array().unwrap();
    incidents.iter().map(|incident| incident["id"].as_str().unwrap().to_owned()).collect()
}

async fn listed(world: &World, tenant: &Tenant, query: &str) -> Vec<String> {
    let body = world.get(&tenant.key, &format!("/incidents{query}")).await.ok(200);
    assert_eq!(body["pagination"]["total"], body["data"].as_array().unwrap().len());
    ids(&body)
}

#[tokio::test]
async fn an_empty_list_is_a_list() {
    let world = World::new();
    let tenant = world.tenant("empty").await;
    let body = world.get(&tenant.key, "/incidents").await.ok(200);
    let pagination = json!({"limit": 25, "offset": 0, "total": 0, "has_more": false});
    assert_eq!(body, json!({"data": [], "pagination": pagination}));
}

#[tokio::test]
async fn a_summary_has_all_its_fields() {
    let world = World::new();
    let tenant = world.tenant("summary").await;
    let source = world.source(&tenant, "bastion").await;
    let seed = Seed::new(&source, 7).write(world.ledger.as_ref()).await;
    let body = world.get(&tenant.key, "/incidents").await.ok(200);
    let expected = json!({
        "id": seed.id().to_string(),
        "object": "incident",
        "title": "Failed logins number 7",
        "severity": "medium",
        "triage_status": "new",
        "triage_resolution": null,
        "triage_version": 1,
        "source": {"id": source.id.to_string(), "name": "bastion"},
        "application_group": "default",
        "environment": "production",
        "entity": {"kind": "client.address", "value": "203.0.113.7"},
        "event_count": 10,
        "first_seen_at": "2026-07-08T09:00:07.000Z",
        "last_activity_at": "2026-07-08T09:00:07.000Z",
        "created_at": "2026-07-08T09:00:07.000Z",
        "updated_at": "2026-07-08T09:00:07.000Z",
    });
    assert_eq!(body["data"], json!([expected]));
}

#[tokio::test]
async fn newest_activity_comes_first_then_the_larger_id() {
    let world = World::new();
    let tenant = world.tenant("order").await;
    let sources = [world.source(&tenant, "one").await, world.source(&tenant, "two").await];
    let mut expected = Vec::new();
    for number in 0..12 {
        // Three moments; within one, differences below a millisecond, which nobody can see, do not order.
        let at = start()
            .plus(Duration::from_millis(u64::from(number % 3)) + Duration::from_nanos(u64::from(number)));
        let seed =
            Seed::new(&sources[number as usize % 2], number).active_at(at).write(world.ledger.as_ref()).await;
        expected.push((at.as_millis(), seed.id()));
    }
    expected.sort_unstable();
    let expected: Vec<String> = expected.iter().rev().map(|(_, id)| id.to_string()).collect();
    assert_eq!(listed(&world, &tenant, "").await, expected);
}

#[tokio::test]
async fn pages_join_without_gaps_and_totals_are_exact() {
    let world = World::new();
    let tenant = world.tenant("pages").await;
    let source = world.source(&tenant, "one").await;
    for number in 0..60 {
        Seed::new(&source, number).write(world.ledger.as_ref()).await;
    }
    let whole = listed(&world, &tenant, "?limit=100").await;
    assert_eq!(whole.len(), 60);
    let mut joined = Vec::new();
    for (offset, more) in [(0, true), (25, true), (50, false)] {
        let body = world.get(&tenant.key, &format!("/incidents?offset={offset}")).await.ok(200);
        assert_eq!(body["pagination"], json!({"limit": 25, "offset": offset, "total": 60, "has_more": more}));
        joined.extend(ids(&body));
    }
    assert_eq!(joined, whole);
    let body = world.get(&tenant.key, "/incidents?offset=1000000&limit=1").await.ok(200);
    assert_eq!(body["pagination"], json!({"limit": 1, "offset": 1_000_000, "total": 60, "has_more": false}));
    let body = world.get(&tenant.key, "/incidents?limit=35&offset=25&severity=medium").await.ok(200);
    assert_eq!(body["pagination"]["has_more"], false, "the last page is full");
    assert_eq!(ids(&body), whole[25..]);
}

#[tokio::test]
async fn each_filter_narrows_and_all_of_them_join() {
    let world = World::new();
    let tenant = world.tenant("filters").await;
    let (one, two) = (world.source(&tenant, "one").await, world.source(&tenant, "two").await);
    let change = |source: &mut Source| {
        source.application_group = "pay & go".to_owned();
        source.environment = "staging".to_owned();
        Ok(())
    };
    let two = world.directory.sources().update(tenant.organization, two.id, change).await.unwrap();
    let ledger = world.ledger.as_ref();
    let plain = Seed::new(&one, 1).write(ledger).await.id().to_string();
    let high = Seed::new(&one, 2).with(|head| head.analysis.severity = Severity::High).write(ledger).await;
    let triage = Triage {
        status: TriageStatus::Resolved,
        resolution: Some(TriageResolution::WontFix),
        ..Triage::default()
    };
    let resolved = Seed::new(&two, 3).with(|head| head.triage = triage).write(ledger).await;
    let (high, resolved) = (high.id().to_string(), resolved.id().to_string());

    let source = format!("?source_id={}", two.id);
    for (query, expected) in [
        ("?severity=high", vec![&high]),
        ("?severity=unknown", vec![]),
        ("?triage_status=new", vec![&high, &plain]),
        ("?triage_status=resolved", vec![&resolved]),
        ("?triage_status=triaging", vec![]),
        ("?triage_resolution=wont_fix", vec![&resolved]),
        ("?triage_resolution=fixed", vec![]),
        (source.as_str(), vec![&resolved]),
        ("?source_id=67e55044-10b1-426f-9247-bb680e5fe0c8", vec![]),
        ("?application_group=pay+%26+go", vec![&resolved]),
        ("?application_group=pay", vec![]),
        ("?environment=production", vec![&high, &plain]),
        ("?environment=staging&severity=medium&triage_status=resolved&q=number", vec![&resolved]),
        ("?environment=staging&severity=high", vec![]),
    ] {
        assert_eq!(
            listed(&world, &tenant, query).await,
            expected.into_iter().cloned().collect::<Vec<_>>(),
            "{query}"
        );
    }
}

#[tokio::test]
async fn q_is_literal_text_in_any_case_over_five_fields() {
    let world = World::new();
    let tenant = world.tenant("search").await;
    let source = world.source(&tenant, "Bastion ÄÖÜ").await;
    let ledger = world.ledger.as_ref();
    let titled =
        |number, title: &str| Seed::new(&source, number).with(|head| head.analysis.title = title.to_owned());
    let percent = titled(1, "CPU at 100% of_load").write(ledger).await.id().to_string();
    let plain = titled(2, "CPU at 1000 ofXload").with(|head| head.entity.value = "Host-B".to_owned());
    let plain = plain
        .with(|head| head.application_group = "Checkout".to_owned())
        .write(ledger)
        .await
        .id()
        .to_string();

    for (q, expected) in [
        ("100%25", vec![&percent]),
        ("100%", vec![&percent]),
        ("%25", vec![&percent]),
        ("of_load", vec![&percent]),
        ("_", vec![&percent]),
        ("cpu+AT", vec![&plain, &percent]),
        ("", vec![&plain, &percent]),
        ("hOST-b", vec![&plain]),
        ("203.0.113.1", vec![&percent]),
        ("checkout", vec![&plain]),
        ("DEFAULT", vec![&percent]),
        ("PRODUCT", vec![&plain, &percent]),
        ("bastion+%C3%A4%C3%B6%C3%BC", vec![&plain, &percent]),
        ("loadHost", vec![]),
        ("client.address", vec![]),
        ("Ten+logins", vec![]),
        (".*", vec![]),
    ] {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(listed(&world, &tenant, &format!("?q={q}")).await, expected, "{q}");
    }
    let longest = "%C3%A4".repeat(1000);
    assert!(listed(&world, &tenant, &format!("?q={longest}")).await.is_empty());
    world.get(&tenant.key, &format!("/incidents?q={longest}a")).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn the_name_of_a_source_is_the_one_it_has_now() {
    let world = World::new();
    let tenant = world.tenant("names").await;
    let source = world.source(&tenant, "before").await;
    let seed = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    assert_eq!(listed(&world, &tenant, "?q=before").await, [seed.id().to_string()]);
    let path = format!("/infrastructure/sources/{}", source.id);
    world.patch(&tenant.key, &path, json!({"name": "after"})).await.ok(200);
    assert!(listed(&world, &tenant, "?q=before").await.is_empty());
    assert_eq!(listed(&world, &tenant, "?q=after").await, [seed.id().to_string()]);
    assert_eq!(world.delete(&tenant.key, &path).await.status, 204);
    let body = world.get(&tenant.key, "/incidents").await.ok(200);
    assert_eq!(body["data"][0]["source"], json!({"id": source.id.to_string(), "name": null}));
}

#[tokio::test]
async fn what_is_not_a_query_is_refused() {
    let world = World::new();
    let tenant = world.tenant("strict").await;
    let long = |name: &str, length: usize| format!("{name}={}", "x".repeat(length));
    for query in [
        "limit=0",
        "limit=101",
        "limit=",
        "limit=ten",
        "limit=1.0",
        "limit=%2B5",
        "offset=-1",
        "offset=1000001",
        "severity=HIGH",
        "severity=",
        "triage_status=open",
        "triage_resolution=done",
        "source_id=7",
        "source_id=67e5504410b1426f9247bb680e5fe0c8",
        "application_group=",
        "environment=",
        &long("application_group", 101),
        &long("environment", 51),
        &long("q", 1001),
        "limit=1&limit=1",
        "q=a&q=b",
        "%71=a&q=b",
        "colour=red",
        "q=%ff",
        "Limit=1",
        "=",
        "limit=1&&x",
    ] {
        let reply = world.get(&tenant.key, &format!("/incidents?{query}")).await;
        reply.refused(400, "invalid_request");
    }
    let message = world.get(&tenant.key, "/incidents?limit=0").await.refused(400, "invalid_request");
    assert_eq!(message, "the query parameter `limit` must be a whole number from 1 to 100, found `0`");
    let boundary = format!("{}&{}", long("application_group", 100), long("environment", 50));
    world.get(&tenant.key, &format!("/incidents?limit=100&{boundary}")).await.ok(200);
}

#[tokio::test]
async fn a_list_shows_nothing_of_another_organization() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let their_source = world.source(&theirs, "secret name").await;
    let seed = Seed::new(&their_source, 1).write(world.ledger.as_ref()).await;
    assert_eq!(listed(&world, &theirs, "").await, [seed.id().to_string()]);
    for query in ["", "?q=secret", "?q=logins", &format!("?source_id={}", their_source.id)] {
        assert!(listed(&world, &ours, query).await.is_empty(), "{query}");
    }
    // A head that claims an owner other than its key's shows up with neither.
    let stray = Seed::new(&their_source, 2);
    let mut ops = stray.ops();
    let claimed = stray.clone().with(|head| head.organization = ours.organization);
    let key = common::row::incident_key(theirs.organization, stray.id());
    ops.push(crate::seed::put(ledger::Kind::Head, key, &claimed.head));
    commit(world.ledger.as_ref(), stray.id().partition(), ops).await;
    let fresh = world.neighbour();
    assert!(listed(&fresh, &ours, "").await.is_empty());
    assert_eq!(listed(&fresh, &theirs, "").await, [seed.id().to_string()]);
}

#[tokio::test(start_paused = true)]
async fn what_others_commit_shows_one_poll_later() {
    let world = World::new();
    let tenant = world.tenant("fresh").await;
    let source = world.source(&tenant, "one").await;
    assert!(listed(&world, &tenant, "").await.is_empty());
    let first = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    let second = Seed::new(&source, 2).write(world.ledger.as_ref()).await;
    world.one_poll_later().await;
    assert_eq!(listed(&world, &tenant, "").await, [second.id().to_string(), first.id().to_string()]);

    let later = start().plus(Duration::from_secs(60));
    first.clone().active_at(later).write(world.ledger.as_ref()).await;
    let gone = vec![delete_head(tenant.organization, second.id())];
    commit(world.ledger.as_ref(), second.id().partition(), gone).await;
    world.one_poll_later().await;
    let body = world.get(&tenant.key, "/incidents").await.ok(200);
    assert_eq!(ids(&body), [first.id().to_string()]);
    assert_eq!(body["data"][0]["last_activity_at"], later.to_iso());
}

#[tokio::test(start_paused = true)]
async fn a_gap_in_the_feed_reloads_the_partition() {
    let world = World::new();
    let tenant = world.tenant("gap").await;
    let source = world.source(&tenant, "one").await;
    let kept = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    let gone = Seed::new(&source, 2).write(world.ledger.as_ref()).await;
    assert_eq!(listed(&world, &tenant, "").await.len(), 2);

    let partition = Partition::of_source(source.id, PARTITIONS);
    let ops = vec![delete_head(tenant.organization, gone.id())];
    commit(world.ledger.as_ref(), partition, ops).await;
    let new = Seed::new(&source, 3).write(world.ledger.as_ref()).await;
    world.ledger.memory.truncate_feed(LedgerId::Partition(partition), Seq(3));
    world.one_poll_later().await;
    assert_eq!(listed(&world, &tenant, "").await, [new.id().to_string(), kept.id().to_string()]);
    // And the feed is followed again.
    let newest = Seed::new(&source, 4).write(world.ledger.as_ref()).await;
    world.one_poll_later().await;
    assert_eq!(listed(&world, &tenant, "").await[0], newest.id().to_string());
}

#[tokio::test(start_paused = true)]
async fn an_index_is_loaded_once_and_dropped_when_idle() {
    let world = World::new();
    let tenant = world.tenant("idle").await;
    let source = world.source(&tenant, "one").await;
    Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    assert_eq!(listed(&world, &tenant, "").await.len(), 1);
    let scans = world.ledger.head_scans();
    world.one_poll_later().await;
    assert_eq!(listed(&world, &tenant, "").await.len(), 1);
    assert_eq!(world.ledger.head_scans(), scans, "still loaded");
    world.clock.advance(Duration::from_secs(15 * 60));
    world.one_poll_later().await;
    assert_eq!(listed(&world, &tenant, "").await.len(), 1);
    assert_eq!(world.ledger.head_scans(), 2 * scans, "loaded anew");
}

#[tokio::test(start_paused = true)]
async fn memory_for_one_organization_is_taken_from_the_least_recently_used() {
    let mut config = api::Config::default();
    config.index.memory_bytes = 24_000;
    config.index.organization_bytes = 20_000;
    let world = World::with(config);
    let mut tenants = Vec::new();
    for name in ["first", "second"] {
        let tenant = world.tenant(name).await;
        let source = world.source(&tenant, "one").await;
        for number in 0..25 {
            Seed::new(&source, number).write(world.ledger.as_ref()).await;
        }
        tenants.push(tenant);
    }
    let [first, second] = tenants.as_slice() else { unreachable!() };
    assert_eq!(listed(&world, first, "?limit=100").await.len(), 25);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(listed(&world, second, "?limit=100").await.len(), 25);
    let scans = world.ledger.head_scans();
    assert_eq!(listed(&world, second, "?limit=100").await.len(), 25);
    assert_eq!(world.ledger.head_scans(), scans, "the one used last stays");
    assert_eq!(listed(&world, first, "?limit=100").await.len(), 25);
    assert!(world.ledger.head_scans() > scans, "the other was dropped");
}

#[tokio::test]
async fn beyond_its_budget_an_organization_sees_the_newest_part_and_is_told() {
    let mut config = api::Config::default();
    config.index.organization_bytes = 8_000;
    let world = World::with(config);
    let tenant = world.tenant("large").await;
    let sources = [world.source(&tenant, "one").await, world.source(&tenant, "two").await];
    let mut all = Vec::new();
    for number in 0..40 {
        let seed = Seed::new(&sources[number as usize % 2], number).write(world.ledger.as_ref()).await;
        all.insert(0, seed.id().to_string());
    }
    let body = world.get(&tenant.key, "/incidents?limit=100").await.ok(200);
    let kept = ids(&body);
    assert!((5..40).contains(&kept.len()), "{}", kept.len());
    assert_eq!(kept, all[..kept.len()]);
    assert_eq!(body["pagination"]["index_truncated"], true);
    assert_eq!(body["pagination"]["total"], kept.len());
    // The rest is there all the same.
    world.get(&tenant.key, &format!("/incidents/{}", all[39])).await.ok(200);
}

#[tokio::test]
async fn an_unreadable_head_is_left_out() {
    let world = World::new();
    let tenant = world.tenant("unreadable").await;
    let source = world.source(&tenant, "one").await;
    let good = Seed::new(&source, 1).write(world.ledger.as_ref()).await;
    let bad = Seed::new(&source, 2);
    let key = common::row::incident_key(tenant.organization, bad.id());
    let op = ledger::Op::Put { kind: ledger::Kind::Head, key: key.into(), body: b"\x07{}".as_slice().into() };
    commit(world.ledger.as_ref(), bad.id().partition(), vec![op]).await;
    assert_eq!(listed(&world, &tenant, "").await, [good.id().to_string()]);
    world.get(&tenant.key, &bad.path()).await.refused(500, "internal_error");
}
