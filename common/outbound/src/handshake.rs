//! A TLS handshake that nothing follows: for the certificate of a host, whether or not it is trusted.

use std::time::Duration;

use rustls::ProtocolVersion;
use tokio::time::Instant;

use crate::certificate::{PeerCertificates, TrustError};
use crate::client::{Outbound, reach};
use crate::connect::{ConnectError, is_https};
use crate::destination::Destination;
use crate::lookups::Requester;
use crate::policy::{Policy, PolicyError};
use crate::request::SendError;

/// A complete handshake.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// The certificates that the server presented.
    pub certificates: PeerCertificates,
    /// Whether a request to it would be sent.
    pub trust: Result<(), TrustError>,
    /// Version of TLS.
    pub version: &'static str,
}

impl Outbound {
    /// Shakes hands with an https destination under a policy, by default within the setting `timeout_ms`, and closes the
    /// connection. It is judged as a request is; nothing is sent over it, and it is not used again, so a
    /// certificate that is not trusted does no harm.
    ///
    /// # Errors
    /// [`SendError`]; `Connect` also where the server and we have no version or cipher of TLS in common.
    pub async fn handshake(
        &self,
        requester: Requester,
        destination: &Destination,
        policy: &Policy,
        within: Option<Duration>,
    ) -> Result<Handshake, SendError> {
        let within = within.unwrap_or(self.timeout);
        let deadline = Instant::now() + within;
        if !is_https(&destination.uri) {
            return Err(PolicyError::Scheme.into());
        }
        policy.begin(destination, (deadline, within)).await?;
        let (config, observer) =
            self.route.tls.observing().map_err(|error| SendError::Broken(error.into()))?;
        let connector = self.connector_with(requester, policy.addresses, config);
        let socket = reach(&connector, destination, (deadline, within)).await?;
        let session = socket.session();
        let version = session.and_then(|session| session.protocol_version());
        let certificates =
            session.and_then(PeerCertificates::of).ok_or_else(|| no_certificate(destination))?;
        Ok(Handshake { certificates, trust: observer.trust(), version: name(version) })
    }
}

/// Which a handshake that authenticates the server rules out.
fn no_certificate(destination: &Destination) -> SendError {
    SendError::Connect(ConnectError::Host { host: destination.host().to_owned() })
}

fn name(version: Option<ProtocolVersion>) -> &'static str {
    match version {
        Some(ProtocolVersion::TLSv1_3) => "TLS 1.3",
        Some(ProtocolVersion::TLSv1_2) => "TLS 1.2",
        _ => "TLS",
    }
}
