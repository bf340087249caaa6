//! The page itself: redirects, headers, forms, links and text. Fetched twice, once as another program, because a page for programs may
//! differ from that for people.

use std::collections::BTreeSet;
use std::time::Duration;

use http::header::{CONTENT_DISPOSITION, HeaderValue, STRICT_TRANSPORT_SECURITY, USER_AGENT};
use http::{HeaderMap, StatusCode};
use outbound::{Caps, Coding, Policy, Reading, Reply, Request, SendError};
use url::Url;

use super::Scan;
use crate::check::Check;
use crate::email::html::{self, Body};
use crate::links::{self, registrable};
use crate::score::Skipped;
use crate::text;
use crate::weights::web as weights;

/// Limits of a fetch (design: bounds of a page).
const MOST_BYTES: usize = 5 * 1024 * 1024;
const REDIRECTS: u8 = 5;
const DEADLINE: Duration = Duration::from_secs(10);
/// Programs that the page is fetched as.
const AS_AGENT: &str = "Palisade-ContextScan/1.0";
const AS_BROWSER: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
/// Words from which on two pages can be compared, and the percentage of shared words below which they are different.
const COMPARABLE: usize = 40;
const SHARED: usize = 30;

/// Outcomes of the checks of a page.
pub(super) struct Page {
    pub(super) checks: Vec<Check>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) is_unreadable: bool,
}

/// All checks of a page, each once.
pub(super) async fn checks(scan: &Scan<'_>) -> Page {
    let (agent, browser) = futures_util::future::join(fetch(scan, AS_AGENT), fetch(scan, AS_BROWSER)).await;
    let reply = match agent {
        Ok(reply) => reply,
        Err(error) => return unread(format!("the page could not be fetched: {}", cause(&error))),
    };
    if reply.status != StatusCode::OK.as_u16() {
        return unread(format!("expected the status 200, found {}", reply.status));
    }
    let body = html::read("the page", &String::from_utf8_lossy(&reply.body));
    let other = browser.ok().filter(|reply| reply.status == StatusCode::OK.as_u16());
    let other = other.map(|reply| html::read("the page", &String::from_utf8_lossy(&reply.body)));
    let links = links::checks(scan.engine, &body.links, None);
    let hsts = reply.headers.contains_key(STRICT_TRANSPORT_SECURITY);
    let mut checks = vec![
        weights::PAGE.passed(),
        if hsts { weights::HSTS.passed() } else { weights::HSTS.neutral() },
        redirects(scan, &reply),
        form(scan, &body),
        cloaking(&body, other.as_ref()),
        download(&reply),
    ];
    let is_unreadable = body.passage.text.trim().is_empty() && body.images == 0;
    checks.extend(text::checks(scan.engine, std::slice::from_ref(&body.passage), &links.evidence));
    checks.extend(links.checks);
    Page { checks, skipped: links.skipped, is_unreadable }
}

fn unread(reason: String) -> Page {
    let specs = [&weights::HSTS, &weights::REDIRECTS, &weights::FORM, &weights::CLOAKING, &weights::DOWNLOAD];
    let mut checks = vec![weights::PAGE.not_possible(reason.as_str())];
    checks.extend(specs.into_iter().map(|spec| spec.not_possible("the page was not read")));
    let skipped = vec![Skipped { what: "the page".to_owned(), reason }];
    Page { checks, skipped, is_unreadable: false }
}

fn cause(error: &SendError) -> String {
    match error {
        SendError::Redirected { cause, .. } => format!("a redirect was not followed: {cause}"),
        other => other.to_string(),
    }
}

async fn fetch(scan: &Scan<'_>, program: &'static str) -> Result<Reply, SendError> {
    let destination = match scan.network.outbound.destination(&scan.target.url) {
        Ok(destination) => destination,
        Err(error) => return Err(SendError::Broken(error.into())),
    };
    let caps = Caps {
        body_bytes: MOST_BYTES,
        reading: Reading::Whole,
        coding: Coding::Inflated,
        header_bytes: 64 * 1024,
        deadline: Some(DEADLINE),
    };
    let headers = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static(program))]);
    let policy = Policy { redirects: REDIRECTS, ..Policy::default() };
    let request = Request::get(headers, caps, policy);
    scan.network.outbound.send(scan.requester, &destination, request).await
}

fn redirects(scan: &Scan<'_>, reply: &Reply) -> Check {
    let own = registrable(&scan.target.host);
    for hop in &reply.hops {
        let Some(next) = Url::parse(&hop.url).ok().and_then(|base| base.join(&hop.location).ok()) else {
            continue;
        };
        let Some(host) = next.host_str() else { continue };
        let says = if registrable(host).is_none() {
            "a redirect leads to an IP address"
        } else if next.scheme() == "http" {
            "a redirect leads to http"
        } else if registrable(host) != own {
            "a redirect leads to another domain"
        } else {
            continue;
        };
        return weights::REDIRECTS.failed(says);
    }
    weights::REDIRECTS.passed()
}

fn form(scan: &Scan<'_>, body: &Body) -> Check {
    let base = Url::parse(&scan.target.url).ok();
    let own = registrable(&scan.target.host);
    let elsewhere = |action: &&String| {
        let target = base.as_ref().and_then(|base| base.join(action).ok());
        target.and_then(|target| registrable(target.host_str()?)) != own
    };
    match body.password_forms.iter().find(elsewhere) {
        Some(_) => weights::FORM.failed("a form with a password is sent to another domain"),
        None => weights::FORM.passed(),
    }
}

fn cloaking(body: &Body, other: Option<&Body>) -> Check {
    let Some(other) = other else {
        return weights::CLOAKING.failed("only one of two programs gets the page");
    };
    let words = |body: &Body| -> BTreeSet<String> {
        body.passage.text.split_whitespace().map(str::to_lowercase).collect()
    };
    let (one, two) = (words(body), words(other));
    let shared = one.intersection(&two).count();
    let fewer = one.len().min(two.len());
    if one.len().max(two.len()) >= COMPARABLE && shared * 100 < fewer.max(1) * SHARED {
        return weights::CLOAKING
            .failed(format!("two programs get pages that share {shared} of {fewer} words"));
    }
    weights::CLOAKING.passed()
}

fn download(reply: &Reply) -> Check {
    let disposition =
        reply.headers.get(CONTENT_DISPOSITION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if disposition.trim_start().to_ascii_lowercase().starts_with("attachment") {
        return weights::DOWNLOAD.failed("the page is sent as a download");
    }
    weights::DOWNLOAD.passed()
}
