//! crates.io: the sparse index, and the API for times, publishers and links.
//!
//! Source: the Cargo Book, "Registry Index", and the OpenAPI description of crates.io.

use std::collections::HashMap;

use common::timestamp::Timestamp;
use serde::Deserialize;
use versions::Ecosystem;

use crate::checksum::{Algorithm, Checksum};
use crate::client::{Access, Registries};
use crate::error::RegistryError;
use crate::fetch::{self, JSON};
use crate::package::{
    Artifact, ArtifactKind, Detail, Evidence, MAX_RELEASES, Package, Publisher, Release, Withdrawal,
    WithdrawalKind, shortened,
};

/// `config.json` of an index.
#[derive(Deserialize)]
struct Index {
    dl: String,
}

/// A line of the index.
#[derive(Deserialize)]
struct Line {
    name: String,
    vers: String,
    cksum: String,
    #[serde(default)]
    yanked: bool,
    #[serde(default)]
    rust_version: Option<String>,
    #[serde(default)]
    pubtime: Option<String>,
}

/// A crate in the API.
#[derive(Deserialize)]
struct Described {
    #[serde(rename = "crate")]
    krate: Details,
    #[serde(default)]
    versions: Vec<Published>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    homepage: Option<String>,
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Deserialize)]
struct Published {
    num: String,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    crate_size: Option<u64>,
    #[serde(default)]
    published_by: Option<User>,
    #[serde(default)]
    trustpub_data: Option<Trusted>,
    #[serde(default)]
    yank_message: Option<String>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

/// Trusted publishing.
#[derive(Deserialize)]
struct Trusted {
    #[serde(default)]
    repository: Option<String>,
    #[serde(default)]
    provider: Option<String>,
}

#[derive(Deserialize)]
struct Owners {
    users: Vec<User>,
}

impl Registries {
    pub(crate) async fn krate(&self, access: &Access, name: &str) -> Result<Option<Package>, RegistryError> {
        let index = &self.config.crates_index;
        let Some(lines) = self.document(access, index, &index_path(name), "text/plain").await? else {
            return Ok(None);
        };
        let Some(config) = self.document(access, index, "config.json", JSON).await? else {
            return Err(RegistryError::malformed(
                index.base(),
                "config.json",
                "expected a document, found none",
            ));
        };
        let download = config.json::<Index>()?.dl;
        let mut package = Package::new(Ecosystem::Cargo, name);
        for (number, line) in lines.text()?.lines().filter(|line| !line.is_empty()).enumerate() {
            if number == MAX_RELEASES {
                let cause = format!("expected at most {MAX_RELEASES} lines, found more");
                return Err(RegistryError::malformed(&lines.url, "index", cause));
            }
            let read: Line = fetch::json(&format!("{} line {}", lines.url, number + 1), line.as_bytes())?;
            package.name.clone_from(&read.name);
            package.releases.push(release(&download, read));
        }
        self.describe_crate(access, name, &mut package).await;
        Ok(Some(package))
    }

    /// Adds the details of the API, or the gaps without it.
    async fn describe_crate(&self, access: &Access, name: &str, package: &mut Package) {
        match self.optional_crate::<Described>(access, &format!("api/v1/crates/{name}")).await {
            Ok(described) => describe(package, described),
            Err(cause) => {
                for detail in [Detail::Links, Detail::Evidence] {
                    package.gap(detail, cause.clone());
                }
                if package.releases.iter().any(|release| release.published_at.is_none()) {
                    package.gap(Detail::PublicationTimes, cause);
                }
            }
        }
        match self.optional_crate::<Owners>(access, &format!("api/v1/crates/{name}/owners")).await {
            Ok(owners) => package.maintainers = owners.users.into_iter().map(|user| user.login).collect(),
            Err(cause) => package.gap(Detail::Maintainers, cause),
        }
    }

    async fn optional_crate<T: serde::de::DeserializeOwned>(
        &self,
        access: &Access,
        path: &str,
    ) -> Result<T, String> {
        match self.document(access, &self.config.crates_api, path, JSON).await {
            Ok(Some(document)) => document.json().map_err(|error| error.to_string()),
            Ok(None) => Err(format!("the registry has no {path}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Path of a crate in an index: by the length and first letters of its name in lower case.
fn index_path(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let part = |from: usize, to: usize| name.get(from..to).unwrap_or_default();
    match name.len() {
        1 => format!("1/{name}"),
        2 => format!("2/{name}"),
        3 => format!("3/{}/{name}", part(0, 1)),
        _ => format!("{}/{}/{name}", part(0, 2), part(2, 4)),
    }
}

/// URL of an archive by the template `dl` of an index.
fn archive_url(template: &str, line: &Line) -> String {
    let lower = line.name.to_ascii_lowercase();
    let prefix =
        |name: &str| index_path(name).rsplit_once('/').map_or_else(String::new, |(path, _)| path.to_owned());
    if !template.contains('{') {
        return format!("{template}/{}/{}/download", line.name, line.vers);
    }
    template
        .replace("{crate}", &line.name)
        .replace("{version}", &line.vers)
        .replace("{prefix}", &prefix(&line.name))
        .replace("{lowerprefix}", &prefix(&lower))
        .replace("{sha256-checksum}", &line.cksum)
}

fn release(template: &str, line: Line) -> Release {
    let artifact = Artifact {
        url: archive_url(template, &line),
        file_name: format!("{}-{}.crate", line.name, line.vers),
        kind: ArtifactKind::Crate,
        size: None,
        checksums: Checksum::from_hex(Algorithm::Sha256, &line.cksum).into_iter().collect(),
        provenance: None,
    };
    Release {
        published_at: line.pubtime.as_deref().and_then(Timestamp::parse_rfc3339),
        withdrawn: line.yanked.then(|| Withdrawal::new(WithdrawalKind::Yanked, None)),
        requires_runtime: line.rust_version,
        artifacts: vec![artifact],
        version: line.vers,
        ..Release::default()
    }
}

fn describe(package: &mut Package, described: Described) {
    let Described { krate, versions } = described;
    package.description = krate.description.as_deref().map(shortened);
    package.homepage = krate.homepage;
    package.repository = krate.repository;
    let mut published: HashMap<String, Published> =
        versions.into_iter().map(|version| (version.num.clone(), version)).collect();
    for release in &mut package.releases {
        let Some(version) = published.remove(&release.version) else { continue };
        let created_at = version.created_at.as_deref().and_then(Timestamp::parse_rfc3339);
        release.published_at = created_at.or(release.published_at);
        let is_trusted = version.trustpub_data.is_some();
        release.evidence = Some(if is_trusted { Evidence::TrustedPublisher } else { Evidence::None });
        release.publisher = match version.trustpub_data {
            Some(trusted) => trusted.repository.or(trusted.provider).map(Publisher::Workflow),
            None => version.published_by.map(|user| Publisher::Account(user.login)),
        };
        if release.withdrawn.is_some() {
            release.withdrawn =
                Some(Withdrawal::new(WithdrawalKind::Yanked, version.yank_message.as_deref()));
        }
        for artifact in &mut release.artifacts {
            artifact.size = version.crate_size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_urls_follow_the_layout_of_the_index() {
        for (name, path) in [("a", "1/a"), ("ab", "2/ab"), ("Abc", "3/a/abc"), ("Serde", "se/rd/serde")] {
            assert_eq!(index_path(name), path);
        }
        let line = Line {
            name: "Serde".to_owned(),
            vers: "1.0.0".to_owned(),
            cksum: "00".to_owned(),
            yanked: false,
            rust_version: None,
            pubtime: None,
        };
        assert_eq!(archive_url("https://r.example", &line), "https://r.example/Serde/1.0.0/download");
        let template = "https://r.example/{lowerprefix}/{crate}-{version}.crate";
        assert_eq!(archive_url(template, &line), "https://r.example/se/rd/Serde-1.0.0.crate");
    }
}
