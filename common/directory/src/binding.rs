//! Things outside of the deployment, for example installations at a code host, each of which belongs to at most one organization.
//! The rows lie in the platform's ledger: of two organizations that claim the same thing at the same time one gets it.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;
use crate::one_time::{Spend, Spending};

/// A kind of things.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Prefix of the rows.
    pub prefix: &'static [u8],
}

/// The organization that has a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// The organization.
    pub organization: OrganizationId,
    /// When it was bound.
    pub bound_at: Timestamp,
}

impl Binding {
    /// The organization that has a thing, or `None`.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt` when the row cannot be read.
    pub async fn find(self, directory: &Directory, thing: &[u8]) -> Result<Option<Bound>, DirectoryError> {
        directory.read(LedgerId::Platform, &self.key(thing)).await
    }

    /// Binds a thing to an organization if it is free, or still bound as `replaced` says. Returns the binding that is in force
    /// afterwards, which is another organization's when that has the thing.
    ///
    /// A permission is spent by the commit that binds the thing, also where the organization has it already, and stays as it is
    /// where another organization has the thing.
    ///
    /// # Errors
    /// `NotFound` where the permission is not as it was read; `Conflict` and `Unavailable` as their documentation says.
    pub async fn bind(
        self,
        directory: &Directory,
        thing: &[u8],
        organization: OrganizationId,
        (replaced, permission): (Option<Bound>, Option<&Spending>),
    ) -> Result<Bound, DirectoryError> {
        let mut attempts = directory.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let present = self.find(directory, thing).await?.filter(|present| Some(*present) != replaced);
            if let Some(present) = present.filter(|present| present.organization != organization) {
                return Ok(present);
            }
            let mut ops = Vec::new();
            if let Some(permission) = permission {
                match permission.check(directory, attempts.is_first()).await? {
                    Spend::With(op) => ops.push(op),
                    Spend::Done => {}
                }
            }
            let new = Bound { organization, bound_at: directory.clock.now() };
            let bound = present.unwrap_or(new);
            if present.is_none() {
                ops.push(put(self.key(thing), &bound)?);
            }
            if ops.is_empty() || attempts.commit(ops).await? {
                return Ok(bound);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Makes a thing free, if it is bound to the organization.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn release(
        self,
        directory: &Directory,
        thing: &[u8],
        organization: OrganizationId,
    ) -> Result<(), DirectoryError> {
        let mut attempts = directory.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let present = self.find(directory, thing).await?;
            if present.is_none_or(|present| present.organization != organization)
                || attempts.commit(vec![delete(self.key(thing))]).await?
            {
                return Ok(());
            }
        }
        Err(DirectoryError::Conflict)
    }

    fn key(self, thing: &[u8]) -> Vec<u8> {
        [self.prefix, thing].concat()
    }
}
