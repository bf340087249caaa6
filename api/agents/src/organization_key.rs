//! The key that signs the rules for the clients of an organization: Ed25519 (RFC 8032), created at the first use, with its
//! private part encrypted at rest. Clients learn the public part when they are paired.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::hexadecimal;
use common::ids::OrganizationId;
use records::{Home, RecordError, Records, Table};
use rest::error::ApiError;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use secrets::{FieldLocation, Sealed, Vault};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Keys by organization.
const KEYS: Table = Table::new("agent-signing-key");

/// A key as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct SigningKey {
    /// The public part.
    #[serde(with = "hexadecimal")]
    public: Vec<u8>,
    /// PKCS #8 document, sealed for the field `private` of the organization.
    private: Sealed,
}

/// A key cannot be generated or used: the operating system gives no randomness, or the row is damaged.
#[derive(Debug, Error)]
#[error("the organization has no usable signing key")]
struct NoKey;

fn location(organization: &OrganizationId) -> FieldLocation<'_> {
    FieldLocation {
        organization: *organization,
        table: "agent_signing_key",
        row: organization.as_bytes(),
        field: "private",
    }
}

/// The public part of an organization's key, in Base64.
pub(crate) async fn public_key(
    records: &Records,
    vault: &Vault,
    organization: OrganizationId,
) -> Result<String, ApiError> {
    let place = (Home::Records, records.shard(organization, b"agent-signing-key"));
    let key = organization.as_bytes();
    let mut attempts = records.attempts(place.0, place.1);
    while let Some(mut draft) = attempts.next().await? {
        if let Some(stored) = records.row::<SigningKey>(place, KEYS, key).await? {
            return Ok(STANDARD.encode(stored.public));
        }
        let generated = generate(vault, organization).await?;
        draft.put_row(KEYS, key, &generated)?;
        if attempts.commit(draft).await? {
            return Ok(STANDARD.encode(generated.public));
        }
    }
    Err(RecordError::Conflict.into())
}

/// Signs a message with an organization's key; the signature in Base64.
pub(crate) async fn sign(
    records: &Records,
    vault: &Vault,
    organization: OrganizationId,
    message: &[u8],
) -> Result<String, ApiError> {
    public_key(records, vault, organization).await?;
    let place = (Home::Records, records.shard(organization, b"agent-signing-key"));
    let stored: Option<SigningKey> = records.row(place, KEYS, organization.as_bytes()).await?;
    let stored = stored.ok_or_else(|| ApiError::internal(NoKey))?;
    let document = vault.open(&location(&organization), &stored.private).await?;
    let pair = Ed25519KeyPair::from_pkcs8(&document).map_err(|_| ApiError::internal(NoKey))?;
    Ok(STANDARD.encode(pair.sign(message)))
}

async fn generate(vault: &Vault, organization: OrganizationId) -> Result<SigningKey, ApiError> {
    let document =
        Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| ApiError::internal(NoKey))?;
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).map_err(|_| ApiError::internal(NoKey))?;
    let private = vault.seal(&location(&organization), document.as_ref()).await?;
    Ok(SigningKey { public: pair.public_key().as_ref().to_vec(), private })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::memory::MemoryLedger;
    use ring::signature::{ED25519, UnparsedPublicKey};
    use secrets::{KeyEncryptionKey, KeyEncryptionKeys};
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn an_organization_has_one_key_whose_private_part_opens_and_signs() {
        let ledger = Arc::new(MemoryLedger::new());
        let vault =
            Vault::new(ledger.clone(), KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([9; 32])]).unwrap());
        let records = Records::new(ledger.clone(), 4, Uuid::new_v4());
        let [ours, theirs] = [1, 2].map(|number| OrganizationId::from_bytes([number; 16]));
        let public = public_key(&records, &vault, ours).await.unwrap();
        assert_eq!(public_key(&records, &vault, ours).await.unwrap(), public);
        assert_ne!(public_key(&records, &vault, theirs).await.unwrap(), public);
        let place = (Home::Records, records.shard(ours, b"agent-signing-key"));
        let stored: SigningKey = records.row(place, KEYS, ours.as_bytes()).await.unwrap().unwrap();
        let document = vault.open(&location(&ours), &stored.private).await.unwrap();
        let signature = sign(&records, &vault, ours, b"rules").await.unwrap();
        let key = UnparsedPublicKey::new(&ED25519, STANDARD.decode(&public).unwrap());
        key.verify(b"rules", &STANDARD.decode(&signature).unwrap()).unwrap();
        assert!(key.verify(b"other rules", &STANDARD.decode(&signature).unwrap()).is_err());
        // The seed of the key stands behind the header of the document (RFC 8410 section 7).
        assert_eq!(document[12..16], [0x04, 0x22, 0x04, 0x20]);
        let forms = forms(&document[16..48]);
        let is_shown = |body: &[u8]| forms.iter().any(|form| holds(body, form));
        assert!(ledger.dump().iter().all(|(_, _, row)| !is_shown(&row.body)));
        // The search finds the key where it is stored like the public part, or in another form.
        let shown = SigningKey { public: document.to_vec(), private: stored.private };
        assert!(is_shown(&common::row::encode(&shown).unwrap()));
        assert!(is_shown(STANDARD.encode(&*document).as_bytes()) && is_shown(&document));
        let numbers: &[u8] = &document;
        assert!(is_shown(serde_json::to_string(numbers).unwrap().as_bytes()));
    }

    fn holds(body: &[u8], form: &[u8]) -> bool {
        body.windows(form.len()).any(|window| window == form)
    }

    /// The forms in which a row could show a secret: its bytes, hexadecimal digits, a list of numbers, and Base64 behind any
    /// number of other bytes.
    fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
        let numbers = serde_json::to_string(secret).unwrap();
        let mut forms = vec![
            secret.to_vec(),
            hexadecimal::print(secret).into_bytes(),
            numbers.trim_matches(['[', ']']).as_bytes().to_vec(),
        ];
        for skipped in 0..3 {
            let whole = (secret.len() - skipped) / 3 * 3;
            forms.push(STANDARD.encode(&secret[skipped..skipped + whole]).into_bytes());
        }
        forms
    }
}
