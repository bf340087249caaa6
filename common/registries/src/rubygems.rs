//! RubyGems: the list of versions by the API, or the compact index where a registry has no API.
//!
//! Source: RubyGems.org API guide, "Gem Version Methods", "Gem Methods", "Owner Methods"; compact index format of Bundler.

use std::collections::BTreeMap;

use common::timestamp::Timestamp;
use serde::Deserialize;
use versions::Ecosystem;

use crate::checksum::{Algorithm, Checksum};
use crate::client::{Access, Registries};
use crate::error::RegistryError;
use crate::fetch::{Document, JSON};
use crate::package::{Artifact, ArtifactKind, Detail, MAX_RELEASES, Package, Release, shortened};

/// The platform of gems without compiled parts.
const ANY_PLATFORM: &str = "ruby";

#[derive(Deserialize)]
struct Listed {
    number: String,
    #[serde(default)]
    platform: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    sha: Option<String>,
    #[serde(default)]
    ruby_version: Option<String>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

/// Document of a gem.
#[derive(Deserialize)]
struct Gem {
    name: String,
    #[serde(default)]
    info: Option<String>,
    #[serde(default)]
    homepage_uri: Option<String>,
    #[serde(default)]
    source_code_uri: Option<String>,
}

#[derive(Deserialize)]
struct Owner {
    #[serde(default)]
    handle: Option<String>,
}

impl Registries {
    pub(crate) async fn gem(&self, access: &Access, name: &str) -> Result<Option<Package>, RegistryError> {
        let path = format!("api/v1/versions/{name}.json");
        let mut package = match self.document(access, &self.config.rubygems, &path, JSON).await? {
            Some(document) => self.listed_gem(name, &document)?,
            None => {
                let path = format!("info/{name}");
                let found = self.document(access, &self.config.rubygems, &path, "text/plain").await?;
                let Some(document) = found else { return Ok(None) };
                self.compact_gem(name, &document)?
            }
        };
        match self.optional_gem::<Gem>(access, &format!("api/v1/gems/{name}.json")).await {
            Ok(gem) => {
                package.name = gem.name;
                package.description = gem.info.as_deref().map(shortened);
                package.homepage = gem.homepage_uri.filter(|url| !url.is_empty());
                package.repository = gem.source_code_uri.filter(|url| !url.is_empty());
            }
            Err(cause) => package.gap(Detail::Links, cause),
        }
        match self.optional_gem::<Vec<Owner>>(access, &format!("api/v1/gems/{name}/owners.json")).await {
            Ok(owners) => package.maintainers = owners.into_iter().filter_map(|owner| owner.handle).collect(),
            Err(cause) => package.gap(Detail::Maintainers, cause),
        }
        package.gap(Detail::Evidence, "the lists of versions have none");
        Ok(Some(package))
    }

    /// A document without which the metadata is less complete, or the reason why there is none.
    async fn optional_gem<T: serde::de::DeserializeOwned>(
        &self,
        access: &Access,
        path: &str,
    ) -> Result<T, String> {
        match self.document(access, &self.config.rubygems, path, JSON).await {
            Ok(Some(document)) => document.json().map_err(|error| error.to_string()),
            Ok(None) => Err(format!("the registry has no {path}")),
            Err(error) => Err(error.to_string()),
        }
    }

    fn listed_gem(&self, name: &str, document: &Document) -> Result<Package, RegistryError> {
        let listed: Vec<Listed> = document.json()?;
        let mut package = Package::new(Ecosystem::RubyGems, name);
        let mut releases = BTreeMap::new();
        for version in listed {
            let release: &mut Release = releases.entry(version.number.clone()).or_default();
            let created_at = version.created_at.as_deref().and_then(Timestamp::parse_rfc3339);
            release.version = version.number;
            // Gems of further platforms are built later.
            release.published_at = match (release.published_at, created_at) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            release.requires_runtime = release.requires_runtime.take().or(version.ruby_version);
            release.repository = version.metadata.get("source_code_uri").cloned();
            let platform = version.platform.as_deref().unwrap_or(ANY_PLATFORM);
            let artifact = self.gem_artifact(name, &release.version, platform, version.sha.as_deref());
            release.artifacts.push(artifact);
        }
        bounded(&document.url, releases.len())?;
        package.releases = releases.into_values().collect();
        Ok(package)
    }

    /// The compact index: `VERSION[-PLATFORM] DEPENDENCIES|checksum:HEX,ruby:RANGE`; lines with `-` before it are yanked.
    fn compact_gem(&self, name: &str, document: &Document) -> Result<Package, RegistryError> {
        let mut package = Package::new(Ecosystem::RubyGems, name);
        let mut releases: BTreeMap<String, Release> = BTreeMap::new();
        for line in
            document.text()?.lines().filter(|line| !matches!(*line, "---" | "") && !line.starts_with('-'))
        {
            let (head, requirements) = line.split_once('|').unwrap_or((line, ""));
            let number = head.split(' ').next().unwrap_or_default();
            let (version, platform) = number.split_once('-').unwrap_or((number, ANY_PLATFORM));
            let requirement = |key: &str| {
                let mut all = requirements.split(',');
                all.find_map(|word| word.strip_prefix(key)?.strip_prefix(':')).map(str::to_owned)
            };
            let release = releases.entry(version.to_owned()).or_default();
            release.version = version.to_owned();
            release.requires_runtime = requirement("ruby");
            let artifact = self.gem_artifact(name, version, platform, requirement("checksum").as_deref());
            release.artifacts.push(artifact);
        }
        bounded(&document.url, releases.len())?;
        package.releases = releases.into_values().collect();
        package.gap(Detail::PublicationTimes, "the compact index has none");
        Ok(package)
    }

    fn gem_artifact(&self, name: &str, version: &str, platform: &str, sha256: Option<&str>) -> Artifact {
        let suffix = if platform == ANY_PLATFORM { String::new() } else { format!("-{platform}") };
        let file_name = format!("{name}-{version}{suffix}.gem");
        let checksum = sha256.and_then(|text| Checksum::from_hex(Algorithm::Sha256, text));
        Artifact {
            url: format!("{}/gems/{file_name}", self.config.rubygems.base()),
            file_name,
            kind: ArtifactKind::Gem,
            size: None,
            checksums: checksum.into_iter().collect(),
            provenance: None,
        }
    }
}

fn bounded(url: &str, count: usize) -> Result<(), RegistryError> {
    if count > MAX_RELEASES {
        let cause = format!("expected at most {MAX_RELEASES}, found {count}");
        return Err(RegistryError::malformed(url, "versions", cause));
    }
    Ok(())
}
