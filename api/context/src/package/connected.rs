//! Comparison of a package with the repository that its registry links: whether the repository names the package, and whether it has the
//! code that runs on installation.
//!
//! Code that runs when it is called is not compared: packages contain what a build made of the repository.

use code_host::FullName;
use common::ids::OrganizationId;
use documents::decode_text;
use serde_json::Value;
use versions::{Ecosystem, normalized_name};

use super::Target;
use super::built::Build;
use super::contents::Contents;
use super::link::Link;
use crate::check::Check;
use crate::repository::{Files, HostFailure, Public, Repositories};
use crate::weights::package::{REPOSITORY_BACK, UNKNOWN_CODE};

/// Manifests of a repository that are read: repositories of many packages have one for each.
const MOST_MANIFESTS: usize = 6;
/// Paths that a reason names.
const NAMED: usize = 3;

/// The repository that a registry links, at the code host with this name.
pub(super) fn linked(link: Option<&str>, web_host: &str) -> Option<FullName> {
    let link = Link::parse(link?).filter(|link| link.host == web_host)?;
    let (owner, name) = link.repository()?;
    format!("{owner}/{name}").parse().ok()
}

/// Both checks where there is nothing to compare with.
pub(super) fn not_possible(reason: &str) -> [Check; 2] {
    [REPOSITORY_BACK.not_possible(reason), UNKNOWN_CODE.not_possible(reason)]
}

/// Both checks. `revision` is the commit of the release, where it is known.
///
/// # Errors
/// The failure of the code host. Facts of a public repository are the same for every organization; a failure may not be.
pub(super) async fn checks(
    repositories: &Repositories,
    organization: OrganizationId,
    (target, link, revision): (&Target, Option<&str>, Option<&str>),
    contents: &Contents,
) -> Result<[Check; 2], HostFailure> {
    let Some(name) = linked(link, repositories.web_host()) else {
        return Ok(not_possible("the registry links no repository of the connected code host"));
    };
    let public = repositories.public(organization, &name).await?;
    let files = match repositories.files(&public, revision).await {
        // A commit that was removed: the default branch has the present files.
        Err(failure) if revision.is_some() && !failure.is_of_connection() => {
            repositories.files(&public, None).await?
        }
        files => files?,
    };
    let (names, build) = names(repositories, &public, target, &files).await?;
    Ok([names, unknown(contents, &files, build.as_ref())])
}

/// Whether a manifest of the repository has the name of the package, and the build that this one describes.
async fn names(
    repositories: &Repositories,
    public: &Public,
    target: &Target,
    files: &Files,
) -> Result<(Check, Option<Build>), HostFailure> {
    let manifests = manifests(target, files);
    for (path, id) in manifests.iter().take(MOST_MANIFESTS) {
        let text = match repositories.file(public, id).await {
            Ok(text) => text,
            Err(failure) if failure.is_of_connection() => return Err(failure),
            Err(failure) => return Ok((REPOSITORY_BACK.not_possible(failure.reason), None)),
        };
        let text = decode_text(&text, None);
        if is_named(target, path, &text) {
            let is_npm = target.ecosystem() == Ecosystem::Npm;
            let build = if is_npm { Build::of(path, &text) } else { None };
            return Ok((REPOSITORY_BACK.passed(), build));
        }
    }
    if manifests.len() > MOST_MANIFESTS || files.is_truncated {
        return Ok((REPOSITORY_BACK.not_possible("the repository has more manifests than are read"), None));
    }
    Ok((REPOSITORY_BACK.neutral(), None))
}

/// Paths and ids of manifests, those in folders of the name of the package first.
fn manifests<'f>(target: &Target, files: &'f Files) -> Vec<(&'f str, &'f str)> {
    let short = target.name().rsplit('/').next().unwrap_or_default();
    let gemspec = format!("{short}.gemspec");
    let is_manifest = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        match target.ecosystem() {
            Ecosystem::Npm => name == "package.json",
            Ecosystem::Pypi => matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg"),
            Ecosystem::Go => name == "go.mod",
            Ecosystem::RubyGems => name == gemspec,
            Ecosystem::Cargo | Ecosystem::GitHubAction => false,
        }
    };
    let mut found: Vec<(&str, &str)> = files
        .entries
        .iter()
        .map(|(path, id)| (path.as_str(), id.as_str()))
        .filter(|(path, _)| is_manifest(path) && !path.contains("node_modules/"))
        .collect();
    let in_folder = |path: &str| path.split('/').rev().skip(1).any(|folder| folder == short);
    found.sort_by_key(|(path, _)| (!in_folder(path), path.matches('/').count(), path.len(), *path));
    found
}

/// Whether a manifest is that of the package.
fn is_named(target: &Target, path: &str, text: &str) -> bool {
    let name = target.name();
    match target.ecosystem() {
        Ecosystem::Npm => {
            let manifest = serde_json::from_str::<Value>(text).ok();
            manifest.is_some_and(|manifest| manifest.get("name").and_then(Value::as_str) == Some(name))
        }
        Ecosystem::Go => {
            text.lines().any(|line| line.trim().strip_prefix("module ").map(str::trim) == Some(name))
        }
        Ecosystem::RubyGems => path.ends_with(".gemspec"),
        Ecosystem::Pypi => text.lines().filter(|line| line.contains("name")).any(|line| {
            let is_part = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
            let mut words = line.split(|char: char| !is_part(char)).filter(|word| !word.is_empty());
            words.any(|word| normalized_name(Ecosystem::Pypi, word).is_ok_and(|word| word == name))
        }),
        Ecosystem::Cargo | Ecosystem::GitHubAction => false,
    }
}

/// Whether the repository has the files that run on installation, at any place in it, or the sources that its build makes them of.
fn unknown(contents: &Contents, files: &Files, build: Option<&Build>) -> Check {
    let has = |wanted: &&String| {
        let below = format!("/{wanted}");
        files.entries.iter().any(|(path, _)| path == *wanted || path.ends_with(&below))
    };
    let is_made = |path: &str| build.is_some_and(|build| build.makes(path, files));
    let missing: Vec<&String> =
        contents.installed.iter().filter(|path| !has(path) && !is_made(path)).collect();
    if missing.is_empty() {
        return UNKNOWN_CODE.passed();
    }
    if files.is_truncated {
        return UNKNOWN_CODE.not_possible("the code host lists a part of the repository only");
    }
    let named: Vec<&str> = missing.iter().take(NAMED).map(|path| path.as_str()).collect();
    UNKNOWN_CODE.failed(format!("the repository lacks code that runs on installation: {}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Outcome;

    #[test]
    fn links_of_registries_lead_to_a_repository_of_the_host() {
        let of = |link: &str| linked(Some(link), "github.com").map(|name| name.as_str().to_owned());
        for link in [
            "git+https://github.com/acme/widgets.git",
            "https://github.com/acme/widgets/tree/main/packages/a",
            "git@github.com:acme/widgets.git",
            "git://github.com/acme/widgets#readme",
            "acme/widgets",
            "github:acme/widgets",
        ] {
            assert_eq!(of(link).as_deref(), Some("acme/widgets"), "{link}");
        }
        for link in [
            "https://gitlab.com/acme/widgets",
            "https://github.com/acme",
            "https://notgithub.com.evil.example/acme/widgets",
            "https://evil.example/github.com/acme/widgets",
            "widgets",
            "",
        ] {
            assert_eq!(of(link), None, "{link}");
        }
        assert_eq!(linked(None, "github.com"), None);
    }

    #[test]
    fn manifests_name_their_package_in_the_form_of_each_ecosystem() {
        let named =
            |target: &str, path: &str, text: &str| is_named(&Target::parse(target).unwrap(), path, text);
        assert!(named("npm:@acme/a@1.0.0", "package.json", r#"{"name": "@acme/a"}"#));
        assert!(!named("npm:a@1.0.0", "package.json", r#"{"name": "@acme/a", "dependencies": {"a": "1"}}"#));
        assert!(named("pypi:acme-a@1.0", "pyproject.toml", "[project]\nname = \"Acme_A\"\n"));
        assert!(!named(
            "pypi:acme-a@1.0",
            "pyproject.toml",
            "[project]\nname = \"other\"\ndescription = \"acme-a\"\n"
        ));
        assert!(named("go:example.com/a@v1.0.0", "go.mod", "module example.com/a\n\ngo 1.20\n"));
        assert!(!named("go:example.com/a@v1.0.0", "go.mod", "module example.com/a/v2\n"));
    }

    #[test]
    fn files_of_the_installation_are_found_at_any_place_and_missing_ones_are_named() {
        let files = |paths: &[&str]| Files {
            entries: paths.iter().map(|path| ((*path).to_owned(), String::new())).collect(),
            is_truncated: false,
        };
        let contents = Contents { installed: vec!["scripts/setup.js".to_owned()], ..Contents::default() };
        assert!(matches!(
            unknown(&contents, &files(&["packages/a/scripts/setup.js"]), None).outcome,
            Outcome::Passed { .. }
        ));
        let missing = unknown(&contents, &files(&["setup.js", "index.js"]), None).outcome;
        assert!(matches!(missing, Outcome::Failed { ref reason, .. } if reason.contains("scripts/setup.js")));
        let cut = Files { is_truncated: true, ..files(&[]) };
        assert!(matches!(unknown(&contents, &cut, None).outcome, Outcome::NotPossible { .. }));
        assert!(matches!(unknown(&Contents::default(), &files(&[]), None).outcome, Outcome::Passed { .. }));
        let manifest = r#"{"scripts": {"build": "tsc"}}"#;
        let build = Build::of("package.json", manifest);
        let built = |paths: &[&str]| unknown(&contents, &files(paths), build.as_ref()).outcome;
        assert!(matches!(built(&["package.json", "scripts/setup.ts"]), Outcome::Passed { .. }));
        assert!(matches!(built(&["package.json", "src/other.ts"]), Outcome::Failed { .. }));
    }
}
