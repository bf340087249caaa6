//! The code host: installations of the service in accounts of the host, and the repositories that they give access to, as
//! settings resources of an organization. [`CodeHost`] is the interface to the host; [`memory`] implements it for tests.
//!
//! * Ids are those of the host: whole numbers, which the API prints as decimal text.
//! * [`refresh`] makes the rows of an installation equal to the repositories that the host lists for it.
//! * A repository is found by its id and by its full name `owner/name`, in any case.

mod host;
mod id;
mod installation;
pub mod memory;
mod refresh;
mod repository;

pub use host::{CodeHost, HostError, HostedRepository};
pub use id::{InstallationId, NotAHostId, RepositoryId};
pub use installation::{Installation, installations};
pub use refresh::{RefreshError, Refreshed, refresh};
pub use repository::{Repository, check_repository, repositories, repository_by_name};

#[cfg(test)]
mod tests;
