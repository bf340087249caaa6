//! Requests to the code host: facts about a repository, its tree, and one archive.
//!
//! A repository that is not public is treated as one that does not exist, with the same words, and nothing that the host says about it
//! becomes part of a result: installations see private repositories too. The parent of a copy counts only where it is public.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use code_host::{
    Access, CodeHost, Commit, CommitQuery, EntryKind, FullName, HostError, HostedRepository, InstallationId,
    Login, Release, active_installation,
};
use common::ids::OrganizationId;
use directory::{Directory, DirectoryError};
use tokio::sync::Semaphore;

use super::archive::{MOST_PACKED, assignment, reply};
use super::{Candidate, Facts, Reading, Target, select};
use crate::scanner::Scanner;
use crate::score::Skipped;

/// Archives in memory at a time, of 64 MiB at most.
const ARCHIVES: usize = 4;
/// Commits and releases that are looked at.
const COMMITS: usize = 30;
const RELEASES: usize = 10;
/// Reason where an organization has no connection to read by.
pub(crate) const NO_INSTALLATION: &str = "the organization has no active installation at the code host";
/// Reason for a repository that does not exist and for one that is not public.
const NOT_PUBLIC: &str = "the repository does not exist or is not public";

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
    ) -> Result<Public, String> {
        let installation = self
            .installation(organization)
            .await
            .map_err(|_| "the connection to the code host cannot be read")?;
        let access = Access::public(installation.ok_or(NO_INSTALLATION)?);
        let hosted = self.client.repository(access, name).await.map_err(|error| reason(&error))?;
        if hosted.private {
            return Err(NOT_PUBLIC.to_owned());
        }
        let login: Option<Login> = hosted.full_name.owner().parse().ok();
        let owner = match login {
            Some(login) => self.client.user(access, &login).await.ok(),
            None => None,
        };
        let fork = if hosted.fork { Some(self.parent(access, &hosted).await) } else { None };
        let facts = Facts {
            owner_created: owner.map(|owner| owner.created_at),
            created: hosted.created_at,
            stars: hosted.stars,
            fork,
            ..Facts::default()
        };
        Ok(Public { access, hosted, facts })
    }

    /// The name of the repository that another one is a copy of, where it is public.
    async fn parent(&self, access: Access, hosted: &HostedRepository) -> Option<String> {
        let parent = self.client.repository(access, hosted.parent.as_ref()?).await.ok()?;
        (!parent.private).then(|| parent.full_name.to_string())
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
    ) -> Result<Reading, String> {
        let Target::Hosted { kind, skill, revision, .. } = target else { return Err(NOT_PUBLIC.to_owned()) };
        let (access, name) = (public.access, &public.hosted.full_name);
        let revision = revision.clone().unwrap_or_else(|| public.hosted.default_branch.clone());
        let query = CommitQuery { revision: Some(revision.clone()), path: None };
        let commits = self.client.commits(access, name, &query, COMMITS).await;
        // Tree and archive of one commit, whatever is pushed meanwhile.
        let first = commits.as_ref().ok().and_then(|commits| commits.items.first());
        let revision = first.map_or(revision, |commit| commit.id.clone());
        public.facts.commits = commits.ok().map(|commits| {
            (commits.items.len(), commits.items.iter().filter(|commit| commit.verified).count())
        });
        let releases = self.client.releases(access, name, RELEASES).await.ok();
        public.facts.releases = releases.map(|releases| {
            (releases.items.len(), releases.items.iter().filter(|release| release.immutable).count())
        });
        let tree = self.client.tree(access, name, &revision).await.map_err(|error| reason(&error))?;
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
            return Err("the repository has no such content".to_owned());
        }
        let _place = self.archives.acquire().await.map_err(|error| error.to_string())?;
        let mut archive = Vec::new();
        let written = self.client.archive(access, name, &revision, &mut archive, MOST_PACKED).await;
        written.map_err(|error| reason(&error))?;
        let assignment = assignment(*kind, selection, &archive).map_err(|error| error.to_string())?;
        drop(archive);
        let read = scanner.reader.repository(&assignment).await;
        reply(&read.map_err(|error| format!("the archive could not be read: {error}"))?)
    }
}

/// Parts of a public repository, for scans of packages.
///
/// # Errors
/// Each fails with the reason that a client sees.
impl Repositories {
    /// Files of a revision, else of the default branch.
    pub(crate) async fn files(&self, public: &Public, revision: Option<&str>) -> Result<Files, String> {
        let revision = revision.unwrap_or(&public.hosted.default_branch);
        let tree = self.client.tree(public.access, &public.hosted.full_name, revision).await;
        let tree = tree.map_err(|error| reason(&error))?;
        let files = tree
            .entries
            .into_iter()
            .filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Executable));
        let entries = files.map(|entry| (entry.path, entry.id)).collect();
        Ok(Files { entries, is_truncated: tree.truncated })
    }

    /// Content of a file.
    pub(crate) async fn file(&self, public: &Public, id: &str) -> Result<Bytes, String> {
        let file = self.client.blob(public.access, &public.hosted.full_name, id).await;
        file.map_err(|error| reason(&error))
    }

    /// The commit that a revision leads to.
    pub(crate) async fn commit(&self, public: &Public, revision: &str) -> Result<Commit, String> {
        let query = CommitQuery { revision: Some(revision.to_owned()), path: None };
        let commits = self.client.commits(public.access, &public.hosted.full_name, &query, 1).await;
        let commits = commits.map_err(|error| reason(&error))?;
        commits.items.into_iter().next().ok_or_else(|| format!("the repository has no revision {revision}"))
    }

    /// Releases, the newest first.
    pub(crate) async fn releases(&self, public: &Public) -> Result<Vec<Release>, String> {
        let releases = self.client.releases(public.access, &public.hosted.full_name, RELEASES).await;
        releases.map(|releases| releases.items).map_err(|error| reason(&error))
    }

    /// The archive of a commit, at most 64 MiB.
    pub(crate) async fn archive(&self, public: &Public, commit: &str) -> Result<Bytes, String> {
        let _place = self.archives.acquire().await.map_err(|error| error.to_string())?;
        let mut archive = Vec::new();
        let name = &public.hosted.full_name;
        let written = self.client.archive(public.access, name, commit, &mut archive, MOST_PACKED).await;
        written.map_err(|error| reason(&error))?;
        Ok(archive.into())
    }
}

/// The reason that a client sees. A repository that is hidden from the installation does not differ from one that does not exist.
fn reason(error: &HostError) -> String {
    match error {
        HostError::NotFound(_) | HostError::Denied(_) => NOT_PUBLIC.to_owned(),
        HostError::NotInstalled => "the installation is not active at the code host".to_owned(),
        HostError::RateLimited { .. } => "the rate limit of the code host is used up".to_owned(),
        HostError::TooLarge { .. } => "the archive of the repository is larger than 64 MiB".to_owned(),
        HostError::Unavailable(_) | HostError::Unexpected { .. } | HostError::InvalidCode => {
            "the code host did not answer".to_owned()
        }
    }
}
