//! Certificates and private keys in PEM files: read, compared with each other, and until when they are valid.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error as TlsFailure, InconsistentKeys};
use thiserror::Error;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

/// Reason why a certificate or key cannot be used.
#[derive(Debug, Error)]
pub enum CertificateError {
    /// A file cannot be read or is not PEM.
    #[error("{}: expected PEM with a {expected}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The kind of object that should be in it.
        expected: &'static str,
        /// The reader's error.
        source: pem::Error,
    },
    /// The file holds no certificate.
    #[error("{}: expected PEM with a certificate, found none", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A certificate in the file is no X.509 certificate.
    #[error("{}: certificate number {number} is malformed: {cause}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Its place in the file, from 1.
        number: usize,
        /// The parser's error.
        cause: String,
    },
    /// The key belongs to another certificate.
    #[error("the key in {} does not belong to the certificate in {}", key.display(), certificate.display())]
    Mismatch {
        /// File of the certificate.
        certificate: PathBuf,
        /// File of the key.
        key: PathBuf,
    },
    /// They are of a kind that is not supported.
    #[error("certificate {} and key {} cannot be used", certificate.display(), key.display())]
    Refused {
        /// File of the certificate.
        certificate: PathBuf,
        /// File of the key.
        key: PathBuf,
        /// The TLS library's error.
        source: Box<TlsFailure>,
    },
}

/// When certificates are valid, in seconds since 1970. Of a chain the latest beginning and the earliest end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first second.
    pub not_before: i64,
    /// The last second.
    pub not_after: i64,
}

/// The certificates of a PEM file, in its order; at least one.
///
/// # Errors
/// [`CertificateError`], which names the file.
pub fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|source| CertificateError::Pem { path: path.to_owned(), expected: "certificate", source })?;
    if chain.is_empty() {
        return Err(CertificateError::Empty { path: path.to_owned() });
    }
    Ok(chain)
}

/// The first private key of a PEM file.
///
/// # Errors
/// [`CertificateError`], which names the file.
pub fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, CertificateError> {
    PrivateKeyDer::from_pem_file(path).map_err(|source| CertificateError::Pem {
        path: path.to_owned(),
        expected: "private key",
        source,
    })
}

/// Reads a chain and returns its validity period.
///
/// # Errors
/// [`CertificateError`], which names the file.
pub fn validity(path: &Path) -> Result<Validity, CertificateError> {
    let mut valid = Validity { not_before: i64::MIN, not_after: i64::MAX };
    for (at, der) in read_chain(path)?.iter().enumerate() {
        let malformed = |error: x509_parser::nom::Err<x509_parser::error::X509Error>| {
            CertificateError::Malformed { path: path.to_owned(), number: at + 1, cause: error.to_string() }
        };
        let (_, certificate) = X509Certificate::from_der(der).map_err(malformed)?;
        let one = certificate.validity();
        valid.not_before = valid.not_before.max(one.not_before.timestamp());
        valid.not_after = valid.not_after.min(one.not_after.timestamp());
    }
    Ok(valid)
}

/// Whether a key belongs to the first certificate of a chain. A kind of key that this build cannot use for TLS is not
/// compared: it may be meant for another library.
///
/// # Errors
/// [`CertificateError`], which names the file at fault.
pub fn check_pair(certificate: &Path, key: &Path) -> Result<(), CertificateError> {
    let (chain, secret) = (read_chain(certificate)?, read_key(key)?);
    let Ok(signing) = any_supported_type(&secret) else { return Ok(()) };
    match CertifiedKey::new(chain, Arc::clone(&signing)).keys_match() {
        Ok(()) | Err(TlsFailure::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(()),
        Err(error) => Err(refused(certificate, key, error)),
    }
}

/// The TLS library's verdict on a pair.
pub(crate) fn refused(certificate: &Path, key: &Path, source: TlsFailure) -> CertificateError {
    let (certificate, key) = (certificate.to_owned(), key.to_owned());
    match source {
        TlsFailure::InconsistentKeys(_) => CertificateError::Mismatch { certificate, key },
        source => CertificateError::Refused { certificate, key, source: Box::new(source) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn a_pair_is_read_compared_and_its_validity_told() {
        let directory = tempfile::tempdir().unwrap();
        let mut parameters = rcgen::CertificateParams::new(["palisade.test".to_owned()]).unwrap();
        parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(2021, 1, 1);
        let own = rcgen::KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&own).unwrap();
        let other = rcgen::KeyPair::generate().unwrap();
        let certificate = write(directory.path(), "certificate.pem", &certificate.pem());
        let key = write(directory.path(), "key.pem", &own.serialize_pem());
        let other = write(directory.path(), "other.pem", &other.serialize_pem());
        let expected = Validity { not_before: 1_577_836_800, not_after: 1_609_459_200 };
        assert_eq!(validity(&certificate).unwrap(), expected);
        check_pair(&certificate, &key).unwrap();
        assert!(matches!(check_pair(&certificate, &other), Err(CertificateError::Mismatch { .. })));
        assert!(matches!(validity(&key), Err(CertificateError::Empty { .. })));
        assert!(matches!(check_pair(&certificate, &certificate), Err(CertificateError::Pem { .. })));
    }

    #[test]
    fn files_at_fault_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing.pem");
        assert!(validity(&missing).unwrap_err().to_string().contains("missing.pem"));
        let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let malformed = write(directory.path(), "malformed.pem", text);
        let error = validity(&malformed).unwrap_err();
        assert!(matches!(error, CertificateError::Malformed { number: 1, .. }), "{error}");
    }
}
