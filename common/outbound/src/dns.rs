//! Questions to the name servers beyond the addresses of a receiver: what an inventory of assets, the checks of a web
//! page and those of a mail ask for.

use std::io::{self, ErrorKind};
use std::net::IpAddr;

use thiserror::Error;

use crate::address::{self, Reason};
use crate::client::Outbound;
use crate::lookups::{LookupRefusal, Requester};

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<'a> {
    /// The records of a name. The name is absolute, at most 253 bytes of ASCII (an A-label where it is internationalized);
    /// labels may begin with an underscore.
    Records(&'a str, DnsType),
    /// The names of an address (PTR).
    NamesOf(IpAddr),
}

/// Types of records (RFC 1035, 2782, 3596, 8659).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DnsType {
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Authorities that may issue certificates.
    Caa,
    /// Canonical name.
    Cname,
    /// Mail exchangers.
    Mx,
    /// Name servers.
    Ns,
    /// Start of a zone of authority.
    Soa,
    /// Service locations.
    Srv,
    /// Texts: SPF, DKIM, DMARC, proofs of ownership.
    Txt,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Records of the type asked for, and the canonical names on the way to them, in the order of the answer. None where
    /// the name exists without such a record.
    pub records: Vec<DnsRecord>,
    /// Address records that were left out because the guard refuses the address: such an answer would tell its reader what
    /// is in the operator's network.
    pub withheld: usize,
    /// Records beyond the first 256, which were left out.
    pub dropped: usize,
}

/// A record. Names are in the form of the question, without the last dot; everything is text of the zone's owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsRecord {
    /// Whose record it is.
    pub name: String,
    /// For how many seconds it may be kept.
    pub ttl: u32,
    /// The record.
    pub data: RecordData,
}

/// Data of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordData {
    /// A and AAAA.
    Address(IpAddr),
    /// CAA.
    Caa {
        /// Whether an authority that does not know the tag must not issue.
        critical: bool,
        /// `issue`, `issuewild`, `iodef` or another.
        tag: String,
        /// Value; unreadable bytes are replaced.
        value: String,
    },
    /// CNAME.
    Alias(String),
    /// MX.
    Exchange {
        /// The lowest is tried first.
        preference: u16,
        /// Host.
        host: String,
    },
    /// NS.
    Server(String),
    /// PTR.
    Pointer(String),
    /// SOA.
    Authority {
        /// Primary name server.
        server: String,
        /// Mail address of the person responsible, with a dot for its `@`.
        responsible: String,
        /// Version of the zone.
        serial: u32,
    },
    /// SRV.
    Service {
        /// The lowest is tried first.
        priority: u16,
        /// Share among those of one priority.
        weight: u16,
        /// Port.
        port: u16,
        /// Host.
        host: String,
    },
    /// TXT: its strings joined, as SPF and DKIM read them.
    Text(Vec<u8>),
}

/// Reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DnsError {
    /// It was not asked, because too many look-ups are in progress.
    #[error("the name servers were not asked")]
    Lookups {
        /// Which limit was met.
        #[from]
        refusal: LookupRefusal,
    },
    /// Not a domain name.
    #[error("expected a domain name")]
    Name,
    /// The names of an address that is not public are the operator's business.
    #[error("expected a public address, found one that is not: {reason}")]
    Address {
        /// The reason.
        reason: Reason,
    },
    /// The name does not exist (NXDOMAIN).
    #[error("the name does not exist")]
    NoSuchName,
    /// No name server answered in time.
    #[error("the name servers gave no answer in time")]
    TimedOut,
    /// The name servers cannot be asked, cannot answer (SERVFAIL), or their answer cannot be read.
    #[error("the name servers cannot be asked, or their answer cannot be read")]
    Failed,
}

impl DnsError {
    /// Whether the answer is final: asking again would give the same one.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Name | Self::Address { .. } | Self::NoSuchName)
    }
}

impl Outbound {
    /// Asks the name servers, within the setting `resolve_timeout_ms` and the limits that look-ups of an organization have.
    /// `/etc/hosts` is not read and nothing is cached. Where the name servers also know names of the operator's network,
    /// their records other than addresses are answered like all others: such an installation sets
    /// `name_servers` to ones that know public names only.
    ///
    /// # Errors
    /// [`DnsError`].
    pub async fn ask(&self, requester: Requester, question: Question<'_>) -> Result<Answer, DnsError> {
        let allowed = &self.route.allowed;
        if let Question::NamesOf(address) = question {
            address::judge(address, allowed).map_err(|reason| DnsError::Address { reason })?;
        }
        let _lookup = self.route.lookups.begin(requester).await?;
        let asking = tokio::time::timeout(self.route.resolve_timeout, self.route.resolver.ask(question));
        let mut answer = asking.await.map_err(|_| DnsError::TimedOut)??;
        let before = answer.records.len();
        answer.records.retain(|record| match record.data {
            RecordData::Address(address) => address::judge(address, allowed).is_ok(),
            _ => true,
        });
        answer.withheld = before - answer.records.len();
        Ok(answer)
    }
}

impl From<DnsError> for io::Error {
    fn from(error: DnsError) -> Self {
        let kind = match error {
            DnsError::Name => ErrorKind::InvalidInput,
            DnsError::NoSuchName => ErrorKind::NotFound,
            DnsError::TimedOut => ErrorKind::TimedOut,
            _ => ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
