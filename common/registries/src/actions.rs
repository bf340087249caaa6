//! GitHub Actions: their metadata comes from the code host, through an interface that it implements.

use async_trait::async_trait;
use common::timestamp::Timestamp;
use versions::Ecosystem;

use crate::client::Access;
use crate::error::RegistryError;
use crate::package::{Detail, MAX_RELEASES, Package, Publisher, Release, Withdrawal, WithdrawalKind};

/// A repository of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRepository {
    /// Owner and name, as the host spells them.
    pub full_name: String,
    /// Description.
    pub description: Option<String>,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Releases and tags, in any order.
    pub releases: Vec<ActionRelease>,
    /// Whether there are more releases than were read.
    pub is_truncated: bool,
}

/// A tag of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRelease {
    /// The tag.
    pub tag: String,
    /// Hash of its commit.
    pub commit: String,
    /// Time of the release, or of the commit of a tag without one.
    pub published_at: Option<Timestamp>,
    /// Login of the account that made the release.
    pub author: Option<String>,
    /// Whether the release cannot be changed.
    pub is_immutable: bool,
}

/// The code host, for actions.
///
/// An implementation reads public repositories only, and bounds its own requests by the budget of the access.
#[async_trait]
pub trait ActionHost: Send + Sync {
    /// The repository with its tags; `None` if there is no public one.
    ///
    /// # Errors
    /// [`RegistryError`].
    async fn repository(
        &self,
        access: &Access,
        owner: &str,
        name: &str,
    ) -> Result<Option<ActionRepository>, RegistryError>;
}

pub(crate) async fn package(
    host: &dyn ActionHost,
    access: &Access,
    name: &str,
) -> Result<Option<Package>, RegistryError> {
    let mut words = name.split('/');
    let (owner, repository) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let found = host.repository(access, owner, repository).await?;
    Ok(found.map(|repository| described(name, repository)))
}

fn described(name: &str, repository: ActionRepository) -> Package {
    let mut package = Package::new(Ecosystem::GitHubAction, name);
    package.description = repository.description.as_deref().map(crate::package::shortened);
    package.repository = Some(repository.full_name);
    package.withdrawn =
        repository.is_archived.then(|| Withdrawal::new(WithdrawalKind::Deprecated, Some("archived")));
    if repository.is_truncated || repository.releases.len() > MAX_RELEASES {
        package.gap(Detail::Artifacts, "there are more tags than were read");
    }
    package.releases = repository
        .releases
        .into_iter()
        .take(MAX_RELEASES)
        .map(|release| Release {
            version: release.tag,
            published_at: release.published_at,
            publisher: release.author.map(Publisher::Account),
            commit: Some(release.commit),
            ..Release::default()
        })
        .collect();
    package
}
