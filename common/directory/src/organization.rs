//! Organizations: the tenants everything belongs to.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::counter::Counter;
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_text};
use crate::rows::{ORGANIZATIONS, organization_key};

/// Most organizations of a deployment: what one listing can hold in memory.
pub(crate) const MAX_ORGANIZATIONS: usize = 10_000;

/// Counter of organizations.
pub(crate) const COUNTER: Counter<'static> = Counter {
    ledger: LedgerId::Platform,
    prefix: ORGANIZATIONS,
    things: "organizations",
    limit: MAX_ORGANIZATIONS,
};

/// An organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its name, 1..=100 characters.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Directory {
    /// Creates an organization. Names need not be unique.
    ///
    /// # Errors
    /// `Invalid` for a name that is not allowed, `Full` at 10,000 organizations, `Conflict` and
    /// `Unavailable` as their documentation says.
    pub async fn create_organization(&self, name: &str) -> Result<Organization, DirectoryError> {
        let organization = self.new_organization(name)?;
        let mut attempts = self.attempts(LedgerId::Platform);
        while attempts.next().await? {
            // Present already: an earlier attempt whose outcome was unknown took effect.
            if self.get_organization(organization.id).await?.is_some() {
                return Ok(organization);
            }
            let ops = vec![put(organization_key(organization.id), &organization)?, COUNTER.add(self).await?];
            if attempts.commit(ops).await? {
                return Ok(organization);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// An organization, or `None`.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_organization(&self, id: OrganizationId) -> Result<Option<Organization>, DirectoryError> {
        self.read(LedgerId::Platform, &organization_key(id)).await
    }

    /// All organizations, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list_organizations(&self) -> Result<Vec<Organization>, DirectoryError> {
        self.list(LedgerId::Platform, ORGANIZATIONS, MAX_ORGANIZATIONS).await
    }

    /// An organization that is not written yet.
    pub(crate) fn new_organization(&self, name: &str) -> Result<Organization, DirectoryError> {
        check_text("name", name, MAX_NAME)?;
        Ok(Organization {
            id: OrganizationId(self.new_id()),
            name: name.to_owned(),
            created_at: self.clock.now(),
        })
    }
}
