//! The app, its installations and their repositories, as the host describes them.

use std::fmt;

use common::timestamp::Timestamp;
use zeroize::Zeroizing;

use crate::id::{InstallationId, RepositoryId};
use crate::name::FullName;

/// The app as which a deployment is registered at the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its name in URLs.
    pub slug: String,
    /// Page on which a user installs it, without `state`.
    pub install_url: String,
}

/// An installation as the host describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostedInstallation {
    /// Its id.
    pub id: InstallationId,
    /// Name of the account.
    pub account: String,
    /// Whether the account has suspended it.
    pub suspended: bool,
}

/// Right of the service to read as a user of the host. It ends some hours after the user gave it, and is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct UserToken(Zeroizing<String>);

impl UserToken {
    /// Wraps the text of the host.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text of the host.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for UserToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserToken(..)")
    }
}

/// An installation whose repositories a user administers, all of them and at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Administered {
    /// The installation.
    pub installation: HostedInstallation,
    /// Number of its repositories.
    pub repositories: u64,
}

/// A repository as the host describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostedRepository {
    /// Its id.
    pub id: RepositoryId,
    /// Its name.
    pub full_name: FullName,
    /// Whether only invited users of the host can read it. One that all members of an enterprise can read is private too.
    pub private: bool,
    /// Whether it is read-only.
    pub archived: bool,
    /// Whether it was made as a copy of another one.
    pub fork: bool,
    /// The repository that it is a copy of, where the host says it: not in lists.
    pub parent: Option<FullName>,
    /// Name of its default branch.
    pub default_branch: String,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it was last pushed to.
    pub pushed_at: Option<Timestamp>,
    /// Users who have marked it.
    pub stars: u64,
}

/// A list, complete or cut off at a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// The items.
    pub items: Vec<T>,
    /// Whether there are no others.
    pub is_complete: bool,
}

impl<T> Listing<T> {
    /// All there is.
    #[must_use]
    pub fn complete(items: Vec<T>) -> Self {
        Self { items, is_complete: true }
    }

    /// At most so many of them.
    #[must_use]
    pub fn cut(mut items: Vec<T>, most: usize) -> Self {
        let is_complete = items.len() <= most;
        items.truncate(most);
        Self { items, is_complete }
    }
}
