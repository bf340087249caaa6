//! Names of a domain with name servers of a table, and a TLS server on loopback.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use common::clock::SystemClock;
use common::ids::{ApplicationId, OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use directory::{Application, RedTeamSettings};
use ledger::memory::MemoryLedger;
use outbound::{Answer as DnsAnswer, DnsRecord, Outbound, Resolve};
use rustls::pki_types::PrivateKeyDer;
use sandbox::SandboxError;
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Vault};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use web::crawl::{Config as CrawlConfig, Crawl};

use super::*;
use crate::config::Config;
use crate::discovery::{Network, ReplyReader};

const MINUTE: Duration = Duration::from_secs(60);
const APPLICATION: &str = "shop.example.com";
/// Public addresses: others are withheld.
const OF_SHOP: &str = "93.184.216.34";
const OF_EVERY_NAME: &str = "93.184.216.99";

/// Every name leads to loopback; questions are answered from a table, and recorded.
#[derive(Default)]
struct Names {
    wildcard: bool,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }

    async fn ask(&self, question: Question<'_>) -> Result<DnsAnswer, DnsError> {
        let Question::Records(name, kind) = question else { return Err(DnsError::Failed) };
        self.asked.lock().unwrap().push(name.to_owned());
        let address = |text: &str| RecordData::Address(text.parse().unwrap());
        let data = match (name, kind) {
            (APPLICATION, DnsType::A) => {
                vec![RecordData::Alias("edge.cdn.test".to_owned()), address(OF_SHOP)]
            }
            ("example.com", DnsType::Mx) => ["mail.example.com", "mx.other.test"]
                .map(|host| RecordData::Exchange { preference: 10, host: host.to_owned() })
                .into(),
            ("example.com", DnsType::Caa) => {
                vec![RecordData::Caa {
                    critical: false,
                    tag: "issue".to_owned(),
                    value: "ca.test".to_owned(),
                }]
            }
            ("silent.example.com", _) => return Err(DnsError::TimedOut),
            (_, DnsType::A) if self.wildcard => vec![address(OF_EVERY_NAME)],
            _ => return Err(DnsError::NoSuchName),
        };
        let record = |data| DnsRecord { name: name.to_owned(), ttl: 60, data };
        Ok(DnsAnswer { records: data.into_iter().map(record).collect(), withheld: 0, dropped: 0 })
    }
}

struct InProcess;

#[async_trait]
impl ReplyReader for InProcess {
    async fn read(&self, batch: &[u8]) -> Result<Vec<u8>, SandboxError> {
        Ok(web::parse::read_batch(batch))
    }
}

/// A TLS server with a certificate for names, which lives as long as the set.
async fn tls_server(names: &[&str], serving: &mut JoinSet<()>) -> SocketAddr {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(names).unwrap().self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(
        vec![certificate.der().clone()],
        PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
    );
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    serving.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop(acceptor.accept(stream).await);
        }
    });
    address
}

struct Examined {
    inventory: Inventory,
    facts: BTreeMap<String, NameFacts>,
    counts: NameCounts,
    asked: Vec<String>,
}

/// Examines an application whose crawl found nothing but its host, and further hosts.
async fn examine_with(names: Names, further: &[&str], excluded: &[&str]) -> Examined {
    let mut serving = JoinSet::new();
    let server =
        tls_server(&[APPLICATION, "admin.example.com", "*.example.com", "other.test"], &mut serving).await;
    let clock = Arc::new(SystemClock::new());
    let ledger = Arc::new(MemoryLedger::new());
    let config = outbound::Config {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..outbound::Config::default()
    };
    let names = Arc::new(names);
    let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([9; 32])]).unwrap();
    let network = Network {
        outbound: Arc::new(Outbound::new(&config, names.clone(), clock).unwrap()),
        vault: Arc::new(Vault::new(ledger, keys)),
        reader: Arc::new(InProcess),
    };
    let organization = OrganizationId::from_bytes([1; 16]);
    let application = Application {
        id: ApplicationId::from_bytes([2; 16]),
        organization,
        name: "Shop".to_owned(),
        url: format!("https://{APPLICATION}:{}/", server.port()),
        repository_id: None,
        specific_prompt: None,
        red_team: RedTeamSettings::default(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    let crawl = Crawl::new(CrawlConfig { url: application.url.clone(), ..CrawlConfig::default() }).unwrap();
    let before = crawl.scope().clone();
    let mut inventory = crawl.finish();
    for name in further {
        let decision = before.decide_host(name);
        let sources = [HostSource::Link].into();
        inventory.hosts.push(FoundHost { name: (*name).to_owned(), decision, sources, certificate: None });
    }
    // The hosts were excluded while the crawl was under way.
    let excluded: Vec<String> = excluded.iter().map(|host| (*host).to_owned()).collect();
    let scope = Scope::new(&application.url, &[], &excluded).unwrap();
    let fast = Config { requests_per_minute: 60_000 };
    let broker =
        Broker::open(&network, &fast, (&application, &scope), Instant::now() + MINUTE).await.ok().unwrap();
    let run = RecordId::new(Shard(0), &[7; 32]);
    let (facts, counts) = examine(&broker, &scope, &mut inventory, run).await.ok().unwrap();
    let asked = names.asked.lock().unwrap().clone();
    Examined { inventory, facts, counts, asked }
}

fn host<'e>(examined: &'e Examined, name: &str) -> Option<&'e FoundHost> {
    examined.inventory.hosts.iter().find(|host| host.name == name)
}

#[tokio::test]
async fn certificates_and_records_name_further_hosts_of_the_domain_alone() {
    let examined = examine_with(Names::default(), &[], &[]).await;
    let shop = host(&examined, APPLICATION).unwrap();
    assert!(shop.certificate.as_ref().unwrap().names.contains(&"admin.example.com".to_owned()));
    let admin = host(&examined, "admin.example.com").unwrap();
    assert_eq!(
        (admin.decision.status, admin.sources.clone()),
        (ScopeStatus::Unverified, [HostSource::Certificate].into())
    );
    assert!(
        host(&examined, "mail.example.com").is_some() && examined.facts["mail.example.com"].is_found_by_dns
    );
    assert!(host(&examined, "example.com").is_some(), "it has records");
    for foreign in ["other.test", "mx.other.test", "edge.cdn.test"] {
        assert!(host(&examined, foreign).is_none(), "{foreign}");
    }
    assert_eq!(examined.counts.foreign_hosts, 3);
    let mut attributes = Map::new();
    examined.facts[APPLICATION].describe(&mut attributes);
    assert_eq!(Value::Object(attributes), json!({"addresses": [OF_SHOP], "aliases": ["edge.cdn.test"]}));
    assert_eq!(examined.facts["example.com"].certificate_authorities, ["issue ca.test".to_owned()].into());
    let random = examined.asked.iter().filter(|name| name.len() == 20 + ".example.com".len()).count();
    assert_eq!(random, 2);
    assert_eq!(examined.counts.questions, examined.asked.len() as u64);
}

#[tokio::test]
async fn names_with_the_addresses_of_every_name_are_marked() {
    let names = Names { wildcard: true, ..Names::default() };
    let examined = examine_with(names, &["made-up.example.com"], &[]).await;
    assert!(examined.facts["made-up.example.com"].wildcard);
    assert!(!examined.facts[APPLICATION].wildcard, "it has an address of its own");
}

#[tokio::test]
async fn excluded_hosts_are_not_asked_for_and_questions_are_bounded() {
    let many: Vec<String> = (0..30).map(|number| format!("n{number}.example.com")).collect();
    let mut further: Vec<&str> = vec!["secret.example.com", "silent.example.com"];
    further.extend(many.iter().map(String::as_str));
    let examined = examine_with(Names::default(), &further, &["secret.example.com"]).await;
    assert!(!examined.asked.iter().any(|name| name.contains("secret")), "{:?}", examined.asked);
    assert_eq!((examined.counts.questions, examined.asked.len()), (32, 32));
    assert!(examined.counts.refused_questions > 0 && examined.counts.failed_questions == 2);
    assert_eq!(
        (examined.counts.handshakes, examined.counts.failed_handshakes),
        (20, 19),
        "one server speaks TLS"
    );
    assert!(examined.counts.refused_handshakes > 0);
}
