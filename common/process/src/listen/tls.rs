//! TLS for a listener: certificate and key from PEM files, and their reloading while connections
//! are open. Client certificates are not requested.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring;
use serde::{Deserialize, Serialize};
use tokio_rustls::TlsAcceptor;

use crate::certificates::{self, CertificateError};

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// PEM file with the certificate and those that lead to its authority, in this order.
    pub certificate_file: PathBuf,
    /// PEM file with the private key.
    pub key_file: PathBuf,
}

/// The certificate in use. Clones share it: a reload is seen by every new connection.
#[derive(Clone, Debug)]
pub struct Certificates {
    files: TlsConfig,
    current: Arc<ArcSwap<ServerConfig>>,
}

impl Certificates {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// [`CertificateError`], which names the file at fault.
    pub fn load(files: &TlsConfig) -> Result<Self, CertificateError> {
        let current = Arc::new(ArcSwap::new(Arc::new(read(files)?)));
        Ok(Self { files: files.clone(), current })
    }

    /// Reads the files again. Open connections keep the old ones.
    ///
    /// # Errors
    /// [`CertificateError`]; the certificate in use stays the same then.
    pub fn reload(&self) -> Result<(), CertificateError> {
        self.current.store(Arc::new(read(&self.files)?));
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.current.load_full())
    }
}

fn read(files: &TlsConfig) -> Result<ServerConfig, CertificateError> {
    let chain = certificates::read_chain(&files.certificate_file)?;
    let key = certificates::read_key(&files.key_file)?;
    let refused = |source| certificates::refused(&files.certificate_file, &files.key_file, source);
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(refused)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
