//! Certificates of TLS servers: names of hosts, validity, issuer. Nothing is verified: an inventory shows invalid ones too.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

use crate::endpoints::cut;

/// Bytes of a certificate: those with hundreds of names have about 20 KiB.
pub const MOST_BYTES: usize = 64 << 10;
/// Names of a certificate; authorities issue at most a hundred or two.
pub const MOST_NAMES: usize = 500;
/// Bytes of a name, of subject and of issuer.
const LONGEST_NAME: usize = 256;

/// The content of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Subject, as text.
    pub subject: String,
    /// Issuer, as text.
    pub issuer: String,
    /// Names of hosts and addresses, in lower case and in order; also patterns (`*.a.test`).
    pub names: Vec<String>,
    /// Start of validity, in seconds since 1970.
    pub not_before: i64,
    /// End of validity, in seconds since 1970.
    pub not_after: i64,
    /// Serial number, hexadecimal.
    pub serial: String,
}

impl Certificate {
    /// Reads a certificate in DER. `None` if it is damaged or too large.
    #[must_use]
    pub fn read(der: &[u8]) -> Option<Self> {
        if der.len() > MOST_BYTES {
            return None;
        }
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        let extension = certificate.subject_alternative_name().ok().flatten();
        let names = extension.iter().flat_map(|extension| &extension.value.general_names).filter_map(name);
        let names: BTreeSet<String> = names.take(MOST_NAMES).collect();
        Some(Self {
            subject: cut(&certificate.subject().to_string(), LONGEST_NAME),
            issuer: cut(&certificate.issuer().to_string(), LONGEST_NAME),
            names: names.into_iter().collect(),
            not_before: certificate.validity().not_before.timestamp(),
            not_after: certificate.validity().not_after.timestamp(),
            serial: cut(&certificate.raw_serial_as_string(), LONGEST_NAME),
        })
    }

    /// Whether it keeps the bounds of its parts.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        let texts = [&self.subject, &self.issuer, &self.serial];
        self.names.len() <= MOST_NAMES
            && texts.into_iter().chain(&self.names).all(|text| text.len() <= LONGEST_NAME)
    }

    /// Names of hosts without patterns and addresses.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        let is_host = |name: &&String| !name.starts_with("*.") && name.parse::<std::net::IpAddr>().is_err();
        self.names.iter().filter(is_host).map(String::as_str)
    }
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => {
            let is_name = !name.is_empty()
                && name.len() <= LONGEST_NAME
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'*'));
            is_name.then(|| name.to_ascii_lowercase())
        }
        GeneralName::IPAddress(address) => match address.len() {
            4 => <[u8; 4]>::try_from(*address).ok().map(|octets| Ipv4Addr::from(octets).to_string()),
            16 => <[u8; 16]>::try_from(*address).ok().map(|octets| Ipv6Addr::from(octets).to_string()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    #[test]
    fn names_validity_and_issuer_are_read() {
        let names = ["WWW.a.test", "*.a.test", "a.test", "192.0.2.7"].map(str::to_owned);
        let mut params = CertificateParams::new(names.to_vec()).unwrap();
        params.not_before = rcgen::date_time_ymd(2024, 1, 1);
        params.not_after = rcgen::date_time_ymd(2024, 3, 31);
        let der = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let certificate = Certificate::read(der.der()).unwrap();
        assert_eq!(certificate.names, ["*.a.test", "192.0.2.7", "a.test", "www.a.test"]);
        assert_eq!(certificate.hosts().collect::<Vec<_>>(), ["a.test", "www.a.test"]);
        assert_eq!((certificate.not_before, certificate.not_after), (1_704_067_200, 1_711_843_200));
        assert_eq!(certificate.issuer, "CN=rcgen self signed cert");
    }

    #[test]
    fn damaged_certificates_are_none() {
        let params = CertificateParams::new(vec!["a.test".to_owned()]).unwrap();
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let der: &[u8] = certificate.der();
        for length in 0..der.len() {
            assert_eq!(Certificate::read(&der[..length]), None, "{length}");
        }
        assert_eq!(Certificate::read(&vec![0x30; MOST_BYTES + 1]), None);
    }
}
