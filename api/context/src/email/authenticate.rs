//! Signatures and policies of a mail: DKIM (RFC 6376), DMARC (RFC 9989), ARC (RFC 8617) and SPF (RFC 7208).

use std::net::IpAddr;

use documents::Mail;
use hickory_resolver::config::{ResolverConfig, ResolverOpts};
use mail_auth::common::cache::NoCache;
use mail_auth::dmarc::Policy;
use mail_auth::dmarc::verify::DmarcParameters;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{
    AuthenticatedMessage, DkimResult, DmarcResult, MessageAuthenticator, Parameters, RecordSet, SpfOutput,
    SpfResult,
};

use super::lookup::{Answers, Exchangers, Ipv4s, Ipv6s, Names, Texts};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Threat};
use crate::config::Config;
use crate::weights::email as weights;

/// Repetitions with new answers at most: SPF follows ten terms, one after another.
const MOST_ROUNDS: usize = 14;
/// Signatures of a mail that are checked at most; each costs a public-key operation in each round.
const MOST_SIGNATURES: usize = 10;

/// Outcomes of the checks of signatures and policies: one for each.
#[derive(Clone, Debug)]
pub struct Authentication {
    pub(super) checks: Vec<Check>,
}

impl Authentication {
    /// The look-ups took too long.
    #[must_use]
    pub fn timed_out() -> Self {
        Self::unknown("the look-ups took too long")
    }

    fn unknown(reason: &str) -> Self {
        let checks = vec![
            weights::DKIM.not_possible(reason),
            weights::DMARC.not_possible(reason),
            weights::SPF.not_possible(reason),
            weights::ARC.neutral(),
        ];
        Self { checks }
    }
}

/// Delivery to a configured relay by a host outside of the configured relays.
struct Delivery<'m> {
    address: IpAddr,
    helo: &'m str,
    relay: &'m str,
    sender: &'m str,
}

/// Checks signatures and policies. Names are asked of `names` only.
pub async fn authenticate(raw: &[u8], mail: &Mail, names: &dyn Names, config: &Config) -> Authentication {
    let unreadable = || Authentication::unknown("the header of the mail cannot be read");
    let Some(mut message) = AuthenticatedMessage::parse(raw) else { return unreadable() };
    message.dkim_headers.truncate(MOST_SIGNATURES);
    // Without name servers of its own: all it knows are the answers.
    let config_of_none = ResolverConfig::from_parts(None, Vec::new(), Vec::new());
    let Ok(library) = MessageAuthenticator::new(config_of_none, ResolverOpts::default()) else {
        return unreadable();
    };
    let delivery = delivery(mail, config);
    let answers = Answers::default();
    let mut checks = Vec::new();
    for _ in 0..MOST_ROUNDS {
        checks = round(&library, &message, (mail, delivery.as_ref()), &answers, config).await;
        if !answers.fill(names).await {
            break;
        }
    }
    Authentication { checks }
}

async fn round(
    library: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    (mail, delivery): (&Mail, Option<&Delivery<'_>>),
    answers: &Answers,
    config: &Config,
) -> Vec<Check> {
    let caches = (Texts(answers), Exchangers(answers), Ipv4s(answers), Ipv6s(answers));
    macro_rules! with {
        ($params:expr) => {
            Parameters {
                params: $params,
                cache_txt: Some(&caches.0),
                cache_mx: Some(&caches.1),
                cache_ptr: None::<&NoCache<IpAddr, RecordSet<Box<str>>>>,
                cache_ipv4: Some(&caches.2),
                cache_ipv6: Some(&caches.3),
            }
        };
    }
    let dkim = library.verify_dkim(with!(message)).await;
    let arc = library.verify_arc(with!(message)).await;
    let spf = match delivery {
        Some(delivery) => {
            let Delivery { address, helo, relay, sender } = *delivery;
            Some(
                library
                    .verify_spf(with!(SpfParameters::verify_mail_from(address, helo, relay, sender)))
                    .await,
            )
        }
        None => None,
    };
    let bounces = mail
        .headers
        .return_path
        .as_deref()
        .and_then(|path| path.rsplit_once('@'))
        .map_or("", |(_, domain)| domain);
    let none = SpfOutput::new(bounces.to_owned());
    let params = DmarcParameters::new(message, &dkim, bounces, spf.as_ref().unwrap_or(&none));
    let dmarc = library.verify_dmarc(with!(params)).await;
    let results: Vec<&DkimResult> = dkim.iter().map(mail_auth::DkimOutput::result).collect();
    let sealer = arc.sets().last().map(|set| set.seal.header.d.to_lowercase());
    vec![
        of_dkim(&results, message.dkim_headers.len()),
        of_dmarc(&dmarc),
        of_spf(spf.as_ref().map(SpfOutput::result), config),
        of_arc(arc.result(), sealer, config),
    ]
}

fn of_dkim(results: &[&DkimResult], signatures: usize) -> Check {
    if results.iter().any(|result| **result == DkimResult::Pass) {
        return weights::DKIM.passed();
    }
    if signatures == 0 && results.is_empty() {
        return weights::DKIM.failed("the mail has no signature");
    }
    if results.iter().any(|result| matches!(result, DkimResult::TempError(_))) {
        return weights::DKIM.not_possible("the key of a signature could not be looked up");
    }
    weights::DKIM.failed(format!("none of {signatures} signatures is valid"))
}

fn of_dmarc(output: &mail_auth::DmarcOutput) -> Check {
    let results = [output.dkim_result(), output.spf_result()];
    if results.iter().any(|result| **result == DmarcResult::Pass) {
        return weights::DMARC.passed();
    }
    if results.iter().any(|result| matches!(result, DmarcResult::TempError(_))) {
        return weights::DMARC.not_possible("the policy of the domain of From could not be looked up");
    }
    if output.dmarc_record().is_none() {
        return weights::DMARC.failed("the domain of From has no policy, or From is malformed");
    }
    if !matches!(output.policy(), Policy::Reject | Policy::Quarantine) {
        return weights::DMARC.failed("the domain of From is not authenticated");
    }
    let detail = "the domain of From is not authenticated, and its policy refuses such mails".to_owned();
    let threat = Threat {
        kind: ThreatType::Phishing,
        severity: Severity::Medium,
        detail: detail.clone(),
        excerpt: None,
    };
    weights::DMARC.failed_with(vec![threat], detail)
}

fn of_spf(result: Option<SpfResult>, config: &Config) -> Check {
    match result {
        Some(SpfResult::Pass) => weights::SPF.passed(),
        Some(SpfResult::TempError) => {
            weights::SPF.not_possible("the policy of the sender's domain could not be looked up")
        }
        Some(SpfResult::Fail | SpfResult::SoftFail) => {
            weights::SPF.failed("the delivering host is not permitted")
        }
        Some(SpfResult::None | SpfResult::Neutral) => {
            weights::SPF.failed("the sender's domain does not say which hosts are permitted")
        }
        Some(SpfResult::PermError) => weights::SPF.failed("the policy of the sender's domain is not valid"),
        None if config.mail_relays.is_empty() => weights::SPF.not_possible("no mail relay is configured"),
        None => weights::SPF.not_possible("no Received line of a configured relay names the delivering host"),
    }
}

fn of_arc(result: &DkimResult, sealer: Option<String>, config: &Config) -> Check {
    let is_known = sealer
        .is_some_and(|sealer| config.arc_sealers.iter().any(|known| known.eq_ignore_ascii_case(&sealer)));
    if is_known && *result == DkimResult::Pass { weights::ARC.passed() } else { weights::ARC.neutral() }
}

/// The newest delivery to a configured relay by another host. Older lines may be forged.
fn delivery<'m>(mail: &'m Mail, config: &Config) -> Option<Delivery<'m>> {
    let is_relay = |host: &str| config.mail_relays.iter().any(|relay| relay.eq_ignore_ascii_case(host));
    for hop in &mail.headers.received {
        let relay = hop.by.as_deref().filter(|by| is_relay(by))?;
        if hop.from.as_deref().is_some_and(is_relay) {
            continue;
        }
        let (address, helo) = (hop.address?, hop.from.as_deref().unwrap_or_default());
        return Some(Delivery {
            address,
            helo,
            relay,
            sender: mail.headers.return_path.as_deref().unwrap_or_default(),
        });
    }
    None
}
