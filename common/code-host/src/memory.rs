//! A code host in memory, for tests. It is as strict about rights as the real one: private repositories are shown to the
//! installation that lists them, and their contents only by the rights of that one repository.

mod reading;
mod state;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use crate::host::HostError;
use crate::hosted::{HostedInstallation, HostedRepository};
use crate::id::{InstallationId, RepositoryId};
use crate::name::{FullName, Login};
use crate::pulls::{PullRequest, PullRequestFile, Review};

use state::State;
pub use state::{MemoryContents, MemoryUser};

/// A code host that holds everything in memory.
#[derive(Debug)]
pub struct MemoryHost {
    state: Mutex<State>,
    /// Listings of repositories pass one at a time, and none while it is closed.
    gate: Semaphore,
}

impl Default for MemoryHost {
    fn default() -> Self {
        Self { state: Mutex::default(), gate: Semaphore::new(1) }
    }
}

/// A private, active repository without contents.
#[must_use]
pub fn repository(id: RepositoryId, full_name: FullName) -> HostedRepository {
    HostedRepository {
        id,
        full_name,
        private: true,
        archived: false,
        fork: false,
        parent: None,
        default_branch: "main".to_owned(),
        created_at: None,
        pushed_at: None,
        stars: 0,
    }
}

impl MemoryHost {
    /// Sets the repositories of an installation; one that does not exist is created, in an account of the name `account`.
    pub fn put(&self, installation: InstallationId, repositories: Vec<HostedRepository>) {
        let mut state = self.state();
        let ids = repositories.iter().map(|repository| repository.id).collect();
        state.listed.insert(installation, ids);
        state.installations.entry(installation).or_insert_with(|| HostedInstallation {
            id: installation,
            account: "account".to_owned(),
            suspended: false,
        });
        for repository in repositories {
            state.repositories.insert(repository.id, repository);
        }
    }

    /// Sets a repository that no installation lists.
    pub fn put_other(&self, repository: HostedRepository) {
        self.state().repositories.insert(repository.id, repository);
    }

    /// Sets the account and the suspension of an installation.
    pub fn put_installation(&self, installation: HostedInstallation) {
        self.state().installations.insert(installation.id, installation);
    }

    /// Removes an installation.
    pub fn remove(&self, installation: InstallationId) {
        let mut state = self.state();
        state.installations.remove(&installation);
        state.listed.remove(&installation);
    }

    /// Makes a repository known by an earlier name too.
    pub fn rename(&self, from: FullName, to: RepositoryId) {
        self.state().renamed.insert(from.as_str().to_lowercase(), to);
    }

    /// Sets the contents of a repository.
    pub fn put_contents(&self, repository: RepositoryId, contents: MemoryContents) {
        self.state().contents.insert(repository, contents);
    }

    /// Sets a user with public data.
    pub fn put_user(&self, login: &Login, user: MemoryUser) {
        self.state().users.insert(login.as_str().to_lowercase(), user);
    }

    /// Adds a pull request.
    pub fn put_pull_request(&self, pull: PullRequest, files: Vec<PullRequestFile>, reviews: Vec<Review>) {
        self.state().pulls.push((pull, files, reviews));
    }

    /// Issues an authorization code of a user who administers all repositories of these installations.
    pub fn issue_code(&self, code: &str, installations: Vec<InstallationId>) {
        self.state().codes.insert(code.to_owned(), installations);
    }

    /// No user administers a repository any more, although their tokens have not ended.
    pub fn dismiss_administrators(&self) {
        self.state().administrators.values_mut().for_each(Vec::clear);
    }

    /// Every call fails so from now on; with `None` it succeeds again.
    pub fn fail(&self, error: Option<HostError>) {
        self.state().failure = error;
    }

    /// From now on the host shows pull requests of an installation's private repositories as if they were public: a host whose
    /// index lags behind, or a mistake of it.
    pub fn leak(&self) {
        self.state().leaks = true;
    }

    /// Number of pull requests in each of the next searches, which are incomplete.
    pub fn end_searches_early(&self, found: &[usize]) {
        self.state().partial_searches.extend(found);
    }

    /// Searches so far.
    #[must_use]
    pub fn searches(&self) -> usize {
        self.state().searches
    }

    /// Listings of repositories, which are counted and then wait, until [`MemoryHost::open`].
    pub fn close(&self) {
        self.gate.forget_permits(1);
    }

    /// Ends [`MemoryHost::close`].
    pub fn open(&self) {
        self.gate.add_permits(1);
    }

    /// Calls of [`CodeHost::repositories`](crate::CodeHost::repositories) so far.
    #[must_use]
    pub fn listings(&self) -> usize {
        self.state().listings
    }

    /// The state is whole after every step, so that a panic of another holder does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
