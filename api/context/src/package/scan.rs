//! The look-ups of a scan. Every failed one is the reason of a check that was not possible.

use std::time::Duration;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use outbound::Requester;
use registries::{Access, Package, RegistryError, Release};
use versions::Ecosystem;

use super::contents::Contents;
use super::download::{Archives, contents, preceding_hooks};
use super::{Target, actions, advisory, behavior, connected, identity, names};
use crate::check::Check;
use crate::engine::Engine;
use crate::repository::HostFailure;
use crate::scanner::Scanner;
use crate::score::{Assessment, Skipped};
use crate::weights::package as weights;

/// Time limit of the look-up of the identity tier (design: pipeline).
const FIRST_TIER: Duration = Duration::from_secs(2);

/// Reason of checks of a repository without a connection to it.
pub(super) const UNCONNECTED: &str = "the deployment has no connection to a code host";

/// Reason of the same where the organization that asked has none. Others see it too.
const NOT_COMPARED: &str = "the linked repository was not compared";

/// Metadata of a release.
pub(super) struct Found {
    pub(super) package: Package,
    pub(super) release: Release,
    /// Time of the first release, or of the creation of its repository.
    pub(super) created_at: Option<Timestamp>,
}

/// The release that a plain install selects, where the target names none.
///
/// # Errors
/// The reason why the registry does not name it.
pub(crate) async fn resolve(
    scanner: &Scanner,
    requester: Requester,
    target: Target,
) -> Result<Target, HostFailure> {
    if target.version().is_some() {
        return Ok(target);
    }
    if target.ecosystem() == Ecosystem::GitHubAction {
        let repositories = scanner.repositories.as_ref().ok_or_else(unconnected)?;
        let latest = actions::latest(repositories, requester.organization(), &target).await?;
        return Ok(target.with_version(&latest));
    }
    let access = Access::from(requester);
    let package = scanner.registries.package(&access, target.ecosystem(), target.name()).await;
    let package = package.map_err(|error| HostFailure::of_content(explained(&error)))?;
    match &package.latest {
        Some(latest) => Ok(target.with_version(latest)),
        None => Err(HostFailure::of_content("the registry has no release of the package")),
    }
}

/// The identity tier: metadata, names and advisories.
pub(crate) async fn preliminary(
    scanner: &Scanner,
    requester: Requester,
    target: &Target,
    now: Timestamp,
) -> Assessment {
    let access = Access::from(requester);
    let asked = async {
        let found = look_up(scanner, &access, target).await;
        known(scanner, &access, (target, &found), now).await
    };
    let mut checks = tokio::time::timeout(FIRST_TIER, asked).await.unwrap_or_else(|_| {
        let reason = format!("the registry did not answer within {} s", FIRST_TIER.as_secs());
        offline(&scanner.engine, target, &reason)
    });
    checks.push(weights::REPOSITORY_BACK.not_possible("the archive is not read yet"));
    checks.push(advisory::check(scanner, target).await);
    Assessment { checks, is_pending: true, ..Assessment::default() }
}

/// The whole scan.
pub(crate) async fn whole(
    scanner: &Scanner,
    requester: Requester,
    target: &Target,
    now: Timestamp,
) -> Assessment {
    let access = Access::from(requester);
    let found = look_up(scanner, &access, target).await;
    let (mut checks, advisory) = futures_util::future::join(
        known(scanner, &access, (target, &found), now),
        advisory::check(scanner, target),
    )
    .await;
    checks.push(advisory);
    let found = match found {
        Ok(found) => found,
        Err(failure) => return unread(checks, &failure),
    };
    let organization = requester.organization();
    let archives = contents(scanner, &access, target, &found).await;
    let Archives { contents, digests, mut skipped } = match archives {
        Ok(archives) => archives,
        Err(failure) => return unread(checks, &failure),
    };
    let preceding = preceding_hooks(scanner, &access, target, &found, &contents).await;
    checks.push(read_archives(&digests));
    checks.extend(behavior::code(&contents, &preceding));
    let compared = compared(scanner, organization, (target, &found), &contents).await;
    let (mut is_of_connection, mut is_partial) = (false, false);
    checks.extend(compared.unwrap_or_else(|failure| {
        // Without a connection the rest of the result is the same for every organization.
        is_partial = failure.lacks_connection();
        is_of_connection = failure.is_of_connection() && !is_partial;
        connected::not_possible(if is_partial { NOT_COMPARED } else { &failure.reason })
    }));
    skipped.extend(contents.skipped.iter().cloned());
    let is_unreadable = contents.files == 0;
    match scanner.analyse(move |engine| behavior::texts(engine, &contents)).await {
        Ok(texts) => checks.extend(texts),
        Err(error) => checks.push(crate::weights::text::READ.not_possible(error.to_string())),
    }
    Assessment { checks, skipped, is_unreadable, is_of_connection, is_partial, ..Assessment::default() }
}

/// The result of a package of which nothing is known but its name.
pub(crate) fn unscannable(engine: &Engine, target: &Target, failure: &HostFailure) -> Assessment {
    let mut checks = offline(engine, target, &failure.reason);
    checks.push(weights::ADVISORY.not_possible("there is no release to look up"));
    unread(checks, failure)
}

/// Checks of metadata and name where the registry did not answer.
fn offline(engine: &Engine, target: &Target, reason: &str) -> Vec<Check> {
    let mut checks = identity::not_possible(reason);
    checks.push(names::typosquat_offline(engine, target));
    checks.extend(names::listed(engine, target));
    checks
}

/// The check of the archives that were read. Their digests tell a reader whether the bytes at hand are those of the result.
fn read_archives(digests: &[String]) -> Check {
    if digests.is_empty() {
        return weights::ARCHIVE.passed();
    }
    weights::ARCHIVE.passed_by(format!("SHA-256 of the archives: {}", digests.join(", ")))
}

/// Adds the checks of the archive, which was not read.
fn unread(mut checks: Vec<Check>, failure: &HostFailure) -> Assessment {
    let (reason, is_of_connection) = (failure.reason.clone(), failure.is_of_connection());
    checks.push(weights::ARCHIVE.not_possible(reason.as_str()));
    checks.extend(connected::not_possible("the archive was not read"));
    checks.extend(behavior::not_possible("the archive was not read"));
    let texts = crate::weights::text::OF_AGENTS;
    checks.extend(texts.into_iter().map(|spec| spec.not_possible("the archive was not read")));
    let skipped = vec![Skipped { what: "the package".to_owned(), reason }];
    Assessment { checks, skipped, is_unreadable: true, is_of_connection, ..Assessment::default() }
}

pub(super) fn explained(error: &RegistryError) -> String {
    error.to_string()
}

fn unconnected() -> HostFailure {
    HostFailure::of_content(UNCONNECTED)
}

async fn look_up(scanner: &Scanner, access: &Access, target: &Target) -> Result<Found, HostFailure> {
    let failed = |error: RegistryError| HostFailure::of_content(explained(&error));
    let (ecosystem, name) = (target.ecosystem(), target.name());
    if ecosystem == Ecosystem::GitHubAction {
        let repositories = scanner.repositories.as_ref().ok_or_else(unconnected)?;
        return actions::look_up(repositories, access.requester.organization(), target).await;
    }
    let package = scanner.registries.package(access, ecosystem, name).await;
    let mut package = package.map_err(failed)?;
    let created_at = package.created_at();
    let version = target.version().or(package.latest.as_deref()).unwrap_or_default().to_owned();
    if ecosystem == Ecosystem::Go {
        // Times and archives of modules are those of each version.
        let release = scanner.registries.module_version(access, name, &version).await;
        let release = release.map_err(failed)?;
        match package.releases.iter_mut().find(|other| other.version == release.version) {
            Some(known) => known.clone_from(&release),
            None => package.releases.push(release.clone()),
        }
        let created_at = package.created_at();
        return Ok(Found { package, release, created_at });
    }
    match package.release(&version).cloned() {
        Some(release) => Ok(Found { package, release, created_at }),
        None => {
            let name = name.to_owned();
            Err(failed(RegistryError::NoVersion { ecosystem, name, version }))
        }
    }
}

/// Checks of metadata and name.
async fn known(
    scanner: &Scanner,
    access: &Access,
    (target, found): (&Target, &Result<Found, HostFailure>),
    now: Timestamp,
) -> Vec<Check> {
    let mut checks = match found {
        Ok(Found { package, release, created_at }) => identity::checks((package, release), *created_at, now),
        Err(failure) => identity::not_possible(&failure.reason),
    };
    let package = found.as_ref().ok().map(|found| &found.package);
    checks.push(names::typosquat(scanner, access, (target, package), now).await);
    checks.extend(names::listed(&scanner.engine, target));
    checks
}

/// Checks of the linked repository. That of an action is the package itself.
async fn compared(
    scanner: &Scanner,
    organization: OrganizationId,
    (target, found): (&Target, &Found),
    contents: &Contents,
) -> Result<[Check; 2], HostFailure> {
    let repositories = scanner.repositories.as_ref().ok_or_else(unconnected)?;
    if target.ecosystem() == Ecosystem::GitHubAction {
        return Ok([weights::REPOSITORY_BACK.passed(), weights::UNKNOWN_CODE.passed()]);
    }
    let Found { package, release, .. } = found;
    let link = release.repository.as_ref().or(package.repository.as_ref());
    let of_release = (target, link.map(String::as_str), release.commit.as_deref());
    connected::checks(repositories, organization, of_release, contents).await
}

#[cfg(test)]
mod tests;
