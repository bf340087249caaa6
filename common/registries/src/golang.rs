//! Go: a module proxy. Versions come from its list; time, commit and withdrawal of each are separate documents.
//!
//! Source: the Go Modules Reference, sections "GOPROXY protocol", "retract directive" and "Deprecation".

mod go_mod;

use common::timestamp::Timestamp;
use serde::Deserialize;
use versions::{Ecosystem, Version, escaped_module};

use crate::client::{Access, Registries};
use crate::error::RegistryError;
use crate::fetch::{Document, JSON};
use crate::package::{
    Artifact, ArtifactKind, Detail, MAX_RELEASES, Package, Release, Withdrawal, WithdrawalKind,
};

/// A document `.info`.
#[derive(Deserialize)]
struct Info {
    #[serde(rename = "Version")]
    version: String,
    #[serde(rename = "Time", default)]
    time: Option<String>,
    #[serde(rename = "Origin", default)]
    origin: Option<Origin>,
}

#[derive(Deserialize)]
struct Origin {
    #[serde(rename = "URL", default)]
    url: Option<String>,
    #[serde(rename = "Hash", default)]
    hash: Option<String>,
}

impl Registries {
    /// The tagged versions of a module, its latest one with details, and the withdrawals that the latest one declares.
    pub(crate) async fn module(&self, access: &Access, name: &str) -> Result<Option<Package>, RegistryError> {
        let module = escaped_module(name);
        let listed =
            self.document(access, &self.config.go, &format!("{module}/@v/list"), "text/plain").await?;
        let latest = self.document(access, &self.config.go, &format!("{module}/@latest"), JSON).await?;
        if listed.is_none() && latest.is_none() {
            return Ok(None);
        }
        let mut package = Package::new(Ecosystem::Go, name);
        if let Some(document) = &listed {
            package.releases = self.listed(name, document)?;
        }
        // A proxy need not answer to @latest; the highest listed version is taken then.
        if let Some(document) = &latest {
            let found = self.detailed(name, document)?;
            package.latest = Some(found.version.clone());
            package.repository = found.repository.clone();
            match package.releases.iter_mut().find(|release| release.version == found.version) {
                Some(release) => *release = found,
                None => package.releases.push(found),
            }
        }
        let mut package = package.finish();
        self.add_withdrawals(access, &module, &mut package).await?;
        package.gap(Detail::Maintainers, "modules have no accounts");
        package.gap(Detail::PublicationTimes, "only of the latest version; others are asked for one by one");
        Ok(Some(package))
    }

    /// One version of a module with time and commit.
    ///
    /// # Errors
    /// [`RegistryError`].
    pub async fn module_version(
        &self,
        access: &Access,
        module: &str,
        version: &str,
    ) -> Result<Release, RegistryError> {
        let ecosystem = Ecosystem::Go;
        let name = versions::normalized_name(ecosystem, module)?;
        let version = Version::parse(ecosystem, version)?;
        let path = format!("{}/@v/{}.info", escaped_module(&name), escaped_module(version.as_str()));
        match self.document(access, &self.config.go, &path, JSON).await? {
            Some(document) => self.detailed(&name, &document),
            None => Err(RegistryError::NoVersion { ecosystem, name, version: version.as_str().to_owned() }),
        }
    }

    /// The file go.mod of a version.
    ///
    /// # Errors
    /// [`RegistryError`].
    pub async fn module_file(
        &self,
        access: &Access,
        module: &str,
        version: &str,
    ) -> Result<String, RegistryError> {
        let ecosystem = Ecosystem::Go;
        let name = versions::normalized_name(ecosystem, module)?;
        let version = Version::parse(ecosystem, version)?;
        let path = format!("{}/@v/{}.mod", escaped_module(&name), escaped_module(version.as_str()));
        match self.document(access, &self.config.go, &path, "text/plain").await? {
            Some(document) => document.text().map(str::to_owned),
            None => Err(RegistryError::NoVersion { ecosystem, name, version: version.as_str().to_owned() }),
        }
    }

    fn listed(&self, name: &str, document: &Document) -> Result<Vec<Release>, RegistryError> {
        let words = document.text()?.lines().filter_map(|line| line.split_ascii_whitespace().next());
        let mut versions: Vec<&str> = words.collect();
        versions.sort_unstable();
        versions.dedup();
        if versions.len() > MAX_RELEASES {
            let cause = format!("expected at most {MAX_RELEASES} versions, found {}", versions.len());
            return Err(RegistryError::malformed(&document.url, "list", cause));
        }
        for (line, version) in versions.iter().enumerate() {
            if let Err(error) = Version::parse(Ecosystem::Go, version) {
                return Err(RegistryError::malformed(
                    &document.url,
                    format!("list[{line}]"),
                    error.to_string(),
                ));
            }
        }
        Ok(versions.into_iter().map(|version| self.bare(name, version)).collect())
    }

    fn detailed(&self, name: &str, document: &Document) -> Result<Release, RegistryError> {
        let info: Info = document.json()?;
        if let Err(error) = Version::parse(Ecosystem::Go, &info.version) {
            return Err(RegistryError::malformed(&document.url, "Version", error.to_string()));
        }
        let mut release = self.bare(name, &info.version);
        release.published_at = info.time.as_deref().and_then(Timestamp::parse_rfc3339);
        if let Some(origin) = info.origin {
            (release.repository, release.commit) = (origin.url, origin.hash);
        }
        Ok(release)
    }

    fn bare(&self, name: &str, version: &str) -> Release {
        let file_name = format!("{}.zip", escaped_module(version));
        let url = format!("{}/{}/@v/{file_name}", self.config.go.base(), escaped_module(name));
        let artifact = Artifact {
            url,
            file_name,
            kind: ArtifactKind::GoModule,
            size: None,
            checksums: Vec::new(),
            provenance: None,
        };
        // The go command runs no code of a module when it installs it.
        Release {
            version: version.to_owned(),
            install_script: Some(false),
            artifacts: vec![artifact],
            ..Release::default()
        }
    }

    /// Reads the deprecation and the retractions in the go.mod of the latest version.
    async fn add_withdrawals(
        &self,
        access: &Access,
        module: &str,
        package: &mut Package,
    ) -> Result<(), RegistryError> {
        let Some(latest) = &package.latest else { return Ok(()) };
        let path = format!("{module}/@v/{}.mod", escaped_module(latest));
        let Some(document) = self.document(access, &self.config.go, &path, "text/plain").await? else {
            package.gap(Detail::Withdrawals, "the latest version has no go.mod");
            return Ok(());
        };
        let file = go_mod::Withdrawals::read(document.text()?);
        package.withdrawn =
            file.deprecated.map(|reason| Withdrawal::new(WithdrawalKind::Deprecated, Some(&reason)));
        for release in &mut package.releases {
            let Ok(version) = Version::parse(Ecosystem::Go, &release.version) else { continue };
            let retraction = file.retractions.iter().find(|retraction| retraction.contains(&version));
            release.withdrawn =
                retraction.map(|found| Withdrawal::new(WithdrawalKind::Retracted, found.reason.as_deref()));
        }
        Ok(())
    }
}
