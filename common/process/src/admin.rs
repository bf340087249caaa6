//! The admin listener: metrics and health, loopback by default, apart from the listener that serves
//! senders. It is read-only and uses no keys.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Response, StatusCode};
use http_body_util::Full;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::health::{Health, answer_with, method_not_allowed};
use crate::listen::{Bound, ListenConfig, ListenError};
use crate::settings::address::{self, AddressError};
use crate::shutdown::Shutdown;
use crate::telemetry::Telemetry;

/// Default address of the admin listener: the port OpenTelemetry reserves for Prometheus.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9464);

/// Where to serve metrics and health: an address, or `off`. Not given means [`DEFAULT_ADDRESS`],
/// unless that port is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AdminListen {
    /// [`DEFAULT_ADDRESS`]; a port that is taken is no reason not to start.
    #[default]
    Default,
    /// Explicitly configured: must be free.
    At(SocketAddr),
    /// Nowhere.
    Off,
}

/// The text is neither an address nor `off`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}, or the word off")]
pub struct AdminListenError(#[source] AddressError);

impl FromStr for AdminListen {
    type Err = AdminListenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "default" => Ok(Self::Default),
            "off" => Ok(Self::Off),
            text => address::parse(text).map(Self::At).map_err(AdminListenError),
        }
    }
}

impl TryFrom<String> for AdminListen {
    type Error = AdminListenError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<AdminListen> for String {
    fn from(listen: AdminListen) -> Self {
        listen.to_string()
    }
}

impl fmt::Display for AdminListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::At(address) => address.fmt(f),
            Self::Off => f.write_str("off"),
        }
    }
}

/// Binds the admin listener; `None` when it is off, or when the default port is taken, which is
/// logged.
///
/// # Errors
/// [`ListenError`] when an explicitly configured address cannot be bound.
pub async fn bind(listen: AdminListen) -> Result<Option<Bound>, ListenError> {
    let address = match listen {
        AdminListen::Off => return Ok(None),
        AdminListen::Default => DEFAULT_ADDRESS,
        AdminListen::At(address) => address,
    };
    // Probes and one scraper or two: a hundred connections is plenty, and few enough to be harmless.
    let config = ListenConfig { max_connections: 100, ..ListenConfig::at(address) };
    match Bound::bind(&config).await {
        Ok(bound) => Ok(Some(bound)),
        Err(ListenError::Taken { .. }) if listen == AdminListen::Default => {
            tracing::warn!(%address, "the default admin port is in use: continuing without metrics and health");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Serves `/metrics` and health until the shutdown drains, and allows responses in progress at most
/// `patience` to finish.
pub async fn serve(
    bound: Bound,
    telemetry: Telemetry,
    health: Arc<Health>,
    shutdown: Shutdown,
    patience: Duration,
) {
    let handler = move |request: http::Request<hyper::body::Incoming>, _peer| {
        let (telemetry, health) = (telemetry.clone(), Arc::clone(&health));
        async move { answer(request.method(), request.uri().path(), &health, || telemetry.render()).await }
    };
    bound.serve(handler, shutdown, patience).await;
}

async fn answer<F: Future<Output = String>>(
    method: &Method,
    path: &str,
    health: &Health,
    render: impl FnOnce() -> F,
) -> Response<Full<bytes::Bytes>> {
    if let Some(response) = health.answer(method, path) {
        return response;
    }
    if path != "/metrics" {
        return answer_with(StatusCode::NOT_FOUND, "text/plain", "try /metrics, /healthz or /readyz\n");
    }
    if method != Method::GET && method != Method::HEAD {
        return method_not_allowed();
    }
    answer_with(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", render().await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_an_address_or_off() {
        assert_eq!("off".parse(), Ok(AdminListen::Off));
        assert_eq!("[::1]:1".parse::<AdminListen>().map(|listen| listen.to_string()), Ok("[::1]:1".into()));
        assert!("9464".parse::<AdminListen>().is_err());
    }

    #[tokio::test]
    async fn every_path_has_its_answer() {
        let health = Health::new(Shutdown::new());
        let render = || std::future::ready("metric 1\n".to_owned());
        let status = async |method: Method, path| answer(&method, path, &health, render).await.status();
        assert_eq!(status(Method::GET, "/metrics").await, StatusCode::OK);
        assert_eq!(status(Method::POST, "/metrics").await, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(status(Method::GET, "/readyz").await, StatusCode::OK);
        assert_eq!(status(Method::GET, "/").await, StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn a_taken_port_matters_only_when_it_was_asked_for() {
        let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = AdminListen::At(taken.local_addr().unwrap());
        assert!(matches!(bind(listen).await, Err(ListenError::Taken { .. })));
        assert!(bind(AdminListen::Off).await.unwrap().is_none());
    }
}
