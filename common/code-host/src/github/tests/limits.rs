//! Rate limits.

use std::time::Duration;

use http::HeaderMap;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::stand_in::StandIn;
use crate::conformance::{installation, name, public};
use crate::content::CommitQuery;
use crate::github::pace::Quota;
use crate::host::{Access, CodeHost, HostError};

#[tokio::test]
async fn a_403_without_retry_after_pauses_the_installation_and_nothing_is_sent_meanwhile() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    let read = async |login: &str| client.user(public(), &login.parse().unwrap()).await;
    read("octo").await.unwrap();
    let secondary = json!([{"match": "GET /users", "times": 1, "kind": "reply", "status": 403,
        "body": "{\"message\": \"You have exceeded a secondary rate limit.\"}"}]);
    for pause in [60, 120] {
        stand_in.faults(secondary.clone()).await;
        let until = stand_in.now().plus(Duration::from_secs(pause));
        assert_eq!(read("octo").await, Err(HostError::RateLimited { until }));
        let sent = stand_in.seen().await.count();
        assert_eq!(client.repositories(installation(7)).await, Err(HostError::RateLimited { until }));
        assert_eq!(stand_in.seen().await.count(), sent, "nothing was sent");
        assert_eq!(
            client.repositories(installation(8)).await,
            Err(HostError::NotInstalled),
            "another installation is not paused"
        );
        stand_in.advance(Duration::from_secs(pause)).await;
        read("octo").await.unwrap();
    }
}

#[tokio::test]
async fn a_used_up_quota_waits_for_its_reset() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    client.user(public(), &"octo".parse().unwrap()).await.unwrap();
    let reset = stand_in.now().0 / 1_000_000_000 + 1_800;
    stand_in
        .faults(json!([{"match": "GET /users", "times": 1, "kind": "reply", "status": 403,
            "headers": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset.to_string()}, "body": "{}"}]))
        .await;
    let until = stand_in.now().plus(Duration::from_secs(1_801));
    for _ in 0..2 {
        let refused = client.user(public(), &"octo".parse().unwrap()).await;
        assert_eq!(refused, Err(HostError::RateLimited { until }));
    }
    assert_eq!(stand_in.seen().await.paths("/users/octo").len(), 1);
    stand_in.advance(Duration::from_secs(1_801)).await;
    client.user(public(), &"octo".parse().unwrap()).await.unwrap();
}

#[tokio::test]
async fn a_permission_that_is_missing_pauses_nothing() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    stand_in
        .faults(json!([{"match": "GET /repos", "times": 1, "kind": "reply", "status": 403,
            "body": "{\"message\": \"Resource not accessible by integration\\n\"}"}]))
        .await;
    let denied = client.repository(public(), &name("octo/tool")).await;
    assert_eq!(denied, Err(HostError::Denied("Resource not accessible by integration".to_owned())));
    client.repository(public(), &name("octo/tool")).await.unwrap();
}

#[tokio::test]
async fn an_installation_has_four_reads_at_a_time() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    client.repository(public(), &name("octo/tool")).await.unwrap();
    let mut reads = JoinSet::new();
    for number in 0..24 {
        let client = client.clone();
        reads.spawn(async move {
            let query = CommitQuery { revision: None, path: Some(format!("{number}")) };
            client.commits(Access::public(installation(7)), &name("octo/tool"), &query, 5).await.unwrap();
        });
    }
    reads.join_all().await;
    let seen = stand_in.seen().await;
    assert_eq!(seen.paths("/commits").len(), 24);
    assert!((2..=4).contains(&seen.at_once()), "{}", seen.at_once());
    stand_in.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_pause_is_waited_for_by_those_who_have_the_patience() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    let lane = client.shared.lane(Some(installation(7)));
    assert!(lane.pace.observe(Quota::Core, (429, &HeaderMap::new(), b""), stand_in.now()));
    let until = stand_in.now().plus(Duration::from_secs(60));
    let began = Instant::now();
    let mut patience = Duration::from_secs(59);
    let refused = client.wait(&lane, Quota::Search, &mut patience).await;
    assert_eq!((refused, began.elapsed()), (Err(HostError::RateLimited { until }), Duration::ZERO));
    let mut patience = Duration::from_secs(90);
    client.wait(&lane, Quota::Search, &mut patience).await.unwrap();
    assert_eq!((began.elapsed(), patience), (Duration::from_secs(60), Duration::from_secs(30)));
}
