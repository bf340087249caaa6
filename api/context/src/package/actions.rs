//! Actions: their registry is the code host, and a version is a tag, a branch or a commit.

use std::collections::BTreeMap;

use bytes::Bytes;
use code_host::FullName;
use common::ids::OrganizationId;
use registries::{Package, Publisher, Release};
use versions::Ecosystem;

use super::Target;
use super::scan::Found;
use crate::repository::{HostFailure, Repositories};
use crate::scanner::Scanner;

/// Owner and repository of an action, which may be in a folder of it.
fn full_name(target: &Target) -> Result<FullName, HostFailure> {
    let parts: Vec<&str> = target.name().splitn(3, '/').take(2).collect();
    let malformed = |error: code_host::NameError| HostFailure::of_content(error.to_string());
    parts.join("/").parse().map_err(malformed)
}

/// The newest release of an action, else its default branch.
///
/// # Errors
/// The reason why the code host does not name it.
pub(super) async fn latest(
    repositories: &Repositories,
    organization: OrganizationId,
    target: &Target,
) -> Result<String, HostFailure> {
    let public = repositories.public(organization, &full_name(target)?).await?;
    let releases = repositories.releases(&public).await?;
    let newest = releases.into_iter().find(|release| !release.draft && !release.prerelease);
    Ok(newest.map_or_else(|| public.default_branch().to_owned(), |release| release.tag))
}

/// Metadata of a reference: the releases of the repository, and the commit that it leads to.
///
/// # Errors
/// The reason why the code host does not describe it.
pub(super) async fn look_up(
    repositories: &Repositories,
    organization: OrganizationId,
    target: &Target,
) -> Result<Found, HostFailure> {
    let full_name = full_name(target)?;
    let public = repositories.public(organization, &full_name).await?;
    let reference = target.version().unwrap_or_else(|| public.default_branch()).to_owned();
    let commit = repositories.commit(&public, &reference).await?;
    let releases = repositories.releases(&public).await?;
    let mut releases: Vec<Release> = releases
        .into_iter()
        .filter(|release| !release.draft)
        .map(|release| Release {
            version: release.tag,
            published_at: release.published_at,
            publisher: release.author.map(Publisher::Account),
            ..Release::default()
        })
        .collect();
    // The host lists the newest first.
    releases.reverse();
    let known = releases.iter().find(|release| release.version == reference).cloned();
    let unlisted = Release {
        version: reference,
        publisher: commit.author.map(Publisher::Account),
        ..Release::default()
    };
    let mut release = known.unwrap_or(unlisted);
    // A tag can be moved after its release.
    release.published_at = release.published_at.max(commit.committed_at);
    release.commit = Some(commit.id);
    let package = Package {
        ecosystem: Ecosystem::GitHubAction,
        name: target.name().to_owned(),
        latest: None,
        tags: BTreeMap::new(),
        releases,
        repository: Some(format!("https://{}/{full_name}", repositories.web_host())),
        homepage: None,
        description: None,
        maintainers: vec![full_name.owner().to_owned()],
        withdrawn: None,
        gaps: Vec::new(),
    };
    let created_at = public.facts.created;
    Ok(Found { package, release, created_at })
}

/// The archive of the commit of a release.
///
/// # Errors
/// The reason why the code host does not send it.
pub(super) async fn archive(
    scanner: &Scanner,
    organization: OrganizationId,
    target: &Target,
    found: &Found,
) -> Result<Bytes, HostFailure> {
    let repositories =
        scanner.repositories.as_ref().ok_or_else(|| HostFailure::of_content(super::scan::UNCONNECTED))?;
    let public = repositories.public(organization, &full_name(target)?).await?;
    let commit = found.release.commit.as_deref().unwrap_or_else(|| public.default_branch());
    repositories.archive(&public, commit).await
}
