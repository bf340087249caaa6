//! A host that misbehaves.

use serde_json::json;

use super::stand_in::StandIn;
use crate::conformance::{installation, name, of_shop, public};
use crate::host::{CodeHost, HostError};
use crate::pulls::PullRequestQuery;

/// The reason of an error about a reply.
fn reason<T: std::fmt::Debug>(result: Result<T, HostError>) -> String {
    match result {
        Err(HostError::Unexpected { operation, reason }) => format!("{operation}: {reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_truncated_tree_says_so() {
    let Some(stand_in) = StandIn::start().await else { return };
    stand_in.faults(json!([{"match": "/git/trees/", "times": 1, "kind": "truncate"}])).await;
    let tree = stand_in.client().tree(of_shop(), &name("acme/shop"), "main").await.unwrap();
    assert!(tree.truncated && tree.entries.len() == 1);
}

#[tokio::test]
async fn a_search_that_ended_early_is_no_complete_list() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    stand_in.faults(json!([{"match": "/search/issues", "times": 1, "kind": "partial", "keep": 1}])).await;
    let query = PullRequestQuery { author: "octo".parse().unwrap(), repository: None, state: None };
    let found = client.search_pull_requests(public(), &query, 10).await.unwrap();
    assert_eq!((found.listing.items.len(), found.listing.is_complete, found.is_partial), (1, false, true));
    let again = client.search_pull_requests(public(), &query, 10).await.unwrap();
    assert_eq!((again.listing.items.len(), again.listing.is_complete, again.is_partial), (2, true, false));
}

#[tokio::test]
async fn pages_that_lead_back_or_elsewhere_are_refused() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    stand_in.faults(json!([{"match": "/installation/repositories", "times": 9, "kind": "loop"}])).await;
    let error = reason(client.repositories(installation(7)).await);
    assert!(error.contains("/installation/repositories") && error.contains("lead back"), "{error}");
    assert_eq!(stand_in.seen().await.paths("/installation/repositories").len(), 1);
    for target in ["http://127.0.0.2:9/next", "https://127.0.0.1/next", "http://evil.example/next"] {
        let link = format!("<{target}>; rel=\"next\"");
        stand_in
            .faults(json!([{"match": "/users/octo/orgs", "times": 1, "kind": "reply", "status": 200,
                "headers": {"link": link}, "body": "[]"}]))
            .await;
        let error = reason(client.organizations_of_user(public(), &"octo".parse().unwrap(), 10).await);
        assert!(error.contains("same host"), "{error}");
    }
}

#[tokio::test]
async fn redirects_to_other_hosts_are_refused_and_carry_no_token() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    client.repository(public(), &name("octo/tool")).await.unwrap();
    for target in [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "http://127.0.0.2:80/",
        "https://evil.example/",
    ] {
        stand_in
            .faults(json!([{"match": "GET /repos", "times": 1, "kind": "reply", "status": 302,
                "headers": {"location": target}}]))
            .await;
        let error = reason(client.repository(public(), &name("octo/tool")).await);
        assert!(error.contains("redirect") || error.contains("address"), "{target}: {error}");
        stand_in
            .faults(json!([{"match": "/tarball/", "times": 1, "kind": "reply", "status": 302,
                "headers": {"location": target}}]))
            .await;
        let mut sink = Vec::new();
        let error = reason(client.archive(public(), &name("octo/tool"), "main", &mut sink, 1024).await);
        assert!(sink.is_empty() && !error.contains("ghs_"), "{target}: {error}");
    }
    // A second redirect is not followed either.
    stand_in
        .faults(json!([{"match": "GET /repos", "times": 9, "kind": "reply", "status": 301,
            "headers": {"location": "/repos/octo/tool"}}]))
        .await;
    let error = reason(client.repository(public(), &name("octo/tool")).await);
    assert!(error.contains("redirect"), "{error}");
    assert_eq!(stand_in.seen().await.count(), 2);
}

#[tokio::test]
async fn a_renamed_repository_is_read_with_one_redirect_also_as_an_archive() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    let found = client.repository(public(), &name("acme/old-shop")).await.unwrap();
    assert_eq!(found.full_name, name("acme/shop"));
    let mut archive = Vec::new();
    client.archive(of_shop(), &name("acme/old-shop"), "main", &mut archive, 1024 * 1024).await.unwrap();
    assert!(archive.starts_with(&[0x1f, 0x8b]));
    let seen = stand_in.seen().await;
    let archives: Vec<_> = seen
        .paths("")
        .into_iter()
        .filter(|one| one["path"].as_str().unwrap().starts_with("/codeload/"))
        .collect();
    assert!(archives.len() == 1 && archives[0]["authorized"] == false, "{archives:?}");
    stand_in.check().await;
}

#[tokio::test]
async fn a_host_that_fails_or_breaks_off_is_unavailable() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    client.repository(public(), &name("octo/tool")).await.unwrap();
    for fault in [
        json!({"match": "GET /repos", "times": 9, "kind": "reply", "status": 500, "body": "{\"message\": \"oh\\u001b[2J\"}"}),
        json!({"match": "GET /repos", "times": 9, "kind": "reply", "status": 502, "body": "<html>"}),
        json!({"match": "GET /repos", "times": 9, "kind": "close"}),
    ] {
        stand_in.faults(json!([fault])).await;
        let error = client.repository(public(), &name("octo/tool")).await.unwrap_err();
        let HostError::Unavailable(text) = &error else { panic!("{error:?}") };
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    stand_in.faults(json!([{"match": "POST", "times": 9, "kind": "reply", "status": 503}])).await;
    let error = client.repository(of_shop(), &name("acme/shop")).await.unwrap_err();
    assert!(matches!(error, HostError::Unavailable(_)), "{error:?}");
    stand_in.faults(json!([])).await;
    client.repository(public(), &name("octo/tool")).await.unwrap();
}

#[tokio::test]
async fn replies_of_another_form_are_errors_that_name_the_field() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    for field in ["id", "full_name", "private", "default_branch", "fork"] {
        stand_in.faults(json!([{"match": "GET /repos", "times": 1, "kind": "omit", "field": field}])).await;
        let error = reason(client.repository(public(), &name("octo/tool")).await);
        assert!(error.contains(&format!("missing field `{field}`")), "{error}");
    }
    for body in ["", "[]", "{", "null", "\"a\"", "{\"id\": \"50\"}"] {
        let fault = json!({"match": "GET /repos", "times": 1, "kind": "reply", "status": 200, "body": body});
        stand_in.faults(json!([fault])).await;
        reason(client.repository(public(), &name("octo/tool")).await);
    }
    stand_in
        .faults(json!([{"match": "GET /repos", "times": 1, "kind": "reply", "status": 200,
            "body": format!("\"{}\"", "a".repeat(9 * 1024 * 1024))}]))
        .await;
    let error = client.repository(public(), &name("octo/tool")).await.unwrap_err();
    assert_eq!(error, HostError::TooLarge { most: 8 * 1024 * 1024 });
    stand_in.faults(json!([{"match": "GET /repos", "times": 1, "kind": "reply", "status": 304}])).await;
    reason(client.repository(public(), &name("octo/secret")).await);
}
