//! From a URL to a connection: its host is resolved, every address is judged, and the connection goes to one of
//! those that were judged. Nothing resolves a name a second time.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tower::Service;

use crate::address::{self, Reason};
use crate::resolve::Resolve;
use crate::socket::Socket;

/// Addresses of a host that are tried, at most.
const MOST_TRIED: usize = 4;

/// Why there is no connection.
#[derive(Clone, Debug, Error)]
pub enum ConnectError {
    /// The name has no address, or nobody could be asked.
    #[error("{name} cannot be resolved")]
    Resolve {
        /// The name.
        name: String,
        /// What the resolver says.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// One of its addresses is not public: then none is used, since the next answer may be that one.
    #[error("{host} leads to {address}, which is not a public address: {reason}")]
    Blocked {
        /// The host.
        host: String,
        /// The first such address.
        address: IpAddr,
        /// Why not.
        reason: Reason,
    },
    /// Plain HTTP to an address outside of the allowed networks.
    #[error("{host} leads to {address}, which may only be reached by https")]
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
        /// What went wrong last.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// It took too long.
    #[error("no connection to {host} within {seconds} s")]
    TimedOut {
        /// The host.
        host: String,
        /// How long was waited, in seconds.
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

/// Opens connections to judged addresses.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) allowed: Arc<[IpNet]>,
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) timeout: Duration,
}

impl Connector {
    /// Resolves a host and judges every address.
    ///
    /// # Errors
    /// [`ConnectError`] but for those of a connection.
    pub(crate) async fn addresses(&self, uri: &Uri) -> Result<Vec<IpAddr>, ConnectError> {
        let host = host(uri).to_owned();
        let addresses = match host.parse::<IpAddr>() {
            Ok(literal) => vec![literal],
            Err(_) => {
                let resolved = self.resolver.resolve(&host).await;
                resolved.map_err(|source| ConnectError::Resolve {
                    name: host.clone(),
                    source: Arc::new(source),
                })?
            }
        };
        if addresses.is_empty() {
            let source = std::io::Error::new(std::io::ErrorKind::NotFound, "the name has no addresses");
            return Err(ConnectError::Resolve { name: host, source: Arc::new(source) });
        }
        for &address in &addresses {
            if let Err(reason) = address::judge(address, &self.allowed) {
                return Err(ConnectError::Blocked { host, address, reason });
            }
            if !is_https(uri) && !address::is_allowed(address, &self.allowed) {
                return Err(ConnectError::Unencrypted { host, address });
            }
        }
        Ok(addresses)
    }

    async fn connect(&self, uri: &Uri) -> Result<Socket, ConnectError> {
        let addresses = self.addresses(uri).await?;
        let host = host(uri).to_owned();
        let port = uri.port_u16().unwrap_or_else(|| if is_https(uri) { 443 } else { 80 });
        let mut last = None;
        for address in addresses.into_iter().take(MOST_TRIED) {
            match TcpStream::connect(SocketAddr::new(address, port)).await {
                Ok(stream) => return self.secure(uri, host, stream).await,
                Err(error) => last = Some(error),
            }
        }
        let source = last.unwrap_or_else(|| std::io::Error::other("no address was tried"));
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

impl Service<Uri> for Connector {
    type Response = TokioIo<Socket>;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let late = ConnectError::TimedOut {
                host: host(&uri).to_owned(),
                seconds: connector.timeout.as_secs_f64(),
            };
            let connecting = tokio::time::timeout(connector.timeout, connector.connect(&uri));
            connecting.await.map_err(|_| late)?.map(TokioIo::new)
        })
    }
}

/// The host without the brackets of an IPv6 address.
fn host(uri: &Uri) -> &str {
    uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

fn is_https(uri: &Uri) -> bool {
    uri.scheme() == Some(&http::uri::Scheme::HTTPS)
}
