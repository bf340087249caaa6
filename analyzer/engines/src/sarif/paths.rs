//! Paths of files within the repository (section 3.4).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;

use super::address::{Address, absolute, normalize};
use super::document::Run;
use super::result::{Artifact, ArtifactLocation};
use super::root::{Root, strip};
use crate::Limits;
use crate::text::line;

/// Most bases that are relative to each other; a longer chain, or a cycle, is an unknown base.
const MAX_CHAIN: usize = 8;
/// Ids of the base that is the root of the repository, in any case: the one of the examples of the standard (section 3.14.14),
/// and that of tools that write ids between percent signs.
const ROOT_IDS: [&str; 2] = ["SRCROOT", "%SRCROOT%"];

/// The files of a run.
#[derive(Debug)]
pub(super) struct Paths<'a> {
    artifacts: &'a [&'a RawValue],
    /// Paths of the artifacts that were referred to, since thousands of results can refer to one large object.
    known: HashMap<usize, Option<String>>,
    bases: HashMap<&'a str, Base>,
    /// Roots of repositories, then bases from the longest, then working directories.
    roots: Vec<String>,
    /// Number of roots that are roots of repositories.
    repositories: usize,
}

/// A resolved base of addresses (section 3.14.14).
#[derive(Clone, Debug, Default)]
struct Base {
    /// Absolute path of a directory or address of a resource, which is not part of the paths of files in it.
    root: String,
    /// Whether the root is an address with a scheme other than `file`, which is part of addresses below it.
    is_address: bool,
    /// Path of the base below the root.
    below: String,
}

impl Base {
    /// Whether its absolute path is known.
    fn is_directory(&self) -> bool {
        !self.is_address && !self.root.is_empty()
    }

    /// Its absolute path.
    fn whole(&self) -> String {
        absolute(&at(&self.root, &self.below))
    }
}

impl<'a> Paths<'a> {
    /// The files of a run. A root that the caller states precedes those of the log.
    pub(super) fn of(run: &'a Run<'a>, root: Option<&Root>) -> Self {
        let resolved = |id: &'a String| Some((id.as_str(), resolve(run, id, 0)?));
        let bases: HashMap<&str, Base> = run.original_uri_base_ids.0.keys().filter_map(resolved).collect();
        let mut paths = Self {
            artifacts: &run.artifacts.items,
            known: HashMap::new(),
            bases,
            roots: Vec::new(),
            repositories: 0,
        };
        let mapped = run.version_control_provenance.items.iter().filter_map(|one| one.mapped_to.as_ref());
        let mapped = mapped.filter_map(|location| paths.absolute(location));
        let is_root = |id: &str| ROOT_IDS.iter().any(|known| id.eq_ignore_ascii_case(known));
        let named = paths.bases.iter().filter(|(id, base)| is_root(id) && base.is_directory());
        // In the order of their ids, so that the same log gives the same paths.
        let named: BTreeMap<&str, String> = named.map(|(id, base)| (*id, base.whole())).collect();
        let stated = root.map(|root| root.path().to_owned());
        let mut roots: Vec<String> = stated.into_iter().chain(mapped).chain(named.into_values()).collect();
        let repositories = roots.len();
        let absolute = paths.bases.values().filter(|base| base.is_directory());
        let mut bases: Vec<String> = absolute.map(|base| base.root.clone()).collect();
        bases.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        bases.dedup();
        roots.append(&mut bases);
        let directories = run.invocations.items.iter().filter_map(|one| one.working_directory.as_ref());
        roots.extend(directories.filter_map(|location| paths.absolute(location)));
        paths.roots = roots;
        paths.repositories = repositories;
        paths
    }

    /// The path within the repository, or the address of a resource, on one line. Absolute if the log does not state a directory above it.
    pub(super) fn path(&mut self, location: &ArtifactLocation) -> Option<String> {
        if let Some(uri) = &location.uri {
            return self.resolved(uri, location.uri_base_id.as_deref());
        }
        let index = usize::try_from(location.index?).ok()?;
        if let Some(path) = self.known.get(&index) {
            return path.clone();
        }
        let artifact: Option<Artifact> =
            self.artifacts.get(index).and_then(|raw| serde_json::from_str(raw.get()).ok());
        let path = artifact.and_then(|artifact| {
            let location = artifact.location?;
            self.resolved(&location.uri?, location.uri_base_id.as_deref())
        });
        self.known.insert(index, path.clone());
        path
    }

    /// A text without the roots of the paths in it, since a message of a tool may name a file.
    pub(super) fn without_roots<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for root in self.roots.iter().map(|root| root.trim_end_matches('/')).filter(|root| !root.is_empty()) {
            let directory = format!("{root}/");
            if text.contains(&directory) {
                text = Cow::Owned(text.replace(&directory, ""));
            }
        }
        text
    }

    fn resolved(&self, uri: &str, base: Option<&str>) -> Option<String> {
        let path = match Address::read(uri) {
            Address::Other(address) => address,
            Address::File(path) => self.below_root(&path),
            Address::Relative(path) => self.below_base(&path, base),
        };
        let path = line(&path, Limits::NAME);
        (!path.is_empty() && path != "/").then_some(path)
    }

    /// A relative path of a file in its base.
    fn below_base(&self, path: &str, base: Option<&str>) -> String {
        match base.and_then(|id| self.bases.get(id)) {
            Some(base) if base.is_address => format!("{}/{}", base.root, normalize(&at(&base.below, path))),
            Some(base) => self.below_repository(&base.root, normalize(&at(&base.below, path))),
            None => normalize(path),
        }
    }

    /// A path below a base, relative to the repository if the base lies in one.
    fn below_repository(&self, root: &str, path: String) -> String {
        let whole = absolute(&at(root, &path));
        let roots = &self.roots[..self.repositories];
        roots.iter().find_map(|root| strip(&whole, root)).map_or(path, str::to_owned)
    }

    /// An absolute path without the first root that it lies in.
    fn below_root(&self, path: &str) -> String {
        let path = absolute(path);
        self.roots.iter().find_map(|root| strip(&path, root)).map_or_else(|| path.clone(), str::to_owned)
    }

    /// The absolute path of a directory.
    fn absolute(&self, location: &ArtifactLocation) -> Option<String> {
        let base =
            location.uri_base_id.as_deref().and_then(|id| self.bases.get(id)).filter(|base| !base.is_address);
        // Without an address it is the base itself (section 3.4.3).
        match (Address::read(location.uri.as_deref().unwrap_or_default()), base) {
            (Address::File(path), _) => Some(absolute(&path)),
            (Address::Relative(path), Some(base)) if base.is_directory() => {
                Some(absolute(&at(&base.whole(), &path)))
            }
            _ => None,
        }
    }
}

/// Resolves a base. A base without an address has a value that only the tool knows; paths are relative to it.
fn resolve(run: &Run<'_>, id: &str, depth: usize) -> Option<Base> {
    if depth == MAX_CHAIN {
        return None;
    }
    let location = run.original_uri_base_ids.0.get(id)?;
    let Some(uri) = &location.uri else { return Some(Base::default()) };
    Some(match Address::read(uri) {
        Address::File(path) => Base { root: absolute(&path), ..Base::default() },
        Address::Other(address) => {
            Base { root: address.trim_end_matches('/').to_owned(), is_address: true, ..Base::default() }
        }
        Address::Relative(path) => {
            let mut base = match &location.uri_base_id {
                Some(id) => resolve(run, id, depth + 1)?,
                None => Base::default(),
            };
            base.below = at(&base.below, &path);
            base
        }
    })
}

/// A path in a directory.
fn at(directory: &str, path: &str) -> String {
    if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::Paths;
    use crate::sarif::Root;
    use crate::sarif::document::Run;

    fn path(run: &str, location: &str) -> Option<String> {
        let run: Run<'_> = serde_json::from_str(run).unwrap();
        Paths::of(&run, None).path(&serde_json::from_str(location).unwrap())
    }

    #[test]
    fn a_base_is_removed_from_paths() {
        let run = r#"{"originalUriBaseIds": {"ROOT": {"uri": "file:///C:/shop/"},
            "SRC": {"uri": "src/", "uriBaseId": "ROOT"}, "SITE": {"uri": "https://shop.example/"}, "HERE": {}}}"#;
        let path = |location: &str| path(run, location).unwrap();
        assert_eq!(path(r#"{"uri": "a.py", "uriBaseId": "ROOT"}"#), "a.py");
        assert_eq!(path(r#"{"uri": "a.py", "uriBaseId": "SRC"}"#), "src/a.py");
        assert_eq!(path(r#"{"uri": "../../../a.py", "uriBaseId": "SRC"}"#), "a.py");
        assert_eq!(path(r#"{"uri": "a.py", "uriBaseId": "UNKNOWN"}"#), "a.py");
        assert_eq!(path(r#"{"uri": "a.py", "uriBaseId": "HERE"}"#), "a.py");
        assert_eq!(path(r#"{"uri": "file:///C:/shop/src/a.py"}"#), "src/a.py");
        assert_eq!(path(r#"{"uri": "C:\\shop\\src\\a.py"}"#), "src/a.py");
        assert_eq!(path(r#"{"uri": "file:///C:/shopping/a.py"}"#), "C:/shopping/a.py");
        assert_eq!(path(r#"{"uri": "a/b", "uriBaseId": "SITE"}"#), "https://shop.example/a/b");
    }

    #[test]
    fn the_root_of_the_repository_precedes_bases_and_working_directories() {
        let run = r#"{"originalUriBaseIds": {"SRC": {"uri": "file:///build/shop/src/"}},
            "versionControlProvenance": [{"mappedTo": {"uri": "file:///build/shop"}}],
            "invocations": [{"workingDirectory": {"uri": "file:///build"}}]}"#;
        let path = |location: &str| path(run, location).unwrap();
        assert_eq!(path(r#"{"uri": "a.py", "uriBaseId": "SRC"}"#), "src/a.py");
        assert_eq!(path(r#"{"uri": "file:///build/shop/b.py"}"#), "b.py");
        assert_eq!(path(r#"{"uri": "/build/other/b.py"}"#), "other/b.py");
        assert_eq!(path(r#"{"uri": "/tmp/b.py"}"#), "/tmp/b.py");
    }

    #[test]
    fn the_base_named_srcroot_is_the_root_of_the_repository() {
        for id in ["SRCROOT", "%SRCROOT%", "srcRoot"] {
            let run = format!(
                r#"{{"originalUriBaseIds": {{"{id}": {{"uri": "file:///build/shop/"}},
                    "OUT": {{"uri": "file:///build/shop/out/"}}}}}}"#
            );
            let path = |location: &str| path(&run, location).unwrap();
            assert_eq!(path(r#"{"uri": "file:///build/shop/out/a.js"}"#), "out/a.js");
            assert_eq!(path(r#"{"uri": "a.js", "uriBaseId": "OUT"}"#), "out/a.js");
            assert_eq!(path(&format!(r#"{{"uri": "src/a.js", "uriBaseId": "{id}"}}"#)), "src/a.js");
        }
        let run = r#"{"originalUriBaseIds": {"ROOT": {"uri": "file:///build/"}, "SRCROOT": {"uri": "shop", "uriBaseId": "ROOT"}}}"#;
        assert_eq!(path(run, r#"{"uri": "file:///build/shop/a.js"}"#).unwrap(), "a.js");
    }

    #[test]
    fn a_repository_is_mapped_to_a_base_without_an_address_of_its_own() {
        let run = r#"{"originalUriBaseIds": {"HERE": {"uri": "file:///build/shop"}, "OUT": {"uri": "file:///build/shop/out"}},
            "versionControlProvenance": [{"mappedTo": {"uriBaseId": "HERE"}}]}"#;
        assert_eq!(path(run, r#"{"uri": "a.js", "uriBaseId": "OUT"}"#).unwrap(), "out/a.js");
    }

    #[test]
    fn the_root_of_the_caller_precedes_those_of_the_log() {
        let run = r#"{"originalUriBaseIds": {"SRC": {"uri": "file:///build/shop/src/"}},
            "versionControlProvenance": [{"mappedTo": {"uri": "file:///build/shop/src/web"}}]}"#;
        let run: Run<'_> = serde_json::from_str(run).unwrap();
        let root = Root::parse("/build/shop/").unwrap();
        let mut paths = Paths::of(&run, Some(&root));
        let mut path = |location: &str| paths.path(&serde_json::from_str(location).unwrap()).unwrap();
        assert_eq!(path(r#"{"uri": "file:///build/shop/src/web/a.js"}"#), "src/web/a.js");
        assert_eq!(path(r#"{"uri": "web/a.js", "uriBaseId": "SRC"}"#), "src/web/a.js");
        assert_eq!(path(r#"{"uri": "/build/shopping/a.js"}"#), "/build/shopping/a.js");
        assert_eq!(paths.without_roots("see /build/shop/src/a.js:3"), "see src/a.js:3");
        assert_eq!(paths.without_roots("see a.js"), "see a.js");
    }

    #[test]
    fn an_index_names_an_artifact() {
        let run = r#"{"artifacts": [{"location": {"uri": "./a%20b.py"}}, {"location": {"index": 0}}, 7]}"#;
        assert_eq!(path(run, r#"{"index": 0}"#).unwrap(), "a b.py");
        for nowhere in ["-1", "1", "2", "3"] {
            assert_eq!(path(run, &format!("{{\"index\": {nowhere}}}")), None);
        }
    }

    #[test]
    fn a_cycle_of_bases_is_an_unknown_base() {
        let run = r#"{"originalUriBaseIds": {"A": {"uri": "a", "uriBaseId": "B"}, "B": {"uri": "b", "uriBaseId": "A"}}}"#;
        assert_eq!(path(run, r#"{"uri": "c.py", "uriBaseId": "A"}"#).unwrap(), "c.py");
    }

    #[test]
    fn a_location_without_a_path_is_none() {
        for location in
            ["{}", r#"{"uri": ""}"#, r#"{"uri": "./"}"#, r#"{"uri": "file:///"}"#, r#"{"uri": null}"#]
        {
            assert_eq!(path("{}", location), None, "{location}");
        }
    }
}
