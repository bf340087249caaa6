//! Suppressions of an organization: Sigma filters that take findings away, each with a reason, an actor
//! and perhaps an end. What they took away is counted elsewhere, not forgotten.

use common::ids::{OrganizationId, SuppressionId};
use common::incident::Actor;
use common::timestamp::Timestamp;
use ledger::Op;
use serde::{Deserialize, Serialize};

use crate::directory::Directory;
use crate::document_check::Described;
use crate::error::DirectoryError;
use crate::fields::{check_text, check_title};
use crate::own_detection::{MAX_SUPPRESSIONS, check_yaml};
use crate::rows::SUPPRESSIONS;
use crate::table::{Change, Collection, Resource, Table};

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
    /// Title in its YAML.
    pub title: String,
    /// The id of the Sigma filter: counts name it.
    pub sigma_id: String,
    /// Reason why findings are not wanted, 1..=1,000 characters.
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

/// Values of a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSuppression {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<SuppressionId>,
    /// One Sigma filter, 1 byte to 64 KiB.
    pub yaml: String,
    /// Result of checking the YAML.
    pub described: Described,
    /// Reason why findings are not wanted, 1..=1,000 characters.
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
        self.suppressions(Some(checked_on)).create(organization, suppression).await
    }

    /// The suppressions, created only if what the organization has is of this version. Nothing can need one, so that one
    /// is deleted whatever else has changed.
    #[must_use]
    pub fn suppressions(&self, checked_on: Option<u64>) -> Table<'_, Suppression> {
        self.table(checked_on)
    }

    fn new_suppression(
        &self,
        organization: OrganizationId,
        new: NewSuppression,
        created_by: Actor,
    ) -> Result<Suppression, DirectoryError> {
        let now = self.clock.now();
        if new.expires_at.is_some_and(|expires_at| expires_at <= now) {
            return Err(DirectoryError::invalid("expires_at", "expected a time in the future"));
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

impl Resource for Suppression {
    type Id = SuppressionId;
    /// The version of what the organization has that a change was decided on.
    type Context = Option<u64>;

    fn collection(_: Option<u64>) -> Collection {
        Collection {
            prefix: SUPPRESSIONS,
            name: "suppression",
            plural: "suppressions",
            limit: MAX_SUPPRESSIONS,
        }
    }

    fn id(&self) -> SuppressionId {
        self.id
    }

    fn check(&self, _: Option<&Self>) -> Result<(), DirectoryError> {
        check_yaml(&self.yaml)?;
        check_title(&self.title, None)?;
        check_text("reason", &self.reason, MAX_REASON)
    }

    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let bytes = change.map(|suppression| suppression.yaml.len());
        table.directory.account_for(organization, table.context, bytes).await
    }
}
