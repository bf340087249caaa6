//! Rules and suppressions of an organization that are kept and cannot be used, for example because limits are stricter
//! than when they were added. Their compiler detects that; here it is stored for display.

use std::collections::BTreeMap;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;
use crate::rows::UNUSABLE_DOCUMENTS;

/// Most documents that are kept here: they are one row, which must fit one commit. The first by their ids are.
const MOST: usize = 1_000;
/// Longest reason, in characters, for the same reason.
const MAX_REASON: usize = 300;

/// Stands for the id where none of an organization's rules and suppressions can be read.
pub const ALL_DOCUMENTS: &str = "all";

/// A rule or suppression that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusableDocument {
    /// The reason, in English.
    pub reason: String,
    /// Since when it is the reason.
    pub since: Timestamp,
}

/// By the ids of detection rules and suppressions, as text, or [`ALL_DOCUMENTS`].
pub type UnusableDocuments = BTreeMap<String, UnusableDocument>;

impl Directory {
    /// Rules and suppressions of an organization that cannot be used.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when the row cannot be read.
    pub async fn unusable_documents(
        &self,
        organization: OrganizationId,
    ) -> Result<UnusableDocuments, DirectoryError> {
        let found = self.read(LedgerId::Organization(organization), UNUSABLE_DOCUMENTS).await?;
        Ok(found.unwrap_or_default())
    }

    /// Replaces them, given the reasons; nothing is written where they are the same.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn note_unusable_documents(
        &self,
        organization: OrganizationId,
        reasons: &BTreeMap<String, String>,
    ) -> Result<(), DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let before = self.unusable_documents(organization).await?;
            let after = self.with_reasons(&before, reasons);
            if after == before {
                return Ok(());
            }
            let key = UNUSABLE_DOCUMENTS.to_vec();
            let op = if after.is_empty() { delete(key) } else { put(key, &after)? };
            if attempts.commit(vec![op]).await? {
                return Ok(());
            }
        }
        Err(DirectoryError::Conflict)
    }

    fn with_reasons(
        &self,
        before: &UnusableDocuments,
        reasons: &BTreeMap<String, String>,
    ) -> UnusableDocuments {
        let now = self.clock.now();
        let document = |(id, reason): (&String, &String)| {
            let reason: String = reason.chars().take(MAX_REASON).collect();
            let known = before.get(id).filter(|known| known.reason == reason);
            let since = known.map_or(now, |known| known.since);
            (id.clone(), UnusableDocument { reason, since })
        };
        reasons.iter().take(MOST).map(document).collect()
    }
}
