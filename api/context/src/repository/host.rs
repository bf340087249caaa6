//! Requests to the code host: facts about a repository, its tree, and one archive.
//!
//! A repository that is not public is treated as one that does not exist, with the same words, and nothing that the host says about it
//! becomes part of a result: installations see private repositories too. The parent of a copy counts only where it is public.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use code_host::{
    Access, CodeHost, Commit, CommitQuery, EntryKind, FullName, HostedRepository, InstallationId, Login,
    Release, active_installation,
};
use common::ids::OrganizationId;
use directory::{Directory, DirectoryError};
use tokio::sync::Semaphore;

use super::archive::{MOST_PACKED, assignment, reply};
use super::failure::{HostFailure, NOT_PUBLIC, failure, optional};
use super::{Candidate, Facts, Reading, Target, select};
use crate::scanner::Scanner;
use crate::score::Skipped;

/// Archives in memory at a time, of 64 MiB at most.
const ARCHIVES: usize = 4;
/// Commits and releases that are looked at.
const COMMITS: usize = 30;
const RELEASES: usize = 10;
/// Reason where the rows of connections cannot be read.
const UNREADABLE: &str = "the connection to the code host cannot be read";

/// The code host, as scans of repositories use it.
#[derive(Clone)]
pub struct Repositories {
    client: Arc<dyn CodeHost>,
    directory: Arc<Directory>,
    web_host: String,
    archives: Arc<Semaphore>,
}

impl fmt::Debug for Repositories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repositories").field("web_host", &self.web_host).finish_non_exhaustive()
    }
}

/// A repository that is public.
pub(crate) struct Public {
    access: Access,
    hosted: HostedRepository,
    pub(crate) facts: Facts,
}

/// Files of a revision.
pub(crate) struct Files {
    /// Path and id of each.
    pub(crate) entries: Vec<(String, String)>,
    /// Whether there are more.
    pub(crate) is_truncated: bool,
}

impl Public {
    /// Its default branch.
    pub(crate) fn default_branch(&self) -> &str {
        &self.hosted.default_branch
    }
}

impl Repositories {
    /// Reads through `client`, by the rights of the organization that asks; `web_host` is the name of the host in URLs of its pages.
    #[must_use]
    pub fn new(client: Arc<dyn CodeHost>, directory: Arc<Directory>, web_host: String) -> Self {
        Self { client, directory, web_host, archives: Arc::new(Semaphore::new(ARCHIVES)) }
    }

    /// The same with another client, for example one that waits longer.
    #[must_use]
    pub fn with_client(&self, client: Arc<dyn CodeHost>) -> Self {
        Self { client, ..self.clone() }
    }

    /// Host name of the pages of the code host.
    pub(crate) fn web_host(&self) -> &str {
        &self.web_host
    }

    /// The oldest active installation of an organization.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub(crate) async fn installation(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<InstallationId>, DirectoryError> {
        active_installation(&self.directory, organization).await
    }

    /// A public repository with the facts of the identity tier.
    ///
    /// # Errors
    /// The reason for which it cannot be read.
    pub(crate) async fn public(
        &self,
        organization: OrganizationId,
        name: &FullName,
    ) -> Result<Public, HostFailure> {
        let (access, hosted) = self.hosted(organization, name).await?;
        let login: Option<Login> = hosted.full_name.owner().parse().ok();
        let owner = match login {
            Some(login) => optional(self.client.user(access, &login).await)?,
            None => None,
        };
        let fork = if hosted.fork { Some(self.parent(access, &hosted).await?) } else { None };
        let facts = Facts {
            owner_created: owner.map(|owner| owner.created_at),
            created: hosted.created_at,
            stars: hosted.stars,
            fork,
            ..Facts::default()
        };
        Ok(Public { access, hosted, facts })
    }

    /// A public repository as the host describes it.
    async fn hosted(
        &self,
        organization: OrganizationId,
        name: &FullName,
    ) -> Result<(Access, HostedRepository), HostFailure> {
        let installation =
            self.installation(organization).await.map_err(|_| HostFailure::of_connection(UNREADABLE))?;
        let installation = installation.ok_or_else(HostFailure::no_connection)?;
        let access = Access::public(installation);
        let hosted = self.client.repository(access, name).await.map_err(|error| failure(&error))?;
        if hosted.private { Err(HostFailure::of_content(NOT_PUBLIC)) } else { Ok((access, hosted)) }
    }

    /// The default branch of a public repository.
    ///
    /// # Errors
    /// The reason for which it is not known.
    pub(crate) async fn default_branch(
        &self,
        organization: OrganizationId,
        name: &FullName,
    ) -> Result<String, HostFailure> {
        Ok(self.hosted(organization, name).await?.1.default_branch)
    }

    /// The name of the repository that another one is a copy of, where it is public.
    async fn parent(&self, access: Access, hosted: &HostedRepository) -> Result<Option<String>, HostFailure> {
        let Some(name) = &hosted.parent else { return Ok(None) };
        let parent = optional(self.client.repository(access, name).await)?;
        Ok(parent.filter(|parent| !parent.private).map(|parent| parent.full_name.to_string()))
    }

    /// All facts, and the reading of a snapshot of the repository.
    ///
    /// # Errors
    /// The reason for which nothing was read.
    pub(crate) async fn snapshot(
        &self,
        scanner: &Scanner,
        target: &Target,
        public: &mut Public,
    ) -> Result<Reading, HostFailure> {
        let Target::Hosted { kind, skill, revision, .. } = target else {
            return Err(HostFailure::of_content(NOT_PUBLIC));
        };
        let (access, name) = (public.access, &public.hosted.full_name);
        let revision = revision.clone().unwrap_or_else(|| public.hosted.default_branch.clone());
        let query = CommitQuery { revision: Some(revision.clone()), path: None };
        let commits = optional(self.client.commits(access, name, &query, COMMITS).await)?;
        // Tree and archive of one commit, whatever is pushed meanwhile.
        let first = commits.as_ref().and_then(|commits| commits.items.first());
        let revision = first.map_or(revision, |commit| commit.id.clone());
        public.facts.commits = commits.map(|commits| {
            (commits.items.len(), commits.items.iter().filter(|commit| commit.verified).count())
        });
        let releases = optional(self.client.releases(access, name, RELEASES).await)?;
        public.facts.releases = releases.map(|releases| {
            (releases.items.len(), releases.items.iter().filter(|release| release.immutable).count())
        });
        let tree = self.client.tree(access, name, &revision).await.map_err(|error| failure(&error))?;
        let files = tree.entries.into_iter().filter(|entry| entry.kind != EntryKind::Directory);
        let files: Vec<Candidate> = files
            .map(|entry| Candidate {
                size: entry.size.unwrap_or(0),
                is_elsewhere: matches!(entry.kind, EntryKind::Link | EntryKind::Submodule),
                path: entry.path,
            })
            .collect();
        let mut selection = select(&files, *kind, skill.as_deref());
        if tree.truncated {
            let reason = "the code host lists a part of it only".to_owned();
            selection.skipped.push(Skipped { what: "the tree".to_owned(), reason });
        }
        if selection.wanted.is_empty() {
            return Err(HostFailure::of_content("the repository has no such content"));
        }
        let archive = self.archive(public, &revision).await?;
        let assignment = assignment(*kind, selection, &archive)
            .map_err(|error| HostFailure::of_content(error.to_string()))?;
        drop(archive);
        let read = scanner.reader.repository(&assignment).await;
        let read = read.map_err(|error| format!("the archive could not be read: {error}"));
        read.and_then(|bytes| reply(&bytes)).map_err(HostFailure::of_content)
    }
}

/// Parts of a public repository, for scans of packages.
///
/// # Errors
/// Each fails with the reason that a client sees.
impl Repositories {
    /// Files of a revision, else of the default branch.
    pub(crate) async fn files(&self, public: &Public, revision: Option<&str>) -> Result<Files, HostFailure> {
        let revision = revision.unwrap_or(&public.hosted.default_branch);
        let tree = self.client.tree(public.access, &public.hosted.full_name, revision).await;
        let tree = tree.map_err(|error| failure(&error))?;
        let files = tree
            .entries
            .into_iter()
            .filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Executable));
        let entries = files.map(|entry| (entry.path, entry.id)).collect();
        Ok(Files { entries, is_truncated: tree.truncated })
    }

    /// Content of a file.
    pub(crate) async fn file(&self, public: &Public, id: &str) -> Result<Bytes, HostFailure> {
        let file = self.client.blob(public.access, &public.hosted.full_name, id).await;
        file.map_err(|error| failure(&error))
    }

    /// The commit that a revision leads to.
    pub(crate) async fn commit(&self, public: &Public, revision: &str) -> Result<Commit, HostFailure> {
        let query = CommitQuery { revision: Some(revision.to_owned()), path: None };
        let commits = self.client.commits(public.access, &public.hosted.full_name, &query, 1).await;
        let commits = commits.map_err(|error| failure(&error))?;
        let missing = || HostFailure::of_content(format!("the repository has no revision {revision}"));
        commits.items.into_iter().next().ok_or_else(missing)
    }

    /// Releases, the newest first.
    pub(crate) async fn releases(&self, public: &Public) -> Result<Vec<Release>, HostFailure> {
        let releases = self.client.releases(public.access, &public.hosted.full_name, RELEASES).await;
        releases.map(|releases| releases.items).map_err(|error| failure(&error))
    }

    /// The archive of a commit, at most 64 MiB.
    pub(crate) async fn archive(&self, public: &Public, commit: &str) -> Result<Bytes, HostFailure> {
        let place = self.archives.acquire().await;
        let _place = place.map_err(|error| HostFailure::of_content(error.to_string()))?;
        let mut archive = Vec::new();
        let name = &public.hosted.full_name;
        let written = self.client.archive(public.access, name, commit, &mut archive, MOST_PACKED).await;
        written.map_err(|error| failure(&error))?;
        Ok(archive.into())
    }
}
