//! Webhooks of the code host, and the job that they queue.

use std::time::Duration;

use axum::body::Body;
use code_host::{HostError, installations};
use http::Request;
use ring::hmac;
use serde_json::{Value, json};

use super::{connect, hosted, id, names};
use crate::harness::{Reply, WEBHOOK_SECRET, World, installation_of};

fn signature(secret: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let digits: Vec<String> =
        hmac::sign(&key, body.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={}", digits.concat())
}

fn event(name: &str, delivery: &str, body: &str) -> Request<Body> {
    Request::post("/webhooks/github")
        .header("content-type", "application/json")
        .header("x-github-event", name)
        .header("x-github-delivery", delivery)
        .header("x-hub-signature-256", signature(WEBHOOK_SECRET, body))
        .body(Body::from(body.to_owned()))
        .unwrap()
}

pub(super) async fn deliver(world: &World, name: &str, delivery: &str, body: &Value) -> Reply {
    world.send(event(name, delivery, &body.to_string())).await
}

#[tokio::test]
async fn an_event_is_believed_only_with_a_signature_over_its_bytes() {
    let world = World::new();
    let tenant = world.tenant("signed").await;
    world.code_host.put(id(7), vec![]);
    connect(&world, &tenant, 7).await;
    world.work().await;
    let body = json!({"installation": {"id": 7}}).to_string();
    let right = signature(WEBHOOK_SECRET, &body);
    let with = |signatures: &[&str], body: &str| {
        let mut request = event("installation", "1", body);
        request.headers_mut().remove("x-hub-signature-256");
        for signature in signatures {
            request.headers_mut().append("x-hub-signature-256", signature.parse().unwrap());
        }
        request
    };
    let other = signature("another secret", &body);
    let (short, long) = (&right[..right.len() - 2], format!("{right}00"));
    let sha1 = right.replace("sha256=", "sha1=");
    let wrong: [&[&str]; 8] =
        [&[], &[&other], &[short], &[&long], &[&sha1], &["sha256="], &["x"], &[&right, &right]];
    for signatures in wrong {
        world.send(with(signatures, &body)).await.refused(401, "unauthorized");
    }
    world.send(with(&[&right], &format!("{body} "))).await.refused(401, "unauthorized");
    assert_eq!(world.code_host.listings(), 1, "nothing was queued");
    world.send(with(&[&right.to_uppercase().replace("SHA", "sha")], &body)).await.ok(202);
    for body in ["", "[]", "{", r#"{"installation": {"id": "7"}}"#] {
        world.send(event("installation", "2", body)).await.refused(400, "invalid_request");
    }
    for header in ["x-github-event", "x-github-delivery"] {
        let mut request = event("installation", "3", &body);
        request.headers_mut().remove(header);
        let message = world.send(request).await.refused(400, "invalid_request");
        assert!(message.contains(header), "{message}");
    }
    let mut form = event("installation", "4", &body);
    form.headers_mut().insert("content-type", "application/x-www-form-urlencoded".parse().unwrap());
    world.send(form).await.refused(415, "invalid_request");
    let large = format!("{{\"a\": \"{}\"}}", "a".repeat(1024 * 1024));
    world.send(event("installation", "5", &large)).await.refused(413, "invalid_request");
}

#[tokio::test]
async fn an_event_is_handled_once_within_three_days() {
    let world = World::new();
    let tenant = world.tenant("once").await;
    world.code_host.put(id(7), vec![]);
    connect(&world, &tenant, 7).await;
    world.work().await;
    assert_eq!(world.code_host.listings(), 1);
    let body = json!({"action": "added", "installation": {"id": 7}});
    let send = async |delivery: &str| {
        assert_eq!(
            deliver(&world, "installation_repositories", delivery, &body).await.ok(202)["accepted"],
            true
        );
        world.work().await;
        world.code_host.listings()
    };
    assert_eq!(send("a").await, 2);
    assert_eq!(send("a").await, 2, "repeated");
    assert_eq!(send("b").await, 3, "another one");
    world.clock.advance(Duration::from_secs(3 * 86_400 - 60));
    assert_eq!(send("a").await, 3, "repeated after almost three days");
    world.clock.advance(Duration::from_secs(120));
    assert_eq!(send("a").await, 4, "forgotten");
    // Of another kind, and of installations that nobody has connected.
    let unused = deliver(&world, "push", "c", &body).await.ok(202);
    let stranger = deliver(&world, "installation", "d", &json!({"installation": {"id": 8}})).await.ok(202);
    let ping = deliver(&world, "repository", "e", &json!({"zen": "a"})).await.ok(202);
    assert_eq!(
        (&unused["accepted"], &stranger["accepted"], &ping["accepted"]),
        (&json!(false), &json!(false), &json!(false))
    );
    world.work().await;
    assert_eq!(world.code_host.listings(), 4);
}

#[tokio::test]
async fn deliveries_are_forgotten_so_that_their_rows_do_not_add_up() {
    let world = World::new();
    let tenant = world.tenant("rows").await;
    world.code_host.put(id(7), vec![]);
    connect(&world, &tenant, 7).await;
    let body = json!({"installation": {"id": 7}});
    for day in 0..12 {
        for number in 0..5 {
            deliver(&world, "installation", &format!("{day}-{number}"), &body).await.ok(202);
        }
        world.clock.advance(Duration::from_secs(86_400));
    }
    let rows = world.ledger.memory.dump();
    let rows = rows.iter().filter(|(_, _, row)| row.key.starts_with(b"code-host-delivery/")).count();
    assert!((15..=25).contains(&rows), "{rows}");
}

#[tokio::test]
async fn events_during_a_run_lead_to_one_more_run() {
    let world = World::new();
    let tenant = world.tenant("during").await;
    world.code_host.put(id(7), vec![]);
    connect(&world, &tenant, 7).await;
    // Queued already: these are part of the first run.
    for number in 0..3 {
        deliver(&world, "installation", &number.to_string(), &json!({"installation": {"id": 7}}))
            .await
            .ok(202);
    }
    world.work().await;
    assert_eq!(world.code_host.listings(), 1);
    let organization = tenant.organization;
    assert!(installations(&world.directory).get(organization, id(7)).await.unwrap().is_some());
    code_host_api::request_sync(&world.jobs, organization, id(7)).await.unwrap();
    world.work().await;
    assert_eq!(world.code_host.listings(), 2);
}

#[tokio::test]
async fn a_run_waits_for_the_rate_limit_of_the_host_without_counting_a_failure() {
    let world = World::new();
    let tenant = world.tenant("limited").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    connect(&world, &tenant, 7).await;
    let until = world.kit.clock.now().plus(Duration::from_secs(900));
    world.code_host.fail(Some(HostError::RateLimited { until }));
    world.work().await;
    world.code_host.fail(None);
    world.work().await;
    assert!(names(&world, &tenant).await.is_empty(), "it waits");
    world.clock.advance(Duration::from_secs(900));
    world.work().await;
    assert_eq!(names(&world, &tenant).await, [json!("acme/shop")]);
    let jobs = world.jobs.list(Some(tenant.organization), 10).await.unwrap();
    let [jobs::Listed::Finished(finished)] = jobs.as_slice() else { panic!("{jobs:?}") };
    assert_eq!((finished.job.failures, finished.job.attempt), (0, 2));
}

#[tokio::test]
async fn every_six_hours_every_installation_is_read_and_leftovers_are_removed() {
    let world = World::new();
    let (tenant, other) = (world.tenant("one").await, world.tenant("two").await);
    code_host_api::schedule_housekeeping(&world.jobs).await.unwrap();
    world.repositories(&tenant, &[(42, "acme/shop")]).await;
    world.repositories(&other, &[(43, "beta/tool")]).await;
    let installation = installation_of(other.organization);
    // As a crash in the middle of a disconnection leaves it.
    installations(&world.directory).delete(other.organization, installation).await.unwrap();
    assert_eq!(
        world.get(&other.key, "/repositories/43").await.ok(200)["inactive_reason"],
        "installation_removed"
    );
    world.code_host.put(installation_of(tenant.organization), vec![hosted(42, "acme/store")]);
    world.clock.advance(Duration::from_secs(6 * 3_600));
    world.work().await;
    world.work().await;
    assert_eq!(names(&world, &tenant).await, [json!("acme/store")]);
    assert!(names(&world, &other).await.is_empty());
}

#[tokio::test]
async fn an_event_that_comes_while_the_installation_is_read_leads_to_another_run() {
    let world = World::new();
    let tenant = world.tenant("late").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    connect(&world, &tenant, 7).await;
    world.code_host.close();
    world.work_until(async || world.code_host.listings() == 1).await;
    // The worker has stopped and given the job back; the run that follows stops at the gate again.
    let mut asked = false;
    world
        .work_until(async || {
            if world.code_host.listings() == 2 && !asked {
                asked = true;
                for delivery in ["a", "b"] {
                    let body = json!({"installation": {"id": 7}});
                    deliver(&world, "installation", delivery, &body).await.ok(202);
                }
                world.code_host.open();
            }
            asked && !names(&world, &tenant).await.is_empty()
        })
        .await;
    world.clock.advance(Duration::from_secs(5));
    world.work().await;
    assert_eq!(world.code_host.listings(), 3, "one more for both");
    world.clock.advance(Duration::from_secs(60));
    world.work().await;
    assert_eq!(world.code_host.listings(), 3);
}

#[tokio::test]
async fn payloads_of_github_itself_are_accepted() {
    let world = World::new();
    let tenant = world.tenant("examples").await;
    let examples: Value = serde_json::from_str(include_str!("events.json")).unwrap();
    for (number, example) in examples["events"].as_array().unwrap().iter().enumerate() {
        let installation = example["payload"]["installation"]["id"].as_u64().unwrap();
        world.code_host.put(id(installation), vec![]);
        assert_eq!(connect(&world, &tenant, installation).await.0, 200);
        let name = example["event"].as_str().unwrap();
        let reply = deliver(&world, name, &number.to_string(), &example["payload"]).await;
        assert_eq!(reply.ok(202)["accepted"], true, "{name}");
    }
}
