//! One link to its findings.

use std::net::IpAddr;

use unicode_security::MixedScript;
use url::{Host, Url};

use super::Link;
use crate::check::Spec;
use crate::engine::Engine;
use crate::weights::links as weights;

/// Services that hide a target behind a short name.
const SHORTENERS: [&str; 24] = [
    "bit.ly",
    "tinyurl.com",
    "t.ly",
    "is.gd",
    "v.gd",
    "ow.ly",
    "buff.ly",
    "cutt.ly",
    "rebrand.ly",
    "rb.gy",
    "shorturl.at",
    "tiny.cc",
    "bl.ink",
    "s.id",
    "qrco.de",
    "goo.su",
    "clck.ru",
    "u.to",
    "x.gd",
    "surl.li",
    "lnk.ink",
    "t.co",
    "tiny.one",
    "shrtco.de",
];
/// Ends of paths of programs and of files that start one.
const PROGRAMS: [&str; 16] = [
    ".exe", ".scr", ".msi", ".bat", ".cmd", ".ps1", ".vbs", ".js", ".jse", ".hta", ".iso", ".img", ".lnk",
    ".apk", ".dmg", ".jar",
];

/// A finding about a link.
pub(super) struct Finding {
    pub(super) spec: &'static Spec,
    pub(super) says: &'static str,
    /// Weight on a pretext.
    pub(super) weight: i32,
}

/// Findings about a link.
pub(super) struct Judged {
    pub(super) findings: Vec<Finding>,
    /// Registrable domain of the target.
    pub(super) domain: Option<String>,
}

pub(super) fn judge(engine: &Engine, link: &Link) -> Judged {
    let mut findings = Vec::new();
    let mut add = |spec, says, weight| findings.push(Finding { spec, says, weight });
    let target = if link.target.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www.")) {
        format!("http://{}", link.target)
    } else {
        link.target.clone()
    };
    let Ok(url) = Url::parse(&target) else { return Judged { findings, domain: None } };
    if !matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel") {
        if matches!(url.scheme(), "javascript" | "vbscript" | "data" | "file") {
            add(&weights::SCHEME, "has a target that is executed", 3);
        }
        return Judged { findings, domain: None };
    }
    if !url.username().is_empty() && matches!(url.scheme(), "http" | "https") {
        add(&weights::USERINFO, "has a user name before the host", 3);
    }
    let path = url.path().to_ascii_lowercase();
    if PROGRAMS.iter().any(|end| path.ends_with(end)) && !is_script_of_page(&path) {
        add(&weights::EXECUTABLE, "leads to a program", 1);
    }
    let domain = match url.host() {
        Some(Host::Domain(host)) => {
            host_findings(engine, host, &mut add);
            registrable(host)
        }
        Some(Host::Ipv4(address)) => {
            address_finding(address.into(), &mut add);
            None
        }
        Some(Host::Ipv6(address)) => {
            address_finding(address.into(), &mut add);
            None
        }
        None => None,
    };
    let shown = link.shown.as_deref().and_then(shown_domain);
    if let (Some(shown), Some(domain)) = (shown, &domain)
        && shown != *domain
    {
        add(&weights::TARGET, "shows another domain than its target", 2);
    }
    Judged { findings, domain }
}

/// Scripts of Node projects are named in texts about code, and are not programs to run.
fn is_script_of_page(path: &str) -> bool {
    path.ends_with(".js")
}

fn host_findings(engine: &Engine, host: &str, add: &mut impl FnMut(&'static Spec, &'static str, i32)) {
    let (unicode, _) = idna::domain_to_unicode(host);
    if unicode.split('.').any(|label| !label.is_single_script()) {
        add(&weights::MIXED, "has a host name that mixes scripts", 4);
    }
    if SHORTENERS.contains(&host) {
        add(&weights::SHORTENER, "hides its target behind a short name", 1);
    }
    if registrable(&unicode).is_some_and(|domain| engine.brands.lookalike(&domain).is_some()) {
        add(&weights::LOOKALIKE, "has a domain that resembles that of a brand", 4);
    }
}

fn address_finding(address: IpAddr, add: &mut impl FnMut(&'static Spec, &'static str, i32)) {
    let is_internal = match address {
        IpAddr::V4(address) => address.is_private() || address.is_loopback() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    };
    if !is_internal {
        add(&weights::ADDRESS, "has an IP address in place of a host name", 2);
    }
}

/// The registrable domain of a host (Public Suffix List).
pub(crate) fn registrable(host: &str) -> Option<String> {
    let host = host.trim_end_matches('.').to_lowercase();
    psl::domain_str(&host).map(str::to_owned)
}

/// Domain that the text of a link shows, where it is a host name or a URL.
fn shown_domain(shown: &str) -> Option<String> {
    let shown = shown.trim();
    let host = match shown.split_once("://") {
        Some((_, rest)) => rest,
        None => shown,
    };
    let host = host.split(['/', '?', '#', ':']).next()?;
    let is_name = host.contains('.')
        && !host.starts_with('.')
        && host.chars().all(|char| char.is_alphanumeric() || matches!(char, '.' | '-'));
    // A version, a time or a sentence without spaces is no host name: its last label is a known suffix.
    let is_known = psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known());
    (is_name && is_known).then(|| registrable(host)).flatten()
}
