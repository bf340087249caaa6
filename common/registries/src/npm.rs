//! npm: the packument of a package, or its abbreviated form where the full one is too long.
//!
//! Source: npm registry documentation, "package metadata" and "registry signatures"; provenance is in `dist.attestations`, a
//! trusted publisher in `_npmUser.trustedPublisher`.

use std::collections::BTreeMap;

use common::timestamp::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use versions::Ecosystem;

use crate::checksum::{Algorithm, Checksum};
use crate::client::{Access, Registries};
use crate::error::RegistryError;
use crate::fetch::{Document, JSON};
use crate::package::{
    Artifact, ArtifactKind, Detail, Evidence, MAX_RELEASES, Package, Publisher, Release, Withdrawal,
    WithdrawalKind, shortened,
};

/// The form without times, descriptions and maintainers.
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json";

/// Scripts that run when a package is installed from the registry.
const INSTALL_SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

/// A packument. Texts of maintainers may be of any type, so only the needed form of them is read.
#[derive(Deserialize)]
struct Packument {
    name: String,
    #[serde(rename = "dist-tags", default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    versions: BTreeMap<String, Manifest>,
    #[serde(default)]
    time: BTreeMap<String, Lenient<String>>,
    #[serde(default)]
    maintainers: Lenient<Vec<Person>>,
    #[serde(default)]
    repository: Lenient<Repository>,
    #[serde(default)]
    homepage: Lenient<String>,
    #[serde(default)]
    description: Lenient<String>,
}

/// A version of a packument.
#[derive(Deserialize)]
struct Manifest {
    dist: Dist,
    #[serde(default)]
    deprecated: Lenient<String>,
    #[serde(rename = "hasInstallScript", default)]
    has_install_script: Lenient<bool>,
    #[serde(default)]
    scripts: Lenient<BTreeMap<String, Lenient<String>>>,
    #[serde(rename = "_npmUser", default)]
    user: Lenient<User>,
    #[serde(default)]
    repository: Lenient<Repository>,
    #[serde(rename = "gitHead", default)]
    commit: Lenient<String>,
    #[serde(default)]
    engines: Lenient<BTreeMap<String, Lenient<String>>>,
}

#[derive(Deserialize)]
struct Dist {
    tarball: String,
    #[serde(default)]
    integrity: Option<String>,
    #[serde(default)]
    shasum: Option<String>,
    #[serde(default)]
    attestations: Option<Attestations>,
}

#[derive(Deserialize)]
struct Attestations {
    url: Option<String>,
    provenance: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct User {
    name: String,
    #[serde(rename = "trustedPublisher", default)]
    trusted_publisher: Option<TrustedPublisher>,
}

#[derive(Deserialize)]
struct TrustedPublisher {
    id: String,
}

#[derive(Deserialize)]
struct Person {
    name: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Repository {
    Text(String),
    Object { url: String },
}

impl Repository {
    fn url(self) -> String {
        let (Self::Text(url) | Self::Object { url }) = self;
        url
    }
}

/// A value that old packages have in other types, in which case it counts as missing.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lenient<T> {
    Value(T),
    Other(IgnoredAny),
}

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self::Other(IgnoredAny)
    }
}

impl<T> Lenient<T> {
    fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

impl Registries {
    pub(crate) async fn npm(&self, access: &Access, name: &str) -> Result<Option<Package>, RegistryError> {
        // The slash of a scope is part of the name.
        let path = name.replace('/', "%2f");
        let registry = &self.config.npm;
        let full = match self.document(access, registry, &path, JSON).await {
            Err(RegistryError::TooLarge { .. }) => {
                let short = self.document(access, registry, &path, ABBREVIATED).await?;
                return short.map(|document| read(&document, true)).transpose();
            }
            other => other?,
        };
        full.map(|document| read(&document, false)).transpose()
    }
}

fn read(document: &Document, is_abbreviated: bool) -> Result<Package, RegistryError> {
    let packument: Packument = document.json()?;
    let count = packument.versions.len();
    if count > MAX_RELEASES {
        let cause = format!("expected at most {MAX_RELEASES}, found {count}");
        return Err(RegistryError::malformed(&document.url, "versions", cause));
    }
    let mut package = Package::new(Ecosystem::Npm, &packument.name);
    package.latest = packument.tags.get("latest").cloned();
    package.tags = packument.tags;
    package.repository = packument.repository.value().map(Repository::url);
    package.homepage = packument.homepage.value();
    package.description = packument.description.value().as_deref().map(shortened);
    let people = packument.maintainers.value().unwrap_or_default();
    package.maintainers = people.into_iter().map(|person| person.name).collect();
    let mut times = packument.time;
    if times.contains_key("unpublished") && packument.versions.is_empty() {
        package.withdrawn = Some(Withdrawal::new(WithdrawalKind::Quarantined, Some("unpublished")));
    }
    if is_abbreviated {
        let cause = "the full document is too long, so that the abbreviated one was read";
        for detail in [Detail::PublicationTimes, Detail::Maintainers, Detail::Links, Detail::Evidence] {
            package.gap(detail, cause);
        }
    } else {
        if times.is_empty() {
            package.gap(Detail::PublicationTimes, "the registry has none");
        }
        if package.maintainers.is_empty() {
            package.gap(Detail::Maintainers, "the registry has none");
        }
    }
    for (version, manifest) in packument.versions {
        let published_at = times.remove(&version).and_then(Lenient::value);
        let published_at = published_at.as_deref().and_then(Timestamp::parse_rfc3339);
        let release = release(version, manifest, is_abbreviated);
        package.releases.push(Release { published_at, ..release });
    }
    Ok(package)
}

fn release(version: String, manifest: Manifest, is_abbreviated: bool) -> Release {
    let Manifest { dist, user, .. } = manifest;
    let scripts = manifest.scripts.value();
    // The registry sets the flag for packages with a build file as well.
    let install_script = match (manifest.has_install_script.value(), scripts) {
        (Some(flag), _) => Some(flag),
        (None, Some(scripts)) => Some(INSTALL_SCRIPTS.iter().any(|name| scripts.contains_key(*name))),
        // The flag is left out where it is false.
        (None, None) => Some(false),
    };
    let user = user.value();
    let trusted = user.as_ref().and_then(|user| user.trusted_publisher.as_ref());
    let is_proven = dist.attestations.as_ref().is_some_and(|attestations| attestations.provenance.is_some());
    let evidence = match (trusted.is_some(), is_proven) {
        (true, _) => Some(Evidence::TrustedPublisher),
        (false, true) => Some(Evidence::Provenance),
        (false, false) => (!is_abbreviated).then_some(Evidence::None),
    };
    let publisher = match trusted {
        Some(trusted) => Some(Publisher::Workflow(trusted.id.clone())),
        None => user.map(|user| Publisher::Account(user.name)),
    };
    let deprecated = manifest.deprecated.value().filter(|reason| !reason.is_empty());
    Release {
        version,
        published_at: None,
        withdrawn: deprecated.map(|reason| Withdrawal::new(WithdrawalKind::Deprecated, Some(&reason))),
        publisher,
        evidence,
        install_script,
        repository: manifest.repository.value().map(Repository::url),
        commit: manifest.commit.value(),
        requires_runtime: manifest.engines.value().and_then(|mut all| all.remove("node")?.value()),
        artifacts: vec![artifact(dist)],
    }
}

fn artifact(dist: Dist) -> Artifact {
    let mut checksums = dist.integrity.as_deref().map(Checksum::from_integrity).unwrap_or_default();
    let sha1 = dist.shasum.as_deref().and_then(|text| Checksum::from_hex(Algorithm::Sha1, text));
    checksums.extend(sha1);
    checksums.sort();
    Artifact {
        file_name: dist.tarball.rsplit('/').next().unwrap_or_default().to_owned(),
        url: dist.tarball,
        kind: ArtifactKind::NpmTarball,
        size: None,
        checksums,
        provenance: dist.attestations.and_then(|attestations| attestations.url),
    }
}
