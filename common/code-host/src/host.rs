//! The interface to the host. All operations read; each names the installation by whose rights it reads.

use async_trait::async_trait;
use bytes::Bytes;
use common::timestamp::Timestamp;
use thiserror::Error;
use tokio::io::AsyncWrite;

use crate::content::{Commit, CommitQuery, Release, Tree};
use crate::hosted::{Administered, App, HostedInstallation, HostedRepository, Listing, UserToken};
use crate::id::{InstallationId, RepositoryId};
use crate::name::{FullName, Login};
use crate::people::{Account, PublicEvent, SigningKey, User};
use crate::pulls::{FoundPullRequests, PullRequest, PullRequestFile, PullRequestQuery, Review};

/// Largest blob that [`CodeHost::blob`] returns, in bytes: a reply carries it in Base64 and has at most 8 MiB.
pub const MAX_BLOB_BYTES: usize = 5 * 1024 * 1024;

/// The rights by which an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// The installation. Its rate limit counts the request.
    pub installation: InstallationId,
    /// The only repository whose contents may be read beside public ones; without it, public ones and the metadata of the
    /// installation's repositories.
    pub repository: Option<RepositoryId>,
}

impl Access {
    /// Public data, and the metadata of the installation's repositories.
    #[must_use]
    pub fn public(installation: InstallationId) -> Self {
        Self { installation, repository: None }
    }

    /// Contents of one repository of the installation.
    #[must_use]
    pub fn of_repository(installation: InstallationId, repository: RepositoryId) -> Self {
        Self { installation, repository: Some(repository) }
    }
}

/// Reason why the host gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// The installation was removed or suspended at the host.
    #[error("the installation is not active at the code host")]
    NotInstalled,
    /// The host has no such thing, or hides it.
    #[error("the code host has no {0}, or does not show it")]
    NotFound(&'static str),
    /// The app lacks a permission, or the account restricts access.
    #[error("the code host denies access: {0}")]
    Denied(String),
    /// The OAuth code is unknown, used or expired.
    #[error("the code host does not accept the authorization code")]
    InvalidCode,
    /// The rate limit of the installation is used up. Nothing is sent before that moment.
    #[error("the rate limit of the code host is used up until {}", until.to_iso())]
    RateLimited {
        /// When the next request may be sent.
        until: Timestamp,
    },
    /// The host cannot be reached, or fails.
    #[error("the code host is not available: {0}")]
    Unavailable(String),
    /// The reply is larger than the operation reads.
    #[error("expected a reply of at most {most} bytes, found more")]
    TooLarge {
        /// The limit.
        most: usize,
    },
    /// The reply is not what the host documents.
    #[error("the reply of the code host to {operation} cannot be used: {reason}")]
    Unexpected {
        /// Method and path of the request.
        operation: String,
        /// Expected and found.
        reason: String,
    },
}

/// A code host. Lists are in the order of the host and end at `most` items.
///
/// # Errors
/// Every operation fails with [`HostError`]: `NotInstalled` for an installation that is removed or suspended, `NotFound` for a
/// repository, user, pull request or object that the rights do not reach, `RateLimited`, `Unavailable` and `Unexpected`.
#[async_trait]
pub trait CodeHost: Send + Sync {
    /// The app as which this deployment is registered.
    async fn app(&self) -> Result<App, HostError>;

    /// An installation of the app. A suspended one is returned; a removed one is `NotInstalled`.
    async fn installation(&self, id: InstallationId) -> Result<HostedInstallation, HostError>;

    /// The right to read as a user, for the authorization code that the host gave the user's browser (RFC 6749 section 4.1.2).
    /// The code is used up. `InvalidCode` for one that is not valid.
    async fn user_token(&self, code: &str) -> Result<UserToken, HostError>;

    /// An installation of the app whose repositories a user administers, all of them and at least one. `NotFound` for an
    /// installation that the user may not use or with another repository, `Denied` for a right that has ended.
    async fn administered(&self, user: &UserToken, id: InstallationId) -> Result<Administered, HostError>;

    /// All repositories that an installation gives access to.
    async fn repositories(
        &self,
        installation: InstallationId,
    ) -> Result<Listing<HostedRepository>, HostError>;

    /// A repository of the installation by its id.
    async fn repository_by_id(
        &self,
        installation: InstallationId,
        id: RepositoryId,
    ) -> Result<HostedRepository, HostError>;

    /// A repository by its name; one that was renamed is found by its old name, and says its new one.
    async fn repository(&self, access: Access, name: &FullName) -> Result<HostedRepository, HostError>;

    /// All files of a revision: a branch, tag or commit.
    async fn tree(&self, access: Access, name: &FullName, revision: &str) -> Result<Tree, HostError>;

    /// Content of a blob, by the id that a tree names; `TooLarge` beyond [`MAX_BLOB_BYTES`].
    async fn blob(&self, access: Access, name: &FullName, id: &str) -> Result<Bytes, HostError>;

    /// Writes a revision as a gzipped tar archive, whose entries lie below one directory, into a sink; `TooLarge` beyond `most`
    /// bytes, of which a part is written then.
    async fn archive(
        &self,
        access: Access,
        name: &FullName,
        revision: &str,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
        most: usize,
    ) -> Result<(), HostError>;

    /// Commits, newest first.
    async fn commits(
        &self,
        access: Access,
        name: &FullName,
        query: &CommitQuery,
        most: usize,
    ) -> Result<Listing<Commit>, HostError>;

    /// Releases, newest first.
    async fn releases(
        &self,
        access: Access,
        name: &FullName,
        most: usize,
    ) -> Result<Listing<Release>, HostError>;

    /// Public profile of a user.
    async fn user(&self, access: Access, login: &Login) -> Result<User, HostError>;

    /// Public events of a user, newest first; hosts keep some hundred of the last months.
    async fn events_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<PublicEvent>, HostError>;

    /// Public signing keys of a user, of at most `most` OpenPGP keys and `most` SSH keys; OpenPGP keys that sign nothing are left
    /// out.
    async fn signing_keys(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<SigningKey>, HostError>;

    /// Organizations of which a user is a public member.
    async fn organizations_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<Account>, HostError>;

    /// Public repositories that a user owns, newest first. Rights of the installation may show private ones too: each says so.
    async fn repositories_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<HostedRepository>, HostError>;

    /// Pull requests in public repositories that match a query, newest first. Search may lag behind, and is confirmed by
    /// [`CodeHost::repository`] where it matters that a repository is public.
    async fn search_pull_requests(
        &self,
        access: Access,
        query: &PullRequestQuery,
        most: usize,
    ) -> Result<FoundPullRequests, HostError>;

    /// A pull request.
    async fn pull_request(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
    ) -> Result<PullRequest, HostError>;

    /// Changed files of a pull request.
    async fn pull_request_files(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
        most: usize,
    ) -> Result<Listing<PullRequestFile>, HostError>;

    /// Reviews of a pull request, oldest first.
    async fn reviews(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
        most: usize,
    ) -> Result<Listing<Review>, HostError>;
}
