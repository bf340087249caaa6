//! The page itself: redirects, headers, forms, scripts, links and text.

use http::header::STRICT_TRANSPORT_SECURITY;
use lookalikes::Resemblance;
use outbound::{Hop, SendError};
use url::Url;

use super::Scan;
use super::fetch::{AS_AGENT, Fetched, MOST_BYTES, Read, fetch, target};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Spec, Threat};
use crate::content::{Feature, Page};
use crate::links::{self, registrable};
use crate::score::Skipped;
use crate::text;
use crate::weights::{self as all, web as weights};
use pretext::{Kind, Letter};

/// Place of the page in details.
const PLACE: &str = "the page";

/// The page with the outcomes of its checks.
pub(super) struct Static {
    pub(super) checks: Vec<Check>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) is_unreadable: bool,
    /// The page, if it was read.
    pub(super) page: Option<(Fetched, Read)>,
}

/// Checks of one fetch of the page, each once.
pub(super) async fn read(scan: &Scan<'_>) -> Static {
    let fetched = match fetch(scan, &scan.target.url, AS_AGENT, MOST_BYTES).await {
        Ok(fetched) => fetched,
        Err(SendError::Redirected { cause, hops }) => {
            let reason = format!("the page could not be fetched: a redirect was not followed: {cause}");
            return unread(&reason, Some(redirects(scan, &hops, None)));
        }
        Err(error) => return unread(&format!("the page could not be fetched: {error}"), None),
    };
    let redirects = |page: Option<&Page>| redirects(scan, &fetched.reply.hops, page);
    if !fetched.is_found() {
        let reason = format!("expected the status 200, found {}", fetched.reply.status);
        return unread(&reason, Some(redirects(None)));
    }
    let read = match fetched.read(scan, PLACE).await {
        Ok(read) => read,
        Err(reason) => return unread(&reason, Some(redirects(None))),
    };
    let hsts = fetched.reply.headers.contains_key(STRICT_TRANSPORT_SECURITY);
    let mut checks = vec![
        weights::PAGE.passed(),
        if hsts { weights::HSTS.passed() } else { weights::HSTS.neutral() },
        redirects(Some(&read.page)),
        form(scan, &fetched, &read.page),
        download(&fetched, &read),
        read.content.check(&weights::SCRIPT, &[Feature::Packed]),
    ];
    let is_unreadable = read.content.is_empty() && read.content.images == 0;
    let passages = read.content.passages.clone();
    let found = read.content.links.clone();
    let own = fetched.domain();
    let judged = scan.analyse(move |engine| {
        // Most links of a page lead to other pages of it or of its partners: that alone says nothing.
        let found = of_others(found, own.as_deref());
        let links = links::checks(engine, &found);
        let letter = Letter { links: links::of_letter(&found), ..Letter::anonymous(Kind::Document) };
        let mut checks = text::checks(engine, &passages, &letter);
        checks.extend(links.checks);
        (checks, links.skipped)
    });
    let mut skipped = read.content.skipped.clone();
    match judged.await {
        Ok((judged, of_links)) => {
            checks.extend(judged);
            skipped.extend(of_links);
        }
        Err(reason) => return unread(&reason, Some(redirects(Some(&read.page)))),
    }
    Static { checks, skipped, is_unreadable, page: Some((fetched, read)) }
}

/// Links that lead to other domains. Those to the own domain are judged by its identity.
fn of_others(links: Vec<links::Link>, own: Option<&str>) -> Vec<links::Link> {
    let is_own = |link: &links::Link| {
        let url = Url::parse(&link.target).ok();
        url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && host_domain(&url).as_deref() == own)
    };
    links.into_iter().filter(|link| own.is_none() || !is_own(link)).collect()
}

fn host_domain(url: &Url) -> Option<String> {
    registrable(url.host_str()?)
}

/// The outcomes of a page that was not read: every check names the reason.
fn unread(reason: &str, redirects: Option<Check>) -> Static {
    let own: [&'static Spec; 4] = [&weights::HSTS, &weights::FORM, &weights::DOWNLOAD, &weights::SCRIPT];
    let mut checks = vec![
        weights::PAGE.not_possible(reason),
        redirects.unwrap_or_else(|| weights::REDIRECTS.not_possible("the page was not read")),
    ];
    let shared = all::text::ALL.iter().chain(&all::links::ALL);
    let missing = own.into_iter().chain(shared.copied());
    checks.extend(missing.map(|spec| spec.not_possible("the page was not read")));
    let skipped = vec![Skipped { what: PLACE.to_owned(), reason: reason.to_owned() }];
    Static { checks, skipped, is_unreadable: false, page: None }
}

/// Redirects by the server, and the one of the page.
fn redirects(scan: &Scan<'_>, hops: &[Hop], page: Option<&Page>) -> Check {
    let own = registrable(&scan.target.host);
    let base = || hops.last().map_or_else(|| Url::parse(&scan.target.url).ok(), target);
    let of_page = page.and_then(|page| base()?.join(page.refresh.as_deref()?).ok());
    for next in hops.iter().filter_map(target).chain(of_page) {
        let Some(host) = next.host_str() else { continue };
        let is_address = !matches!(next.host(), Some(url::Host::Domain(_)));
        let (severity, says) = if is_address {
            (Severity::High, "a redirect leads to an IP address")
        } else if next.scheme() == "http" {
            (Severity::Medium, "a redirect leads to http")
        } else if registrable(host) != own && !is_same_brand(scan, host) {
            (Severity::Medium, "a redirect leads to another domain")
        } else {
            continue;
        };
        let threat =
            Threat { kind: ThreatType::MaliciousRedirect, severity, detail: says.to_owned(), excerpt: None };
        return weights::REDIRECTS.failed_with(vec![threat], says);
    }
    weights::REDIRECTS.passed()
}

/// Whether a brand owns both hosts.
fn is_same_brand(scan: &Scan<'_>, host: &str) -> bool {
    let owner = scan.engine.brands.owner(&scan.target.host);
    owner.is_some() && owner == scan.engine.brands.owner(host)
}

/// A form that asks for credentials: its target, and the brand that the page names.
fn form(scan: &Scan<'_>, fetched: &Fetched, page: &Page) -> Check {
    if page.credential_forms.is_empty() {
        return weights::FORM.passed();
    }
    let own = fetched.domain();
    let host = fetched.url.as_ref().and_then(Url::host_str).unwrap_or(&scan.target.host);
    let elsewhere = page.credential_forms.iter().any(|action| {
        let target = fetched.url.as_ref().and_then(|base| base.join(action).ok());
        target.is_none_or(|target| host_domain(&target) != own)
    });
    let brands = &scan.engine.brands;
    let named = brands.named(&page.title).filter(|brand| !brands.owns(brand, host));
    let resembles = brands.lookalike(host).is_some_and(|found| found.resemblance != Resemblance::OtherSuffix);
    let (severity, says) = match (elsewhere, resembles, named) {
        (true, true, _) => {
            (Severity::Critical, "a form sends credentials to another domain, and the host resembles a brand")
        }
        (true, false, Some(_)) => {
            (Severity::Critical, "a form sends credentials to another domain, under the name of a brand")
        }
        (true, false, None) => (Severity::High, "a form sends credentials to another domain"),
        (false, true, _) => (Severity::High, "a form asks for credentials on a host that resembles a brand"),
        (false, false, Some(_)) => {
            (Severity::Medium, "a form asks for credentials under the name of a brand that has other domains")
        }
        (false, false, None) => return weights::FORM.passed(),
    };
    let threat = Threat { kind: ThreatType::Phishing, severity, detail: says.to_owned(), excerpt: None };
    weights::FORM.failed_with(vec![threat], says)
}

/// A page that is sent as a download, or that is a program.
fn download(fetched: &Fetched, read: &Read) -> Check {
    let program = read.content.found.iter().find(|found| found.feature == Feature::Program);
    if program.is_some() {
        let says = "the page is the download of a program";
        let kind = ThreatType::InstallAttack;
        let threat = Threat { kind, severity: Severity::High, detail: says.to_owned(), excerpt: None };
        return weights::DOWNLOAD.failed_with(vec![threat], says);
    }
    if fetched.is_download() {
        return weights::DOWNLOAD.failed("the page is sent as a download");
    }
    weights::DOWNLOAD.passed()
}
