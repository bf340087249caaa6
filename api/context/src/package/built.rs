//! Files of a package of npm that its own build makes of sources of the repository. Registries carry what a build made, and repositories
//! its sources: such a file is not missing there.

use serde_json::Value;

use super::hooks::ON_INSTALL;
use crate::repository::Files;

/// Scripts of a manifest that build before a package is packed, by the order of npm and by custom.
const BUILDS: [&str; 10] = [
    "build",
    "build:prod",
    "bundle",
    "compile",
    "dist",
    "prepack",
    "prepare",
    "prepublish",
    "prepublishOnly",
    "postversion",
];
/// Folders that builds write to.
const OUTPUTS: [&str; 10] = ["dist", "build", "lib", "out", "output", "es", "esm", "cjs", "umd", "bin"];
/// Endings of sources and of files that are made of them.
const SOURCES: [&str; 11] = ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx", "coffee", "civet", "vue"];
const MADE: [&str; 4] = [".min.js", ".js", ".cjs", ".mjs"];

/// The build of a package.
#[derive(Debug)]
pub(super) struct Build {
    /// Folder of the manifest in the repository, with a slash at its end unless it is the root.
    folder: String,
    /// Commands of its scripts, without those that run on installation.
    commands: Vec<String>,
    /// Whether one of them builds by its name.
    has_build: bool,
}

impl Build {
    /// The build that a manifest describes; none for a text that is no manifest.
    pub(super) fn of(path: &str, manifest: &str) -> Option<Self> {
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let manifest = serde_json::from_str::<Value>(manifest.trim_start_matches('\u{feff}')).ok()?;
        let scripts = manifest.get("scripts").and_then(Value::as_object);
        let scripts = scripts.into_iter().flatten().filter(|(name, _)| !ON_INSTALL.contains(&name.as_str()));
        let (mut commands, mut has_build) = (Vec::new(), false);
        for (name, command) in scripts {
            has_build |= BUILDS.contains(&name.as_str());
            commands.extend(command.as_str().map(str::to_owned));
        }
        Some(Self { folder, commands, has_build })
    }

    /// Whether the build makes a file of the package of a source in the repository: a command names both, or the file has the name of a
    /// source, in a folder for output or beside it.
    pub(super) fn makes(&self, file: &str, files: &Files) -> bool {
        let sources: Vec<&str> = files
            .entries
            .iter()
            .filter_map(|(path, _)| path.strip_prefix(self.folder.as_str()))
            .filter(|path| SOURCES.contains(&extension(path)))
            .collect();
        if self.commands.iter().any(|command| names_both(command, file, &sources)) {
            return true;
        }
        let Some(made) = MADE.iter().find_map(|ending| file.strip_suffix(ending)) else { return false };
        let below = below_outputs(made);
        self.has_build
            && sources.iter().any(|source| {
                let stem = source.rsplit_once('.').map_or(*source, |(stem, _)| stem);
                let is_below = |part: &str| stem == part || stem.ends_with(&format!("/{part}"));
                stem == made || below.is_some_and(is_below)
            })
    }
}

fn extension(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension)
}

/// The path below the folders for output that it begins with; none where it begins with another one.
fn below_outputs(path: &str) -> Option<&str> {
    let mut below = None;
    let mut rest = path;
    while let Some((folder, inner)) = rest.split_once('/')
        && OUTPUTS.contains(&folder)
    {
        (below, rest) = (Some(inner), inner);
    }
    below
}

/// Whether a command names a file and a source: `esbuild src/install.ts --outfile=install.js`.
fn names_both(command: &str, file: &str, sources: &[&str]) -> bool {
    let words = || {
        let words = command.split(|char: char| char.is_whitespace() || "\"'=;&|,:".contains(char));
        words.map(|word| word.trim_start_matches("./"))
    };
    words().any(|word| word == file) && words().any(|word| word != file && sources.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Files {
        let entries = paths.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        Files { entries, is_truncated: false }
    }

    #[test]
    fn a_file_that_the_build_makes_of_a_source_is_expected_and_any_other_one_is_not() {
        let manifest =
            r#"{"name": "a", "scripts": {"build": "tsc -p .", "postinstall": "node dist/setup.js"}}"#;
        let build = Build::of("packages/a/package.json", manifest).unwrap();
        let makes = |file: &str, paths: &[&str]| build.makes(file, &files(paths));
        for (file, source) in [
            ("dist/setup.js", "packages/a/src/setup.ts"),
            ("dist/setup.min.js", "packages/a/setup.mjs"),
            ("dist/cjs/node/setup.cjs", "packages/a/src/node/setup.ts"),
            ("scripts/setup.js", "packages/a/scripts/setup.ts"),
        ] {
            assert!(makes(file, &[source]), "{file}");
        }
        for (file, source) in [
            ("dist/setup.js", "packages/a/src/index.ts"),
            ("dist/setup.js", "packages/b/src/setup.ts"),
            ("dist/setup.js", "packages/a/src/setup.md"),
            ("dist/node/setup.js", "packages/a/src/web/setup.ts"),
            ("dist/setup.js", "packages/a/src/presetup.ts"),
            ("other/setup.js", "packages/a/src/setup.ts"),
            ("dist/setup.sh", "packages/a/src/setup.ts"),
        ] {
            assert!(!makes(file, &[source]), "{file} {source}");
        }
        let without = Build::of("package.json", r#"{"name": "a", "scripts": {"test": "node x"}}"#).unwrap();
        assert!(!without.makes("dist/setup.js", &files(&["src/setup.ts"])), "nothing is built");
    }

    #[test]
    fn a_command_that_names_a_file_and_its_source_makes_it() {
        let build = |command: &str| {
            let manifest = serde_json::json!({"scripts": {"make": command}}).to_string();
            Build::of("package.json", &manifest).unwrap()
        };
        let all = files(&["src/node-install.ts"]);
        assert!(build("esbuild ./src/node-install.ts --outfile=./install.js").makes("install.js", &all));
        assert!(!build("esbuild src/other.ts --outfile=install.js").makes("install.js", &all));
        let own = serde_json::json!({"scripts": {"postinstall": "node install.js src/node-install.ts"}});
        let own = Build::of("package.json", &own.to_string()).unwrap();
        assert!(!own.makes("install.js", &all), "a script of the installation builds nothing");
    }
}
