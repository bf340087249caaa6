//! From a URL to a connection: its host is resolved, every address is judged, and the connection goes to one of
//! those that were judged. Nothing resolves a name a second time.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use ipnet::IpNet;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::address::{self, Reason};
use crate::lookups::{LookupRefusal, Lookups, Requester};
use crate::policy::Addresses;
use crate::resolve::Resolve;
use crate::socket::Socket;
use crate::tls::Tls;

/// Addresses of a host that are tried, at most.
const MOST_TRIED: usize = 4;

/// Reason why there is no connection. Tenants may be shown the text: it says nothing of addresses that names of theirs lead
/// to, which would tell them what is in the operator's network.
#[derive(Clone, Debug, Error)]
pub enum ConnectError {
    /// The name was not looked up, because too many look-ups are in progress. The receiver was not asked.
    #[error("{name} was not resolved")]
    Lookups {
        /// The name.
        name: String,
        /// Which limit was met.
        #[source]
        refusal: LookupRefusal,
    },
    /// The name has no address, or the name servers did not answer.
    #[error("{name} cannot be resolved")]
    Resolve {
        /// The name.
        name: String,
        /// Error of the resolver.
        #[source]
        source: Arc<io::Error>,
    },
    /// One of its addresses is not public: then none is used, since the next answer may be that one.
    #[error("{host} does not resolve to a public address")]
    Blocked {
        /// The host.
        host: String,
        /// The first such address.
        address: IpAddr,
        /// The reason.
        reason: Reason,
    },
    /// Plain HTTP to an address outside of the allowed networks.
    #[error("{host} may only be reached by https")]
    Unencrypted {
        /// The host.
        host: String,
        /// The address.
        address: IpAddr,
    },
    /// Nobody answered there, or TLS failed.
    #[error("no connection to {host}")]
    Failed {
        /// The host.
        host: String,
        /// The last error.
        #[source]
        source: Arc<io::Error>,
    },
    /// It took too long.
    #[error("no connection to {host} within {seconds} s")]
    TimedOut {
        /// The host.
        host: String,
        /// Time waited, in seconds.
        seconds: f64,
    },
    /// The URL has no host, or one that no certificate can name.
    #[error("{host:?} cannot be the name of a host")]
    Host {
        /// The host as given.
        host: String,
    },
}

impl ConnectError {
    /// Whether trying again could not help: the address is refused by us.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Blocked { .. } | Self::Unencrypted { .. } | Self::Host { .. })
    }
}

/// Opens connections to judged addresses, on behalf of one requester.
pub(crate) struct Connector {
    pub(crate) route: Arc<Route>,
    pub(crate) requester: Requester,
    pub(crate) addresses: Addresses,
    pub(crate) tls: Arc<ClientConfig>,
}

/// State shared by connections of all requesters.
pub(crate) struct Route {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) lookups: Arc<Lookups>,
    pub(crate) allowed: Vec<IpNet>,
    pub(crate) tls: Tls,
    pub(crate) resolve_timeout: Duration,
    pub(crate) connect_timeout: Duration,
}

impl Route {
    /// The networks that are allowed beside public addresses.
    pub(crate) fn allowed(&self, addresses: Addresses) -> &[IpNet] {
        match addresses {
            Addresses::Guarded => &self.allowed,
            Addresses::Public => &[],
        }
    }
}

impl Connector {
    /// Resolves a host and judges every address.
    ///
    /// # Errors
    /// [`ConnectError`] but for those of a connection.
    pub(crate) async fn addresses(&self, uri: &Uri) -> Result<Vec<IpAddr>, ConnectError> {
        let host = host(uri);
        let addresses = match host.parse::<IpAddr>() {
            Ok(literal) => vec![literal],
            Err(_) => self.resolve(host).await?,
        };
        self.judge(uri, &addresses).inspect_err(|error| {
            if let ConnectError::Blocked { address, reason, .. } = error {
                // Without the host, which a user may have submitted to be scanned: the error has it for the caller.
                tracing::info!(%address, %reason, "the address of a destination may not be reached");
            }
        })?;
        Ok(addresses)
    }

    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ConnectError> {
        let refused = |refusal| ConnectError::Lookups { name: name.to_owned(), refusal };
        let _lookup = self.route.lookups.begin(self.requester).await.map_err(refused)?;
        let resolving = tokio::time::timeout(self.route.resolve_timeout, self.route.resolver.resolve(name));
        let late = |_| io::Error::new(ErrorKind::TimedOut, "the name servers gave no answer in time");
        let none = || io::Error::new(ErrorKind::NotFound, "the name has no addresses");
        let resolved = resolving.await.map_err(late).flatten();
        let found = resolved.and_then(|found| if found.is_empty() { Err(none()) } else { Ok(found) });
        found.map_err(|source| ConnectError::Resolve { name: name.to_owned(), source: Arc::new(source) })
    }

    fn judge(&self, uri: &Uri, addresses: &[IpAddr]) -> Result<(), ConnectError> {
        let (host, allowed) = (host(uri), self.route.allowed(self.addresses));
        for &address in addresses {
            if let Err(reason) = address::judge(address, allowed) {
                return Err(ConnectError::Blocked { host: host.to_owned(), address, reason });
            }
            if !is_https(uri) && !address::is_allowed(address, allowed) {
                return Err(ConnectError::Unencrypted { host: host.to_owned(), address });
            }
        }
        Ok(())
    }

    /// Opens a connection to one of the judged addresses.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub(crate) async fn connect(&self, uri: &Uri) -> Result<Socket, ConnectError> {
        let addresses = self.addresses(uri).await?;
        let timeout = self.route.connect_timeout;
        let late = |_| ConnectError::TimedOut { host: host(uri).to_owned(), seconds: timeout.as_secs_f64() };
        tokio::time::timeout(timeout, self.reach(uri, addresses)).await.map_err(late)?
    }

    async fn reach(&self, uri: &Uri, addresses: Vec<IpAddr>) -> Result<Socket, ConnectError> {
        let host = host(uri).to_owned();
        let port = port(uri);
        let mut last = None;
        for address in addresses.into_iter().take(MOST_TRIED) {
            match TcpStream::connect(SocketAddr::new(address, port)).await {
                Ok(stream) => return self.secure(uri, host, stream).await,
                Err(error) => last = Some(error),
            }
        }
        let source = last.unwrap_or_else(|| io::Error::other("no address was tried"));
        Err(ConnectError::Failed { host, source: Arc::new(source) })
    }

    async fn secure(&self, uri: &Uri, host: String, stream: TcpStream) -> Result<Socket, ConnectError> {
        // Requests are small and answered at once.
        let _ = stream.set_nodelay(true);
        if !is_https(uri) {
            return Ok(Socket::Plain(stream));
        }
        let Ok(name) = ServerName::try_from(host.clone()) else { return Err(ConnectError::Host { host }) };
        let connected = TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await;
        let stream = connected.map_err(|source| ConnectError::Failed { host, source: Arc::new(source) })?;
        Ok(Socket::Tls(Box::new(stream)))
    }
}

/// The host without the brackets of an IPv6 address.
pub(crate) fn host(uri: &Uri) -> &str {
    uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

/// The port, that of the scheme where the URL has none.
pub(crate) fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or_else(|| if is_https(uri) { 443 } else { 80 })
}

pub(crate) fn is_https(uri: &Uri) -> bool {
    uri.scheme() == Some(&http::uri::Scheme::HTTPS)
}
