//! Pairing codes: what a monitoring client presents once to become a client of an agent. The row lies in the organization's
//! ledger; a row in the platform's ledger leads from the hash of the code to it, because the organization is not known before.
//! A row of the platform whose code is gone leads nowhere.

use std::time::Duration;

use common::ids::{AgentId, OrganizationId, RecordId};
use common::timestamp::Timestamp;
use ledger::{LedgerId, Op};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;
use crate::rows::{PAIRING_CODES, pairing_code_hash_key};
use crate::table::{Collection, Resource, Table};

/// Most pairing codes of an organization that can still be used.
const MAX_PAIRING_CODES: usize = 1_000;
/// Most clients that one code pairs: those of a fleet.
pub const MAX_PAIRING_USES: u32 = 1_000;
/// Longest time that a code can be used.
pub const MAX_PAIRING_LIFETIME: Duration = Duration::from_secs(30 * 86_400);
/// Characters of a code: 60 bits, which 10 tries a minute do not find within the life of a code.
const LENGTH: usize = 12;
/// Digits of Crockford's Base32, without letters that are read as digits.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A pairing code: everything but the code itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingCode {
    /// Whose it is.
    pub organization: OrganizationId,
    /// The agent whose clients it pairs.
    pub agent: AgentId,
    /// HMAC-SHA-256 of the code under the pepper, by which it is found.
    hash: [u8; 32],
    /// Clients that it can pair.
    pub max_uses: u32,
    /// Clients that it has paired.
    pub uses: u32,
    /// The last of them: tells apart two uses at the same time.
    last_client: Option<RecordId>,
    /// From when on it is refused.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
}

impl PairingCode {
    fn is_usable(&self, now: Timestamp) -> bool {
        self.uses < self.max_uses && now < self.expires_at
    }
}

impl Directory {
    /// Creates a pairing code for an agent. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// `Invalid` for numbers that are not allowed, `NotFound` without the agent in the organization, `Full` at 1,000 codes of
    /// the organization that can still be used, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_pairing_code(
        &self,
        organization: OrganizationId,
        agent: AgentId,
        max_uses: u32,
        lifetime: Duration,
    ) -> Result<(PairingCode, Zeroizing<String>), DirectoryError> {
        if !(1..=MAX_PAIRING_USES).contains(&max_uses) {
            return Err(DirectoryError::invalid("max_uses", format!("expected 1 to {MAX_PAIRING_USES}")));
        }
        if lifetime.is_zero() || lifetime > MAX_PAIRING_LIFETIME {
            let expected = format!("expected 1 to {} seconds", MAX_PAIRING_LIFETIME.as_secs());
            return Err(DirectoryError::invalid("expires_in", expected));
        }
        if self.agents().get(organization, agent).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        let (now, text) = (self.clock.now(), generate());
        let code = PairingCode {
            organization,
            agent,
            hash: self.pairing_code_hash(&text),
            max_uses,
            uses: 0,
            last_client: None,
            expires_at: now.plus(lifetime),
            created_at: now,
        };
        // First the row of the platform: a code in an answer leads to its row.
        self.put_pointer(&code).await?;
        let created = match self.pairing_codes().create(organization, code.clone()).await {
            Err(DirectoryError::Full { .. }) => {
                self.remove_pairing_codes(organization, |code| !code.is_usable(now)).await?;
                self.pairing_codes().create(organization, code.clone()).await
            }
            created => created,
        };
        if matches!(created, Err(DirectoryError::Full { .. })) {
            self.commit_pointer(vec![delete(pairing_code_hash_key(&code.hash))]).await?;
        }
        Ok((created?, text))
    }

    /// The code that a client presents, if it can be used. A wrong, a used and an expired one have the same result.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn find_pairing_code(&self, presented: &str) -> Result<Option<PairingCode>, DirectoryError> {
        let Some(text) = normalize(presented) else { return Ok(None) };
        let hash = self.pairing_code_hash(&text);
        let pointer: Option<Pointer> = self.read(LedgerId::Platform, &pairing_code_hash_key(&hash)).await?;
        let Some(Pointer { organization }) = pointer else { return Ok(None) };
        let code = self.pairing_codes().get(organization, hash).await?;
        Ok(code.filter(|code| code.is_usable(self.clock.now())))
    }

    /// Uses a code for a client that is about to be written.
    ///
    /// # Errors
    /// `NotFound` when it cannot be used any more, `Conflict` and `Unavailable` as their documentation says.
    pub async fn use_pairing_code(
        &self,
        found: &PairingCode,
        client: RecordId,
    ) -> Result<(), DirectoryError> {
        let now = self.clock.now();
        let change = |code: &mut PairingCode| {
            if !code.is_usable(now) {
                return Err(DirectoryError::NotFound);
            }
            (code.uses, code.last_client) = (code.uses + 1, Some(client));
            Ok(())
        };
        self.pairing_codes().update(found.organization, found.hash, change).await.map(drop)
    }

    /// Removes the codes of an agent that was deleted.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn remove_pairing_codes_of(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<(), DirectoryError> {
        self.remove_pairing_codes(organization, |code| code.agent == agent).await
    }

    fn pairing_codes(&self) -> Table<'_, PairingCode> {
        self.table(())
    }

    async fn remove_pairing_codes(
        &self,
        organization: OrganizationId,
        is_meant: impl Fn(&PairingCode) -> bool,
    ) -> Result<(), DirectoryError> {
        let codes = self.pairing_codes().list(organization).await?;
        for code in codes.iter().filter(|code| is_meant(code)) {
            self.pairing_codes().delete(organization, code.hash).await?;
            self.commit_pointer(vec![delete(pairing_code_hash_key(&code.hash))]).await?;
        }
        Ok(())
    }

    async fn put_pointer(&self, code: &PairingCode) -> Result<(), DirectoryError> {
        let pointer = Pointer { organization: code.organization };
        self.commit_pointer(vec![put(pairing_code_hash_key(&code.hash), &pointer)?]).await
    }

    async fn commit_pointer(&self, ops: Vec<Op>) -> Result<(), DirectoryError> {
        let mut attempts = self.attempts(LedgerId::Platform);
        while attempts.next().await? {
            if attempts.commit(ops.clone()).await? {
                return Ok(());
            }
        }
        Err(DirectoryError::Conflict)
    }

    fn pairing_code_hash(&self, text: &str) -> [u8; 32] {
        self.pepper.hash("pairing-code", &[text.as_bytes()])
    }
}

/// The row that leads from the hash of a code to its organization.
#[derive(Serialize, Deserialize)]
struct Pointer {
    organization: OrganizationId,
}

/// A new code, from a cryptographic generator that the operating system seeds.
fn generate() -> Zeroizing<String> {
    let mut random = rand::rng();
    let mut text = Zeroizing::new(String::with_capacity(LENGTH));
    for _ in 0..LENGTH {
        text.push(char::from(DIGITS[random.random_range(0..DIGITS.len())]));
    }
    text
}

/// A presented code in the form that is hashed: hyphens and spaces removed, capital letters, and letters that look like digits
/// as those. `None` for a text that cannot be a code.
fn normalize(presented: &str) -> Option<Zeroizing<String>> {
    // With a hyphen or space after each character; longer texts are not looked at.
    if presented.len() > 2 * LENGTH {
        return None;
    }
    let mut text = Zeroizing::new(String::with_capacity(LENGTH));
    for character in presented.chars().filter(|character| !matches!(character, '-' | ' ')) {
        let digit = match character.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        };
        if text.len() == LENGTH || !u8::try_from(digit).is_ok_and(|digit| DIGITS.contains(&digit)) {
            return None;
        }
        text.push(digit);
    }
    (text.len() == LENGTH).then_some(text)
}

impl Resource for PairingCode {
    /// Its hash. The order of the rows has no meaning.
    type Id = [u8; 32];
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection {
            prefix: PAIRING_CODES,
            name: "pairing code",
            plural: "pairing codes",
            limit: MAX_PAIRING_CODES,
        }
    }

    fn id(&self) -> [u8; 32] {
        self.hash
    }

    fn check(&self, _: Option<&Self>) -> Result<(), DirectoryError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_write_it() {
        let read = |text: &str| normalize(text).map(|text| text.to_string());
        assert_eq!(read("ABCD-EFGH-JKMN").as_deref(), Some("ABCDEFGHJKMN"));
        assert_eq!(read("abcd efgh jkmn").as_deref(), Some("ABCDEFGHJKMN"));
        assert_eq!(read("oO0iIlL11111").as_deref(), Some("000111111111"));
        for text in [
            "",
            "ABCDEFGHJKM",
            "ABCDEFGHJKMNP",
            "ABCDEFGHJKMU",
            "ABCDEFGHJKM_",
            "ABCDEFGHJKMé",
            &"-".repeat(99),
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        for _ in 0..100 {
            let code = generate();
            assert_eq!(normalize(&code), Some(code));
        }
    }
}
