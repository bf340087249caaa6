//! Pairing codes: each makes a number of monitoring clients clients of an agent. The row lies in the organization's ledger; a
//! row in the platform's ledger leads from the hash of the code to it, because the organization is not known before. The row of
//! the platform is written first and removed first, so that a code in an answer always leads to its row, and none of the platform
//! stays behind unless a process ends during the creation.

mod text;

use std::time::Duration;

use common::ids::{AgentId, OrganizationId, RecordId};
use common::timestamp::Timestamp;
use ledger::{LedgerId, Op};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::agent::AgentType;
use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;
use crate::rows::{PAIRING_CODES, pairing_code_hash_key};
use crate::table::{Change, Collection, Resource, Table};
use text::{generate, normalize};

/// Most pairing codes of an organization that can still be used.
const MAX_PAIRING_CODES: usize = 1_000;
/// Most clients that one code pairs: those of a fleet.
pub const MAX_PAIRING_USES: u32 = 1_000;
/// Longest time that a code can be used.
pub const MAX_PAIRING_LIFETIME: Duration = Duration::from_secs(30 * 86_400);
/// Codes that one commit removes: half of the rows that a commit may have.
const REMOVED_AT_ONCE: usize = 500;

/// A pairing code: everything but the code itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// The row that leads to it.
    pub(crate) fn pointer(&self) -> Result<Op, DirectoryError> {
        let pointer = Pointer { organization: self.organization };
        Ok(put(pairing_code_hash_key(&self.hash), &pointer)?)
    }

    /// The operations that create it, for a commit that also creates its agent; `Full` at the limit of the organization.
    pub(crate) async fn creation(&self, directory: &Directory) -> Result<Vec<Op>, DirectoryError> {
        let codes = directory.pairing_codes();
        let count = codes.counter(self.organization).add(directory).await?;
        Ok(vec![put(codes.key(self.hash), self)?, count])
    }
}

impl Directory {
    /// Creates a pairing code for a coding agent, and removes those of the organization that cannot be used any more. Its text is
    /// in the answer and nowhere else.
    ///
    /// # Errors
    /// `Invalid` for numbers that are not allowed, `NotFound` without the coding agent in the organization, `Full` at 1,000 codes
    /// of the organization that can still be used, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_pairing_code(
        &self,
        organization: OrganizationId,
        agent: AgentId,
        max_uses: u32,
        lifetime: Duration,
    ) -> Result<(PairingCode, Zeroizing<String>), DirectoryError> {
        let (code, text) = self.new_pairing_code((organization, agent), max_uses, lifetime)?;
        self.with_pointer(&code, self.pairing_codes().create(organization, code)).await?;
        Ok((code, text))
    }

    /// A code that is not stored yet.
    pub(crate) fn new_pairing_code(
        &self,
        (organization, agent): (OrganizationId, AgentId),
        max_uses: u32,
        lifetime: Duration,
    ) -> Result<(PairingCode, Zeroizing<String>), DirectoryError> {
        if !(1..=MAX_PAIRING_USES).contains(&max_uses) {
            let expected = format!("expected 1 to {MAX_PAIRING_USES}, found {max_uses}");
            return Err(DirectoryError::invalid("max_uses", expected));
        }
        if lifetime.is_zero() || lifetime > MAX_PAIRING_LIFETIME {
            let (most, found) = (MAX_PAIRING_LIFETIME.as_secs(), lifetime.as_secs());
            let expected = format!("expected 1 to {most} seconds, found {found}");
            return Err(DirectoryError::invalid("expires_in", expected));
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
        Ok((code, text))
    }

    /// Carries out the creation of a code between its row of the platform and, where nothing was created, the removal of that.
    pub(crate) async fn with_pointer<T>(
        &self,
        code: &PairingCode,
        creation: impl Future<Output = Result<T, DirectoryError>>,
    ) -> Result<T, DirectoryError> {
        let now = self.clock.now();
        self.remove_pairing_codes(code.organization, |code| !code.is_usable(now)).await?;
        self.commit_pointers(vec![code.pointer()?]).await?;
        let created = creation.await;
        // After another error it is not known whether the code was created.
        let is_refused = !matches!(&created, Ok(_) | Err(DirectoryError::Unavailable(_)));
        if is_refused {
            self.commit_pointers(vec![delete(pairing_code_hash_key(&code.hash))]).await?;
        }
        created
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
    /// `NotFound` when it cannot be used any more, or its agent was deleted or is no coding agent any more; `Conflict` and
    /// `Unavailable` as their documentation says.
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

    /// Removes the codes of an agent.
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

    pub(crate) fn pairing_codes(&self) -> Table<'_, PairingCode> {
        self.table(())
    }

    async fn remove_pairing_codes(
        &self,
        organization: OrganizationId,
        is_meant: impl Fn(&PairingCode) -> bool,
    ) -> Result<(), DirectoryError> {
        let (table, ledger) = (self.pairing_codes(), LedgerId::Organization(organization));
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let codes = table.list(organization).await?;
            let meant = codes.iter().filter(|code| is_meant(code)).take(REMOVED_AT_ONCE);
            let hashes: Vec<[u8; 32]> = meant.map(|code| code.hash).collect();
            if hashes.is_empty() {
                return Ok(());
            }
            let pointers = hashes.iter().map(|hash| delete(pairing_code_hash_key(hash))).collect();
            self.commit_pointers(pointers).await?;
            let mut ops: Vec<Op> = hashes.iter().map(|hash| delete(table.key(*hash))).collect();
            ops.push(table.counter(organization).subtract(self, hashes.len()).await?);
            if attempts.commit(ops).await? {
                if hashes.len() < REMOVED_AT_ONCE {
                    return Ok(());
                }
                attempts = self.attempts(ledger);
            }
        }
        Err(DirectoryError::Conflict)
    }

    async fn commit_pointers(&self, ops: Vec<Op>) -> Result<(), DirectoryError> {
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

    /// No code is created or used without its coding agent, whose row is of the same ledger.
    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        if let Some(code) = change.after {
            let agent = table.directory.agents().get(organization, code.agent).await?;
            agent
                .filter(|agent| agent.agent_type == AgentType::CodingAgent)
                .ok_or(DirectoryError::NotFound)?;
        }
        Ok(Vec::new())
    }
}
