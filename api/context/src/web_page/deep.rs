//! The deep tier: the page as another program gets it, and pages that it links to.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use url::Url;

use super::Scan;
use super::fetch::{AS_AGENT, AS_BROWSER, Fetched, MOST_BYTES, Read, fetch};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Threat};
use crate::content::Content;
use crate::links::registrable;
use crate::text::{Passage, injection};
use crate::weights::web as weights;

/// Words from which on two pages can be compared, and the percentage of shared words below which they are different.
const COMPARABLE: usize = 40;
const SHARED: usize = 30;
/// Linked pages that are read, and bytes of each: the pages that an agent may follow next.
const MOST_LINKED: usize = 5;
const MOST_LINKED_BYTES: usize = 1024 * 1024;
/// Levels that an attack on a linked page loses.
const LINKED_LEVELS: usize = 1;

/// The checks of the deep tier, each once.
pub(super) async fn checks(scan: &Scan<'_>, page: Option<(&Fetched, &Read)>) -> [Check; 2] {
    let Some((fetched, read)) = page else {
        let reason = "the page was not read";
        return [weights::CLOAKING.not_possible(reason), weights::LINKED.not_possible(reason)];
    };
    let (cloaking, linked) =
        Box::pin(futures_util::future::join(cloaking(scan, fetched, read), linked(scan, fetched, read)))
            .await;
    [cloaking, linked]
}

fn failed(severity: Severity, says: String) -> Check {
    let threat = Threat { kind: ThreatType::Cloaking, severity, detail: says.clone(), excerpt: None };
    weights::CLOAKING.failed_with(vec![threat], says)
}

/// The page as a browser gets it, against the page that an agent gets.
async fn cloaking(scan: &Scan<'_>, fetched: &Fetched, read: &Read) -> Check {
    let other = match fetch(scan, &scan.target.url, AS_BROWSER, MOST_BYTES).await {
        Ok(other) => other,
        Err(error) => return weights::CLOAKING.not_possible(format!("the second fetch failed: {error}")),
    };
    // A server that is busy says nothing about the page.
    if matches!(other.reply.status, 429 | 500..) {
        return weights::CLOAKING
            .not_possible(format!("the second fetch failed with the status {}", other.reply.status));
    }
    if !other.is_found() {
        return failed(
            Severity::Medium,
            format!("a browser gets the status {} in place of the page", other.reply.status),
        );
    }
    if other.domain() != fetched.domain() {
        return failed(Severity::High, "two programs are led to different domains".to_owned());
    }
    let other = match other.read(scan, "the page for browsers").await {
        Ok(other) => other,
        Err(reason) => return weights::CLOAKING.not_possible(reason),
    };
    let (one, two) = (words(&read.content), words(&other.content));
    let shared = one.intersection(&two).count();
    let fewer = one.len().min(two.len());
    let differs = one.len().max(two.len()) >= COMPARABLE && shared * 100 < fewer.max(1) * SHARED;
    if one != two {
        let [own, others] = [read.content.passages.clone(), other.content.passages.clone()];
        let only_for_agents =
            scan.analyse(move |engine| attacks(engine, &own).0 > attacks(engine, &others).0).await;
        match only_for_agents {
            Ok(false) => {}
            Ok(true) => {
                return failed(Severity::High, "only programs get orders to agents in the page".to_owned());
            }
            Err(reason) => return weights::CLOAKING.not_possible(reason),
        }
    }
    if differs {
        return failed(
            Severity::Medium,
            format!("two programs get pages that share {shared} of {fewer} words"),
        );
    }
    weights::CLOAKING.passed()
}

/// Number of severe attacks, and all threats.
fn attacks(engine: &crate::engine::Engine, passages: &[Passage]) -> (usize, Vec<Threat>) {
    let checks = injection::checks(engine, passages);
    let threats: Vec<Threat> = checks.iter().flat_map(Check::threats).cloned().collect();
    (threats.iter().filter(|threat| threat.severity >= Severity::High).count(), threats)
}

fn words(content: &Content) -> BTreeSet<String> {
    let passages = content.passages.iter().filter(|passage| !passage.is_aside);
    passages.flat_map(|passage| passage.text.split_whitespace()).map(str::to_lowercase).collect()
}

/// Pages of the same domain that the page links to: orders to agents in them.
async fn linked(scan: &Scan<'_>, fetched: &Fetched, read: &Read) -> Check {
    let targets = targets(fetched, read);
    if targets.is_empty() {
        return weights::LINKED.neutral();
    }
    let fetches = targets.iter().map(|url| async move {
        let fetched = fetch(scan, url.as_str(), AS_AGENT, MOST_LINKED_BYTES).await.ok()?;
        if !fetched.is_found() || fetched.is_download() {
            return None;
        }
        fetched.read(scan, "the linked page").await.ok()
    });
    let pages: Vec<Read> = join_all(fetches).await.into_iter().flatten().collect();
    if pages.is_empty() {
        return weights::LINKED.not_possible(format!("none of {} linked pages could be read", targets.len()));
    }
    let passages: Vec<Passage> = pages.into_iter().flat_map(|page| page.content.passages).collect();
    let found = scan.analyse(move |engine| attacks(engine, &passages).1).await;
    let threats = match found {
        Ok(threats) => threats,
        Err(reason) => return weights::LINKED.not_possible(reason),
    };
    let threats: Vec<Threat> = threats
        .into_iter()
        .filter(|threat| threat.severity > Severity::Low)
        .map(|threat| Threat { severity: threat.severity.lowered(LINKED_LEVELS), ..threat })
        .collect();
    match threats.first().map(|threat| threat.detail.clone()) {
        Some(detail) => weights::LINKED.failed_with(threats, detail),
        None => weights::LINKED.passed(),
    }
}

/// The first pages of the own domain that are not the page itself.
fn targets(fetched: &Fetched, read: &Read) -> Vec<Url> {
    let own = fetched.domain();
    let mut targets: Vec<Url> = Vec::new();
    for link in &read.content.links {
        let Ok(mut url) = Url::parse(&link.target) else { continue };
        url.set_fragment(None);
        let is_own = url.scheme() == "https" && url.host_str().and_then(registrable) == own;
        if is_own && fetched.url.as_ref() != Some(&url) && !targets.contains(&url) {
            targets.push(url);
        }
        if targets.len() == MOST_LINKED {
            break;
        }
    }
    targets
}
