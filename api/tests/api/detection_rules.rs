//! `/detection-rules`.

use std::time::Duration;

use common::ids::SourceId;
use common::partition::Partition;
use common::row::{self, RuleTally, SuspendedDocument};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::Method;
use ledger::{Kind, Ledger, LedgerId, Op, Range};
use serde_json::{Value, json};

use crate::harness::{Reply, Tenant, World, request, start};
use crate::seed::{commit, put};

const RULES: &str = "/detection-rules";
const YAML: &str = "title: Root logs in\nid: root-login\n";

fn path(rule: &Value) -> String {
    format!("{RULES}/{}", rule["id"].as_str().unwrap())
}

async fn put_rule(world: &World, tenant: &Tenant, path: &str, body: Value) -> Reply {
    world.send(request(Method::PUT, path, Some(&tenant.key), Some(body))).await
}

async fn create(world: &World, tenant: &Tenant, yaml: &str) -> Value {
    world.post(&tenant.key, RULES, json!({"yaml": yaml})).await.ok(201)
}

async fn total(world: &World, tenant: &Tenant) -> u64 {
    world.get(&tenant.key, RULES).await.ok(200)["pagination"]["total"].as_u64().unwrap()
}

#[tokio::test]
async fn a_rule_lives_from_post_to_delete() {
    let world = World::new();
    let tenant = world.tenant("life").await;
    let created = create(&world, &tenant, YAML).await;
    let expected = json!({
        "id": created["id"],
        "object": "detection_rule",
        "title": "Root logs in",
        "yaml": YAML,
        "enabled": true,
        "suspended": null,
        "sigma_ids": ["root-login"],
        "counts": {"routine": 0, "inconclusive": 0, "qualified": 0, "suppressed": 0, "last_at": null},
        "created_by": {"type": "key", "id": tenant.key_id.to_string(), "name": "life's key"},
        "created_at": "2026-07-08T09:00:00.000Z",
        "updated_at": "2026-07-08T09:00:00.000Z",
    });
    assert_eq!(created, expected);
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), created);

    world.clock.advance(Duration::from_secs(1));
    let body = json!({"yaml": YAML.replace("Root", "Somebody"), "enabled": false});
    let replaced = put_rule(&world, &tenant, &path(&created), body).await.ok(200);
    assert_eq!((&replaced["title"], &replaced["enabled"]), (&json!("Somebody logs in"), &json!(false)));
    assert_eq!(replaced["updated_at"], "2026-07-08T09:00:01.000Z");
    assert_eq!(replaced["created_by"], created["created_by"]);
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), replaced);
    let again = put_rule(&world, &tenant, &path(&created), json!({"yaml": YAML})).await.ok(200);
    assert_eq!(again["enabled"], true, "left out, it is true");

    let deleted = world.delete(&tenant.key, &path(&created)).await;
    assert_eq!((deleted.status.as_u16(), deleted.body.len()), (204, 0));
    world.get(&tenant.key, &path(&created)).await.refused(404, "not_found");
    world.delete(&tenant.key, &path(&created)).await.refused(404, "not_found");
    let gone = put_rule(&world, &tenant, &path(&created), json!({"yaml": YAML})).await;
    gone.refused(404, "not_found");
}

#[tokio::test]
async fn a_list_has_pages_newest_first() {
    let world = World::new();
    let tenant = world.tenant("pages").await;
    for number in 0..3 {
        world.clock.advance(Duration::from_millis(5));
        create(&world, &tenant, &format!("title: rule {number}\nid: {number}\n")).await;
    }
    let body = world.get(&tenant.key, &format!("{RULES}?limit=2")).await.ok(200);
    assert_eq!(body["pagination"], json!({"limit": 2, "offset": 0, "total": 3, "has_more": true}));
    assert_eq!((&body["data"][0]["title"], &body["data"][1]["title"]), (&json!("rule 2"), &json!("rule 1")));
    assert_eq!(body["data"][0]["yaml"], "title: rule 2\nid: 2\n");
    world.get(&tenant.key, &format!("{RULES}?enabled=true")).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn what_cannot_be_used_is_refused_with_lines_and_causes() {
    let world = World::new();
    let tenant = world.tenant("faults").await;
    let faulty = json!({"yaml": "title: x\nfault: unknown modifier\nfault: another"});
    let told = world.post(&tenant.key, RULES, faulty).await.refused(400, "invalid_request");
    assert_eq!(told, "yaml: line 2: unknown modifier; line 3: another");
    let many = format!("title: x\n{}", "fault: f\n".repeat(15));
    let told = world.post(&tenant.key, RULES, json!({"yaml": many})).await.refused(400, "invalid_request");
    assert!(told.ends_with("line 11: f; and 5 more"), "{told}");
    let long = format!("title: x\nid: x\n#{}", "x".repeat(64 * 1024));
    let told = world.post(&tenant.key, RULES, json!({"yaml": long})).await.refused(400, "invalid_request");
    assert!(told.starts_with("yaml: expected 1 to 65536 bytes"), "{told}");
    for body in [
        json!({}),
        json!({"yaml": ""}),
        json!({"yaml": 5}),
        json!({"yaml": YAML, "enabled": null}),
        json!({"yaml": YAML, "title": "x"}),
    ] {
        world.post(&tenant.key, RULES, body).await.refused(400, "invalid_request");
    }
    assert_eq!(total(&world, &tenant).await, 0);
    let created = create(&world, &tenant, YAML).await;
    let told = world.post(&tenant.key, RULES, json!({"yaml": YAML})).await.refused(400, "invalid_request");
    assert!(told.starts_with("yaml: line 2: id: is used by"), "{told}");
    let told = put_rule(&world, &tenant, &path(&created), json!({"yaml": "id: 1"})).await;
    assert_eq!(told.refused(400, "invalid_request"), "yaml: expected a title");
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200), created);
}

#[tokio::test]
async fn what_others_need_stays() {
    let world = World::new();
    let tenant = world.tenant("needs").await;
    let inner = create(&world, &tenant, YAML).await;
    let outer = create(&world, &tenant, "title: Many\nid: many\nneeds: root-login\n").await;
    let filter = json!({"yaml": "title: Ours\nid: ours\nneeds: root-login\n", "reason": "ours"});
    let filter = world.post(&tenant.key, "/suppressions", filter).await.ok(201);
    let told = world.delete(&tenant.key, &path(&inner)).await.refused(409, "conflict");
    for needed in [&outer, &filter] {
        assert!(told.contains(needed["id"].as_str().unwrap()), "{told}");
    }
    assert!(told.contains("(Many)") && told.contains("(Ours)"), "{told}");
    let disabled = json!({"yaml": YAML, "enabled": false});
    put_rule(&world, &tenant, &path(&inner), disabled).await.refused(409, "conflict");
    assert_eq!(world.delete(&tenant.key, &path(&outer)).await.status, 204);
    let suppression = format!("/suppressions/{}", filter["id"].as_str().unwrap());
    assert_eq!(world.delete(&tenant.key, &suppression).await.status, 204);
    assert_eq!(world.delete(&tenant.key, &path(&inner)).await.status, 204);
}

#[tokio::test]
async fn it_tells_what_a_rule_came_to_over_all_its_documents_and_sources() {
    let world = World::new();
    let (tenant, other) = (world.tenant("counts").await, world.tenant("others").await);
    let created = create(&world, &tenant, "title: Many\nid: Many\nid: each\n").await;
    let tally = |qualified, seconds| RuleTally {
        routine: 1,
        qualified,
        last_at: start().plus(Duration::from_secs(seconds)),
        ..RuleTally::default()
    };
    for (partition, owner, id, source, tally) in [
        (0, &tenant, "many", 1, tally(10, 3)),
        (1, &tenant, "many", 2, tally(20, 1)),
        (1, &tenant, "each", 2, RuleTally { suppressed: 7, ..tally(0, 2) }),
        (1, &tenant, "many-more", 2, tally(500, 60)),
        (2, &other, "many", 3, tally(500, 60)),
    ] {
        let key = row::rule_tally_key(owner.organization, id, SourceId::from_bytes([source; 16]));
        commit(world.ledger.as_ref(), Partition(partition), vec![put(Kind::State, key, &tally)]).await;
    }
    let counts = &world.get(&tenant.key, &path(&created)).await.ok(200)["counts"];
    let expected = json!({
        "routine": 3, "inconclusive": 0, "qualified": 30, "suppressed": 7,
        "last_at": "2026-07-08T09:00:03.000Z",
    });
    assert_eq!(counts, &expected);
}

#[tokio::test]
async fn a_suspended_rule_says_why_and_since_when() {
    let world = World::new();
    let (tenant, other) = (world.tenant("suspended").await, world.tenant("others").await);
    let created = create(&world, &tenant, "title: Many\nid: Many\n").await;
    assert_eq!(created["suspended"], Value::Null);
    for (partition, owner, seconds) in [(0, &tenant, 3), (1, &tenant, 1), (1, &other, 0)] {
        let document = SuspendedDocument {
            organization: owner.organization,
            sigma_id: "many".to_owned(),
            content_hash: "00".to_owned(),
            reason: "It took too many steps.".to_owned(),
            since: start().plus(Duration::from_secs(seconds)),
        };
        let key = [row::suspensions_prefix(owner.organization).as_slice(), &[7; 32]].concat();
        commit(world.ledger.as_ref(), Partition(partition), vec![put(Kind::State, key, &document)]).await;
    }
    let expected = json!({"reason": "It took too many steps.", "since": "2026-07-08T09:00:01.000Z"});
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200)["suspended"], expected);
    assert_eq!(world.get(&tenant.key, RULES).await.ok(200)["data"][0]["suspended"], expected);
    let id = created["id"].as_str().unwrap().to_owned();
    let reasons = [(id, "It cannot be used any more.".to_owned())].into();
    world.directory.note_unusable_documents(tenant.organization, &reasons).await.unwrap();
    let expected = json!({"reason": "It cannot be used any more.", "since": "2026-07-08T09:00:00.000Z"});
    assert_eq!(world.get(&tenant.key, &path(&created)).await.ok(200)["suspended"], expected);
}

#[tokio::test]
async fn replacing_a_suspended_rule_by_the_same_is_a_change_and_any_other_by_the_same_is_none() {
    let world = World::new();
    let tenant = world.tenant("resumed").await;
    let body = json!({"yaml": "title: Many\nid: many\n"});
    let created = create(&world, &tenant, "title: Many\nid: many\n").await;
    let versions = async || world.directory.own_detection_versions().await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    let before = versions().await;
    assert_eq!(put_rule(&world, &tenant, &path(&created), body.clone()).await.ok(200), created);
    assert_eq!(versions().await, before, "it was in force as it is");
    let document = SuspendedDocument {
        organization: tenant.organization,
        sigma_id: "many".to_owned(),
        content_hash: "00".to_owned(),
        reason: "It took too many steps.".to_owned(),
        since: start(),
    };
    let key = [row::suspensions_prefix(tenant.organization).as_slice(), &[7; 32]].concat();
    commit(world.ledger.as_ref(), Partition(0), vec![put(Kind::State, key, &document)]).await;
    let replaced = put_rule(&world, &tenant, &path(&created), body).await.ok(200);
    assert_eq!(replaced["updated_at"], "2026-07-08T09:00:01.000Z");
    assert!(versions().await > before, "the analyzers learn of it");
}

#[tokio::test]
async fn a_damaged_row_is_an_internal_error_and_the_other_rules_stay_readable() {
    let world = World::new();
    let tenant = world.tenant("damaged").await;
    let damaged = create(&world, &tenant, YAML).await;
    world.clock.advance(Duration::from_secs(1));
    let whole = create(&world, &tenant, "title: Two\nid: two\n").await;
    let id = LedgerId::Organization(tenant.organization);
    let range = Range { prefix: b"detection-rule/", ..Range::default() };
    let key = world.ledger.scan(id, Kind::Head, range, 1).await.unwrap()[0].key.clone();
    let seq = world.ledger.seq(id).await.unwrap();
    let row = Op::Put { kind: Kind::Head, key, body: "{\"id\":".into() };
    world.ledger.commit(id, seq, vec![row]).await.unwrap();
    world.get(&tenant.key, &path(&damaged)).await.refused(500, "internal_error");
    assert_eq!(world.get(&tenant.key, &path(&whole)).await.ok(200), whole);
    put_rule(&world, &tenant, &path(&damaged), json!({"yaml": YAML})).await.refused(500, "internal_error");
}

#[tokio::test]
async fn a_foreign_or_malformed_id_is_not_found() {
    let world = World::new();
    let (ours, theirs) = (world.tenant("ours").await, world.tenant("theirs").await);
    let rule = create(&world, &theirs, YAML).await;
    for id in [rule["id"].as_str().unwrap(), "7", "%ff"] {
        let path = format!("{RULES}/{id}");
        world.get(&ours.key, &path).await.refused(404, "not_found");
        put_rule(&world, &ours, &path, json!({"yaml": YAML})).await.refused(404, "not_found");
        world.delete(&ours.key, &path).await.refused(404, "not_found");
    }
    create(&world, &ours, YAML).await;
    assert_eq!((total(&world, &ours).await, total(&world, &theirs).await), (1, 1));
}

#[tokio::test]
async fn a_narrowed_key_manages_no_rules() {
    let world = World::new();
    let tenant = world.tenant("scopes").await;
    let rule = create(&world, &tenant, YAML).await;
    let reader = Tenant { key: world.narrowed(&tenant, &["rules:read"]).await, ..tenant };
    world.get(&reader.key, &path(&rule)).await.ok(200);
    world.get(&reader.key, RULES).await.ok(200);
    world.post(&reader.key, RULES, json!({"yaml": YAML})).await.refused(403, "forbidden");
    put_rule(&world, &reader, &path(&rule), json!({"yaml": YAML})).await.refused(403, "forbidden");
    world.delete(&reader.key, &path(&rule)).await.refused(403, "forbidden");
    let stranger = world.narrowed(&reader, &["sources:read", "incidents:read"]).await;
    world.get(&stranger, RULES).await.refused(403, "forbidden");
    world.get(&stranger, &path(&rule)).await.refused(403, "forbidden");
}

#[tokio::test]
async fn a_repeat_with_the_same_idempotency_key_creates_nothing_and_little_is_remembered() {
    let world = World::new();
    let tenant = world.tenant("idempotent").await;
    let yaml = format!("{YAML}# \"quoted\" {}\n", "x".repeat(60_000));
    let send = async |key: &str, yaml: &str| {
        let mut request = request(Method::POST, RULES, Some(&tenant.key), Some(json!({"yaml": yaml})));
        request.headers_mut().insert("idempotency-key", key.parse().unwrap());
        world.send(request).await
    };
    let first = send("k", &yaml).await;
    let again = send("k", &yaml).await;
    assert_eq!(again.ok(201), first.ok(201));
    assert_eq!(
        (again.ok(201)["yaml"].as_str(), again.header("idempotency-replayed")),
        (Some(&*yaml), "true")
    );
    send("k", YAML).await.refused(400, "invalid_request");
    assert_eq!(total(&world, &tenant).await, 1);
    let range = Range { prefix: b"idempotency/", ..Range::default() };
    let ledger = LedgerId::Organization(tenant.organization);
    let rows = world.ledger.scan(ledger, Kind::State, range, 10).await.unwrap();
    assert!(rows.iter().all(|row| row.body.len() < 2_000), "the YAML is not remembered once more");
}

#[tokio::test(start_paused = true)]
async fn checks_take_turns_and_waiting_has_an_end() {
    let world = World::new();
    let tenant = world.tenant("turns").await;
    let release = world.checker.hold_next();
    let first = world.post(&tenant.key, RULES, json!({"yaml": YAML}));
    let second = async {
        tokio::time::advance(Duration::from_millis(1)).await;
        let waiting = world.post(&tenant.key, RULES, json!({"yaml": "title: Two\nid: two\n"}));
        let patience = async {
            tokio::time::advance(Duration::from_secs(11)).await;
            std::future::pending::<()>().await;
        };
        let reply = tokio::select! {
            // It begins to wait before time passes.
            biased;
            reply = waiting => reply,
            () = patience => unreachable!(),
        };
        release.send(()).unwrap();
        reply
    };
    let (first, second) = tokio::join!(first, second);
    second.refused(503, "service_unavailable");
    assert_eq!(second.header("retry-after"), "2");
    first.ok(201);
    create(&world, &tenant, "title: Two\nid: two\n").await;
}

#[tokio::test]
async fn an_organization_with_too_many_checks_is_told_that_it_has() {
    let world = World::new();
    let tenant = world.tenant("many").await;
    let release = world.checker.hold_next();
    // One runs, sixteen wait.
    let post = async |number: u32| {
        let yaml = format!("title: One of many\nid: of-many-{number}\n");
        world.post(&tenant.key, RULES, json!({"yaml": yaml})).await
    };
    let mut all: FuturesUnordered<_> = (0..18).map(post).collect();
    let first = all.next().await.unwrap();
    let told = first.refused(429, "rate_limited");
    assert!(told.contains("checks of this organization's rules are waiting"), "{told}");
    assert_eq!(first.header("retry-after"), "5");
    release.send(()).unwrap();
    while let Some(reply) = all.next().await {
        reply.ok(201);
    }
    assert_eq!(total(&world, &tenant).await, 17);
}

#[tokio::test]
async fn a_check_of_one_organization_keeps_no_other_waiting() {
    let world = World::new();
    let (slow, other) = (world.tenant("slow").await, world.tenant("other").await);
    let release = world.checker.hold_next();
    let first = world.post(&slow.key, RULES, json!({"yaml": YAML}));
    let second = async {
        while world.checker.is_to_hold() {
            tokio::task::yield_now().await;
        }
        let reply = world.post(&other.key, RULES, json!({"yaml": YAML})).await;
        release.send(()).unwrap();
        reply
    };
    let (first, second) = tokio::join!(first, second);
    second.ok(201);
    first.ok(201);
}

#[tokio::test]
async fn a_check_that_takes_too_long_is_given_up() {
    let world = World::new();
    let tenant = world.tenant("long").await;
    let release = world.checker.hold_next();
    let checked = world.post(&tenant.key, RULES, json!({"yaml": YAML}));
    let later = async {
        // The check has begun once nothing is left to hold.
        while world.checker.is_to_hold() {
            tokio::task::yield_now().await;
        }
        world.clock.advance(Duration::from_secs(6));
        release.send(()).unwrap();
    };
    let (checked, ()) = tokio::join!(checked, later);
    checked.refused(503, "service_unavailable");
    assert_eq!(total(&world, &tenant).await, 0);
    create(&world, &tenant, YAML).await;
}

#[tokio::test]
async fn checks_made_anew_have_no_more_time_together_than_one() {
    let world = World::new();
    let tenant = world.tenant("again").await;
    let neighbour = world.neighbour();
    let release = world.checker.hold_next();
    let ours = world.post(&tenant.key, RULES, json!({"yaml": YAML}));
    let begun = async || {
        while world.checker.is_to_hold() {
            tokio::task::yield_now().await;
        }
    };
    let theirs = async {
        begun().await;
        world.clock.advance(Duration::from_secs(3));
        neighbour.post(&tenant.key, RULES, json!({"yaml": "title: Two\nid: two\n"})).await.ok(201);
        let release_again = world.checker.hold_next();
        release.send(()).unwrap();
        begun().await;
        world.clock.advance(Duration::from_secs(3));
        release_again.send(()).unwrap();
    };
    let (ours, ()) = tokio::join!(ours, theirs);
    ours.refused(503, "service_unavailable");
    assert_eq!(total(&world, &tenant).await, 1);
}

#[tokio::test]
async fn rules_that_change_in_another_process_meanwhile_are_checked_anew() {
    let world = World::new();
    let tenant = world.tenant("processes").await;
    let neighbour = world.neighbour();
    let release = world.checker.hold_next();
    let ours = world.post(&tenant.key, RULES, json!({"yaml": YAML}));
    let theirs = async {
        let reply = neighbour.post(&tenant.key, RULES, json!({"yaml": YAML})).await;
        release.send(()).unwrap();
        reply
    };
    let (ours, theirs) = tokio::join!(ours, theirs);
    theirs.ok(201);
    let told = ours.refused(400, "invalid_request");
    assert!(told.contains("is used by"), "{told}");
    assert_eq!(total(&world, &tenant).await, 1);
}

#[tokio::test]
async fn a_rule_is_tested_on_events_and_nothing_is_stored() {
    let world = World::new();
    let tenant = world.tenant("trial").await;
    let path = "/detection-rules/test";
    let yaml = "title: A shell\nid: own-shell\nmatches: shell\n";
    let events = json!([{"message": "nothing"}, {"message": "a shell"}]);
    let tested = world.post(&tenant.key, path, json!({"yaml": yaml, "events": events})).await.ok(200);
    let expected = json!([{"event": 1, "rule_id": "own-shell", "title": "A shell", "level": "high"}]);
    assert_eq!(tested, json!({"matches": expected}));
    assert_eq!(world.get(&tenant.key, "/detection-rules").await.ok(200)["data"], json!([]));
    for (body, expected) in [
        (json!({"yaml": yaml, "events": []}), "events: expected 1 to 100, found 0"),
        (json!({"yaml": yaml, "events": vec![json!({}); 101]}), "events: expected 1 to 100, found 101"),
        (json!({"yaml": yaml, "events": ["text"]}), "expected a map"),
        (json!({"yaml": "fault: it is wrong\ntitle: x\n", "events": events}), "it is wrong"),
    ] {
        let message = world.post(&tenant.key, path, body).await.refused(400, "invalid_request");
        assert!(message.contains(expected), "{message}");
    }
    let narrowed = world.narrowed(&tenant, &["incidents:read"]).await;
    world.post(&narrowed, path, json!({"yaml": yaml, "events": events})).await.refused(403, "forbidden");
}
