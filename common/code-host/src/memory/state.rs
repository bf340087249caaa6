//! The state of the host in memory, and the rights by which it is read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;

use crate::content::{Commit, Release};
use crate::host::{Access, HostError};
use crate::hosted::{HostedInstallation, HostedRepository};
use crate::id::{InstallationId, RepositoryId};
use crate::name::{FullName, Login};
use crate::people::{Account, PublicEvent, SigningKey, User};
use crate::pulls::{PullRequest, PullRequestFile, Review};

/// Contents of a repository.
#[derive(Clone, Debug, Default)]
pub struct MemoryContents {
    /// Files of the only revision, by path.
    pub files: BTreeMap<String, Bytes>,
    /// Its archive, as it is served.
    pub archive: Bytes,
    /// Commits, newest first, each with the paths that it changed.
    pub commits: Vec<(Commit, Vec<String>)>,
    /// Releases, newest first.
    pub releases: Vec<Release>,
}

/// Public data of a user.
#[derive(Clone, Debug)]
pub struct MemoryUser {
    /// The profile.
    pub user: User,
    /// Events, newest first.
    pub events: Vec<PublicEvent>,
    /// Signing keys.
    pub keys: Vec<SigningKey>,
    /// Public memberships.
    pub organizations: Vec<Account>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) installations: BTreeMap<InstallationId, HostedInstallation>,
    pub(super) listed: BTreeMap<InstallationId, BTreeSet<RepositoryId>>,
    pub(super) repositories: BTreeMap<RepositoryId, HostedRepository>,
    pub(super) renamed: BTreeMap<String, RepositoryId>,
    pub(super) contents: BTreeMap<RepositoryId, MemoryContents>,
    pub(super) users: BTreeMap<String, MemoryUser>,
    pub(super) pulls: Vec<(PullRequest, Vec<PullRequestFile>, Vec<Review>)>,
    pub(super) codes: BTreeMap<String, Vec<InstallationId>>,
    /// Installations whose repositories a user administers, by the token of the user.
    pub(super) administrators: BTreeMap<String, Vec<InstallationId>>,
    pub(super) failure: Option<HostError>,
    /// Whether private repositories are in results of searches and their pull requests are shown.
    pub(super) leaks: bool,
    pub(super) listings: usize,
    /// Searches so far.
    pub(super) searches: usize,
    /// The next searches that end early, with the number of pull requests that each finds.
    pub(super) partial_searches: VecDeque<usize>,
}

impl State {
    pub(super) fn check(&self) -> Result<(), HostError> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// The repositories of an installation that accepts requests.
    pub(super) fn listed(&self, id: InstallationId) -> Result<&BTreeSet<RepositoryId>, HostError> {
        self.check()?;
        let active = self.installations.get(&id).filter(|installation| !installation.suspended);
        active.and_then(|_| self.listed.get(&id)).ok_or(HostError::NotInstalled)
    }

    /// A repository whose metadata the rights show.
    pub(super) fn shown(&self, access: Access, name: &FullName) -> Result<&HostedRepository, HostError> {
        let listed = self.listed(access.installation)?;
        let found = self.named(name).filter(|found| {
            let own = listed.contains(&found.id) && access.repository.is_none_or(|only| only == found.id);
            !found.private || own
        });
        found.ok_or(HostError::NotFound("repository"))
    }

    /// A repository whose contents the rights show.
    pub(super) fn readable(&self, access: Access, name: &FullName) -> Result<&HostedRepository, HostError> {
        let shown = self.shown(access, name)?;
        if shown.private && access.repository != Some(shown.id) {
            return Err(HostError::NotFound("repository"));
        }
        Ok(shown)
    }

    pub(super) fn contents(&self, access: Access, name: &FullName) -> Result<MemoryContents, HostError> {
        let id = self.readable(access, name)?.id;
        Ok(self.contents.get(&id).cloned().unwrap_or_default())
    }

    pub(super) fn user(&self, access: Access, login: &Login) -> Result<&MemoryUser, HostError> {
        self.listed(access.installation)?;
        self.users.get(&login.as_str().to_lowercase()).ok_or(HostError::NotFound("user"))
    }

    pub(super) fn pull(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
    ) -> Result<&(PullRequest, Vec<PullRequestFile>, Vec<Review>), HostError> {
        let found = self.shown(access, name)?;
        let public = self.leaks || !found.private;
        let is_it = |pull: &PullRequest| pull.repository == found.full_name && pull.number == number;
        let pull = self.pulls.iter().find(|(pull, _, _)| public && is_it(pull));
        pull.ok_or(HostError::NotFound("pull request"))
    }

    fn named(&self, name: &FullName) -> Option<&HostedRepository> {
        let is_it = |found: &&HostedRepository| found.full_name.as_str().eq_ignore_ascii_case(name.as_str());
        let renamed =
            || self.renamed.get(&name.as_str().to_lowercase()).and_then(|id| self.repositories.get(id));
        self.repositories.values().find(is_it).or_else(renamed)
    }
}
