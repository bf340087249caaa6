//! Replies of GitHub itself, as they were recorded.

use serde_json::{Value, json};

use super::stand_in::StandIn;
use crate::conformance::{name, public};
use crate::host::{CodeHost, HostError};
use crate::pulls::PullRequestQuery;

/// The next request that matches gets a recorded reply.
fn played(recorded: &Value, matching: &str) -> Value {
    let body = &recorded["body"];
    let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    json!({"match": matching, "times": 1, "kind": "reply", "status": recorded["status"], "body": body})
}

#[tokio::test]
async fn recorded_replies_of_github_are_read() {
    let Some(stand_in) = StandIn::start().await else { return };
    let recorded: Value = serde_json::from_str(include_str!("../../../tests/github/recorded.json")).unwrap();
    let client = stand_in.client();
    stand_in.faults(json!([played(&recorded["repository"], "GET /repos")])).await;
    let found = client.repository(public(), &name("octokit-fixture-org/hello-world")).await.unwrap();
    assert_eq!((found.id.number(), found.full_name), (103_703_892, name("octokit-fixture-org/hello-world")));
    assert!(!found.private && !found.fork && found.created_at.is_some() && found.pushed_at.is_some());

    let mut renamed = played(&recorded["renamed"], "GET /repos/");
    let location = recorded["renamed"]["headers"]["location"].as_str().unwrap();
    renamed["headers"]["location"] = json!(location.strip_prefix("https://api.github.com").unwrap());
    stand_in
        .faults(json!([renamed, played(&recorded["renamed_target"], "GET /repositories/515436299")]))
        .await;
    let found = client.repository(public(), &name("octokit-fixture-org/before")).await.unwrap();
    assert!(found.full_name.as_str().ends_with("-newname"), "{}", found.full_name);

    stand_in.faults(json!([played(&recorded["search"], "GET /search")])).await;
    let query = PullRequestQuery { author: "octo".parse().unwrap(), repository: None, state: None };
    let found = client.search_pull_requests(public(), &query, 10).await.unwrap();
    assert!(
        found.listing.items.is_empty() && found.listing.is_complete && !found.is_partial,
        "issues are left out: {found:?}"
    );

    stand_in.faults(json!([played(&recorded["error"], "GET /repos")])).await;
    let error = client.repository(public(), &name("octo/tool")).await.unwrap_err();
    assert_eq!(error, HostError::Denied("Validation Failed".to_owned()));
}
