//! Archives of a release: which ones are read, and their contents.

use common::hexadecimal;
use registries::{Access, Artifact, ArtifactKind, Release};
use sha2::{Digest, Sha256};
use versions::Ecosystem;

use super::archive::{self, Depth};
use super::contents::Contents;
use super::scan::{Found, explained};
use super::{Target, actions, identity};
use crate::repository::HostFailure;
use crate::scanner::Scanner;
use crate::score::Skipped;

/// Archives of one release that are read: a source distribution, a pure wheel, and one for a common platform.
const MOST_ARCHIVES: usize = 3;

/// The archives to read, and the number of those that are left out.
fn chosen(release: &Release) -> (Vec<&Artifact>, usize) {
    let is_pure = |artifact: &Artifact| artifact.file_name.ends_with("-none-any.whl");
    let is_common = |artifact: &Artifact| artifact.file_name.contains("x86_64");
    let order = |artifact: &&Artifact| {
        let group = match artifact.kind {
            ArtifactKind::Wheel if is_pure(artifact) => 1,
            ArtifactKind::Wheel if is_common(artifact) => 2,
            ArtifactKind::Wheel => 3,
            // The gem for any platform has the shortest name.
            ArtifactKind::Gem => artifact.file_name.len(),
            _ => 0,
        };
        (group, artifact.file_name.clone())
    };
    let mut artifacts: Vec<&Artifact> = release.artifacts.iter().collect();
    artifacts.sort_by_key(order);
    let most =
        if artifacts.iter().any(|artifact| artifact.kind == ArtifactKind::Gem) { 1 } else { MOST_ARCHIVES };
    let left_out = artifacts.len().saturating_sub(most);
    artifacts.truncate(most);
    (artifacts, left_out)
}

/// The archives of a release that were read.
pub(super) struct Archives {
    /// Their contents.
    pub(super) contents: Contents,
    /// SHA-256 of each in hexadecimal digits. None of a repository, whose archive the code host makes anew for each request.
    pub(super) digests: Vec<String>,
    /// Parts that were not read.
    pub(super) skipped: Vec<Skipped>,
}

/// Reads the archives of a release. One that cannot be read is a part that was not read, unless there is no other.
pub(super) async fn contents(
    scanner: &Scanner,
    access: &Access,
    target: &Target,
    found: &Found,
) -> Result<Archives, HostFailure> {
    if target.ecosystem() == Ecosystem::GitHubAction {
        let archive = actions::archive(scanner, access.requester.organization(), target, found).await?;
        let contents = archive::read(scanner, &archive, (target.ecosystem(), Depth::Whole)).await;
        let contents = contents.map_err(HostFailure::of_content)?;
        return Ok(Archives { contents, digests: Vec::new(), skipped: Vec::new() });
    }
    let (artifacts, left_out) = chosen(&found.release);
    let (mut read, mut digests, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for artifact in artifacts {
        match archive(scanner, access, target, artifact, Depth::Whole).await {
            Ok((contents, digest)) => {
                read.push((artifact.file_name.clone(), contents));
                digests.push(digest);
            }
            Err(reason) => skipped.push(Skipped { what: artifact.file_name.clone(), reason }),
        }
    }
    if read.is_empty() {
        let reason =
            skipped.into_iter().next().map(|skipped| format!("{}: {}", skipped.what, skipped.reason));
        let reason = reason.unwrap_or_else(|| "the registry has no archive of the release".to_owned());
        return Err(HostFailure::of_content(reason));
    }
    if left_out > 0 {
        let reason = "the archives of a release for other machines are not read".to_owned();
        skipped.push(Skipped { what: format!("{left_out} further archives"), reason });
    }
    Ok(Archives { contents: Contents::merged(read), digests, skipped })
}

/// Contents of an archive, and its SHA-256.
async fn archive(
    scanner: &Scanner,
    access: &Access,
    target: &Target,
    artifact: &Artifact,
    depth: Depth,
) -> Result<(Contents, String), String> {
    let package = (target.ecosystem(), target.name());
    let archive = scanner.registries.archive(access, package, artifact, None).await;
    let archive = archive.map_err(|error| explained(&error))?;
    let contents = archive::read(scanner, &archive.bytes, (target.ecosystem(), depth)).await?;
    Ok((contents, hexadecimal::print(&Sha256::digest(&archive.bytes))))
}

/// Scripts that the preceding release runs on installation; none without such a release. Asked only where this one runs any.
pub(super) async fn preceding_hooks(
    scanner: &Scanner,
    access: &Access,
    target: &Target,
    found: &Found,
    contents: &Contents,
) -> Result<Option<Vec<String>>, String> {
    // An action is not installed.
    if contents.hooks.is_empty() || target.ecosystem() == Ecosystem::GitHubAction {
        return Ok(None);
    }
    let Some(preceding) = identity::preceding(&found.package, &found.release) else { return Ok(None) };
    if preceding.install_script == Some(false) {
        return Ok(Some(Vec::new()));
    }
    let of = |reason: String| format!("release {}: {reason}", preceding.version);
    let (artifacts, _) = chosen(preceding);
    let mut hooks = Vec::new();
    for artifact in artifacts {
        let contents = archive(scanner, access, target, artifact, Depth::Hooks).await;
        hooks.extend(contents.map_err(of)?.0.hooks);
    }
    Ok(Some(hooks))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn of_many_archives_those_for_most_machines_are_read_and_the_others_are_counted() {
        let artifact = |file_name: &str, kind| Artifact {
            url: String::new(),
            file_name: file_name.to_owned(),
            kind,
            size: None,
            checksums: Vec::new(),
            provenance: None,
        };
        let release = |artifacts| Release { artifacts, ..Release::default() };
        let wheels = release(vec![
            artifact("w-1.0-cp312-cp312-macosx_11_0_arm64.whl", ArtifactKind::Wheel),
            artifact("w-1.0-cp312-cp312-manylinux_2_17_x86_64.whl", ArtifactKind::Wheel),
            artifact("w-1.0-py3-none-any.whl", ArtifactKind::Wheel),
            artifact("w-1.0.tar.gz", ArtifactKind::Sdist),
        ]);
        let names: BTreeSet<&str> =
            chosen(&wheels).0.iter().map(|artifact| artifact.file_name.as_str()).collect();
        assert!(!names.contains("w-1.0-cp312-cp312-macosx_11_0_arm64.whl"), "{names:?}");
        assert_eq!((names.len(), chosen(&wheels).1), (3, 1));
        let gems = release(vec![
            artifact("w-1.0-x86_64-linux.gem", ArtifactKind::Gem),
            artifact("w-1.0.gem", ArtifactKind::Gem),
        ]);
        assert_eq!(chosen(&gems).0[0].file_name, "w-1.0.gem");
    }
}
