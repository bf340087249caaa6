//! Rows that lead from a value of a resource, for example its name, to the resource: written by the commit that changes the
//! resource, so that a value is found, and refused to a second resource, without reading all of them.

use common::digest::digest;
use common::ids::OrganizationId;
use ledger::{LedgerId, Op};

use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;
use crate::table::{Resource, Table};

/// Rows from the values of one field to the resources that have them.
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    /// Prefix of the rows.
    pub prefix: &'static [u8],
    /// Name of a field whose values are refused to a second resource. Without it, the resource that took a value last is found
    /// by it.
    pub unique: Option<&'static str>,
}

impl Lookup {
    /// Operations to commit with the change of a resource, given the value before and after it.
    ///
    /// # Errors
    /// `Taken` where another resource has the value of a unique field, `Unavailable` and `Corrupt` when a row cannot be read.
    pub async fn ops<R: Resource>(
        self,
        table: &Table<'_, R>,
        organization: OrganizationId,
        id: R::Id,
        (before, after): (Option<String>, Option<String>),
    ) -> Result<Vec<Op>, DirectoryError> {
        let mut ops = Vec::new();
        if before == after {
            return Ok(ops);
        }
        if let Some(before) = before
            && self.find(table.directory, organization, &before).await?.as_deref() == Some(id.as_ref())
        {
            ops.push(delete(self.key(&before)));
        }
        if let Some(after) = after {
            if let Some(field) = self.unique
                && self
                    .find(table.directory, organization, &after)
                    .await?
                    .is_some_and(|row| row != id.as_ref())
            {
                return Err(DirectoryError::Taken { field, resource: table.name() });
            }
            ops.push(put(self.key(&after), &id.as_ref())?);
        }
        Ok(ops)
    }

    /// Bytes of the id of the resource that has a value.
    ///
    /// # Errors
    /// `Unavailable` and `Corrupt` when the row cannot be read.
    pub async fn find(
        self,
        directory: &Directory,
        organization: OrganizationId,
        value: &str,
    ) -> Result<Option<Vec<u8>>, DirectoryError> {
        directory.read(LedgerId::Organization(organization), &self.key(value)).await
    }

    /// Of one length for every value, since keys are bounded.
    fn key(self, value: &str) -> Vec<u8> {
        [self.prefix, digest(&[value.as_bytes()]).as_slice()].concat()
    }
}
