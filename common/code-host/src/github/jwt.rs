//! The token by which the app authenticates itself: a JSON Web Token (RFC 7519) signed with RS256 (RFC 7518 section 3.3).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use common::timestamp::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::json;
use zeroize::Zeroizing;

use super::ConfigError;
use crate::host::HostError;

/// The token is valid from so many seconds ago: clocks differ.
const BEFORE: i64 = 60;
/// And for so many seconds: GitHub permits ten minutes.
const AFTER: i64 = 9 * 60;
const NANOS: i64 = 1_000_000_000;

/// The private key of the app.
pub(super) struct AppKey {
    app_id: u64,
    key: RsaKeyPair,
}

impl AppKey {
    /// Reads a key as GitHub gives it out (PKCS #1, RFC 8017) or as OpenSSL writes it (PKCS #8, RFC 5958), in PEM (RFC 7468).
    pub(super) fn read(app_id: u64, pem: &str) -> Result<Self, ConfigError> {
        let refuse = |reason: &str| ConfigError::PrivateKey(reason.to_owned());
        let (label, der) = block(pem).ok_or_else(|| refuse("found no PEM block"))?;
        let key = match label {
            "RSA PRIVATE KEY" => RsaKeyPair::from_der(&der),
            "PRIVATE KEY" => RsaKeyPair::from_pkcs8(&der),
            other => return Err(refuse(&format!("found a block {other:?}"))),
        };
        Ok(Self { app_id, key: key.map_err(|error| refuse(&error.to_string()))? })
    }

    /// A token for the next nine minutes.
    pub(super) fn token(&self, now: Timestamp) -> Result<Zeroizing<String>, HostError> {
        let now = now.0.div_euclid(NANOS);
        let header = json!({"alg": "RS256", "typ": "JWT"});
        let claims = json!({"iat": now - BEFORE, "exp": now + AFTER, "iss": self.app_id.to_string()});
        let encode = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let random = SystemRandom::new();
        let done = self.key.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature);
        // The system gives no randomness, which blinds the computation.
        done.map_err(|_| HostError::Unavailable("a token of the app cannot be signed".to_owned()))?;
        Ok(Zeroizing::new(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

/// Label and content of the first block.
fn block(pem: &str) -> Option<(&str, Zeroizing<Vec<u8>>)> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
    let text: Zeroizing<String> = Zeroizing::new(body.split_ascii_whitespace().collect());
    STANDARD.decode(text.as_bytes()).ok().map(|der| (label, Zeroizing::new(der)))
}
