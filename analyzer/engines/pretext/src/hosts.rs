//! Hosts of senders and links: registrable domains, and kinds of services that anyone can use under their name.
//!
//! - `hosts/services.rs`: the lists.

mod services;

use services::{CHEAP, FORMS, FREE_MAIL, HOSTING, LURES};
pub use services::{PROGRAMS, SHORTENERS};

/// The registrable domain of a host (Public Suffix List), in lower-case A-labels.
#[must_use]
pub fn registrable(host: &str) -> Option<String> {
    psl::domain_str(&ascii(host)).map(str::to_owned)
}

/// A host in lower-case A-labels, where it is one, without the last dot.
fn ascii(host: &str) -> String {
    let host = host.trim_end_matches('.');
    idna::domain_to_ascii(host).unwrap_or_else(|_| host.to_lowercase())
}

/// Domain that the text of a link shows, where it is a host name or a URL.
#[must_use]
pub fn shown_domain(shown: &str) -> Option<String> {
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
    let is_known = psl::suffix(ascii(host).as_bytes()).is_some_and(|suffix| suffix.is_known());
    (is_name && is_known).then(|| registrable(host)).flatten()
}

/// Suffixes that are endings of names of files too.
const FILES: [&str; 12] = ["py", "rs", "md", "sh", "pl", "cc", "ps", "so", "zip", "mov", "ai", "app"];
/// Longest host (RFC 1035) with a short path.
const LONGEST_BARE: usize = 300;

/// A word of a text that is a host without a scheme, as messages name their links: `bank-check.info/pay`.
#[must_use]
pub(crate) fn bare(word: &str) -> Option<&str> {
    let word = word.trim_matches(|char: char| !char.is_alphanumeric() && char != '/');
    if word.len() > LONGEST_BARE || word.contains([':', '@']) || !word.contains('.') {
        return None;
    }
    let (host, path) = word.split_once('/').map_or((word, None), |(host, path)| (host, Some(path)));
    let (_, suffix) = host.rsplit_once('.')?;
    let is_name = suffix.len() > 1
        && suffix.bytes().all(|byte| byte.is_ascii_alphabetic())
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let is_file = path.is_none() && FILES.contains(&suffix.to_ascii_lowercase().as_str());
    (is_name && !is_file && shown_domain(host).is_some()).then_some(word)
}

fn is_on(host: &str, domains: &[&str]) -> bool {
    domains
        .iter()
        .any(|domain| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

pub(crate) fn is_free_mail(host: &str) -> bool {
    is_on(host, &FREE_MAIL)
}

pub(crate) fn is_hosting(host: &str) -> bool {
    is_on(host, &HOSTING)
}

pub(crate) fn is_shortener(host: &str) -> bool {
    SHORTENERS.contains(&host)
}

/// Whether a page of a host is a form of a service for forms.
pub(crate) fn is_form(host: &str, path: &str) -> bool {
    FORMS.iter().any(|form| match form.split_once('/') {
        Some((domain, start)) => host == domain && path.trim_start_matches('/').starts_with(start),
        None => is_on(host, &[form]),
    })
}

pub(crate) fn is_cheap(domain: &str) -> bool {
    domain.rsplit('.').next().is_some_and(|suffix| CHEAP.contains(&suffix))
}

/// Words of a host or path that requests lead to.
pub(crate) fn has_lure(part: &str) -> bool {
    part.split(|char: char| !char.is_alphanumeric())
        .any(|word| LURES.contains(&word.to_ascii_lowercase().as_str()))
}

/// Label of a registrable domain before its suffix.
pub(crate) fn label(domain: &str) -> &str {
    domain.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_recognised_with_their_subdomains_only() {
        assert!(is_free_mail("gmail.com") && !is_free_mail("notgmail.com"));
        assert!(is_hosting("my-bank.web.app") && !is_hosting("web.application.org"));
        assert!(is_form("docs.google.com", "/forms/d/1") && !is_form("docs.google.com", "/document/d/1"));
        assert!(has_lure("my-account.example") && !has_lure("accountant.example"));
    }

    #[test]
    fn hosts_without_a_scheme_are_links_and_files_and_sentences_are_none() {
        for word in ["bank-check.info/pay", "(bank-check.com).", "poste-it.app/x"] {
            assert!(bare(word).is_some(), "{word}");
        }
        for word in ["setup.py", "e.g.", "2.50", "anna@example.com", "src/main.rs", "Ltd.and"] {
            assert!(bare(word).is_none(), "{word}");
        }
    }

    #[test]
    fn only_host_names_and_urls_show_a_domain() {
        assert_eq!(shown_domain("https://www.bank.org/login").as_deref(), Some("bank.org"));
        assert_eq!(shown_domain("version 2.5"), None);
        assert_eq!(shown_domain("10.30"), None);
    }
}
