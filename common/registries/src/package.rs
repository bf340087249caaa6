//! Metadata of a package, in one form for all registries.

use std::collections::BTreeMap;

use common::timestamp::Timestamp;
use versions::{Ecosystem, Version};

use crate::checksum::Checksum;

/// Releases of a package that are kept; the largest packages have about 5,000. More are a malformed document.
pub const MAX_RELEASES: usize = 20_000;

/// Characters of a description that are kept.
const MAX_DESCRIPTION: usize = 2_000;

/// A package and its releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Ecosystem.
    pub ecosystem: Ecosystem,
    /// Name as the registry spells it.
    pub name: String,
    /// The version that a plain install selects: the tag `latest` of npm, the newest release elsewhere.
    pub latest: Option<String>,
    /// Tags of npm (`dist-tags`), `latest` included.
    pub tags: BTreeMap<String, String>,
    /// Releases in ascending order of versions; those with a version that is none of the ecosystem come first.
    pub releases: Vec<Release>,
    /// Repository as the registry links it.
    pub repository: Option<String>,
    /// Home page.
    pub homepage: Option<String>,
    /// First 2,000 characters of the description.
    pub description: Option<String>,
    /// Names of the accounts that may publish.
    pub maintainers: Vec<String>,
    /// Withdrawal of the whole package.
    pub withdrawn: Option<Withdrawal>,
    /// Details that are missing, each with the reason.
    pub gaps: Vec<Gap>,
}

/// A release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Release {
    /// Version as the registry spells it.
    pub version: String,
    /// Time of publication.
    pub published_at: Option<Timestamp>,
    /// Withdrawal by its maintainers.
    pub withdrawn: Option<Withdrawal>,
    /// Its publisher.
    pub publisher: Option<Publisher>,
    /// Evidence of the publisher; `None` where the registry does not say.
    pub evidence: Option<Evidence>,
    /// Whether installing runs a script of the package; `None` where the registry does not say.
    pub install_script: Option<bool>,
    /// Repository as the release links it.
    pub repository: Option<String>,
    /// Commit that the release was made from, as the registry or its tag names it.
    pub commit: Option<String>,
    /// Required runtime, for example `>=18` of Node.
    pub requires_runtime: Option<String>,
    /// Archives.
    pub artifacts: Vec<Artifact>,
}

/// Publisher of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Publisher {
    /// An account of the registry.
    Account(String),
    /// A workflow that the registry trusts; the repository or the service, as far as it says.
    Workflow(String),
}

/// Evidence of the origin of a release, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// None.
    None,
    /// A signed statement of the build (provenance, attestation).
    Provenance,
    /// Published by a workflow that the registry trusts, without a stored credential.
    TrustedPublisher,
}

/// Withdrawal of a release or package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// Its kind.
    pub kind: WithdrawalKind,
    /// The reason that its maintainers give, cut after 2,000 characters.
    pub reason: Option<String>,
}

/// Kind of a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawalKind {
    /// Installed only where it is locked already: PyPI, crates.io.
    Yanked,
    /// Installed with a warning: npm, Go modules.
    Deprecated,
    /// Not selected any more: Go.
    Retracted,
    /// Not offered any more: a quarantined or archived project of PyPI.
    Quarantined,
}

/// An archive of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// URL.
    pub url: String,
    /// File name.
    pub file_name: String,
    /// Format.
    pub kind: ArtifactKind,
    /// Size in bytes, as sent.
    pub size: Option<u64>,
    /// Checksums of the registry, strongest last.
    pub checksums: Vec<Checksum>,
    /// URL of a statement of its provenance.
    pub provenance: Option<String>,
}

/// Format of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    /// Compressed tar of npm.
    NpmTarball,
    /// Source distribution of Python.
    Sdist,
    /// Wheel of Python, a ZIP file.
    Wheel,
    /// Module of Go, a ZIP file.
    GoModule,
    /// Gem, a tar of compressed parts.
    Gem,
    /// Crate, a compressed tar.
    Crate,
    /// Snapshot of a repository of an action.
    Snapshot,
}

/// A detail that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The detail.
    pub detail: Detail,
    /// The reason.
    pub cause: String,
}

/// A detail of metadata that a registry may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Times of publication.
    PublicationTimes,
    /// Maintainers and publishers.
    Maintainers,
    /// Links to repository and home page.
    Links,
    /// Evidence of publishers.
    Evidence,
    /// Withdrawals.
    Withdrawals,
    /// Files without a readable name.
    Artifacts,
}

impl Package {
    pub(crate) fn new(ecosystem: Ecosystem, name: &str) -> Self {
        Self {
            ecosystem,
            name: name.to_owned(),
            latest: None,
            tags: BTreeMap::new(),
            releases: Vec::new(),
            repository: None,
            homepage: None,
            description: None,
            maintainers: Vec::new(),
            withdrawn: None,
            gaps: Vec::new(),
        }
    }

    /// The release of a version, by equality of versions.
    #[must_use]
    pub fn release(&self, version: &str) -> Option<&Release> {
        if let Some(found) = self.releases.iter().find(|release| release.version == version) {
            return Some(found);
        }
        let wanted = Version::parse(self.ecosystem, version).ok()?;
        self.releases.iter().find(|release| {
            let found = Version::parse(self.ecosystem, &release.version).ok();
            found.is_some_and(|found| found.compare(&wanted).is_some_and(std::cmp::Ordering::is_eq))
        })
    }

    /// The release that a plain install selects.
    #[must_use]
    pub fn latest_release(&self) -> Option<&Release> {
        self.release(self.latest.as_deref()?)
    }

    /// Time of the first publication that is known.
    #[must_use]
    pub fn created_at(&self) -> Option<Timestamp> {
        self.releases.iter().filter_map(|release| release.published_at).min()
    }

    pub(crate) fn gap(&mut self, detail: Detail, cause: impl Into<String>) {
        self.gaps.push(Gap { detail, cause: cause.into() });
    }

    /// Sorts the releases, and selects the newest one that is neither a pre-release nor withdrawn where the registry names none.
    pub(crate) fn finish(mut self) -> Self {
        let ecosystem = self.ecosystem;
        self.releases.sort_by_cached_key(|release| Key(Version::parse(ecosystem, &release.version).ok()));
        if self.latest.is_none() {
            let newest = |wanted: &dyn Fn(&Release) -> bool| {
                let mut newest_first = self.releases.iter().rev();
                newest_first.find(|release| wanted(release)).map(|release| release.version.clone())
            };
            let is_release = |release: &Release| {
                Version::parse(ecosystem, &release.version).is_ok_and(|version| !version.is_prerelease())
            };
            let is_offered = |release: &Release| {
                !release
                    .withdrawn
                    .as_ref()
                    .is_some_and(|withdrawn| withdrawn.kind != WithdrawalKind::Deprecated)
            };
            self.latest = newest(&|release| is_offered(release) && is_release(release))
                .or_else(|| newest(&is_offered))
                .or_else(|| newest(&|_| true));
        }
        self
    }
}

/// Order of releases: unreadable versions first.
struct Key(Option<Version>);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => a.compare(b).unwrap_or(std::cmp::Ordering::Equal),
            (a, b) => a.is_some().cmp(&b.is_some()),
        }
    }
}

impl Withdrawal {
    pub(crate) fn new(kind: WithdrawalKind, reason: Option<&str>) -> Self {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        Self { kind, reason: reason.map(shortened) }
    }
}

/// A text of a registry, cut to the length that is kept.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(MAX_DESCRIPTION).collect()
}
