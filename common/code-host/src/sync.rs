//! The rows of an installation, made equal to the host: its account and state, and the repositories that it gives access to.

use std::collections::HashMap;

use common::clock::Clock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::{ChangedRows, Directory, DirectoryError};
use thiserror::Error;

use crate::host::{CodeHost, HostError};
use crate::hosted::HostedRepository;
use crate::id::{InstallationId, RepositoryId};
use crate::installation::{Installation, InstallationState, installations, organization_of, release};
use crate::repository::{MAX_REPOSITORIES, Repository, RepositoryState, repositories};
use crate::updates::UpdateSettings;

/// Number of repository rows that changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Created rows.
    pub created: usize,
    /// Changed rows, those of repositories without access included.
    pub changed: usize,
    /// Deleted rows: the installation is not connected any more, or there was no room for others.
    pub deleted: usize,
    /// Repositories that the host lists and that have no row, or an older one: values that are not allowed, or no room.
    pub refused: usize,
}

/// Reason why the rows were not, or not all, made equal. A repetition continues.
#[derive(Debug, Error)]
pub enum SyncError {
    /// The host gave no answer.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The ledger did not do its part.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Makes the rows of an installation equal to the host. Settings of the organization, such as `enabled`, stay.
///
/// * A repository that the host does not list any more is `Removed` and keeps its row, because other resources refer to it.
/// * Of a removed or suspended installation the repositories stay as they are: they are inactive by the installation.
/// * Rows of an installation that the organization has disconnected are deleted.
/// * Bounds: the host lists at most 10,000 repositories, some hundred rows change in one commit, and rows without access make
///   room for new ones at the limit of the organization. Everything is linear in the number of repositories.
///
/// # Errors
/// [`SyncError`].
pub async fn sync(
    directory: &Directory,
    clock: &dyn Clock,
    host: &dyn CodeHost,
    organization: OrganizationId,
    id: InstallationId,
) -> Result<Synced, SyncError> {
    let owner = organization_of(directory, id).await?;
    if owner != Some(organization) || installations(directory).get(organization, id).await?.is_none() {
        return Ok(forget(directory, organization, id).await?);
    }
    let hosted = match host.installation(id).await {
        Ok(hosted) => hosted,
        Err(HostError::NotInstalled) => {
            set(directory, (organization, id), |row| row.state = InstallationState::Removed).await?;
            return Ok(Synced::default());
        }
        Err(error) => return Err(error.into()),
    };
    if hosted.suspended {
        let suspend = |row: &mut Installation| {
            row.account.clone_from(&hosted.account);
            row.state = InstallationState::Suspended;
        };
        set(directory, (organization, id), suspend).await?;
        return Ok(Synced::default());
    }
    let listed = host.repositories(id).await?;
    let follower = Follower { directory, organization, id, now: clock.now() };
    let synced = follower.follow(listed.items, listed.is_complete).await?;
    let activate = |row: &mut Installation| {
        row.account.clone_from(&hosted.account);
        (row.state, row.synced_at) = (InstallationState::Active, Some(clock.now()));
    };
    if set(directory, (organization, id), activate).await? {
        return Ok(synced);
    }
    // Disconnected in the meantime, perhaps before the last rows were written.
    Ok(forget(directory, organization, id).await?)
}

/// Disconnects an installation from an organization: its rows are deleted, and it is free for others. Repeated after a crash it
/// continues.
///
/// # Errors
/// `Conflict` and `Unavailable` as their documentation says.
pub async fn disconnect(
    directory: &Directory,
    organization: OrganizationId,
    id: InstallationId,
) -> Result<Synced, DirectoryError> {
    let synced = forget(directory, organization, id).await?;
    release(directory, organization, id).await?;
    Ok(synced)
}

/// Deletes the rows of an installation. The binding stays: the organization may be about to connect the installation again.
async fn forget(
    directory: &Directory,
    organization: OrganizationId,
    id: InstallationId,
) -> Result<Synced, DirectoryError> {
    installations(directory).delete(organization, id).await?;
    let table = repositories(directory);
    let stored = table.list(organization).await?;
    let ids: Vec<RepositoryId> =
        stored.iter().filter(|row| row.installation == id).map(|row| row.id).collect();
    let delete = |_, row: Option<&Repository>| row.filter(|row| row.installation != id).cloned();
    let outcome = table.change_many(organization, &ids, delete).await?;
    Ok(Synced { deleted: outcome.deleted, ..Synced::default() })
}

/// Changes the row of an installation; `false` where it was disconnected in the meantime.
async fn set(
    directory: &Directory,
    (organization, id): (OrganizationId, InstallationId),
    change: impl Fn(&mut Installation),
) -> Result<bool, DirectoryError> {
    let changed = installations(directory).update(organization, id, |row| {
        change(row);
        Ok(())
    });
    match changed.await {
        Ok(_) => Ok(true),
        Err(DirectoryError::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

struct Follower<'d> {
    directory: &'d Directory,
    organization: OrganizationId,
    id: InstallationId,
    now: Timestamp,
}

impl Follower<'_> {
    async fn follow(
        &self,
        listed: Vec<HostedRepository>,
        is_complete: bool,
    ) -> Result<Synced, DirectoryError> {
        let table = repositories(self.directory);
        let listed: HashMap<RepositoryId, HostedRepository> =
            listed.into_iter().take(MAX_REPOSITORIES).map(|listed| (listed.id, listed)).collect();
        let stored = table.list(self.organization).await?;
        let mut outcome = ChangedRows::default();
        // First those without access, so that their names and places are free.
        if is_complete {
            let gone =
                stored.iter().filter(|row| row.installation == self.id && !listed.contains_key(&row.id));
            let gone: Vec<RepositoryId> = gone.map(|row| row.id).collect();
            outcome.add(table.change_many(self.organization, &gone, |_, row| self.removed(row)).await?);
        }
        let new = listed.keys().filter(|id| stored.binary_search_by_key(*id, |row| row.id).is_err()).count();
        outcome.add(self.make_room(&stored, &listed, new).await?);
        let mut ids: Vec<RepositoryId> = listed.keys().copied().collect();
        ids.sort_unstable();
        let follow = |id, row: Option<&Repository>| self.followed(row, listed.get(&id)?);
        outcome.add(table.change_many(self.organization, &ids, follow).await?);
        for (id, error) in &outcome.refused {
            tracing::warn!(repository = %id, organization = %self.organization, %error, "a repository was refused");
        }
        let ChangedRows { created, changed, deleted, refused } = outcome;
        Ok(Synced { created, changed, deleted, refused: refused.len() })
    }

    fn removed(&self, row: Option<&Repository>) -> Option<Repository> {
        let mut row = row.cloned()?;
        // Another installation may have taken it over in the meantime.
        if row.installation == self.id {
            row.state = RepositoryState::Removed;
        }
        Some(row)
    }

    /// Deletes rows without access, those without access for the longest time first, as far as new ones need their places.
    async fn make_room(
        &self,
        stored: &[Repository],
        listed: &HashMap<RepositoryId, HostedRepository>,
        new: usize,
    ) -> Result<ChangedRows<RepositoryId>, DirectoryError> {
        let excess = (stored.len() + new).saturating_sub(MAX_REPOSITORIES);
        if excess == 0 {
            return Ok(ChangedRows::default());
        }
        let table = repositories(self.directory);
        let mut gone: Vec<Repository> = table.list(self.organization).await?;
        gone.retain(|row| row.state == RepositoryState::Removed && !listed.contains_key(&row.id));
        gone.sort_unstable_by_key(|row| (row.updated_at, row.id));
        let gone: Vec<RepositoryId> = gone.into_iter().take(excess).map(|row| row.id).collect();
        let delete =
            |_, row: Option<&Repository>| row.filter(|row| row.state != RepositoryState::Removed).cloned();
        table.change_many(self.organization, &gone, delete).await
    }

    fn followed(&self, row: Option<&Repository>, hosted: &HostedRepository) -> Option<Repository> {
        let mut row = row.cloned().unwrap_or_else(|| Repository {
            id: hosted.id,
            organization: self.organization,
            installation: self.id,
            full_name: String::new(),
            private: true,
            default_branch: String::new(),
            state: RepositoryState::Active,
            enabled: true,
            updates: UpdateSettings::default(),
            created_at: self.now,
            updated_at: self.now,
        });
        (row.installation, row.private) = (self.id, hosted.private);
        hosted.full_name.as_str().clone_into(&mut row.full_name);
        row.default_branch.clone_from(&hosted.default_branch);
        row.state = if hosted.archived { RepositoryState::Archived } else { RepositoryState::Active };
        Some(row)
    }
}
