//! TLS towards the nodes: trusted authorities and our certificate, read from files. The driver checks,
//! connection by connection, that a certificate names the address connected to.

use std::io::Read;
use std::path::Path;

use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{SslConnector, SslConnectorBuilder, SslMethod, SslVersion};
use openssl::x509::X509;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use scylla::client::session::OpenSsl010Config;

use super::error::ConnectError;
use crate::cql_config::Tls;

/// Most bytes of a file; the authorities of a whole system take about 250 KB.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Usual locations of a system's authorities. OpenSSL is part of this program and does not know them.
const SYSTEM_AUTHORITIES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Settings that each connection starts with.
pub(super) fn context(tls: &Tls) -> Result<OpenSsl010Config, ConnectError> {
    // The connector requests and checks a certificate; nothing here may disable that.
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(broken)?;
    builder.set_min_proto_version(Some(SslVersion::TLS1_2)).map_err(broken)?;
    let authorities = match &tls.authorities {
        Some(path) => authorities(path)?,
        None => system_authorities()?,
    };
    builder.set_cert_store(authorities);
    if let (Some(certificate), Some(key)) = (&tls.certificate, &tls.key) {
        identify(&mut builder, certificate, key)?;
    }
    Ok(OpenSsl010Config::new(builder))
}

fn system_authorities() -> Result<X509Store, ConnectError> {
    let found = SYSTEM_AUTHORITIES.iter().map(Path::new).find(|path| path.is_file());
    found.map_or_else(
        || {
            Err(ConnectError::Tls {
                expected: "the system's authorities at one of the usual places, or `authorities`",
                path: None,
                cause: "neither".to_owned(),
            })
        },
        authorities,
    )
}

fn authorities(path: &Path) -> Result<X509Store, ConnectError> {
    let mut store = X509StoreBuilder::new().map_err(broken)?;
    for certificate in certificates(path)? {
        store.add_cert(certificate).map_err(broken)?;
    }
    Ok(store.build())
}

/// Our certificate, those between it and its authority, and our key.
fn identify(builder: &mut SslConnectorBuilder, certificate: &Path, key: &Path) -> Result<(), ConnectError> {
    let mut chain = certificates(certificate)?.into_iter();
    if let Some(own) = chain.next() {
        builder.set_certificate(&own).map_err(broken)?;
    }
    for between in chain {
        builder.add_extra_chain_cert(between).map_err(broken)?;
    }
    let own_key = private_key(key)?;
    builder.set_private_key(&own_key).and_then(|()| builder.check_private_key()).map_err(|_| {
        ConnectError::Tls {
            expected: "the key of `certificate`",
            path: Some(key.to_owned()),
            cause: "another one".to_owned(),
        }
    })
}

/// At least one.
fn certificates(path: &Path) -> Result<Vec<X509>, ConnectError> {
    const EXPECTED: &str = "certificates in PEM";
    let refused =
        |cause: String| ConnectError::Tls { expected: EXPECTED, path: Some(path.to_owned()), cause };
    let found = X509::stack_from_pem(&read(path, EXPECTED)?).map_err(|error| refused(error.to_string()))?;
    if found.is_empty() { Err(refused("none".to_owned())) } else { Ok(found) }
}

fn private_key(path: &Path) -> Result<PKey<Private>, ConnectError> {
    const EXPECTED: &str = "a key in PEM that is not encrypted";
    // Without this callback OpenSSL would ask the terminal for the password of an encrypted key.
    PKey::private_key_from_pem_callback(&read(path, EXPECTED)?, |_| Ok(0)).map_err(|_| ConnectError::Tls {
        expected: EXPECTED,
        path: Some(path.to_owned()),
        cause: "something else".to_owned(),
    })
}

fn read(path: &Path, expected: &'static str) -> Result<Vec<u8>, ConnectError> {
    let refused = |cause: String| ConnectError::Tls { expected, path: Some(path.to_owned()), cause };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| refused(error.to_string()))?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| refused(error.to_string()))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(refused(format!("more than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

/// OpenSSL failed for a reason other than the files.
fn broken(error: ErrorStack) -> ConnectError {
    ConnectError::Tls { expected: "OpenSSL to take the settings", path: None, cause: error.to_string() }
}

#[cfg(test)]
mod tests;
