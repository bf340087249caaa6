//! `GET /findings/{finding_id}` and the unversioned path.

use axum::body::Body;
use engine::Level;
use findings::Target;
use http::{Method, Request};

use super::observed::{observation, record, run, seed};
use crate::harness::{World, request};

#[tokio::test(start_paused = true)]
async fn a_detail_has_evidence_remediation_history_and_an_entity_tag() {
    let world = World::new();
    let tenant = world.tenant("detail").await;
    let ids = seed(&world, &tenant, &[("/search", Level::High)]).await;
    let reply = world.get(&tenant.key, &format!("/findings/{}", ids[0])).await;
    assert_eq!(reply.header("etag"), "\"1\"");
    let detail = reply.ok(200);
    assert_eq!((&detail["id"], &detail["check"]), (&ids[0].as_str().into(), &"web.xss.reflected".into()));
    assert!(detail["triage"].is_null() && detail["previous_finding_id"].is_null());
    assert_eq!(detail["evidence"][0]["text"], "GET /search?q=<svg>");
    let reference = &detail["remediation"]["code_references"][0];
    assert_eq!((&reference["start_line"], &reference["file"]), (&12.into(), &"/search".into()));
    assert!(detail["remediation"]["patch"].is_null());
    assert_eq!(detail["history"].as_array().unwrap().len(), 1);
    assert_eq!(detail["history"][0]["change"], "created");
    assert_eq!(detail["history"][0]["actor"]["type"], "system");
    assert_eq!((&detail["episode"], &detail["observed_count"]), (&1.into(), &1.into()));
}

#[tokio::test(start_paused = true)]
async fn ids_of_any_other_form_are_not_found() {
    let world = World::new();
    let tenant = world.tenant("ids").await;
    let unknown = "ffff0000-0000-8000-8000-000000000000";
    for id in ["7", "x", "%ff", unknown, "00000000-0000-8000-8000-000000000000"] {
        let path = format!("/findings/{id}");
        world.get(&tenant.key, &path).await.refused(404, "not_found");
        world.delete(&tenant.key, &path).await.refused(404, "not_found");
        let body = serde_json::json!({"triage_status": "triaged"});
        world.patch(&tenant.key, &path, body).await.refused(404, "not_found");
        world
            .post(&tenant.key, &format!("{path}/triage"), serde_json::json!({}))
            .await
            .refused(404, "not_found");
    }
}

#[tokio::test(start_paused = true)]
async fn the_unversioned_path_answers_the_same_bytes_to_either_header() {
    let world = World::new();
    let tenant = world.tenant("legacy").await;
    let ids = seed(&world, &tenant, &[("/search", Level::High)]).await;
    let versioned = world.get(&tenant.key, &format!("/findings/{}", ids[0])).await;
    let path = format!("/api/findings/{}", ids[0]);
    let keyed = [("x-api-key", tenant.key.clone()), ("authorization", format!("Bearer {}", tenant.key))];
    for (name, value) in keyed {
        let asked = Request::builder().uri(&path).header(name, value).body(Body::empty()).unwrap();
        let reply = world.send(asked).await;
        assert_eq!((reply.status, &reply.body), (versioned.status, &versioned.body), "{name}");
    }
    let without = Request::builder().uri(&path).body(Body::empty()).unwrap();
    world.send(without).await.refused(401, "unauthorized");
    // The versioned paths take the key in `Authorization` only.
    let mut wrong = request(Method::GET, &format!("/findings/{}", ids[0]), None, None);
    wrong.headers_mut().insert("x-api-key", tenant.key.parse().unwrap());
    world.send(wrong).await.refused(401, "unauthorized");
}

#[tokio::test(start_paused = true)]
async fn a_finding_survives_its_application_and_shows_that_it_was_deleted() {
    let world = World::new();
    let tenant = world.tenant("deleted").await;
    let body = serde_json::json!({"name": "Shop", "url": "https://shop.example.com/"});
    let application = world.post(&tenant.key, "/applications", body).await.ok(201);
    let id = application["id"].as_str().unwrap();
    let target = Target::Application { id: id.parse().unwrap() };
    let recorded =
        record(&world, &run(&world, &tenant, target, 1), vec![observation("/a", Level::High)]).await;
    let path = format!("/findings/{}", recorded[0].finding);
    let shown = world.get(&tenant.key, &path).await.ok(200)["target"].clone();
    let expected = serde_json::json!({"type": "application", "id": id, "name": "Shop", "deleted": false});
    assert_eq!(shown, expected);
    assert_eq!(world.delete(&tenant.key, &format!("/applications/{id}")).await.status, 204);
    let shown = world.get(&tenant.key, &path).await.ok(200)["target"].clone();
    assert_eq!((&shown["deleted"], &shown["name"]), (&true.into(), &serde_json::Value::Null));
    let listed = world.get(&tenant.key, &format!("/findings?application_id={id}")).await.ok(200);
    assert_eq!(listed["pagination"]["total"], 1);
    world.patch(&tenant.key, &path, serde_json::json!({"triage_status": "triaged"})).await.ok(200);
}
