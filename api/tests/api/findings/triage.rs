//! `POST /findings/{finding_id}/triage`.

use credits::Plan;
use engine::Level;
use http::Method;
use serde_json::{Value, json};

use super::observed::seed;
use crate::harness::{Tenant, World, request};

async fn one(world: &World, tenant: &Tenant) -> String {
    let ids = seed(world, tenant, &[("/search", Level::Medium)]).await;
    format!("/findings/{}", ids[0])
}

async fn balance(world: &World, tenant: &Tenant) -> Value {
    world.get(&tenant.key, "/organization").await.ok(200)["credits"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_finding_that_no_engine_can_replay_is_unverifiable_and_costs_nothing() {
    let world = World::new();
    let tenant = world.tenant("triage").await;
    world.kit.credits.set_plan(tenant.organization, Plan::Limited(3)).await.unwrap();
    let path = one(&world, &tenant).await;
    let accepted =
        world.send(request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None)).await;
    let data = &accepted.ok(202)["data"];
    assert_eq!((&data["object"], &data["triage_status"]), (&"finding".into(), &"triaging".into()));
    assert_eq!(balance(&world, &tenant).await["reserved"], 1);
    let second = world.send(request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None)).await;
    second.refused(409, "conflict");
    assert_eq!(balance(&world, &tenant).await["reserved"], 1, "a refused request reserves nothing");
    world.work().await;
    let detail = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(detail["triage_status"], "triaged");
    assert_eq!(detail["triage"]["verification_status"], "unverifiable");
    assert!(detail["triage"]["error"].is_null());
    assert_eq!(detail["history"][0]["change"], "triage_completed");
    world.one_poll_later().await;
    let credits = balance(&world, &tenant).await;
    assert_eq!(
        (&credits["reserved"], &credits["balance"], &credits["used_this_period"]),
        (&0.into(), &3.into(), &0.into())
    );
}

#[tokio::test(start_paused = true)]
async fn a_balance_that_is_too_low_is_402_and_leaves_the_finding() {
    let world = World::new();
    let tenant = world.tenant("poor").await;
    let path = one(&world, &tenant).await;
    world.kit.credits.set_plan(tenant.organization, Plan::Limited(0)).await.unwrap();
    let reply = world.send(request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None)).await;
    reply.refused(402, "invalid_request");
    assert_eq!(world.get(&tenant.key, &path).await.ok(200)["triage_status"], "new");
}

#[tokio::test(start_paused = true)]
async fn a_manual_review_wins_over_a_running_triage_whose_result_is_kept() {
    let world = World::new();
    let tenant = world.tenant("manual").await;
    let path = one(&world, &tenant).await;
    world.send(request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None)).await.ok(202);
    world.patch(&tenant.key, &path, json!({"triage_status": "in_progress"})).await.ok(200);
    world.work().await;
    let detail = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(detail["triage"]["verification_status"], "unverifiable");
    assert_eq!(detail["triage_status"], "in_progress");
}

#[tokio::test(start_paused = true)]
async fn a_resolved_finding_is_a_conflict_and_a_deleted_one_returns_its_credit() {
    let world = World::new();
    let tenant = world.tenant("resolved").await;
    world.kit.credits.set_plan(tenant.organization, Plan::Limited(3)).await.unwrap();
    let path = one(&world, &tenant).await;
    let resolved = json!({"triage_status": "resolved", "triage_resolution": "fixed"});
    world.patch(&tenant.key, &path, resolved).await.ok(200);
    let triage = || request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None);
    world.send(triage()).await.refused(409, "conflict");
    world.patch(&tenant.key, &path, json!({"triage_status": "new"})).await.ok(200);
    world.send(triage()).await.ok(202);
    assert_eq!(world.delete(&tenant.key, &path).await.status, 204);
    assert_eq!(balance(&world, &tenant).await["reserved"], 0);
    world.work().await;
    world.one_poll_later().await;
    assert_eq!(balance(&world, &tenant).await["balance"], 3);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_request_with_a_key_is_answered_with_the_first_reply() {
    let world = World::new();
    let tenant = world.tenant("keyed").await;
    let path = one(&world, &tenant).await;
    let keyed = || {
        let mut request = request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None);
        request.headers_mut().insert("idempotency-key", "triage-1".parse().unwrap());
        request
    };
    let first = world.send(keyed()).await;
    let second = world.send(keyed()).await;
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    assert_eq!(second.header("idempotency-replayed"), "true");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_request_queues_no_second_triage_after_the_first_has_ended() {
    let world = World::new();
    let tenant = world.tenant("ended").await;
    let path = one(&world, &tenant).await;
    let id = path.rsplit('/').next().unwrap().parse().unwrap();
    let (request, actor) = (uuid::Uuid::from_u128(5), records::Actor::system("test"));
    let (at, billing) = (world.kit.clock.now(), world.billing());
    let findings = world.findings();
    let asked = async || {
        let parts = (world.jobs.as_ref(), &billing);
        findings.request_triage(parts, (tenant.organization, id), request, (&actor, at)).await.unwrap()
    };
    assert_eq!(asked().await.version, 2);
    world.work().await;
    let version = asked().await.version;
    world.work().await;
    assert_eq!(asked().await.version, version, "nothing has changed since");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_triage_returns_the_credit_and_the_status_held_before() {
    let world = World::new();
    let tenant = world.tenant("cancelled").await;
    world.kit.credits.set_plan(tenant.organization, Plan::Limited(3)).await.unwrap();
    let path = one(&world, &tenant).await;
    world.patch(&tenant.key, &path, json!({"triage_status": "in_progress"})).await.ok(200);
    world.send(request(Method::POST, &format!("{path}/triage"), Some(&tenant.key), None)).await.ok(202);
    let listed = world.jobs.list(Some(tenant.organization), 10).await.unwrap();
    let jobs::Listed::Unfinished(job) = &listed[0] else { panic!("{listed:?}") };
    assert!(world.jobs.cancel(job.id).await.unwrap());
    world.work().await;
    let detail = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(detail["triage_status"], "in_progress");
    assert_eq!(detail["triage"]["error"], "the triage was cancelled");
    assert!(detail["triage"]["verification_status"].is_null());
    assert_eq!(detail["history"][0]["change"], "triage_failed");
    assert_eq!(balance(&world, &tenant).await["reserved"], 0);
}
