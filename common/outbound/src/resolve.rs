//! Host names to addresses, without blocking a thread. Judging the addresses is done elsewhere.

mod records;
mod system;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError as Response, NetError};
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::{Hosts, TokioResolver};

use crate::config::Config;
use crate::dns::{Answer, DnsError, Question};
use system::SystemFiles;

/// Interval of checks of the system's files for changes. Two calls of `stat`, which the C library makes at every
/// look-up.
const EXAMINE_EVERY: Duration = Duration::from_secs(5);
/// Times a question is put to the name servers within the time that a look-up has.
const ATTEMPTS: u32 = 2;
/// The port of name servers that are given by address alone.
pub(crate) const DNS_PORT: u16 = 53;

/// Resolves names; another one in tests. How long it may take is decided by the caller, who drops the look-up.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// All addresses of a name.
    ///
    /// # Errors
    /// `NotFound` when there are none, `TimedOut` without an answer in time, others when the name servers cannot be
    /// asked or their answer cannot be read. Tenants may be shown the text.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;

    /// The records that answer a question. By default there are no name servers to ask.
    ///
    /// # Errors
    /// [`DnsError`] but for those of the guard. Tenants may be shown the text.
    async fn ask(&self, _: Question<'_>) -> Result<Answer, DnsError> {
        Err(DnsError::Failed)
    }
}

/// Resolves names as the system is set up to: by `/etc/hosts` first, then by the name servers of `/etc/resolv.conf`
/// or those of [`Config::name_servers`]. Both files are read again when they have changed.
///
/// Names are absolute: search domains are not appended, since a name that a tenant gives would else be tried as one
/// of the operator's network. Answers are not cached: there is one look-up for each connection, and the name servers
/// cache. IPv4 addresses come first.
pub struct SystemResolver {
    files: SystemFiles,
    /// Instead of those of the system, if any.
    name_servers: Vec<SocketAddr>,
    timeout: Duration,
    clock: SharedClock,
    state: Mutex<State>,
}

struct State {
    examined_at: Duration,
    stamp: system::Stamp,
    current: Arc<Sources>,
}

/// Sources of name resolution.
struct Sources {
    hosts: Hosts,
    resolver: TokioResolver,
}

impl SystemResolver {
    /// Reads the system's files.
    ///
    /// # Errors
    /// When the resolver cannot be set up. Files that are missing are none: as the C library does, a machine without
    /// `/etc/resolv.conf` asks the name server on itself.
    pub fn new(config: &Config, clock: SharedClock) -> io::Result<Self> {
        Self::with_files(SystemFiles::default(), config, clock)
    }

    fn with_files(files: SystemFiles, config: &Config, clock: SharedClock) -> io::Result<Self> {
        let (name_servers, timeout) = (config.name_servers.clone(), config.resolve_timeout());
        let stamp = files.stamp();
        let current = Arc::new(Sources::read(&files, &name_servers, timeout)?);
        let state = Mutex::new(State { examined_at: clock.monotonic(), stamp, current });
        Ok(Self { files, name_servers, timeout, clock, state })
    }

    /// Current sources of name resolution.
    fn sources(&self) -> Arc<Sources> {
        let now = self.clock.monotonic();
        // A panic can leave nothing half-done in it.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_sub(state.examined_at) >= EXAMINE_EVERY {
            state.examined_at = now;
            let stamp = self.files.stamp();
            if stamp != state.stamp {
                state.stamp = stamp;
                match Sources::read(&self.files, &self.name_servers, self.timeout) {
                    Ok(sources) => state.current = Arc::new(sources),
                    Err(error) => {
                        tracing::error!(%error, "changed resolver settings cannot be used; the earlier ones remain in use");
                    }
                }
            }
        }
        Arc::clone(&state.current)
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let absolute = absolute(name)?;
        let sources = self.sources();
        let listed = sources.listed(&absolute);
        if !listed.is_empty() {
            return Ok(listed);
        }
        match sources.resolver.lookup_ip(absolute).await {
            Ok(found) => Ok(found.iter().collect()),
            Err(error) => {
                // Without the name and the error, which has it: it may stand in a content that was submitted for a scan.
                tracing::debug!(kind = ?plain(&error).kind(), "a name cannot be resolved");
                Err(plain(&error))
            }
        }
    }

    async fn ask(&self, question: Question<'_>) -> Result<Answer, DnsError> {
        let (name, kind) = records::query(question)?;
        let outcome = self.sources().resolver.lookup(name.clone(), kind).await;
        outcome.map(|lookup| records::answer(lookup.answers(), kind)).or_else(|error| {
            tracing::debug!(kind = ?plain(&error).kind(), "a DNS query got no answer");
            records::failed(&error)
        })
    }
}

/// A name to which no search domain is appended.
fn absolute(name: &str) -> Result<Name, DnsError> {
    let mut absolute = Name::from_ascii(name).map_err(|_| DnsError::Name)?;
    absolute.set_fqdn(true);
    Ok(absolute)
}

impl Sources {
    fn read(files: &SystemFiles, name_servers: &[SocketAddr], timeout: Duration) -> io::Result<Self> {
        let system = files.resolver_settings();
        let name_servers = if name_servers.is_empty() { &system.name_servers } else { name_servers };
        let mut options = ResolverOpts::default();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        // Looked up in front: a name that is listed with one kind of address is not asked for the other.
        options.use_hosts_file = ResolveHosts::Never;
        options.cache_size = 0;
        let attempt = timeout / ATTEMPTS;
        options.timeout = system.timeout.map_or(attempt, |system| system.min(attempt));
        options.attempts = (ATTEMPTS - 1) as usize;
        let config = ResolverConfig::from_name_servers(name_servers.iter().map(server).collect());
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        *builder.options_mut() = options;
        let resolver = builder.build().map_err(io::Error::other)?;
        Ok(Self { hosts: files.hosts(), resolver })
    }

    /// The addresses of a name in `/etc/hosts`.
    fn listed(&self, name: &Name) -> Vec<IpAddr> {
        let kinds = [RecordType::A, RecordType::AAAA];
        let lookups = kinds
            .iter()
            .filter_map(|kind| self.hosts.lookup_static_host(&Query::query(name.to_lowercase(), *kind)));
        lookups
            .flat_map(|lookup| {
                lookup.answers().iter().filter_map(|record| record.data.ip_addr()).collect::<Vec<_>>()
            })
            .collect()
    }
}

fn server(address: &SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    // A server that denies a name is believed: asking others would let each of them answer for it.
    NameServerConfig::new(address.ip(), true, connections.into())
}

/// An error in words that do not name the operator's servers.
fn plain(error: &NetError) -> io::Error {
    match error {
        NetError::Timeout => {
            io::Error::new(io::ErrorKind::TimedOut, "the name servers gave no answer in time")
        }
        NetError::Dns(Response::NoRecordsFound(_)) => {
            io::Error::new(io::ErrorKind::NotFound, "the name has no addresses")
        }
        _ => io::Error::other("the name servers cannot be asked, or their answer cannot be read"),
    }
}

#[cfg(test)]
mod tests;
