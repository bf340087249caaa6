//! TLS for a listener: certificate and key from PEM files, and their reloading while connections
//! go on. Client certificates are not asked for.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// PEM file with the certificate and those that lead to its authority, in this order.
    pub certificate_file: PathBuf,
    /// PEM file with the private key.
    pub key_file: PathBuf,
}

/// Why certificate and key cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read or is not PEM.
    #[error("{}: expected PEM with a {expected}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What should be in it.
        expected: &'static str,
        /// What the reader says.
        source: pem::Error,
    },
    /// They do not fit each other, or are of a kind that is not supported.
    #[error("certificate {} and key {} cannot be used together", config.certificate_file.display(), config.key_file.display())]
    Refused {
        /// The files.
        config: TlsConfig,
        /// What TLS says.
        source: rustls::Error,
    },
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
    /// [`TlsError`], which names the file at fault.
    pub fn load(files: &TlsConfig) -> Result<Self, TlsError> {
        let current = Arc::new(ArcSwap::new(Arc::new(read(files)?)));
        Ok(Self { files: files.clone(), current })
    }

    /// Reads the files again. Connections that are open keep what they have.
    ///
    /// # Errors
    /// [`TlsError`]; the certificate in use stays the same then.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.current.store(Arc::new(read(&self.files)?));
        Ok(())
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.current.load_full())
    }
}

fn read(files: &TlsConfig) -> Result<ServerConfig, TlsError> {
    let pem = |path: &PathBuf, expected| {
        let path = path.clone();
        move |source| TlsError::Pem { path, expected, source }
    };
    let chain: Vec<_> = CertificateDer::pem_file_iter(&files.certificate_file)
        .and_then(Iterator::collect)
        .map_err(pem(&files.certificate_file, "certificate"))?;
    let key = PrivateKeyDer::from_pem_file(&files.key_file).map_err(pem(&files.key_file, "private key"))?;
    let refused = |source| TlsError::Refused { config: files.clone(), source };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(refused)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
