//! TLS of connections: the authorities whose certificates are trusted, and the one kind of session that verifies nothing
//! because nothing is sent over it.

use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::certificate::TrustError;
use crate::client::OutboundError;
use crate::config::Config;

/// Verification of servers.
pub(crate) struct Tls {
    /// Of every connection that something is sent over.
    pub(crate) config: Arc<ClientConfig>,
    verifier: Arc<WebPkiServerVerifier>,
    provider: Arc<CryptoProvider>,
}

impl Tls {
    /// # Errors
    /// [`OutboundError`].
    pub(crate) fn new(config: &Config) -> Result<Self, OutboundError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let unusable = |error: rustls::Error| OutboundError::Tls(error.into());
        let roots = Arc::new(roots(config)?);
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::clone(&roots), Arc::clone(&provider)).build();
        let verifier = verifier.map_err(|error| OutboundError::Tls(error.into()))?;
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?;
        let config = builder.with_webpki_verifier(Arc::clone(&verifier)).with_no_client_auth();
        Ok(Self { config: Arc::new(config), verifier, provider })
    }

    /// A configuration for one handshake, which succeeds whether or not the certificate is trusted.
    ///
    /// # Errors
    /// When TLS is not possible with what was built in, which [`Tls::new`] rules out.
    pub(crate) fn observing(&self) -> Result<(Arc<ClientConfig>, Arc<Observer>), rustls::Error> {
        let observer = Arc::new(Observer { verifier: Arc::clone(&self.verifier), refusal: Mutex::default() });
        let verifier: Arc<dyn ServerCertVerifier> = observer.clone();
        let config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        Ok((Arc::new(config), observer))
    }
}

fn roots(config: &Config) -> Result<RootCertStore, OutboundError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let Some(path) = &config.authorities_file else { return Ok(roots) };
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
    Ok(roots)
}

/// Verifies a certificate as every connection does, remembers why it is not trusted, and lets the handshake go on. The
/// server still has to prove that it owns the key of its certificate.
#[derive(Debug)]
pub(crate) struct Observer {
    verifier: Arc<WebPkiServerVerifier>,
    refusal: Mutex<Option<TrustError>>,
}

impl Observer {
    /// Whether the certificate that was presented is trusted.
    ///
    /// # Errors
    /// [`TrustError`].
    pub(crate) fn trust(&self) -> Result<(), TrustError> {
        // A panic can leave nothing half-done in it.
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone().map_or(Ok(()), Err)
    }
}

impl ServerCertVerifier for Observer {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified =
            self.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        // A panic can leave nothing half-done in it.
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = verified.err().map(TrustError::from);
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
