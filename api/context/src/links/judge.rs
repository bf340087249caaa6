//! One link to its findings.

use std::collections::HashMap;
use std::net::IpAddr;

use lookalikes::Resemblance;
use pretext::{PROGRAMS, SHORTENERS, registrable, shown_domain};
use unicode_security::MixedScript;
use url::{Host, Url};

use super::Link;
use crate::artifact::Severity;
use crate::check::Spec;
use crate::engine::Engine;
use crate::lists::{Listing, Named};
use crate::weights::links as weights;

/// A finding about a link.
pub(super) struct Finding {
    pub(super) spec: &'static Spec,
    pub(super) says: &'static str,
    /// Severity, if it is not that of the check.
    pub(super) severity: Option<Severity>,
}

/// Judgement of a host.
#[derive(Clone, Copy)]
pub(super) struct Known {
    resemblance: Option<Resemblance>,
    is_blocked: bool,
}

/// Hosts that were judged.
pub(super) type Hosts = HashMap<String, Known>;

pub(super) fn judge(engine: &Engine, link: &Link, hosts: &mut Hosts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |spec, says| findings.push(finding(spec, says));
    let target = if link.target.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www.")) {
        format!("http://{}", link.target)
    } else if link.target.starts_with("//") {
        // A target without a scheme has that of the page.
        format!("https:{}", link.target)
    } else {
        link.target.clone()
    };
    let Ok(url) = Url::parse(&target) else { return findings };
    if !matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel") {
        if matches!(url.scheme(), "javascript" | "vbscript" | "data" | "file") {
            add(&weights::SCHEME, "has a target that is executed");
        }
        return findings;
    }
    if !url.username().is_empty() && matches!(url.scheme(), "http" | "https") {
        add(&weights::USERINFO, "has a user name before the host");
    }
    let path = url.path().to_ascii_lowercase();
    if PROGRAMS.iter().any(|end| path.ends_with(end)) {
        add(&weights::EXECUTABLE, "leads to a program");
    }
    let domain = match url.host() {
        Some(Host::Domain(host)) => {
            let host = host.trim_end_matches('.');
            findings.extend(host_findings(host));
            findings.extend(known(engine, host, hosts));
            registrable(host)
        }
        Some(Host::Ipv4(address)) => {
            findings.extend(address_finding(address.into()));
            None
        }
        Some(Host::Ipv6(address)) => {
            findings.extend(address_finding(address.into()));
            None
        }
        None => None,
    };
    let shown = link.shown.as_deref().and_then(shown_domain);
    if let (Some(shown), Some(domain)) = (shown, &domain)
        && shown != *domain
    {
        findings.push(finding(&weights::TARGET, "shows another domain than its target"));
    }
    findings
}

fn finding(spec: &'static Spec, says: &'static str) -> Finding {
    Finding { spec, says, severity: None }
}

fn host_findings(host: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (unicode, _) = idna::domain_to_unicode(host);
    if unicode.split('.').any(|label| !label.is_single_script()) {
        findings.push(finding(&weights::MIXED, "has a host name that mixes scripts"));
    }
    if SHORTENERS.contains(&host) {
        findings.push(finding(&weights::SHORTENER, "hides its target behind a short name"));
    }
    findings
}

/// Lists of the operator and brands. A domain that the operator allows resembles no brand. Another suffix of a brand may belong to it.
fn known(engine: &Engine, host: &str, hosts: &mut Hosts) -> Vec<Finding> {
    let Known { resemblance, is_blocked } = *hosts.entry(host.to_owned()).or_insert_with(|| {
        let is = |listing| engine.lists.find(Named::Domain, listing, host).is_some();
        let lookalike = || engine.brands.lookalike(host).map(|found| found.resemblance);
        let resemblance = if is(Listing::Allow) { None } else { lookalike() };
        Known { resemblance, is_blocked: is(Listing::Block) }
    });
    let mut findings = Vec::new();
    if is_blocked {
        findings.push(finding(&weights::BLOCKED, "has a domain that a list of the operator blocks"));
    }
    let Some(resemblance) = resemblance else { return findings };
    let says = match resemblance {
        Resemblance::OtherSuffix => "has the name of a brand under another suffix",
        _ => "has a domain that resembles that of a brand",
    };
    let severity = Some(super::severity(resemblance));
    findings.push(Finding { spec: &weights::LOOKALIKE, says, severity });
    findings
}

fn address_finding(address: IpAddr) -> Option<Finding> {
    let is_internal = match address {
        IpAddr::V4(address) => address.is_private() || address.is_loopback() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    };
    let says = "has an IP address in place of a host name";
    (!is_internal).then(|| finding(&weights::ADDRESS, says))
}
