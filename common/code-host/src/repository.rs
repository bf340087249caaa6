//! Repositories of an organization.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use common::words;
use directory::{Change, Collection, Directory, DirectoryError, Lookup, Resource, Table, check_text};
use ledger::Op;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::{InstallationId, RepositoryId};
use crate::installation::{InstallationState, installations};
use crate::updates::UpdateSettings;

/// Most repositories of an organization: what one listing can hold in memory.
pub const MAX_REPOSITORIES: usize = 10_000;
/// Longest full name, in characters: those of hosts have at most 140.
const MAX_FULL_NAME: usize = 200;
/// Longest name of a branch, in characters.
const MAX_BRANCH: usize = 255;

/// The repository that took a name last is found by it: after a change of names at the host, the row of the earlier owner of the
/// name may be older.
const NAMES: Lookup = Lookup { prefix: b"code-host-repository-name/", unique: None };

words! {
    /// State of a repository at the host.
    RepositoryState {
        /// It can be read and written.
        Active = "active",
        /// It is read-only.
        Archived = "archived",
        /// The installation gives no access to it any more, or it was deleted.
        Removed = "removed",
    }
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Its id at the host.
    pub id: RepositoryId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// The installation that gives access to it.
    pub installation: InstallationId,
    /// `owner/name`.
    pub full_name: String,
    /// Whether only invited users of the host can read it.
    pub private: bool,
    /// Name of its default branch.
    pub default_branch: String,
    /// Its state at the host.
    pub state: RepositoryState,
    /// Whether the service works on it.
    pub enabled: bool,
    /// Settings of its dependency updates.
    pub updates: UpdateSettings,
    /// When it was connected.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

words! {
    /// Reason why nothing can be done in a repository.
    Inactive {
        /// It is read-only at the host.
        Archived = "archived",
        /// The installation gives no access to it any more, or it was deleted.
        Removed = "removed",
        /// The installation is suspended.
        InstallationSuspended = "installation_suspended",
        /// The installation was removed or disconnected.
        InstallationRemoved = "installation_removed",
    }
}

/// Reason why a repository cannot be worked on.
#[derive(Debug, Error)]
pub enum UnusableRepository {
    /// The organization has no such repository.
    #[error("repository not found")]
    Unknown,
    /// It is connected, and not active.
    #[error("the repository is not active: {}", .0.as_str())]
    Inactive(Inactive),
    /// A row cannot be read.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// The repositories.
#[must_use]
pub fn repositories(directory: &Directory) -> Table<'_, Repository> {
    directory.table(())
}

/// A repository with an active installation.
///
/// # Errors
/// [`UnusableRepository`].
pub async fn active_repository(
    directory: &Directory,
    organization: OrganizationId,
    id: RepositoryId,
) -> Result<Repository, UnusableRepository> {
    let found = repositories(directory).get(organization, id).await?;
    let repository = found.ok_or(UnusableRepository::Unknown)?;
    let installation = installations(directory).get(organization, repository.installation).await?;
    match repository.inactive(installation.map(|installation| installation.state)) {
        Some(reason) => Err(UnusableRepository::Inactive(reason)),
        None => Ok(repository),
    }
}

/// The repository with a full name `owner/name` in any case, or `None`.
///
/// # Errors
/// `Unavailable` or `Corrupt` when a row cannot be read.
pub async fn repository_by_name(
    directory: &Directory,
    organization: OrganizationId,
    full_name: &str,
) -> Result<Option<Repository>, DirectoryError> {
    let id = NAMES.find(directory, organization, &full_name.to_lowercase()).await?;
    match id.and_then(|id| id.try_into().ok()) {
        Some(id) => repositories(directory).get(organization, RepositoryId::from_bytes(id)).await,
        None => Ok(None),
    }
}

/// Refuses the id of a repository that the organization does not have, or has no access to any more, unless it was stored
/// before: a repository may be disconnected after a resource has referred to it.
///
/// # Errors
/// `Invalid`, which names the field, and `Unavailable` or `Corrupt` when the row cannot be read.
pub async fn check_repository(
    directory: &Directory,
    organization: OrganizationId,
    field: &'static str,
    (id, stored): (Option<&str>, Option<&str>),
) -> Result<(), DirectoryError> {
    let Some(id) = id.filter(|id| Some(*id) != stored) else { return Ok(()) };
    let known = match id.parse() {
        Ok(id) => {
            let found = repositories(directory).get(organization, id).await?;
            found.is_some_and(|found| found.state != RepositoryState::Removed)
        }
        Err(_) => false,
    };
    if known {
        return Ok(());
    }
    let reason = format!("the organization has no repository {:?}", id.chars().take(20).collect::<String>());
    Err(DirectoryError::Invalid { field, reason })
}

impl Repository {
    /// Reason why nothing can be done in it, given the state of its installation, `None` for one that is not connected any more.
    #[must_use]
    pub fn inactive(&self, installation: Option<InstallationState>) -> Option<Inactive> {
        match (installation, self.state) {
            (None | Some(InstallationState::Removed), _) => Some(Inactive::InstallationRemoved),
            (Some(InstallationState::Suspended), _) => Some(Inactive::InstallationSuspended),
            (Some(InstallationState::Active), RepositoryState::Removed) => Some(Inactive::Removed),
            (Some(InstallationState::Active), RepositoryState::Archived) => Some(Inactive::Archived),
            (Some(InstallationState::Active), RepositoryState::Active) => None,
        }
    }
}

impl Resource for Repository {
    type Id = RepositoryId;
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection {
            prefix: b"code-host-repository/",
            name: "repository",
            plural: "repositories",
            limit: MAX_REPOSITORIES,
        }
    }

    fn id(&self) -> RepositoryId {
        self.id
    }

    fn check(&self, _: Option<&Self>) -> Result<(), DirectoryError> {
        check_text("full_name", &self.full_name, MAX_FULL_NAME)?;
        check_text("default_branch", &self.default_branch, MAX_BRANCH)?;
        match self.full_name.split_once('/') {
            Some((owner, name)) if !owner.is_empty() && !name.is_empty() && !name.contains('/') => {}
            _ => {
                let reason = "expected owner/name".to_owned();
                return Err(DirectoryError::Invalid { field: "full_name", reason });
            }
        }
        self.updates.check()
    }

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }

    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let Some(id) = change.before.or(change.after).map(|repository| repository.id) else {
            return Ok(Vec::new());
        };
        // A repository without access does not keep its name from one that has taken it since.
        let name = |repository: &Repository| {
            (repository.state != RepositoryState::Removed).then(|| repository.full_name.to_lowercase())
        };
        let (before, after) = change.map(name);
        NAMES.ops(table, organization, id, (before.flatten(), after.flatten())).await
    }
}
