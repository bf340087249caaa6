//! Suppressions of an organization: Sigma filters that take findings away, each with a reason, an actor
//! and perhaps an end. What they took away is counted elsewhere, not forgotten.

use common::ids::{OrganizationId, SuppressionId};
use common::incident::Actor;
use common::timestamp::Timestamp;
use ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, delete, put};
use crate::document_check::Described;
use crate::error::DirectoryError;
use crate::fields::{check_text, check_title};
use crate::own_detection::{Account, MAX_SUPPRESSIONS, check_yaml};
use crate::rows::suppression_key;

/// Longest reason, in characters.
const MAX_REASON: usize = 1_000;

/// A suppression of an organization. It is never changed: another one takes its place, so that what was
/// taken away, and why, stays told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    /// Its id; the Sigma filter in it has its own.
    pub id: SuppressionId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// One Sigma filter, at most 64 KiB.
    pub yaml: String,
    /// What its YAML says it is called.
    pub title: String,
    /// The id of the Sigma filter: counts name it.
    pub sigma_id: String,
    /// Why findings are not wanted, 1..=1,000 characters.
    pub reason: String,
    /// The key that created it.
    pub created_by: Actor,
    /// When it was created.
    pub created_at: Timestamp,
    /// From when on it takes nothing away.
    pub expires_at: Option<Timestamp>,
}

impl Suppression {
    /// Whether it takes findings away at `now`.
    #[must_use]
    pub fn is_in_force(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

/// What a suppression is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSuppression {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<SuppressionId>,
    /// One Sigma filter, 1 byte to 64 KiB.
    pub yaml: String,
    /// What was found out about the YAML.
    pub described: Described,
    /// Why findings are not wanted, 1..=1,000 characters.
    pub reason: String,
    /// From when on it takes nothing away; not in the past.
    pub expires_at: Option<Timestamp>,
}

impl Directory {
    /// Creates a suppression, checked against what the organization had at version `checked_on`.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Changed` when
    /// what it was checked against is not what there is, `Full` at 1,000 suppressions, `TooMuchYaml`
    /// above 8 MiB of YAML, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_suppression(
        &self,
        organization: OrganizationId,
        checked_on: u64,
        new: NewSuppression,
        created_by: Actor,
    ) -> Result<Suppression, DirectoryError> {
        let suppression = self.new_suppression(organization, new, created_by)?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        let mut attempts = self.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            // Present already: an earlier attempt whose outcome was unknown took effect.
            if self.get_suppression(organization, suppression.id).await?.is_some() {
                return Ok(suppression);
            }
            let account = self.account(organization).await?;
            account.check_version(checked_on)?;
            if account.suppressions >= MAX_SUPPRESSIONS {
                return Err(DirectoryError::Full { things: "suppressions", limit: MAX_SUPPRESSIONS });
            }
            let account = account.with_yaml(0, suppression.yaml.len())?;
            let account = Account { suppressions: account.suppressions + 1, ..account };
            let ops = vec![put(suppression_key(suppression.id), &suppression)?];
            let ops = self.with_account(organization, account, ops).await?;
            if attempts.commit(ops).await? {
                return Ok(suppression);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// A suppression of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_suppression(
        &self,
        organization: OrganizationId,
        id: SuppressionId,
    ) -> Result<Option<Suppression>, DirectoryError> {
        self.read(LedgerId::Organization(organization), &suppression_key(id)).await
    }

    /// Deletes a suppression; `false` when the organization has no such suppression. Nothing can need
    /// one, so that it is deleted whatever else has changed.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete_suppression(
        &self,
        organization: OrganizationId,
        id: SuppressionId,
    ) -> Result<bool, DirectoryError> {
        let mut attempts = self.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            let Some(suppression) = self.get_suppression(organization, id).await? else {
                // Gone in a later attempt: by an attempt whose outcome was unknown, or by somebody else at
                // the same time. It was there when this began.
                return Ok(!attempts.is_first());
            };
            let account = self.account(organization).await?.with_yaml(suppression.yaml.len(), 0)?;
            let account = Account { suppressions: account.suppressions.saturating_sub(1), ..account };
            let ops = vec![delete(suppression_key(id))];
            let ops = self.with_account(organization, account, ops).await?;
            if attempts.commit(ops).await? {
                return Ok(true);
            }
        }
        Err(DirectoryError::Conflict)
    }

    fn new_suppression(
        &self,
        organization: OrganizationId,
        new: NewSuppression,
        created_by: Actor,
    ) -> Result<Suppression, DirectoryError> {
        check_yaml(&new.yaml)?;
        check_title(&new.described.title, None)?;
        check_text("reason", &new.reason, MAX_REASON)?;
        let now = self.clock.now();
        if new.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(DirectoryError::invalid("expires_at", "expected a moment in the future"));
        }
        let sigma_id = new.described.sigma_ids.into_iter().next();
        Ok(Suppression {
            id: new.id.unwrap_or_else(|| SuppressionId(self.new_id())),
            organization,
            yaml: new.yaml,
            title: new.described.title,
            sigma_id: sigma_id.ok_or_else(|| DirectoryError::invalid("yaml", "expected a Sigma filter"))?,
            reason: new.reason,
            created_by,
            created_at: now,
            expires_at: new.expires_at,
        })
    }
}
