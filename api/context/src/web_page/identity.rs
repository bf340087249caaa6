//! Identity of a page: name servers, certificate, registration and name of its domain, each within the time of the tier.

use std::time::Duration;

use outbound::{ConnectError, DnsError, DnsRecord, DnsType, Policy, Question, RecordData, SendError};
use unicode_security::MixedScript;

use super::Scan;
use super::registration::Registration;
use crate::asking::is_refused;
use crate::check::{Check, Outcome, Spec};
use crate::links::{registrable, resembles};
use crate::lists::Named;
use crate::weights::web::{self as weights, DAYS_OLD, WEEKS_OLD};

/// Time limit of each look-up.
const WITHIN: Duration = Duration::from_secs(2);
/// Repetitions of a handshake whose look-up was refused: each has waited for half a second already.
const REPETITIONS: usize = 3;
const DAY: u64 = 24 * 3600;

/// The checks of identity, each once.
pub(super) async fn checks(scan: &Scan<'_>) -> Vec<Check> {
    let host = scan.target.host.as_str();
    let domain = registrable(host).unwrap_or_else(|| host.to_owned());
    let (dns, tls, age, mail, authorities) = tokio::join!(
        dns(scan, host),
        tls(scan),
        age(scan, &domain),
        has(scan, &domain, DnsType::Mx, &weights::MX),
        has(scan, &domain, DnsType::Caa, &weights::CAA),
    );
    let (unicode, _) = idna::domain_to_unicode(host);
    let is_mixed = unicode.split('.').any(|label| !label.is_single_script());
    let lookalike = scan.engine.brands.lookalike(host);
    let is_authentic = matches!(tls.outcome, Outcome::Passed { .. });
    let specs = (&weights::ALLOWED, &weights::BLOCKED);
    let [allowed, blocked] = scan.engine.lists.checks((Named::Domain, Some(host)), specs, is_authentic);
    vec![
        allowed,
        blocked,
        dns,
        tls,
        age,
        mail,
        authorities,
        match lookalike {
            Some(found) => resembles(&weights::LOOKALIKE, "the domain", &found),
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
    let ask = |kind| scan.ask(Question::Records(host, kind));
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
    let shake = || scan.network.outbound.handshake(scan.requester, &destination, &policy, Some(WITHIN));
    let mut shaken = shake().await;
    for _ in 0..REPETITIONS {
        if !shaken.as_ref().is_err_and(is_refused) {
            break;
        }
        shaken = shake().await;
    }
    match shaken {
        Ok(handshake) => match handshake.trust {
            Ok(()) => weights::TLS.passed(),
            Err(error) => weights::TLS.failed(error.to_string()),
        },
        Err(SendError::TimedOut { .. }) => weights::TLS.not_possible("no handshake within two seconds"),
        Err(SendError::Connect(
            error @ (ConnectError::Resolve { .. }
            | ConnectError::Lookups { .. }
            | ConnectError::TimedOut { .. }
            | ConnectError::Blocked { .. }),
        )) => weights::TLS.not_possible(error.to_string()),
        Err(error) => weights::TLS.failed(format!("no TLS connection: {error}")),
    }
}

async fn age(scan: &Scan<'_>, domain: &str) -> Check {
    let asking = scan.network.registrations.of(scan, domain);
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

/// Records of the domain. That there are none is an answer too.
async fn has(scan: &Scan<'_>, domain: &str, kind: DnsType, spec: &'static Spec) -> Check {
    let asking = scan.ask(Question::Records(domain, kind));
    // A mail exchanger without a name states that the domain receives no mail (RFC 7505).
    let counts = |record: &DnsRecord| match &record.data {
        RecordData::Exchange { host, .. } => !host.trim_end_matches('.').is_empty(),
        _ => true,
    };
    match tokio::time::timeout(WITHIN, asking).await {
        Ok(Ok(answer)) if answer.records.iter().any(counts) => spec.passed(),
        Ok(Ok(_) | Err(DnsError::NoSuchName)) => spec.neutral(),
        Ok(Err(error)) => spec.not_possible(error.to_string()),
        Err(_) => spec.not_possible("the name servers gave no answer in time"),
    }
}
