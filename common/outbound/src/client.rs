//! The way out: judging destinations, and opening connections or taking idle ones.

use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use rustls::ClientConfig;
use thiserror::Error;
use tokio::time::Instant;

use crate::config::Config;
use crate::connect::{ConnectError, Connector, Route};
use crate::connection::{Connection, ConnectionKey, Pool};
use crate::destination::{Destination, DestinationError};
use crate::lookups::{Lookups, Requester};
use crate::policy::Addresses;
use crate::request::SendError;
use crate::resolve::Resolve;
use crate::socket::Socket;
use crate::tls::Tls;

/// The way out.
pub struct Outbound {
    pub(crate) route: Arc<Route>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) timeout: Duration,
    pub(crate) clock: SharedClock,
}

/// Reason why the client cannot be created.
#[derive(Debug, Error)]
pub enum OutboundError {
    /// The file of authorities cannot be used.
    #[error("the authorities in {path} cannot be read: {cause}")]
    Authorities {
        /// The file.
        path: String,
        /// Its fault.
        cause: String,
    },
    /// TLS is not possible with what was built in, or there is no authority.
    #[error("TLS cannot be set up")]
    Tls(#[source] Box<dyn std::error::Error + Send + Sync>),
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
            tracing::warn!(
                networks = networks.join(", "),
                "connections to networks that are not public are allowed"
            );
        }
        let route = Route {
            resolver,
            lookups: Lookups::new(),
            allowed: config.allow_networks.clone(),
            tls: Tls::new(config)?,
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
        self.connector(requester, Addresses::Guarded).addresses(&destination.uri).await.map(drop)
    }

    /// A connection that is open since an earlier request of the requester; waits for nothing.
    #[must_use]
    pub fn idle(&self, requester: Requester, destination: &Destination) -> Option<Connection> {
        self.pool.take(ConnectionKey::new(requester, &destination.uri, Addresses::Guarded), self.deadline())
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
        self.open(requester, destination, Addresses::Guarded, (self.deadline(), self.timeout)).await
    }

    /// Opens a connection until a deadline, which is given with the time that there was until then.
    pub(crate) async fn open(
        &self,
        requester: Requester,
        destination: &Destination,
        addresses: Addresses,
        (deadline, within): (Instant, Duration),
    ) -> Result<Connection, SendError> {
        let uri = &destination.uri;
        let connector = self.connector(requester, addresses);
        let socket = reach(&connector, destination, (deadline, within)).await?;
        let connection =
            Connection::over(socket, ConnectionKey::new(requester, uri, addresses), deadline).await;
        connection.map_err(|error| SendError::Broken(error.into()))
    }

    fn connector(&self, requester: Requester, addresses: Addresses) -> Connector {
        self.connector_with(requester, addresses, Arc::clone(&self.route.tls.config))
    }

    /// With another configuration of TLS.
    pub(crate) fn connector_with(
        &self,
        requester: Requester,
        addresses: Addresses,
        tls: Arc<ClientConfig>,
    ) -> Connector {
        Connector { route: Arc::clone(&self.route), requester, addresses, tls }
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

/// Connects until a deadline, which is given with the time that there was until then.
pub(crate) async fn reach(
    connector: &Connector,
    destination: &Destination,
    (deadline, within): (Instant, Duration),
) -> Result<Socket, SendError> {
    let late = |_| SendError::TimedOut { seconds: within.as_secs_f64() };
    let connecting = tokio::time::timeout_at(deadline, connector.connect(&destination.uri));
    connecting.await.map_err(late)?.map_err(SendError::Connect)
}
