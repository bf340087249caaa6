//! The secret that a target's events are signed with: made here, shown once, kept sealed.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt;
use zeroize::Zeroizing;

/// Prefix of every secret, so that scanners for leaked secrets can recognise one.
const PREFIX: &str = "whsec_";
/// Random bytes behind the prefix: as many as HMAC-SHA-256 makes use of (RFC 2104 section 3).
const RANDOM: usize = 32;

/// A signing secret: `whsec_` and 32 random bytes in base64. The key is this text, its prefix included. `Debug` does not
/// show it.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<String>);

impl SigningSecret {
    /// A new secret, from a cryptographic generator that the operating system seeds.
    pub(crate) fn generate() -> Self {
        let bytes: Zeroizing<[u8; RANDOM]> = Zeroizing::new(rand::rng().random());
        // The full capacity at once: growing would leave copies behind that are not wiped.
        let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + RANDOM * 2));
        text.push_str(PREFIX);
        STANDARD.encode_string(bytes.as_slice(), &mut text);
        Self(text)
    }

    /// The secret itself, for the one time it is handed out.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}
