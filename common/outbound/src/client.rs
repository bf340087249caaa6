//! Sending a request and reading its reply, within bounds of time and bytes. Redirects are not followed, and no
//! proxy of the environment is used: both would lead past the judgement of addresses.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use common::clock::SharedClock;
use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::time::Instant;

use crate::config::Config;
use crate::connect::{ConnectError, Connector, Route};
use crate::destination::{Destination, DestinationError};
use crate::lookups::{LookupRefusal, Lookups, Requester};
use crate::resolve::Resolve;

/// How long an idle connection is kept: a receiver whose name leads elsewhere now is found there soon.
const IDLE: Duration = Duration::from_secs(10);

/// Requesters whose connections are kept. When there are more, all are forgotten; connections in use go on.
const MOST_REQUESTERS: usize = 4_096;

/// The way out.
pub struct Outbound {
    route: Arc<Route>,
    /// A pool of connections for each requester: a connection that one of them opened, and looked up the name for,
    /// is not used by another.
    clients: Mutex<HashMap<Requester, PooledClient>>,
    idle_connections: usize,
    timeout: Duration,
    clock: SharedClock,
}

type PooledClient = Client<Connector, Full<Bytes>>;

/// What a receiver answered.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The beginning of the body: as much as the caller wanted, less if the receiver broke off or took too long.
    pub body: Bytes,
    /// From the first byte sent to the last one read.
    pub latency: Duration,
}

/// Why the way out cannot be opened.
#[derive(Debug, Error)]
pub enum OutboundError {
    /// The file of authorities cannot be used.
    #[error("the authorities in {path} cannot be read: {cause}")]
    Authorities {
        /// The file.
        path: String,
        /// What is wrong with it.
        cause: String,
    },
    /// TLS is not possible with what was built in.
    #[error("TLS cannot be set up")]
    Tls(#[from] rustls::Error),
}

/// Why there is no reply.
#[derive(Debug, Error)]
pub enum SendError {
    /// There is no connection.
    #[error(transparent)]
    Connect(ConnectError),
    /// The receiver broke off before it sent a status, or does not speak HTTP.
    #[error("the receiver broke off")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It took too long.
    #[error("no reply within {seconds} s")]
    TimedOut {
        /// How long was waited, in seconds.
        seconds: f64,
    },
}

impl SendError {
    /// Whether trying again could not help.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Connect(error) if error.is_final())
    }

    /// The limit of look-ups that was met, where that is the reason. The receiver was not asked.
    #[must_use]
    pub fn lookup_refusal(&self) -> Option<LookupRefusal> {
        match self {
            Self::Connect(ConnectError::Lookups { refusal, .. }) => Some(*refusal),
            _ => None,
        }
    }
}

impl Outbound {
    /// Opens the way out.
    ///
    /// # Errors
    /// [`OutboundError`].
    pub fn new(
        config: &Config,
        resolver: Arc<dyn Resolve>,
        clock: SharedClock,
    ) -> Result<Self, OutboundError> {
        if !config.allow_networks.is_empty() {
            let networks: Vec<String> = config.allow_networks.iter().map(ToString::to_string).collect();
            tracing::warn!(networks = networks.join(", "), "networks that are not public may be reached");
        }
        let route = Route {
            resolver,
            lookups: Lookups::new(),
            allowed: config.allow_networks.clone(),
            tls: Arc::new(tls(config)?),
            resolve_timeout: config.resolve_timeout(),
            connect_timeout: config.connect_timeout(),
        };
        Ok(Self {
            route: Arc::new(route),
            clients: Mutex::default(),
            idle_connections: config.idle_connections,
            timeout: config.timeout(),
            clock,
        })
    }

    /// Judges a URL by its text alone.
    ///
    /// # Errors
    /// [`DestinationError`].
    pub fn destination(&self, url: &str) -> Result<Destination, DestinationError> {
        Destination::parse(url, &self.route.allowed)
    }

    /// Judges the addresses a destination leads to now. Sending judges them again.
    ///
    /// # Errors
    /// [`ConnectError`], of which those that are not final say nothing about the destination.
    pub async fn check(&self, requester: Requester, destination: &Destination) -> Result<(), ConnectError> {
        self.connector(requester).addresses(&destination.uri).await.map(drop)
    }

    /// Sends a POST and reads at most `most_reply_bytes` of the reply's body. The status is the reply: a body that breaks
    /// off or takes too long only ends early.
    ///
    /// # Errors
    /// [`SendError`] when there is no status. A reply of any status is none.
    pub async fn post(
        &self,
        requester: Requester,
        destination: &Destination,
        headers: HeaderMap,
        body: Bytes,
        most_reply_bytes: usize,
    ) -> Result<Reply, SendError> {
        let began = self.clock.monotonic();
        let deadline = Instant::now() + self.timeout;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = destination.uri.clone();
        *request.headers_mut() = headers;
        let late = |_| SendError::TimedOut { seconds: self.timeout.as_secs_f64() };
        let answered = tokio::time::timeout_at(deadline, self.client(requester).request(request));
        let (parts, incoming) = answered.await.map_err(late)?.map_err(failure)?.into_parts();
        let mut body = BytesMut::new();
        if tokio::time::timeout_at(deadline, read_beginning(incoming, most_reply_bytes, &mut body))
            .await
            .is_err()
        {
            tracing::debug!(status = parts.status.as_u16(), "the body of a reply did not end in time");
        }
        let latency = self.clock.monotonic().saturating_sub(began);
        Ok(Reply { status: parts.status.as_u16(), headers: parts.headers, body: body.freeze(), latency })
    }
}

impl Outbound {
    fn connector(&self, requester: Requester) -> Connector {
        Connector { route: Arc::clone(&self.route), requester }
    }

    fn client(&self, requester: Requester) -> PooledClient {
        // A panic can leave nothing half-done in it.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST_REQUESTERS && !clients.contains_key(&requester) {
            clients.clear();
        }
        let client = clients.entry(requester).or_insert_with(|| {
            Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(self.idle_connections)
                .build(self.connector(requester))
        });
        client.clone()
    }
}

/// Reads the first bytes of a body, as far as they come. The rest is not read, and its connection not used again.
async fn read_beginning(mut incoming: Incoming, most: usize, read: &mut BytesMut) {
    while read.len() < most && !incoming.is_end_stream() {
        let Some(Ok(frame)) = incoming.frame().await else { break };
        if let Ok(data) = frame.into_data() {
            read.extend_from_slice(data.get(..data.len().min(most - read.len())).unwrap_or_default());
        }
    }
}

/// A connection's error is found below the client's.
fn failure(error: hyper_util::client::legacy::Error) -> SendError {
    let mut source = std::error::Error::source(&error);
    while let Some(inner) = source {
        if let Some(connect) = inner.downcast_ref::<ConnectError>() {
            return SendError::Connect(connect.clone());
        }
        source = inner.source();
    }
    SendError::Broken(error.into())
}

fn tls(config: &Config) -> Result<ClientConfig, OutboundError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = &config.authorities_file {
        let failed = |cause: String| OutboundError::Authorities { path: path.display().to_string(), cause };
        let certificates = CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?;
        let mut found = 0;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| failed(error.to_string()))?;
            roots.add(certificate).map_err(|error| failed(error.to_string()))?;
            found += 1;
        }
        if found == 0 {
            return Err(failed("it holds no certificate".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
