//! Sending a request and reading its reply, within bounds of time and bytes. Redirects are not followed, and no
//! proxy of the environment is used: both would lead past the judgement of addresses.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use common::clock::SharedClock;
use http::header::{HOST, HeaderValue};
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::time::Instant;

use crate::config::Config;
use crate::connect::{ConnectError, Connector, Route};
use crate::connection::{Connection, Place, Pool};
use crate::destination::{Destination, DestinationError};
use crate::lookups::{LookupRefusal, Lookups, Requester};
use crate::resolve::Resolve;

/// The way out.
pub struct Outbound {
    route: Arc<Route>,
    pool: Arc<Pool>,
    timeout: Duration,
    clock: SharedClock,
}

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
    /// The receiver closed the idle connection before the request was sent: another one can be opened for it.
    #[error("the receiver has closed the connection")]
    Closed,
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
            pool: Pool::new(config.idle_connections),
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

    /// A connection that is open since an earlier request of the requester; waits for nothing.
    #[must_use]
    pub fn idle(&self, requester: Requester, destination: &Destination) -> Option<Connection> {
        self.pool.take(Place::new(requester, &destination.uri), self.deadline())
    }

    /// Opens a connection: waits for the turn of a look-up, resolves, judges, connects.
    ///
    /// # Errors
    /// [`SendError`], but not `Closed`.
    pub async fn connect(
        &self,
        requester: Requester,
        destination: &Destination,
    ) -> Result<Connection, SendError> {
        let (uri, deadline) = (&destination.uri, self.deadline());
        let connector = self.connector(requester);
        let connecting = tokio::time::timeout_at(deadline, connector.connect(uri));
        let socket = connecting.await.map_err(|_| self.late())?.map_err(SendError::Connect)?;
        let connection = Connection::over(socket, Place::new(requester, uri), deadline).await;
        connection.map_err(|error| SendError::Broken(error.into()))
    }

    /// Sends a POST over a connection to the destination and reads at most `most_reply_bytes` of the reply's body. The
    /// status is the reply: a body that breaks off or takes too long only ends early.
    ///
    /// # Errors
    /// [`SendError`] when there is no status. A reply of any status is none.
    pub async fn send(
        &self,
        connection: Connection,
        destination: &Destination,
        headers: HeaderMap,
        body: Bytes,
        most_reply_bytes: usize,
    ) -> Result<Reply, SendError> {
        let began = self.clock.monotonic();
        let Connection { mut sender, place, deadline, is_reused } = connection;
        let sending = sender.try_send_request(request(&destination.uri, headers, body));
        let answered = tokio::time::timeout_at(deadline, sending).await.map_err(|_| self.late())?;
        let (parts, incoming) = match answered {
            Ok(response) => response.into_parts(),
            Err(mut error) => {
                let was_closed = is_reused && error.take_message().is_some();
                let broken = || SendError::Broken(error.into_error().into());
                return Err(if was_closed { SendError::Closed } else { broken() });
            }
        };
        let mut body = BytesMut::new();
        let reading = read_beginning(incoming, most_reply_bytes, &mut body);
        match tokio::time::timeout_at(deadline, reading).await {
            Ok(true) => self.pool.keep(place, sender),
            Ok(false) => {}
            Err(_) => {
                tracing::debug!(status = parts.status.as_u16(), "the body of a reply did not end in time");
            }
        }
        let latency = self.clock.monotonic().saturating_sub(began);
        Ok(Reply { status: parts.status.as_u16(), headers: parts.headers, body: body.freeze(), latency })
    }

    fn connector(&self, requester: Requester) -> Connector {
        Connector { route: Arc::clone(&self.route), requester }
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    fn late(&self) -> SendError {
        SendError::TimedOut { seconds: self.timeout.as_secs_f64() }
    }
}

/// A request in the form that HTTP/1.1 has for servers that are no proxy (RFC 9112 sections 3.2 and 3.2.1).
fn request(uri: &Uri, mut headers: HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    if let Some(host) = uri.authority().and_then(|host| HeaderValue::try_from(host.as_str()).ok()) {
        headers.insert(HOST, host);
    }
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri.path_and_query().cloned().map(Uri::from).unwrap_or_default();
    *request.headers_mut() = headers;
    request
}

/// Reads the first bytes of a body, as far as they come. The rest is not read, and its connection not used again: returns
/// whether there is none.
async fn read_beginning(mut incoming: Incoming, most: usize, read: &mut BytesMut) -> bool {
    while read.len() < most && !incoming.is_end_stream() {
        let frame = match incoming.frame().await {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => frame,
        };
        if let Ok(data) = frame.into_data() {
            read.extend_from_slice(data.get(..data.len().min(most - read.len())).unwrap_or_default());
        }
    }
    incoming.is_end_stream()
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
