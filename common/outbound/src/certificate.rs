//! The certificates that a server presents (RFC 5280): as they were sent, and the fields of the first one that an
//! inventory and a check of TLS need. Everything in them is text of the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, ClientConnection};
use thiserror::Error;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

/// The chain that a server presented, its own certificate first. The TLS library reads at most 64 KiB of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerCertificates(Arc<[CertificateDer<'static>]>);

/// Fields of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Distinguished name of the subject.
    pub subject: String,
    /// Distinguished name of the issuer; equal to the subject in a self-signed certificate.
    pub issuer: String,
    /// Serial number, hexadecimal.
    pub serial: String,
    /// Domain names of the subject alternative names, in lower case; a wildcard keeps its `*`.
    pub names: Vec<String>,
    /// IP addresses of the subject alternative names.
    pub addresses: Vec<IpAddr>,
    /// First second of the validity, since 1970.
    pub not_before: i64,
    /// Last second of the validity, since 1970.
    pub not_after: i64,
    /// Object identifier of the algorithm that it is signed with.
    pub signature_algorithm: String,
    /// Object identifier of the algorithm of its key.
    pub key_algorithm: String,
    /// Size of its key in bits; 0 where it cannot be read.
    pub key_bits: usize,
}

/// A certificate that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the certificate cannot be read: {cause}")]
pub struct MalformedCertificate {
    /// Error of the parser.
    cause: String,
}

/// Reason why a server's certificate is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TrustError {
    /// Its validity, or that of a certificate above it, has ended.
    #[error("the certificate has expired")]
    Expired,
    /// Its validity, or that of a certificate above it, has not begun.
    #[error("the certificate is not valid yet")]
    NotYetValid,
    /// It is for other names.
    #[error("the certificate does not name the host")]
    OtherName,
    /// It is not from an authority that is trusted: self-signed, or without the certificates in between.
    #[error("the certificate is not issued by a trusted authority")]
    UnknownIssuer,
    /// Anything else.
    #[error("the certificate is not trusted: {cause}")]
    Other {
        /// Error of the TLS library.
        cause: String,
    },
}

impl PeerCertificates {
    /// Size of the chain.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|certificate| certificate.len()).sum()
    }

    /// Those of a session whose handshake is complete.
    pub(crate) fn of(session: &ClientConnection) -> Option<Self> {
        let chain = session.peer_certificates()?;
        Some(Self(chain.iter().map(|certificate| certificate.clone().into_owned()).collect()))
    }

    /// The certificates in DER, in the order that they were sent in.
    pub fn der(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The fields of the server's own certificate.
    ///
    /// # Errors
    /// [`MalformedCertificate`].
    pub fn first(&self) -> Result<Certificate, MalformedCertificate> {
        let missing = || MalformedCertificate { cause: "there is none".to_owned() };
        Certificate::read(self.der().next().ok_or_else(missing)?)
    }
}

impl Certificate {
    /// Reads a certificate in DER.
    ///
    /// # Errors
    /// [`MalformedCertificate`].
    pub fn read(der: &[u8]) -> Result<Self, MalformedCertificate> {
        let malformed = |cause: String| MalformedCertificate { cause };
        let (_, certificate) =
            X509Certificate::from_der(der).map_err(|error| malformed(error.to_string()))?;
        let alternative =
            certificate.subject_alternative_name().map_err(|error| malformed(error.to_string()))?;
        let general_names = alternative.map(|names| &names.value.general_names[..]).unwrap_or_default();
        let name = |name: &GeneralName<'_>| match name {
            GeneralName::DNSName(name) => Some(name.to_ascii_lowercase()),
            _ => None,
        };
        let address = |name: &GeneralName<'_>| match name {
            GeneralName::IPAddress(bytes) => address(bytes),
            _ => None,
        };
        let key = certificate.public_key();
        Ok(Self {
            subject: certificate.subject().to_string(),
            issuer: certificate.issuer().to_string(),
            serial: format!("{:x}", certificate.tbs_certificate.serial),
            names: general_names.iter().filter_map(name).collect(),
            addresses: general_names.iter().filter_map(address).collect(),
            not_before: certificate.validity().not_before.timestamp(),
            not_after: certificate.validity().not_after.timestamp(),
            signature_algorithm: certificate.signature_algorithm.algorithm.to_id_string(),
            key_algorithm: key.algorithm.algorithm.to_id_string(),
            key_bits: key.parsed().map(|key| key.key_size()).unwrap_or_default(),
        })
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = || Some(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?).into());
    let v6 = || Some(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into());
    v4().or_else(v6)
}

impl From<rustls::Error> for TrustError {
    fn from(error: rustls::Error) -> Self {
        let rustls::Error::InvalidCertificate(cause) = error else {
            return Self::Other { cause: error.to_string() };
        };
        match cause {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotYetValid,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::OtherName
            }
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            other => Self::Other { cause: other.to_string() },
        }
    }
}
