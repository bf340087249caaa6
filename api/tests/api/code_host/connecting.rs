//! Connecting an account through the browser: the page that asks for the confirmation, and everything that connects nothing.

use std::time::Duration;

use code_host::HostError;
use http::Method;
use ledger::{Kind, Ledger, LedgerId, Range};
use serde_json::json;

use super::browser::{Page, form};
use super::{INSTALLATIONS, begin, connect, hosted, id, names};
use crate::harness::{Tenant, World, request};

/// The page for an installation whose administrator opens a link of a tenant.
async fn asked(world: &World, state: &str, installation: u64, code: &str) -> Page {
    world.code_host.issue_code(code, vec![id(installation)]);
    let query = format!("code={code}&installation_id={installation}&setup_action=install&state={state}");
    let page = Page::open(world, &query).await;
    assert_eq!(page.status, 200, "{}", page.html);
    page
}

async fn connected(world: &World, tenant: &Tenant) -> usize {
    let listed = world.get(&tenant.key, INSTALLATIONS).await.ok(200);
    listed["data"].as_array().unwrap().len()
}

/// Refused for a reason, with nothing connected.
async fn refused(world: &World, tenant: &Tenant, page: &Page, (status, reason): (u16, &str)) {
    assert_eq!(page.status, status, "{}", page.html);
    assert!(page.html.contains(reason) && page.html.contains("request a new link"), "{}", page.html);
    assert_eq!(page.cookie, None);
    assert_eq!(connected(world, tenant).await, 0, "{reason}");
}

#[tokio::test]
async fn a_link_sent_to_the_administrator_of_another_account_connects_nothing_without_a_confirmation() {
    let world = World::new();
    let tenant = world.tenant("Evil <b>& Co").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop"), hosted(43, "acme/site")]);
    let state = begin(&world, &tenant).await;
    let page = asked(&world, &state, 7, "of-the-victim").await;
    for text in [
        "<b>account</b>",
        "<b>2 repositories</b>",
        "<b>Evil &lt;b&gt;&amp; Co</b>",
        "will be able to read these repositories",
        "<form method=\"post\" action=\"callback\">",
    ] {
        assert!(page.html.contains(text), "{text}: {}", page.html);
    }
    assert!(page.policy.contains("form-action 'self'"), "{}", page.policy);
    assert!(page.attributes.starts_with("__Host-code-host-connection="), "{}", page.attributes);
    assert!(
        page.attributes.ends_with("; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Strict"),
        "{}",
        page.attributes
    );
    world.work().await;
    assert_eq!((connected(&world, &tenant).await, names(&world, &tenant).await.len()), (0, 0));
    let done = page.confirm(&world).await;
    assert!(done.status == 200 && done.html.contains("is connected to the organization"), "{}", done.html);
    assert!(
        done.attributes.starts_with("__Host-code-host-connection=;") && done.attributes.contains("Max-Age=0")
    );
    world.work().await;
    assert_eq!((connected(&world, &tenant).await, names(&world, &tenant).await.len()), (1, 2));
}

#[tokio::test]
async fn a_link_connects_one_installation_once() {
    let world = World::new();
    let tenant = world.tenant("once").await;
    for number in [7, 8] {
        world.code_host.put(id(number), vec![hosted(number, "acme/shop")]);
    }
    let state = begin(&world, &tenant).await;
    let page = asked(&world, &state, 7, "first").await;
    assert_eq!(page.confirm(&world).await.status, 200);
    let again = page.confirm(&world).await;
    assert!(again.status == 409 && again.html.contains("used already"), "{}", again.html);
    world.code_host.issue_code("second", vec![id(8)]);
    let other = Page::open(&world, &format!("code=second&installation_id=8&state={state}")).await;
    assert!(other.status == 409 && other.html.contains("used already"), "{}", other.html);
    assert_eq!(connected(&world, &tenant).await, 1);
}

#[tokio::test]
async fn a_confirmation_needs_the_browser_and_the_token_of_the_latest_page() {
    let world = World::new();
    let tenant = world.tenant("browsers").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    let (state, other_state) = (begin(&world, &tenant).await, begin(&world, &tenant).await);
    let earlier = asked(&world, &state, 7, "earlier").await;
    let page = asked(&world, &state, 7, "later").await;
    let elsewhere = asked(&world, &other_state, 7, "elsewhere").await;
    let other_browser = (403, "does not come from the browser");
    let own = (state.as_str(), page.field("token"));
    for cookie in [None, Some("a=b"), earlier.cookie.as_deref(), elsewhere.cookie.as_deref()] {
        let answer = page.confirm_with(&world, cookie, (own.0, &own.1)).await;
        refused(&world, &tenant, &answer, other_browser).await;
    }
    let replaced = (409, "newer page");
    refused(&world, &tenant, &earlier.confirm(&world).await, replaced).await;
    for token in ["", "a", &elsewhere.field("token")] {
        let answer = page.confirm_with(&world, page.cookie.as_deref(), (own.0, token)).await;
        refused(&world, &tenant, &answer, replaced).await;
    }
    for (state, reason) in [("", "has expired"), ("abc", "has expired"), (&state[2..], "has expired")] {
        let answer = page.confirm_with(&world, page.cookie.as_deref(), (state, &own.1)).await;
        refused(&world, &tenant, &answer, (400, reason)).await;
    }
    let unasked = begin(&world, &tenant).await;
    let answer = page.confirm_with(&world, page.cookie.as_deref(), (&unasked, &own.1)).await;
    refused(&world, &tenant, &answer, (400, "not one of the code host")).await;
    let long = format!("state={state}&token={}", "a".repeat(2_000));
    for body in ["", "token=a", "state=%ff", &format!("state={state}&state={state}&token=a"), &long] {
        let answer = Page::of(world.send_unchecked(form(page.cookie.as_deref(), body)).await);
        refused(&world, &tenant, &answer, (400, "not one of the code host")).await;
    }
    let mut json = form(page.cookie.as_deref(), &format!("state={state}&token={}", own.1));
    json.headers_mut().insert("content-type", "application/json".parse().unwrap());
    let answer = Page::of(world.send_unchecked(json).await);
    refused(&world, &tenant, &answer, (400, "not one of the code host")).await;
    // Beside other cookies, as browsers send it.
    let all = format!("a=b; {}; c=d", page.cookie.as_ref().unwrap());
    assert_eq!(page.confirm_with(&world, Some(&all), (own.0, &own.1)).await.status, 200);
}

#[tokio::test]
async fn a_link_is_for_one_organization_and_ten_minutes() {
    let world = World::new();
    let tenant = world.tenant("links").await;
    let body = world.post(&tenant.key, INSTALLATIONS, json!({})).await.ok(201);
    assert_eq!(body["expires_at"], "2026-07-08T09:10:00.000Z");
    world.post(&tenant.key, INSTALLATIONS, json!({"account": "a"})).await.refused(400, "invalid_request");
    let mut keyed = request(Method::POST, INSTALLATIONS, Some(&tenant.key), None);
    keyed.headers_mut().insert("idempotency-key", "a".parse().unwrap());
    world.send(keyed).await.refused(400, "invalid_request");
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    let state = begin(&world, &tenant).await;
    let other = begin(&world, &tenant).await;
    world.code_host.issue_code("a-code", vec![id(7)]);
    let forged = format!("{}{}", &state[..40], &other[40..]);
    for query in [
        String::new(),
        "code=a-code&installation_id=7".to_owned(),
        format!("code=a-code&installation_id=7&state={forged}"),
        format!("code=a-code&installation_id=7&state={state}&state={other}"),
        format!("code=a-code&state={state}"),
        format!("installation_id=7&state={state}"),
        format!("code=a-code&installation_id=x7&state={state}"),
        format!("code=&installation_id=7&state={state}"),
        format!("setup_action=request&state={state}"),
        format!("error=access_denied&state={state}"),
        "state=%ff".to_owned(),
    ] {
        assert_eq!(Page::open(&world, &query).await.status, 400, "{query}");
    }
    let page = asked(&world, &state, 7, "in-time").await;
    world.clock.advance(Duration::from_secs(600));
    let late = Page::open(&world, &format!("code=a-code&installation_id=7&state={other}")).await;
    refused(&world, &tenant, &late, (400, "has expired")).await;
    refused(&world, &tenant, &page.confirm(&world).await, (400, "has expired")).await;
}

#[tokio::test]
async fn an_organization_has_a_hundred_links_within_ten_minutes() {
    let world = World::new();
    let tenant = world.tenant("many").await;
    for _ in 0..100 {
        begin(&world, &tenant).await;
    }
    let full = world.send(request(Method::POST, INSTALLATIONS, Some(&tenant.key), None)).await;
    assert!(full.refused(409, "conflict").contains("100 links"));
    world.clock.advance(Duration::from_secs(600));
    begin(&world, &tenant).await;
}

#[tokio::test]
async fn no_row_has_a_secret_of_a_connection() {
    let world = World::new();
    let tenant = world.tenant("rows").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    let state = begin(&world, &tenant).await;
    let page = asked(&world, &state, 7, "the-code").await;
    let cookie = page.cookie.as_deref().unwrap().split_once('=').unwrap().1.to_owned();
    let secrets = [state.clone(), page.field("token"), cookie, "the token for the-code".to_owned()];
    for _ in 0..2 {
        let rows = world.ledger.scan(LedgerId::Platform, Kind::Head, Range::default(), 1_000).await.unwrap();
        let texts = rows.iter().map(|row| String::from_utf8_lossy(&row.body).into_owned());
        let texts: Vec<String> = texts.filter(|text| text.contains("expires_at")).collect();
        assert!(texts.iter().any(|text| text.contains("content")), "{texts:?}");
        assert!(texts.iter().all(|text| secrets.iter().all(|secret| !text.contains(secret))), "{texts:?}");
        page.confirm(&world).await;
    }
}

#[tokio::test]
async fn only_an_installation_that_the_host_confirms_for_the_user_is_connected() {
    let world = World::new();
    let (tenant, rival) = (world.tenant("owner").await, world.tenant("rival").await);
    for number in [7, 8] {
        world.code_host.put(id(number), vec![hosted(number, "acme/shop")]);
    }
    // A user of installation 8 names installation 7, which the setup redirect permits.
    world.code_host.issue_code("of-eight", vec![id(8)]);
    let state = begin(&world, &rival).await;
    let forged = format!("code=of-eight&installation_id=7&state={state}");
    refused(&world, &rival, &Page::open(&world, &forged).await, (403, "does not confirm")).await;
    let unknown = format!("code=unknown&installation_id=7&state={state}");
    refused(&world, &rival, &Page::open(&world, &unknown).await, (403, "does not confirm")).await;
    assert_eq!(connect(&world, &tenant, 7).await.0, 200);
    let (status, page) = connect(&world, &rival, 7).await;
    assert_eq!(status, 409, "{page}");
    assert!(page.contains("another organization") && !page.contains("owner"), "{page}");
    world.delete(&rival.key, "/code-host/installations/7").await.refused(404, "not_found");
    world.work().await;
    world.get(&rival.key, "/repositories/7").await.refused(404, "not_found");
    let change = json!({"enabled": false});
    world.patch(&rival.key, "/repositories/7", change).await.refused(404, "not_found");
    assert!(names(&world, &rival).await.is_empty());
    assert_eq!(names(&world, &tenant).await, [json!("acme/shop")]);
}

#[tokio::test]
async fn the_host_confirms_the_user_and_the_installation_again_when_the_form_is_sent() {
    let world = World::new();
    let tenant = world.tenant("changes").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop")]);
    let state = begin(&world, &tenant).await;
    let page = asked(&world, &state, 7, "one").await;
    world.code_host.put(id(7), vec![hosted(42, "acme/shop"), hosted(43, "acme/site")]);
    refused(&world, &tenant, &page.confirm(&world).await, (409, "has changed since the page was shown"))
        .await;
    let page = asked(&world, &state, 7, "two").await;
    world.code_host.fail(Some(HostError::Unavailable("for a test".to_owned())));
    let away = page.confirm(&world).await;
    assert!(!away.html.contains("for a test"), "{}", away.html);
    refused(&world, &tenant, &away, (503, "could not be connected now")).await;
    world.code_host.fail(None);
    world.code_host.dismiss_administrators();
    refused(&world, &tenant, &page.confirm(&world).await, (403, "not confirm any more")).await;
    let page = asked(&world, &state, 7, "three").await;
    assert_eq!(page.confirm(&world).await.status, 200, "the link was not spent");
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_a_503() {
    let world = World::new();
    let tenant = world.tenant("away").await;
    world.code_host.put(id(7), vec![]);
    let state = begin(&world, &tenant).await;
    world.code_host.fail(Some(HostError::Unavailable("for a test".to_owned())));
    let begun = world.send(request(Method::POST, INSTALLATIONS, Some(&tenant.key), None)).await;
    begun.refused(503, "service_unavailable");
    let page = Page::open(&world, &format!("code=a&installation_id=7&state={state}")).await;
    assert!(page.status == 503 && !page.html.contains("for a test"), "{} {}", page.status, page.html);
}
