//! Facts about the hosts of an inventory that need no request to them: records of name servers, and certificates by a handshake.
//! Excluded hosts and those of other domains are neither resolved nor contacted.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use common::digest::digest;
use common::ids::RecordId;
use futures_util::{StreamExt, stream};
use outbound::{DnsError, DnsType, Question, RecordData};
use serde_json::{Map, Value, json};
use url::Url;
use web::certificate::Certificate;
use web::crawl::{Answer, FoundHost, HostSource, Inventory};
use web::parse::{Purpose, Reply};
use web::scope::{Scope, ScopeStatus, host_name};

use super::Failure;
use super::broker::Broker;

/// Questions of a run. There is no list of words: only names that were found are asked for.
const MOST_QUESTIONS: usize = 32;
/// Handshakes of a run, without a request.
const MOST_HANDSHAKES: usize = 20;
/// Time after the crawl in which handshakes begin.
const HANDSHAKE_TIME: Duration = Duration::from_secs(30);
/// Questions without an answer after which no more are asked: each takes as long as the name servers may.
const MOST_UNANSWERED: u64 = 4;
/// Handshakes in progress.
const AT_ONCE: usize = 4;
/// Values of a record type that are kept.
const MOST_VALUES: usize = 20;
/// Bytes of a kept value.
const LONGEST_VALUE: usize = 256;
/// Random names below the domain: where both resolve to the same addresses, every name does.
const WILDCARD_LABELS: u8 = 2;

/// Records of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameFacts {
    addresses: BTreeSet<String>,
    aliases: BTreeSet<String>,
    mail_servers: BTreeSet<String>,
    certificate_authorities: BTreeSet<String>,
    /// Whether its addresses are those of every name below the domain.
    wildcard: bool,
    /// Whether an answer named it.
    pub(crate) is_found_by_dns: bool,
}

/// Numbers of questions and handshakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameCounts {
    pub(crate) questions: u64,
    pub(crate) failed_questions: u64,
    pub(crate) refused_questions: u64,
    pub(crate) handshakes: u64,
    pub(crate) failed_handshakes: u64,
    pub(crate) refused_handshakes: u64,
    pub(crate) foreign_hosts: u64,
}

impl NameFacts {
    /// Writes them as attributes of a host.
    pub(crate) fn describe(&self, attributes: &mut Map<String, Value>) {
        let lists = [
            ("addresses", &self.addresses),
            ("aliases", &self.aliases),
            ("mail_servers", &self.mail_servers),
            ("certificate_authorities", &self.certificate_authorities),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            attributes.insert(name.to_owned(), json!(list));
        }
        if self.wildcard {
            attributes.insert("wildcard".to_owned(), Value::Bool(true));
        }
    }

    fn add(&mut self, data: &RecordData) {
        let (list, value) = match data {
            RecordData::Address(address) => (&mut self.addresses, address.to_string()),
            RecordData::Alias(name) => (&mut self.aliases, name.to_ascii_lowercase()),
            RecordData::Exchange { host, .. } => (&mut self.mail_servers, host.to_ascii_lowercase()),
            RecordData::Caa { tag, value, .. } => {
                (&mut self.certificate_authorities, format!("{tag} {value}"))
            }
            _ => return,
        };
        if list.len() < MOST_VALUES && value.len() <= LONGEST_VALUE {
            list.insert(value);
        }
    }
}

/// Examines the hosts of an inventory: adds certificates, and hosts that certificates and records name; records by name.
pub(crate) async fn examine(
    broker: &Broker<'_>,
    scope: &Scope,
    inventory: &mut Inventory,
    run: RecordId,
) -> Result<(BTreeMap<String, NameFacts>, NameCounts), Failure> {
    let mut counts = NameCounts::default();
    // The crawl began with the scope as it was then: a user may have excluded a host since.
    inventory.hosts.iter_mut().for_each(|host| host.decision = scope.decide_host(&host.name));
    shake_hands(broker, scope, inventory, &mut counts).await?;
    let mut facts = resolve(broker, scope, inventory, (run, &mut counts)).await;
    let of_records =
        facts.values().flat_map(|facts| facts.aliases.iter().chain(&facts.mail_servers).cloned());
    let asked =
        facts.iter().filter(|(_, facts)| **facts != NameFacts::default()).map(|(name, _)| name.clone());
    let named: BTreeSet<String> = of_records.chain(asked).collect();
    for name in named {
        if add_host(scope, inventory, (&name, None), &mut counts) {
            facts.entry(name).or_default().is_found_by_dns = true;
        }
    }
    Ok((facts, counts))
}

/// Adds a host that a certificate or a record of a name server names, unless it is known; whether it was added. A record is no
/// source of the crawl.
fn add_host(
    scope: &Scope,
    inventory: &mut Inventory,
    (name, source): (&str, Option<HostSource>),
    counts: &mut NameCounts,
) -> bool {
    if let Some(host) = inventory.hosts.iter_mut().find(|host| host.name == name) {
        host.sources.extend(source);
        return false;
    }
    let decision = scope.decide_host(name);
    if decision.status == ScopeStatus::Foreign {
        counts.foreign_hosts += 1;
        return false;
    }
    let sources = source.into_iter().collect();
    inventory.hosts.push(FoundHost { name: name.to_owned(), decision, sources, certificate: None });
    true
}

fn may_be_contacted(host: &FoundHost) -> bool {
    matches!(host.decision.status, ScopeStatus::Included | ScopeStatus::Unverified)
}

/// Shakes hands with hosts whose certificate no reply brought.
async fn shake_hands(
    broker: &Broker<'_>,
    scope: &Scope,
    inventory: &mut Inventory,
    counts: &mut NameCounts,
) -> Result<(), Failure> {
    let missing = inventory.hosts.iter().filter(|host| may_be_contacted(host) && host.certificate.is_none());
    let urls: Vec<Url> = missing.filter_map(|host| handshake_url(scope, &host.name)).collect();
    counts.refused_handshakes = urls.len().saturating_sub(MOST_HANDSHAKES) as u64;
    let shaking = urls.into_iter().take(MOST_HANDSHAKES).enumerate().map(|(number, url)| async move {
        if !broker.has_turn(HANDSHAKE_TIME).await {
            return None;
        }
        let destination = broker.destination(&url).ok()?;
        let policy = broker.policy(&url);
        let shaken = broker.outbound.handshake(broker.requester, &destination, &policy, None);
        let certificate = shaken.await.ok()?.certificates.der().next().map(<[u8]>::to_vec)?;
        Some((url.clone(), reply_with(number, &url, certificate)))
    });
    let shaken: Vec<Option<(Url, Reply)>> = stream::iter(shaking).buffered(AT_ONCE).collect().await;
    counts.handshakes = shaken.len() as u64;
    counts.failed_handshakes = shaken.iter().filter(|one| one.is_none()).count() as u64;
    let (urls, replies): (Vec<Url>, Vec<Reply>) = shaken.into_iter().flatten().unzip();
    let numbers: Vec<u32> = replies.iter().map(|reply| reply.request).collect();
    for answer in broker.read(replies).await? {
        let Answer::Read(reading) = answer else { continue };
        let url = numbers.iter().position(|number| *number == reading.request).and_then(|at| urls.get(at));
        if let (Some(certificate), Some(name)) = (reading.certificate, url.and_then(host_name)) {
            add_certificate(scope, inventory, (&name, certificate), counts);
        }
    }
    Ok(())
}

fn add_certificate(
    scope: &Scope,
    inventory: &mut Inventory,
    (host, certificate): (&str, Certificate),
    counts: &mut NameCounts,
) {
    let names: Vec<String> = certificate.hosts().map(str::to_owned).collect();
    if let Some(found) = inventory.hosts.iter_mut().find(|found| found.name == host) {
        found.certificate = Some(certificate);
    }
    for name in names {
        add_host(scope, inventory, (&name, Some(HostSource::Certificate)), counts);
    }
}

/// The port of the application for its own host, where it speaks TLS; else the default port.
fn handshake_url(scope: &Scope, host: &str) -> Option<Url> {
    let application = scope.application();
    let own = application.scheme() == "https" && host_name(application).as_deref() == Some(host);
    let port = if own { application.port().unwrap_or(443) } else { 443 };
    Url::parse(&format!("https://{host}:{port}/")).ok()
}

/// A certificate in the form in which the sandbox reads replies.
fn reply_with(number: usize, url: &Url, certificate: Vec<u8>) -> Reply {
    Reply {
        request: u32::try_from(number).unwrap_or(u32::MAX),
        url: url.to_string(),
        base: url.to_string(),
        purpose: Purpose::Page,
        status: 0,
        headers: Vec::new(),
        body: Vec::new(),
        certificate,
    }
}

/// Asks the name servers: for random names below the domain, for the domain, then for each host.
async fn resolve(
    broker: &Broker<'_>,
    scope: &Scope,
    inventory: &Inventory,
    (run, counts): (RecordId, &mut NameCounts),
) -> BTreeMap<String, NameFacts> {
    let Some(domain) = scope.registrable_domain() else { return BTreeMap::new() };
    let is_name = |name: &str| name.trim_matches(['[', ']']).parse::<IpAddr>().is_err();
    let hosts = inventory.hosts.iter().filter(|host| may_be_contacted(host) && is_name(&host.name));
    let mut hosts: Vec<&FoundHost> = hosts.collect();
    // Included hosts first.
    hosts.sort_by_key(|host| host.decision.status);
    let random: Vec<String> = (0..WILDCARD_LABELS).map(|number| random_name(domain, run, number)).collect();
    let mut questions: Vec<(&str, DnsType)> = random.iter().map(|name| (name.as_str(), DnsType::A)).collect();
    if scope.decide_host(domain).status != ScopeStatus::Excluded {
        questions.extend([(domain, DnsType::Mx), (domain, DnsType::Caa)]);
    }
    questions.extend(
        hosts.iter().flat_map(|host| [(host.name.as_str(), DnsType::A), (&host.name, DnsType::Aaaa)]),
    );
    let wanted = questions.len() as u64;
    let mut facts: BTreeMap<String, NameFacts> = BTreeMap::new();
    for (name, kind) in questions.into_iter().take(MOST_QUESTIONS) {
        if counts.failed_questions >= MOST_UNANSWERED {
            break;
        }
        counts.questions += 1;
        match broker.outbound.ask(broker.requester, Question::Records(name, kind)).await {
            Ok(answer) => {
                let facts = facts.entry(name.to_owned()).or_default();
                answer.records.iter().for_each(|record| facts.add(&record.data));
            }
            Err(DnsError::NoSuchName) => {}
            Err(_) => counts.failed_questions += 1,
        }
    }
    counts.refused_questions = wanted - counts.questions;
    let of_wildcard: Vec<NameFacts> = random.iter().filter_map(|name| facts.remove(name)).collect();
    mark_wildcards(&mut facts, &of_wildcard);
    facts
}

/// Marks names with the addresses that every name below the domain has.
fn mark_wildcards(facts: &mut BTreeMap<String, NameFacts>, random: &[NameFacts]) {
    let addresses: BTreeSet<&String> = random.iter().flat_map(|facts| &facts.addresses).collect();
    let every =
        random.len() == usize::from(WILDCARD_LABELS) && random.iter().all(|one| !one.addresses.is_empty());
    if !every {
        return;
    }
    for facts in facts.values_mut().filter(|facts| !facts.addresses.is_empty()) {
        facts.wildcard =
            facts.addresses.iter().all(|address| addresses.contains(address) || address.contains(':'));
    }
}

/// A name that does not exist: 80 bits of a hash of the run.
fn random_name(domain: &str, run: RecordId, number: u8) -> String {
    let hash = digest(&[b"wildcard", run.as_bytes(), &[number]]);
    let label: String = hash.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
    format!("{label}.{domain}")
}

#[cfg(test)]
mod tests;
