//! PyPI: the simple index as JSON (PEP 691, 700, 740, 792), and the project document for links and people, where there is one.

use std::collections::BTreeMap;

use common::timestamp::Timestamp;
use serde::Deserialize;
use url::Url;
use versions::{Ecosystem, normalized_name};

use crate::checksum::{Algorithm, Checksum};
use crate::client::{Access, Registries};
use crate::error::RegistryError;
use crate::fetch::{Document, JSON};
use crate::package::{
    Artifact, ArtifactKind, Detail, Evidence, MAX_RELEASES, Package, Release, Withdrawal, WithdrawalKind,
    shortened,
};

/// The simple index as JSON.
const SIMPLE: &str = "application/vnd.pypi.simple.v1+json";

/// Files of a project that are read; the largest projects have about 10,000.
const MAX_FILES: usize = 50_000;

/// Labels of links to a repository, in lower case (PEP 753, "well-known labels").
const SOURCE_LABELS: [&str; 6] = ["source", "repository", "source code", "github", "sourcecode", "code"];

#[derive(Deserialize)]
struct Simple {
    name: String,
    files: Vec<File>,
    #[serde(rename = "project-status", default)]
    status: Option<Status>,
}

#[derive(Deserialize)]
struct Status {
    status: String,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
    #[serde(rename = "upload-time", default)]
    uploaded_at: Option<String>,
    #[serde(default)]
    size: Option<u64>,
    #[serde(default)]
    yanked: Option<Yanked>,
    #[serde(rename = "requires-python", default)]
    requires_python: Option<String>,
    #[serde(default)]
    provenance: Option<String>,
}

/// Whether a file is yanked, or the reason.
#[derive(Deserialize)]
#[serde(untagged)]
enum Yanked {
    Flag(bool),
    Reason(String),
}

/// The project document.
#[derive(Deserialize)]
struct Project {
    info: Info,
    #[serde(default)]
    ownership: Option<Ownership>,
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    home_page: Option<String>,
    #[serde(default)]
    project_urls: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Ownership {
    #[serde(default)]
    roles: Vec<Role>,
}

#[derive(Deserialize)]
struct Role {
    user: String,
}

impl Registries {
    pub(crate) async fn pypi(&self, access: &Access, name: &str) -> Result<Option<Package>, RegistryError> {
        let registry = &self.config.pypi;
        let path = format!("simple/{name}/");
        let Some(simple) = self.document(access, registry, &path, SIMPLE).await? else { return Ok(None) };
        let mut package = files(&simple)?;
        let path = format!("pypi/{name}/json");
        match self
            .document(access, registry, &path, JSON)
            .await
            .and_then(|found| found.map(|document| document.json::<Project>()).transpose())
        {
            Ok(Some(project)) => describe(&mut package, project),
            other => {
                let cause =
                    other.err().map_or_else(|| "no project document".to_owned(), |error| error.to_string());
                package.gap(Detail::Links, cause.clone());
                package.gap(Detail::Maintainers, cause);
            }
        }
        Ok(Some(package))
    }
}

fn describe(package: &mut Package, project: Project) {
    let Project { info, ownership } = project;
    let links = info.project_urls.unwrap_or_default();
    let labelled = |labels: &[&str]| {
        links
            .iter()
            .find(|(label, _)| labels.contains(&label.to_lowercase().as_str()))
            .map(|(_, url)| url.clone())
    };
    package.repository = labelled(&SOURCE_LABELS);
    package.homepage =
        info.home_page.filter(|url| !url.is_empty()).or_else(|| labelled(&["homepage", "home"]));
    package.description = info.summary.as_deref().map(shortened);
    let roles = ownership.map(|ownership| ownership.roles).unwrap_or_default();
    package.maintainers = roles.into_iter().map(|role| role.user).collect();
    package.maintainers.dedup();
    if package.maintainers.is_empty() {
        package.gap(Detail::Maintainers, "the registry names none");
    }
}

fn files(document: &Document) -> Result<Package, RegistryError> {
    let simple: Simple = document.json()?;
    let bounded = |field: &str, count: usize, most: usize| {
        let cause = || format!("expected at most {most}, found {count}");
        if count > most { Err(RegistryError::malformed(&document.url, field, cause())) } else { Ok(()) }
    };
    bounded("files", simple.files.len(), MAX_FILES)?;
    let base = Url::parse(&document.url).ok();
    let mut package = Package::new(Ecosystem::Pypi, &simple.name);
    package.withdrawn = simple.status.filter(|status| status.status != "active").map(|status| {
        let kind = if status.status == "deprecated" {
            WithdrawalKind::Deprecated
        } else {
            WithdrawalKind::Quarantined
        };
        Withdrawal::new(kind, Some(status.reason.as_deref().unwrap_or(&status.status)))
    });
    let mut releases: BTreeMap<String, Release> = BTreeMap::new();
    let mut unreadable = 0;
    let name = normalized_name(Ecosystem::Pypi, &simple.name)?;
    for mut file in simple.files {
        // Links of an index may be relative (PEP 691).
        if let Some(url) = base.as_ref().and_then(|base| base.join(&file.url).ok()) {
            file.url = url.into();
        }
        match version_of(&file.filename, &name) {
            Some((version, kind)) => {
                let release = releases.entry(version.clone()).or_default();
                release.version = version;
                add(release, file, kind);
            }
            None => unreadable += 1,
        }
    }
    bounded("releases", releases.len(), MAX_RELEASES)?;
    if unreadable > 0 {
        package.gap(
            Detail::Artifacts,
            format!("{unreadable} files are neither wheels nor source distributions"),
        );
    }
    package.releases = releases.into_values().collect();
    if package.releases.iter().any(|release| release.published_at.is_none()) {
        package.gap(Detail::PublicationTimes, "the index has none for some files");
    }
    Ok(package)
}

/// Version and format of a file, by its name (binary distribution format, PEP 625).
fn version_of(file_name: &str, project: &str) -> Option<(String, ArtifactKind)> {
    let is_project = |name: &str| normalized_name(Ecosystem::Pypi, name).is_ok_and(|name| name == project);
    if let Some(stem) = file_name.strip_suffix(".whl") {
        let mut words = stem.split('-');
        let (name, version) = (words.next()?, words.next()?);
        return is_project(name).then(|| (version.replace('_', "+"), ArtifactKind::Wheel));
    }
    let endings = [".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz"];
    let stem = endings.iter().find_map(|ending| file_name.strip_suffix(ending))?;
    // Names of early files may contain hyphens, and so may their versions.
    let mut hyphens = stem.match_indices('-');
    let (name, version) =
        hyphens.find_map(|(at, _)| is_project(&stem[..at]).then(|| (&stem[..at], &stem[at + 1..])))?;
    (!name.is_empty() && !version.is_empty()).then(|| (version.to_owned(), ArtifactKind::Sdist))
}

/// A release is yanked when all its files are, as old as its first file, and proven when all its files are.
fn add(release: &mut Release, file: File, kind: ArtifactKind) {
    let is_first = release.artifacts.is_empty();
    let uploaded_at = file.uploaded_at.as_deref().and_then(Timestamp::parse_rfc3339);
    release.published_at = match (release.published_at, uploaded_at) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let yanked = match file.yanked {
        None | Some(Yanked::Flag(false)) => None,
        Some(Yanked::Flag(true)) => Some(Withdrawal::new(WithdrawalKind::Yanked, None)),
        Some(Yanked::Reason(reason)) => Some(Withdrawal::new(WithdrawalKind::Yanked, Some(&reason))),
    };
    release.withdrawn = if is_first { yanked } else { release.withdrawn.take().and(yanked) };
    // PyPI accepts attestations from trusted publishers only.
    let evidence = if file.provenance.is_some() { Evidence::TrustedPublisher } else { Evidence::None };
    release.evidence = Some(release.evidence.map_or(evidence, |found| found.min(evidence)));
    // Building a source distribution runs code of the package; a wheel is only unpacked.
    let runs_code = kind == ArtifactKind::Sdist;
    release.install_script = Some(release.install_script.map_or(runs_code, |found| found && runs_code));
    release.requires_runtime = release.requires_runtime.take().or(file.requires_python);
    let algorithms =
        [("sha1", Algorithm::Sha1), ("sha256", Algorithm::Sha256), ("sha512", Algorithm::Sha512)];
    let checksum =
        |(name, algorithm): (&str, Algorithm)| Checksum::from_hex(algorithm, file.hashes.get(name)?);
    release.artifacts.push(Artifact {
        checksums: algorithms.into_iter().filter_map(checksum).collect(),
        url: file.url,
        file_name: file.filename,
        kind,
        size: file.size,
        provenance: file.provenance,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_file_names() {
        for (file, project, version) in [
            ("zope.interface-6.0-cp311-cp311-manylinux_2_17_x86_64.whl", "zope-interface", Some("6.0")),
            ("torch-2.1.0_cpu-cp311-none-any.whl", "torch", Some("2.1.0+cpu")),
            ("python-dateutil-2.8.2.tar.gz", "python-dateutil", Some("2.8.2")),
            ("some-thing-1.0-2.zip", "some-thing", Some("1.0-2")),
            ("other-1.0.tar.gz", "some-thing", None),
            ("some-thing-1.0.exe", "some-thing", None),
            ("some-thing-.tar.gz", "some-thing", None),
        ] {
            let found = version_of(file, project).map(|(version, _)| version);
            assert_eq!(found.as_deref(), version, "{file}");
        }
    }
}
