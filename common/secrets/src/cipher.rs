//! AES-256-GCM with a random nonce in front of what it encrypts.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;
/// Bytes of a nonce (SP 800-38D, section 8.2.2).
const NONCE_BYTES: usize = 12;

/// It does not open: another key, another location, or changed bytes. Which of them cannot be told.
#[derive(Debug)]
pub(crate) struct DoesNotOpen;

/// Random bytes of the operating system.
pub(crate) fn random<const LENGTH: usize>() -> Result<Zeroizing<[u8; LENGTH]>, rand::rngs::SysError> {
    let mut bytes = Zeroizing::new([0; LENGTH]);
    SysRng.try_fill_bytes(bytes.as_mut_slice())?;
    Ok(bytes)
}

/// The nonce, then what was encrypted, then its tag.
pub(crate) fn seal(
    key: &[u8; KEY_BYTES],
    nonce: &[u8; NONCE_BYTES],
    plain: &[u8],
    associated_data: &[u8],
) -> Result<Vec<u8>, DoesNotOpen> {
    let payload = Payload { msg: plain, aad: associated_data };
    let sealed = Aes256Gcm::new(&(*key).into()).encrypt(&Nonce::from(*nonce), payload);
    Ok([nonce.as_slice(), &sealed.map_err(|_| DoesNotOpen)?].concat())
}

/// The plaintext given to [`seal`].
pub(crate) fn open(
    key: &[u8; KEY_BYTES],
    sealed: &[u8],
    associated_data: &[u8],
) -> Result<Zeroizing<Vec<u8>>, DoesNotOpen> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(DoesNotOpen)?;
    let payload = Payload { msg: sealed, aad: associated_data };
    let plain = Aes256Gcm::new(&(*key).into()).decrypt(&Nonce::from(*nonce), payload);
    plain.map(Zeroizing::new).map_err(|_| DoesNotOpen)
}
