//! Identity of a page: name servers, certificate, registration and name of its domain, each within the time of the tier.

use std::time::Duration;

use outbound::{DnsError, DnsType, Policy, Question, SendError};
use unicode_security::MixedScript;

use super::Scan;
use super::registration::Registration;
use crate::check::Check;
use crate::links::registrable;
use crate::weights::web::{self as weights, DAYS_OLD, WEEKS_OLD};

/// Time limit of each look-up.
const WITHIN: Duration = Duration::from_secs(2);
const DAY: u64 = 24 * 3600;

/// The checks of identity, each once.
pub(super) async fn checks(scan: &Scan<'_>) -> Vec<Check> {
    let host = scan.target.host.as_str();
    let domain = registrable(host).unwrap_or_else(|| host.to_owned());
    let (dns, tls, age, mail, authorities) = tokio::join!(
        dns(scan, host),
        tls(scan),
        age(scan, &domain),
        has(scan, &domain, DnsType::Mx),
        has(scan, &domain, DnsType::Caa),
    );
    let earned =
        |spec: &'static crate::check::Spec, has: bool| if has { spec.passed() } else { spec.neutral() };
    let (unicode, _) = idna::domain_to_unicode(host);
    let is_mixed = unicode.split('.').any(|label| !label.is_single_script());
    let lookalike = registrable(&unicode).and_then(|domain| scan.engine.brands.lookalike(&domain));
    vec![
        dns,
        tls,
        age,
        earned(&weights::MX, mail),
        earned(&weights::CAA, authorities),
        match lookalike {
            Some(found) => {
                weights::LOOKALIKE.failed(format!("the domain resembles {}: {}", found.brand, found.how))
            }
            None => weights::LOOKALIKE.passed(),
        },
        if is_mixed {
            weights::MIXED.failed("a label of the host mixes scripts")
        } else {
            weights::MIXED.passed()
        },
    ]
}

async fn dns(scan: &Scan<'_>, host: &str) -> Check {
    let ask = |kind| scan.network.outbound.ask(scan.requester, Question::Records(host, kind));
    let asked = futures_util::future::join(ask(DnsType::A), ask(DnsType::Aaaa));
    let Ok((v4, v6)) = tokio::time::timeout(WITHIN, asked).await else {
        return weights::DNS.not_possible("the name servers gave no answer in time");
    };
    let found =
        [&v4, &v6].into_iter().flatten().any(|answer| !answer.records.is_empty() || answer.withheld > 0);
    if found {
        return weights::DNS.passed();
    }
    match v4 {
        Err(DnsError::NoSuchName) => weights::DNS.not_possible("the host does not exist"),
        Err(error) => weights::DNS.not_possible(error.to_string()),
        Ok(_) => weights::DNS.not_possible("the host has no address"),
    }
}

async fn tls(scan: &Scan<'_>) -> Check {
    let destination = match scan.network.outbound.destination(&format!("https://{}/", scan.target.host)) {
        Ok(destination) => destination,
        Err(error) => return weights::TLS.not_possible(error.to_string()),
    };
    let policy = Policy::default();
    let shaken = scan.network.outbound.handshake(scan.requester, &destination, &policy, Some(WITHIN)).await;
    match shaken {
        Ok(handshake) => match handshake.trust {
            Ok(()) => weights::TLS.passed(),
            Err(error) => weights::TLS.failed(error.to_string()),
        },
        Err(SendError::TimedOut { .. }) => weights::TLS.not_possible("no handshake within two seconds"),
        Err(error) => weights::TLS.failed(format!("no TLS connection: {error}")),
    }
}

async fn age(scan: &Scan<'_>, domain: &str) -> Check {
    let asking = scan.network.registrations.of(&scan.network.outbound, scan.requester, domain, scan.now);
    let registration = match tokio::time::timeout(WITHIN, asking).await {
        Ok(Ok(registration)) => registration,
        Ok(Err(reason)) => return weights::AGE.not_possible(reason),
        Err(_) => return weights::AGE.not_possible("no answer about the registration in time"),
    };
    let Registration { registered_at } = registration;
    match scan.now.since(registered_at).as_secs() / DAY {
        0..7 => weights::AGE.lost(DAYS_OLD, "the domain was registered less than 7 days ago"),
        7..30 => weights::AGE.lost(WEEKS_OLD, "the domain was registered less than 30 days ago"),
        30..731 => weights::AGE.neutral(),
        _ => weights::AGE.passed(),
    }
}

async fn has(scan: &Scan<'_>, domain: &str, kind: DnsType) -> bool {
    let asking = scan.network.outbound.ask(scan.requester, Question::Records(domain, kind));
    matches!(tokio::time::timeout(WITHIN, asking).await, Ok(Ok(answer)) if !answer.records.is_empty())
}
