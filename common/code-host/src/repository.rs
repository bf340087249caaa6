//! Repositories of an organization.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::{Change, Collection, Directory, DirectoryError, Lookup, Resource, Table, check_text};
use ledger::Op;
use serde::{Deserialize, Serialize};

use crate::id::{InstallationId, RepositoryId};

/// Most repositories of an organization: what one listing can hold in memory.
const MAX_REPOSITORIES: usize = 10_000;
/// Longest full name, in characters: those of hosts have at most 140.
const MAX_FULL_NAME: usize = 200;
/// Longest name of a branch, in characters.
const MAX_BRANCH: usize = 255;

/// The repository that took a name last is found by it: after a change of names at the host, the row of the earlier owner of the
/// name may be older.
const NAMES: Lookup = Lookup { prefix: b"code-host-repository-name/", unique: None };

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
    /// Whether the service works on it.
    pub enabled: bool,
    /// When it was connected.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The repositories.
#[must_use]
pub fn repositories(directory: &Directory) -> Table<'_, Repository> {
    directory.table(())
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

/// Refuses the id of a repository that the organization does not have, unless it was stored before: a repository may be
/// disconnected after a resource has referred to it.
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
        Ok(id) => repositories(directory).get(organization, id).await?.is_some(),
        Err(_) => false,
    };
    if known {
        return Ok(());
    }
    let reason = format!("the organization has no repository {:?}", id.chars().take(20).collect::<String>());
    Err(DirectoryError::Invalid { field, reason })
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
            Some((owner, name)) if !owner.is_empty() && !name.is_empty() && !name.contains('/') => Ok(()),
            _ => {
                Err(DirectoryError::Invalid { field: "full_name", reason: "expected owner/name".to_owned() })
            }
        }
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
        let names = change.map(|repository| repository.full_name.to_lowercase());
        NAMES.ops(table, organization, id, names).await
    }
}
