//! The state of a connection: a parameter that passes through the host's pages (RFC 6749 section 10.12) and says for which
//! organization an installation is made. It is signed, so that no request can name another organization, and expires.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use rand::RngExt;
use subtle::ConstantTimeEq;

/// Time for an installation: a person chooses repositories.
pub(crate) const LIFETIME: Duration = Duration::from_secs(600);

const PURPOSE: &str = "code host connection 1";
const NONCE: usize = 16;
const MAC: usize = 32;

/// A new state, as text for a URL, and when it expires.
pub(crate) fn issue(pepper: &Pepper, organization: OrganizationId, now: Timestamp) -> (String, Timestamp) {
    let expires_at = now.plus(LIFETIME);
    let nonce: [u8; NONCE] = rand::rng().random();
    let expiry = expires_at.0.to_be_bytes();
    let mac = mac(pepper, organization.as_bytes(), &nonce, &expiry);
    let bytes = [organization.as_bytes().as_slice(), &nonce, &expiry, &mac].concat();
    (URL_SAFE_NO_PAD.encode(bytes), expires_at)
}

/// The organization of a state that this deployment has issued and that has not expired.
pub(crate) fn read(pepper: &Pepper, text: &str, now: Timestamp) -> Option<OrganizationId> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (organization, rest) = bytes.split_first_chunk::<16>()?;
    let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
    let (expiry, rest) = rest.split_first_chunk::<8>()?;
    let sent: &[u8; MAC] = rest.try_into().ok()?;
    let is_ours: bool = mac(pepper, organization, nonce, expiry).ct_eq(sent).into();
    (is_ours && now < Timestamp(i64::from_be_bytes(*expiry)))
        .then(|| OrganizationId::from_bytes(*organization))
}

fn mac(pepper: &Pepper, organization: &[u8], nonce: &[u8], expiry: &[u8]) -> [u8; MAC] {
    pepper.hash(PURPOSE, &[organization, nonce, expiry])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_names_its_organization_until_it_expires_and_no_bit_of_it_can_change() {
        let (pepper, organization) = (Pepper::new([7; 32]), OrganizationId::from_bytes([3; 16]));
        let now = Timestamp(1_000);
        let (text, expires_at) = issue(&pepper, organization, now);
        assert_eq!(read(&pepper, &text, now), Some(organization));
        assert_eq!(read(&pepper, &text, Timestamp(expires_at.0 - 1)), Some(organization));
        assert_eq!(read(&pepper, &text, expires_at), None);
        assert_eq!(read(&Pepper::new([8; 32]), &text, now), None);
        assert_ne!(issue(&pepper, organization, now).0, text);
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&pepper, &URL_SAFE_NO_PAD.encode(forged), now), None, "bit {bit}");
        }
        for text in ["", "a", "ä", &text[1..], &format!("{text}AA")] {
            assert_eq!(read(&pepper, text, now), None, "{text}");
        }
    }
}
