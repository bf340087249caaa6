//! Listening: settings of a listener, and binding it. The files below follow a connection: accept, TLS, protocol, connection,
//! plain requests, and the response to any other; `stream`, `frames`, `activity` and `peers` watch a connection, `host` checks
//! the `Host` header of a request. Responses are the handler's business.

mod accept;
mod activity;
mod answer;
mod connection;
mod frames;
mod host;
mod peers;
mod plain;
mod protocol;
mod stream;
mod tls;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::net::TcpListener;

use crate::certificates::CertificateError;
use crate::settings::{OutOfBounds, address, seconds, within};

pub use accept::{Drained, Handler, converse};
pub use frames::{Flood, FrameCount};
pub use plain::{Answering, PlainBody, PlainHandler};
pub use tls::{Certificates, TlsConfig};

/// Largest piece that a connection of hyper's reads at once, and so about the memory it may hold beside the bodies
/// that handlers keep, for as long as it lives: hundreds of additional connections must cost little. A body that
/// is larger arrives in fragments, each about a microsecond of work; preparing as much takes sixty.
pub const READ_BUFFER_BYTES: usize = 32 * 1024;

/// Settings of a listener. Every bound protects the others on the same listener from one sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListenConfig {
    /// Address and port, default 127.0.0.1:8080. Port 0 selects a free port.
    #[serde(with = "address")]
    pub address: SocketAddr,
    /// Certificate and key. Default none: plain TCP.
    pub tls: Option<TlsConfig>,
    /// Maximum number of simultaneous connections, 1 to 1,000,000, default 10,000. An idle connection takes about 3
    /// KiB if it carried only plain requests, as those of batch senders do, and up to 80 KiB otherwise. A fleet has
    /// one or two per agent. Beyond the limit, new connections wait.
    pub max_connections: usize,
    /// Timeout in seconds from accepting a connection to the end of its first request head, including the TLS
    /// handshake, default 10: enough for three lost packets, too short to accumulate idle connections. Checked fifteen
    /// times.
    #[serde(rename = "first_request_seconds", with = "seconds")]
    pub first_request: Duration,
    /// Idle timeout of a connection in seconds, default 75: longer than the 60 s of common load balancers, so that
    /// they close first. The head of the next request must be complete within it. Checked fifteen times per period.
    #[serde(rename = "idle_seconds", with = "seconds")]
    pub idle: Duration,
    /// Connections of one address (in IPv6, of one /64 network) above which idle connections are closed after a
    /// fifteenth of `idle_seconds`, and connections without any request after a fifth of `first_request_seconds`, 1 to
    /// 1,000,000, default 1,000: above the hundreds of connections that a proxy keeps open, and low enough against
    /// exhaustion of connections.
    pub crowd: usize,
    /// Write stall timeout in seconds, default 30: the peer reads no byte of the written data, or less than 1 KiB of a
    /// response with more data pending, which HTTP/2 flow control allows it to block.
    #[serde(rename = "write_stall_seconds", with = "seconds")]
    pub write_stall: Duration,
    /// Linger time in seconds, in which remaining input is read and discarded after the last response, so that the
    /// response is not lost to a reset, default 2.
    #[serde(rename = "linger_seconds", with = "seconds")]
    pub linger: Duration,
    /// Maximum size of a request head, 1 KiB to 1 MiB, default 32 KiB: four times the limit of common servers, and the
    /// read size of a connection.
    pub max_head_bytes: u32,
    /// Maximum number of headers of an HTTP/1.1 request, 10 to 1,000, default 100; they are preallocated.
    pub max_headers: usize,
    /// Maximum number of concurrent requests of one HTTP/2 connection, 1 to 1,000, default 100: the minimum that RFC
    /// 9113 section 6.5.2 recommends.
    pub max_streams: u32,
}

impl ListenConfig {
    /// The defaults at another address.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            tls: None,
            max_connections: 10_000,
            first_request: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            crowd: 1000,
            write_stall: Duration::from_secs(30),
            linger: Duration::from_secs(2),
            max_head_bytes: 32 * 1024,
            max_headers: 100,
            max_streams: 100,
        }
    }
}

impl ListenConfig {
    /// Whether every setting is within its bounds.
    ///
    /// # Errors
    /// [`OutOfBounds`], which names the first that is not.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        within("listen.max_connections", &self.max_connections, &(1..=1_000_000))?;
        within("listen.crowd", &self.crowd, &(1..=1_000_000))?;
        within("listen.max_head_bytes", &self.max_head_bytes, &(1024..=1024 * 1024))?;
        within("listen.max_headers", &self.max_headers, &(10..=1000))?;
        within("listen.max_streams", &self.max_streams, &(1..=1000))?;
        for (key, limit) in [
            ("listen.first_request_seconds", self.first_request),
            ("listen.idle_seconds", self.idle),
            ("listen.write_stall_seconds", self.write_stall),
        ] {
            if limit.is_zero() {
                return Err(OutOfBounds::new(key, 0, "more than 0"));
            }
        }
        Ok(())
    }
}

impl Default for ListenConfig {
    fn default() -> Self {
        Self::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)))
    }
}

/// Reason why listening could not begin.
#[derive(Debug, Error)]
pub enum ListenError {
    /// A setting is out of its bounds.
    #[error(transparent)]
    Setting(#[from] OutOfBounds),
    /// Another process listens there.
    #[error("{address} is in use by another process")]
    Taken {
        /// The requested address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The requested address.
        address: SocketAddr,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The certificate or key cannot be used.
    #[error("TLS cannot be set up")]
    Tls(#[from] CertificateError),
}

/// A bound listener: connections queue up from now on, and are served by [`Bound::serve`].
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    certificates: Option<Certificates>,
    config: ListenConfig,
    plain: Option<Arc<dyn PlainHandler>>,
}

impl Bound {
    /// Loads the certificate, if there is one, and binds.
    ///
    /// # Errors
    /// [`ListenError`].
    pub async fn bind(config: &ListenConfig) -> Result<Self, ListenError> {
        config.check()?;
        let certificates = config.tls.as_ref().map(Certificates::load).transpose()?;
        let address = config.address;
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => ListenError::Taken { address },
            _ => ListenError::Bind { address, source },
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, certificates, config: config.clone(), plain: None })
    }

    /// With a handler of plain requests to some paths. Others, and requests to these that are not plain, go to the
    /// [`Handler`], as do all without it.
    #[must_use]
    pub fn with_plain(self, handler: Arc<dyn PlainHandler>) -> Self {
        Self { plain: Some(handler), ..self }
    }

    /// Bound address: with the actual port when port 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The handle to reload the certificate with, when there is one.
    #[must_use]
    pub fn certificates(&self) -> Option<Certificates> {
        self.certificates.clone()
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("address", &self.address).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
