//! The code host: installations of the service in accounts of the host, and the repositories that they give access to, as
//! settings resources of an organization. [`CodeHost`] is the interface to the host, which [`github`] and [`memory`] implement;
//! one conformance suite holds for both.
//!
//! * Ids are those of the host: whole numbers, which the API prints as decimal text.
//! * An installation belongs to one organization of the deployment: [`connect`], [`organization_of`].
//! * [`sync`] makes the rows of an installation equal to the host. What the host says is never taken from a webhook.
//! * A repository is found by its id and by its full name `owner/name`, in any case; [`active_repository`] is one that can be
//!   worked on.

#[cfg(test)]
mod conformance;
mod content;
pub mod github;
mod host;
mod hosted;
mod id;
mod installation;
pub mod memory;
mod name;
mod people;
mod pulls;
mod repository;
mod sync;
mod updates;

pub use content::{Commit, CommitQuery, EntryKind, Release, Tree, TreeEntry};
pub use host::{Access, CodeHost, HostError, MAX_BLOB_BYTES};
pub use hosted::{Administered, App, HostedInstallation, HostedRepository, Listing, UserToken};
pub use id::{InstallationId, NotAHostId, RepositoryId};
pub use installation::{
    ConnectError, Installation, InstallationState, active_installation, connect, installations,
    organization_of,
};
pub use name::{FullName, Login, NameError};
pub use people::{Account, AccountKind, KeyKind, PublicEvent, SigningKey, User};
pub use pulls::{
    FoundPullRequests, PullRequest, PullRequestFile, PullRequestQuery, PullRequestState, Review,
};
pub use repository::{
    Inactive, MAX_REPOSITORIES, Repository, RepositoryState, UnusableRepository, active_repository,
    check_repository, repositories, repository_by_name,
};
pub use sync::{SyncError, Synced, disconnect, sync};
pub use updates::{
    MAX_COOLDOWN_DAYS, MAX_GROUPS, MAX_IGNORED, MAX_OPEN_PULL_REQUESTS, MAX_PATTERN, MAX_PATTERNS,
    PackageManagerUse, UpdateEcosystem, UpdateGroup, UpdateSchedule, UpdateSettings,
};

#[cfg(test)]
mod tests;
