//! Questions of the checks of signatures to the name servers.
//!
//! The library of signatures asks a resolver of its own, unless a cache has the answer. Here the cache is all that it has: names that it
//! misses are asked through [`Names`], with the limits of outbound look-ups, and the check is repeated with the answers.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use hickory_resolver::proto::op::ResponseCode;
use mail_auth::common::parse::TxtRecordParser;
use mail_auth::common::verify::DomainKey;
use mail_auth::dmarc::Dmarc;
use mail_auth::spf::Spf;
use mail_auth::{DnsError as LibraryDnsError, DnssecStatus, Error, MX, RecordSet, ResolverCache, Txt};
use outbound::{Answer, DnsError, DnsRecord, DnsType, RecordData};

/// Name servers.
#[async_trait]
pub trait Names: Send + Sync {
    /// The records of a name, which is absolute and without the last dot.
    ///
    /// # Errors
    /// [`DnsError`].
    async fn ask(&self, name: &str, kind: DnsType) -> Result<Answer, DnsError>;
}

/// No name servers: for scans without look-ups.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

#[async_trait]
impl Names for NoNames {
    async fn ask(&self, _name: &str, _kind: DnsType) -> Result<Answer, DnsError> {
        Err(DnsError::Failed)
    }
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Txt,
    Mx,
    Ipv4,
    Ipv6,
}

/// Answers so far, and names that were missed.
#[derive(Default)]
pub(super) struct Answers {
    txt: Mutex<HashMap<Box<str>, Txt>>,
    mx: Mutex<HashMap<Box<str>, RecordSet<MX>>>,
    ipv4: Mutex<HashMap<Box<str>, RecordSet<Ipv4Addr>>>,
    ipv6: Mutex<HashMap<Box<str>, RecordSet<Ipv6Addr>>>,
    missed: Mutex<BTreeSet<Question>>,
    asked: Mutex<usize>,
}

/// Questions of one mail at most: two keys, the policies of two domains with eight labels, and ten terms of SPF with their addresses.
const MOST_QUESTIONS: usize = 60;
/// Questions of one mail in progress: an organization has three, and its other scans ask too.
const AT_ONCE: usize = 2;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Answers {
    /// Asks for the names that were missed; whether there were any that may still be asked.
    pub(super) async fn fill(&self, names: &dyn Names) -> bool {
        let missed = std::mem::take(&mut *locked(&self.missed));
        let room = MOST_QUESTIONS.saturating_sub(*locked(&self.asked));
        let questions: Vec<Question> = missed.into_iter().take(room).collect();
        *locked(&self.asked) += questions.len();
        let ask = |question: &Question| {
            let kind = match question.kind {
                Kind::Txt => DnsType::Txt,
                Kind::Mx => DnsType::Mx,
                Kind::Ipv4 => DnsType::A,
                Kind::Ipv6 => DnsType::Aaaa,
            };
            let name = question.name.trim_end_matches('.').to_owned();
            async move { names.ask(&name, kind).await }.boxed()
        };
        let asked: Vec<_> = questions.iter().map(ask).collect();
        let answers: Vec<_> = stream::iter(asked).buffered(AT_ONCE).collect().await;
        let is_any = !questions.is_empty();
        for (question, answer) in questions.into_iter().zip(answers) {
            self.insert(question, answer);
        }
        is_any
    }

    fn insert(&self, Question { name, kind }: Question, answer: Result<Answer, DnsError>) {
        let key: Box<str> = name.clone().into();
        let records = answer.as_ref().map_or(&[][..], |answer| answer.records.as_slice());
        match kind {
            Kind::Txt => {
                let txt = match &answer {
                    Ok(answer) => parsed(&name, &answer.records),
                    Err(error) => Txt::Error(Error::Dns(of_library(error))),
                };
                locked(&self.txt).insert(key, txt);
            }
            // A failed question about hosts leaves its name missing, so that the library reports a temporary failure.
            Kind::Mx if answer.is_ok() => {
                locked(&self.mx).insert(key, set(exchanges(records)));
            }
            Kind::Ipv4 if answer.is_ok() => {
                let addresses = records.iter().filter_map(|record| match record.data {
                    RecordData::Address(std::net::IpAddr::V4(address)) => Some(address),
                    _ => None,
                });
                locked(&self.ipv4).insert(key, set(addresses.collect()));
            }
            Kind::Ipv6 if answer.is_ok() => {
                let addresses = records.iter().filter_map(|record| match record.data {
                    RecordData::Address(std::net::IpAddr::V6(address)) => Some(address),
                    _ => None,
                });
                locked(&self.ipv6).insert(key, set(addresses.collect()));
            }
            Kind::Mx | Kind::Ipv4 | Kind::Ipv6 => {}
        }
    }

    fn miss<Q: Hash + ?Sized>(&self, name: &Q, kind: Kind) {
        if let Some(name) = name_of(name) {
            locked(&self.missed).insert(Question { name, kind });
        }
    }
}

fn set<T>(records: Vec<T>) -> RecordSet<T> {
    RecordSet { rrset: records.into(), dnssec_status: DnssecStatus::Indeterminate }
}

fn exchanges(records: &[DnsRecord]) -> Vec<MX> {
    let mut exchanges: Vec<MX> = records
        .iter()
        .filter_map(|record| match &record.data {
            RecordData::Exchange { preference, host } => {
                let host: Box<str> = format!("{}.", host.trim_end_matches('.').to_lowercase()).into();
                Some(MX { exchanges: Box::new([host]), preference: *preference })
            }
            _ => None,
        })
        .collect();
    exchanges.sort_by_key(|exchange| exchange.preference);
    exchanges
}

/// The first record of the type that the name is asked for, by the form of the name (RFC 6376 section 3.6.2.1, RFC 9989 section 4.10,
/// RFC 7208).
fn parsed(name: &str, records: &[DnsRecord]) -> Txt {
    let texts = records.iter().filter_map(|record| match &record.data {
        RecordData::Text(text) => Some(text.as_slice()),
        _ => None,
    });
    let mut found = Txt::Error(Error::Dns(LibraryDnsError::RecordNotFound(ResponseCode::NoError)));
    for text in texts {
        found = if name.contains("._domainkey.") {
            DomainKey::parse(text).into()
        } else if name.starts_with("_dmarc.") {
            Dmarc::parse(text).into()
        } else {
            Spf::parse(text).into()
        };
        if !matches!(found, Txt::Error(_)) {
            break;
        }
    }
    found
}

fn of_library(error: &DnsError) -> LibraryDnsError {
    match error {
        DnsError::NoSuchName | DnsError::Name => LibraryDnsError::RecordNotFound(ResponseCode::NXDomain),
        _ => LibraryDnsError::Resolver(error.to_string()),
    }
}

/// Collects the bytes that a name feeds into a hash: the library passes names as keys of a map only.
#[derive(Default)]
struct Recorder(Vec<u8>);

impl Hasher for Recorder {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// The text of a key: its bytes, and the end mark of texts.
fn name_of<Q: Hash + ?Sized>(key: &Q) -> Option<String> {
    let mut recorder = Recorder::default();
    key.hash(&mut recorder);
    let name = recorder.0.strip_suffix(&[0xff])?.to_vec();
    String::from_utf8(name).ok().filter(|name| name.is_ascii() && name.len() <= 254)
}

macro_rules! cache {
    ($(#[$doc:meta])* $name:ident, $value:ty, $field:ident, $kind:expr) => {
        $(#[$doc])*
        pub(super) struct $name<'a>(pub(super) &'a Answers);

        impl ResolverCache<Box<str>, $value> for $name<'_> {
            fn get<Q>(&self, name: &Q) -> Option<$value>
            where
                Box<str>: Borrow<Q>,
                Q: Hash + Eq + ?Sized,
            {
                let found = locked(&self.0.$field).get(name).cloned();
                if found.is_none() {
                    self.0.miss(name, $kind);
                }
                found
            }

            fn remove<Q>(&self, _name: &Q) -> Option<$value>
            where
                Box<str>: Borrow<Q>,
                Q: Hash + Eq + ?Sized,
            {
                None
            }

            fn insert(&self, _name: Box<str>, _value: $value, _until: std::time::Instant) {}
        }
    };
}

cache!(
    /// Texts.
    Texts, Txt, txt, Kind::Txt
);
cache!(
    /// Mail exchangers.
    Exchangers, RecordSet<MX>, mx, Kind::Mx
);
cache!(
    /// IPv4 addresses.
    Ipv4s, RecordSet<Ipv4Addr>, ipv4, Kind::Ipv4
);
cache!(
    /// IPv6 addresses.
    Ipv6s, RecordSet<Ipv6Addr>, ipv6, Kind::Ipv6
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_key_is_recovered() {
        assert_eq!(name_of("a._domainkey.example.org.").as_deref(), Some("a._domainkey.example.org."));
        assert_eq!(name_of(&Box::<str>::from("example.org.")).as_deref(), Some("example.org."));
    }
}
