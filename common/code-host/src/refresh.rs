//! The rows of an installation, made equal to the repositories that the host lists for it.

use common::clock::Clock;
use common::ids::OrganizationId;
use directory::{Directory, DirectoryError};
use thiserror::Error;

use crate::host::{CodeHost, HostError, HostedRepository};
use crate::id::InstallationId;
use crate::repository::{Repository, repositories};

/// Number of rows that changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Created rows.
    pub created: usize,
    /// Changed rows.
    pub changed: usize,
    /// Deleted rows: the installation gives no access any more.
    pub deleted: usize,
}

/// Reason why the rows were not, or not all, made equal. A repetition continues.
#[derive(Debug, Error)]
pub enum RefreshError {
    /// The host gave no answer.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A row was refused, or the ledger did not do its part.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Makes the rows of an installation equal to the repositories that the host lists for it. Settings of the organization, such
/// as `enabled`, stay.
///
/// # Errors
/// [`RefreshError`].
pub async fn refresh(
    directory: &Directory,
    clock: &dyn Clock,
    host: &dyn CodeHost,
    organization: OrganizationId,
    installation: InstallationId,
) -> Result<Refreshed, RefreshError> {
    let listed = host.repositories(installation).await?;
    let table = repositories(directory);
    let mut refreshed = Refreshed::default();
    let stored = table.list(organization).await?;
    for gone in stored.iter().filter(|row| row.installation == installation) {
        let is_listed = listed.iter().any(|repository| repository.id == gone.id);
        if !is_listed && table.delete(organization, gone.id).await? {
            refreshed.deleted += 1;
        }
    }
    for HostedRepository { id, full_name, private, default_branch } in listed {
        match stored.iter().find(|row| row.id == id) {
            None => {
                let now = clock.now();
                let (created_at, updated_at) = (now, now);
                let row = Repository {
                    id,
                    organization,
                    installation,
                    full_name,
                    private,
                    default_branch,
                    enabled: true,
                    created_at,
                    updated_at,
                };
                table.create(organization, row).await?;
                refreshed.created += 1;
            }
            Some(before) => {
                let change = |row: &mut Repository| {
                    (row.installation, row.private) = (installation, private);
                    row.full_name.clone_from(&full_name);
                    row.default_branch.clone_from(&default_branch);
                    Ok(())
                };
                let after = table.update(organization, id, change).await?;
                refreshed.changed += usize::from(after != *before);
            }
        }
    }
    Ok(refreshed)
}
