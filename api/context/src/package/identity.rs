//! Identity of a release by the metadata of its registry: ages, publisher, evidence, repository.

use common::timestamp::Timestamp;
use registries::{Detail, Evidence, Package, Publisher, Release, WithdrawalKind};
use versions::Version;

use super::link::Link;
use crate::check::Check;
use crate::weights::package::{self as weights, DAYS_OLD, EVIDENCE_LOST, WEEKS_OLD};

const DAY: u64 = 24 * 3600;
/// Days within which most malicious releases are found and withdrawn.
const NEW_RELEASE_DAYS: u64 = 3;
/// Earlier releases with a publisher from which on another one is a change.
const LEAST_HISTORY: usize = 2;
/// Earlier releases of a major line whose evidence counts: a project that has done without it for longer has changed its way to publish.
const MOST_COMPARED: usize = 20;
/// Code hosts whose repositories can be read.
const CODE_HOSTS: [&str; 5] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht"];

/// The checks of metadata, each once.
pub(super) fn checks(
    (package, release): (&Package, &Release),
    created_at: Option<Timestamp>,
    now: Timestamp,
) -> Vec<Check> {
    vec![
        metadata(package, release),
        name_age(package, created_at, now),
        version_age(release, now, package),
        publisher(package, release),
        evidence(package, release),
        repository(package, release),
    ]
}

/// The same checks where the registry did not answer.
pub(super) fn not_possible(reason: &str) -> Vec<Check> {
    let others = [
        &weights::NAME_AGE,
        &weights::VERSION_AGE,
        &weights::PUBLISHER,
        &weights::EVIDENCE,
        &weights::REPOSITORY,
    ];
    let others = others.into_iter().map(|spec| spec.not_possible("there is no metadata"));
    std::iter::once(weights::METADATA.not_possible(reason)).chain(others).collect()
}

fn metadata(package: &Package, release: &Release) -> Check {
    let mut withdrawals = [&package.withdrawn, &release.withdrawn].into_iter().flatten();
    match withdrawals.find(|withdrawn| withdrawn.kind == WithdrawalKind::Quarantined) {
        Some(_) => {
            weights::METADATA.lost(EVIDENCE_LOST, "the registry has withdrawn the package from installation")
        }
        _ => weights::METADATA.passed(),
    }
}

/// The reason for which the registry does not say a detail.
fn gap(package: &Package, detail: Detail, otherwise: &str) -> String {
    let gap = package.gaps.iter().find(|gap| gap.detail == detail);
    gap.map_or_else(|| otherwise.to_owned(), |gap| gap.cause.clone())
}

fn name_age(package: &Package, created_at: Option<Timestamp>, now: Timestamp) -> Check {
    let Some(created) = created_at else {
        let reason =
            gap(package, Detail::PublicationTimes, "the registry does not say when it was published");
        return weights::NAME_AGE.not_possible(reason);
    };
    match now.since(created).as_secs() / DAY {
        0..7 => weights::NAME_AGE.lost(DAYS_OLD, "the first release is less than 7 days old"),
        7..30 => weights::NAME_AGE.lost(WEEKS_OLD, "the first release is less than 30 days old"),
        30..731 => weights::NAME_AGE.neutral(),
        _ => weights::NAME_AGE.passed(),
    }
}

fn version_age(release: &Release, now: Timestamp, package: &Package) -> Check {
    let Some(published) = release.published_at else {
        let reason =
            gap(package, Detail::PublicationTimes, "the registry does not say when it was published");
        return weights::VERSION_AGE.not_possible(reason);
    };
    if now.since(published).as_secs() / DAY < NEW_RELEASE_DAYS {
        return weights::VERSION_AGE.failed("the release is less than 3 days old");
    }
    weights::VERSION_AGE.passed()
}

/// Releases before another one: in time where times are known, else in the order of versions.
fn earlier<'p>(package: &'p Package, release: &'p Release) -> impl DoubleEndedIterator<Item = &'p Release> {
    let own = package.releases.iter().position(|other| other.version == release.version);
    package.releases.iter().enumerate().filter_map(move |(place, other)| {
        let is_before = match (other.published_at, release.published_at) {
            (Some(other), Some(own)) => other < own,
            _ => own.is_some_and(|own| place < own),
        };
        (is_before && other.version != release.version).then_some(other)
    })
}

fn publisher(package: &Package, release: &Release) -> Check {
    let account = match &release.publisher {
        Some(Publisher::Account(account)) => account,
        Some(Publisher::Workflow(_)) => return weights::PUBLISHER.passed(),
        None => {
            let reason = gap(package, Detail::Maintainers, "the registry does not name publishers");
            return weights::PUBLISHER.not_possible(reason);
        }
    };
    let published: Vec<&Publisher> =
        earlier(package, release).filter_map(|release| release.publisher.as_ref()).collect();
    let is_known =
        published.iter().any(|other| matches!(other, Publisher::Account(other) if other == account));
    if is_known || published.len() < LEAST_HISTORY {
        return weights::PUBLISHER.passed();
    }
    let reason =
        format!("the account that published it published none of the {} earlier releases", published.len());
    weights::PUBLISHER.failed(reason)
}

/// Major number; for versions before 1.0 the minor one is part of it.
fn line(package: &Package, release: &Release) -> Option<(u64, u64)> {
    let [major, minor, _] = Version::parse(package.ecosystem, &release.version).ok()?.release();
    Some((major, if major == 0 { minor } else { 0 }))
}

fn evidence(package: &Package, release: &Release) -> Check {
    let has = match release.evidence {
        None => {
            let reason = gap(package, Detail::Evidence, "the registry does not say how it was published");
            return weights::EVIDENCE.not_possible(reason);
        }
        Some(Evidence::None) => false,
        Some(Evidence::Provenance | Evidence::TrustedPublisher) => true,
    };
    if has {
        return weights::EVIDENCE.passed();
    }
    let own = line(package, release);
    let mut of_line: Vec<&Release> =
        earlier(package, release).filter(|other| line(package, other) == own).collect();
    // Times decide where all are known; the order of the registry stays where one is not.
    if of_line.iter().all(|other| other.published_at.is_some()) {
        of_line.sort_by_key(|other| other.published_at);
    }
    // A loss stays one, however many releases without evidence follow it within the bound.
    let mut compared = of_line.into_iter().rev().take(MOST_COMPARED);
    match compared.find(|other| other.evidence > Some(Evidence::None)) {
        Some(other) => {
            let reason =
                format!("release {} has evidence of its publisher, this one has none", other.version);
            weights::EVIDENCE.lost(EVIDENCE_LOST, reason)
        }
        None => weights::EVIDENCE.neutral(),
    }
}

fn repository(package: &Package, release: &Release) -> Check {
    let link = release.repository.as_ref().or(package.repository.as_ref());
    let is_host = |link: &String| {
        let link = Link::parse(link).filter(|link| CODE_HOSTS.contains(&link.host.as_str()));
        link.is_some_and(|link| link.repository().is_some())
    };
    match link {
        Some(link) if is_host(link) => weights::REPOSITORY.passed(),
        Some(_) => weights::REPOSITORY.neutral(),
        None if package.gaps.iter().any(|gap| gap.detail == Detail::Links) => {
            weights::REPOSITORY.not_possible(gap(package, Detail::Links, ""))
        }
        None => weights::REPOSITORY.neutral(),
    }
}

/// The release before another one, in its major line if there is one.
pub(super) fn preceding<'p>(package: &'p Package, release: &'p Release) -> Option<&'p Release> {
    let own = line(package, release);
    let in_line = earlier(package, release).rfind(|other| line(package, other) == own);
    in_line.or_else(|| earlier(package, release).next_back())
}

#[cfg(test)]
mod tests;
