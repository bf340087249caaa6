//! Files of a tree → the files of a snapshot: manifests, entry points, text for the model, source, then the rest, tests last.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::Kind;
use crate::score::Skipped;

/// Bounds of a snapshot (specification, Limits: MCP snapshot).
pub(crate) const MOST_FILES: usize = 200;
pub(crate) const MOST_FILE_BYTES: u64 = 512 * 1024;
pub(crate) const MOST_BYTES: u64 = 2 * 1024 * 1024;

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Path from the root.
    pub(crate) path: String,
    /// Bytes.
    pub(crate) size: u64,
    /// Whether it is a link or the commit of another repository.
    pub(crate) is_elsewhere: bool,
}

/// The files of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Selection {
    /// Paths that are read.
    pub(crate) wanted: Vec<String>,
    /// Relevant files that are not read.
    pub(crate) skipped: Vec<Skipped>,
    /// Files that are not relevant.
    pub(crate) left_out: Vec<Skipped>,
    /// Executables, bytecode and archives by name, which are signals and are not read.
    pub(crate) opaque: Vec<String>,
    /// Folders that contain the skill, with `/` at the end; the empty folder is the root.
    pub(crate) folders: Vec<String>,
}

/// Whether a list of words has a word.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// Class of a file, in the order in which files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Manifest,
    Entry,
    Prose,
    Source,
    Other,
    /// Tests, examples, change logs, licences.
    Aside,
    Opaque,
    /// Images, fonts, lock files.
    Irrelevant,
}

const MANIFESTS: &str = "skill.md package.json pyproject.toml setup.py setup.cfg go.mod server.json manifest.json mcp.json \
    .mcp.json smithery.yaml dockerfile requirements.txt makefile gemfile cargo.toml settings.json \
    settings.local.json hooks.json plugin.json tasks.json devcontainer.json binding.gyp justfile \
    deno.json tools.json";
const LOCKS: &str = "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb uv.lock \
    poetry.lock pipfile.lock cargo.lock go.sum gemfile.lock";
const ENTRIES: &str = "server index main __main__ __init__ app cli tools prompts mcp";
const PROSE: &str = "md mdx markdown txt rst prompt j2 adoc mdc";
const SOURCES: &str = "py pyw pth js mjs cjs jsx ts mts cts tsx go rb rake gemspec sh bash zsh fish ps1 psm1 bat cmd \
    command rs java kt kts cs php swift c h cc cpp lua pl r dart scala vbs";
const OPAQUE: &str = "exe dll so dylib pyc pyo pyd class jar war wasm node bin o a whl egg zip tar gz tgz bz2 xz 7z rar \
    zst dmg pkg deb rpm apk msi pkl";
const IRRELEVANT: &str = "png jpg jpeg gif webp ico bmp tiff avif mp3 mp4 mov webm wav ogg woff woff2 ttf otf eot lock map pem \
    icns psd ai";

impl Class {
    fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        if has(LOCKS, name) || has(IRRELEVANT, extension) || lower.starts_with(".git/") {
            return Self::Irrelevant;
        }
        if has(OPAQUE, extension) {
            return Self::Opaque;
        }
        // A notice is a text, and code of that name is code.
        if is_aside(&lower, name) || is_notice(name) && !has(SOURCES, extension) {
            return Self::Aside;
        }
        let is_hook =
            lower.contains(".git/hooks/") || lower.contains(".githooks/") || lower.contains(".husky/");
        if has(MANIFESTS, name) || is_hook || name.starts_with("requirements") {
            return Self::Manifest;
        }
        let is_source = has(SOURCES, extension) || extension.is_empty();
        match (is_source, has(PROSE, extension)) {
            (true, _) if has(ENTRIES, stem) || lower.starts_with("scripts/") || lower.starts_with("bin/") => {
                Self::Entry
            }
            (_, true) => Self::Prose,
            (true, _) => Self::Source,
            _ => Self::Other,
        }
    }
}

fn is_notice(name: &str) -> bool {
    [
        "license",
        "licence",
        "notice",
        "copying",
        ".gitignore",
        ".gitattributes",
        ".gitkeep",
        ".editorconfig",
        ".npmignore",
        ".dockerignore",
    ]
    .iter()
    .any(|known| {
        name == *known
            || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.') || rest.starts_with('-'))
    })
}

/// Tests, examples and change logs.
fn is_aside(path: &str, name: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    let is_folder = |folder: &str| {
        matches!(
            folder,
            "test"
                | "tests"
                | "__tests__"
                | "spec"
                | "testdata"
                | "fixtures"
                | "__mocks__"
                | "e2e"
                | "benchmarks"
                | "examples"
                | "example"
        )
    };
    folders.any(is_folder)
        || name.starts_with("test_")
        || [".test.", ".spec.", "_test."].iter().any(|part| name.contains(part))
        || name.starts_with("changelog")
}

/// The part of a path below the folder of the skill that it is in.
pub(super) fn below<'p>(path: &'p str, folders: &[String]) -> &'p str {
    let folder = folders.iter().filter(|folder| path.starts_with(folder.as_str())).map(String::len).max();
    path.get(folder.unwrap_or(0)..).unwrap_or(path)
}

/// The folders whose `SKILL.md` a name means: all folders of that name, since installers differ in which one they take; the root
/// where no folder has the name.
fn folders(files: &[Candidate], skill: &str) -> Vec<String> {
    let manifests = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("skill.md")));
    let folders: Vec<&str> =
        manifests.map(|path| path.get(..path.len() - "skill.md".len()).unwrap_or_default()).collect();
    let named = |folder: &&&str| {
        folder.trim_end_matches('/').rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(skill))
    };
    let found: Vec<String> = folders.iter().filter(named).map(|folder| (*folder).to_owned()).collect();
    if found.is_empty() && folders.contains(&"") { vec![String::new()] } else { found }
}

/// Selects the files of a snapshot. `skill` is the name of a skill, whose folders alone are read.
pub(crate) fn select(files: &[Candidate], kind: Kind, skill: Option<&str>) -> Selection {
    let mut selection = Selection::default();
    if let Some(skill) = skill.filter(|_| kind == Kind::Skill) {
        selection.folders = folders(files, skill);
    } else {
        selection.folders.push(String::new());
    }
    let inside =
        |file: &&Candidate| selection.folders.iter().any(|folder| file.path.starts_with(folder.as_str()));
    let class = |file: &Candidate| Class::of(below(&file.path, &selection.folders));
    let mut sorted: Vec<(Class, &Candidate)> =
        files.iter().filter(inside).map(|file| (class(file), file)).collect();
    // Shallow files first: deep ones are parts of others.
    sorted.sort_by_key(|(class, file)| {
        (*class, file.path.matches('/').count(), &file.path, Reverse(file.size))
    });
    let (mut bytes, mut irrelevant, mut is_full) = (0, 0, false);
    for (class, file) in sorted {
        let skip = |reason: &str| Skipped { what: file.path.clone(), reason: reason.to_owned() };
        match class {
            Class::Irrelevant => irrelevant += 1,
            Class::Opaque => selection.opaque.push(file.path.clone()),
            _ if file.is_elsewhere => selection.skipped.push(skip("is a link or another repository")),
            class
                if file.size > MOST_FILE_BYTES
                    || is_full
                    || bytes + file.size > MOST_BYTES
                    || selection.wanted.len() >= MOST_FILES =>
            {
                is_full |= selection.wanted.len() >= MOST_FILES;
                let reason = if file.size > MOST_FILE_BYTES {
                    "is larger than 512 KB"
                } else {
                    "is beyond 200 files or 2 MB"
                };
                let list =
                    if class == Class::Aside { &mut selection.left_out } else { &mut selection.skipped };
                list.push(skip(reason));
            }
            _ => {
                bytes += file.size;
                selection.wanted.push(file.path.clone());
            }
        }
    }
    if irrelevant > 0 {
        let reason = "are not relevant: images, fonts, lock files".to_owned();
        selection.left_out.push(Skipped { what: format!("{irrelevant} files"), reason });
    }
    selection
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, size: u64) -> Candidate {
        Candidate { path: path.to_owned(), size, is_elsewhere: false }
    }

    #[test]
    fn files_are_read_by_priority_within_the_bounds() {
        let mut files: Vec<Candidate> =
            (0..300).map(|number| file(&format!("src/part{number:03}.ts"), 1_000)).collect();
        files.extend([
            file("package.json", 10),
            file("src/index.ts", 10),
            file("README.md", 10),
            file("logo.png", 10),
            file("a.zip", 10),
        ]);
        files.extend([file("tests/a.test.ts", 10), file("big.ts", 600_000), file("yarn.lock", 10)]);
        let selection = select(&files, Kind::Server, None);
        assert_eq!(&selection.wanted[..3], ["package.json", "src/index.ts", "README.md"]);
        assert_eq!(
            (selection.wanted.len(), selection.opaque.as_slice()),
            (MOST_FILES, &["a.zip".to_owned()][..])
        );
        assert!(selection.skipped.iter().any(|one| one.what == "big.ts" && one.reason.contains("512")));
        assert!(selection.left_out.iter().any(|one| one.what == "tests/a.test.ts"));
        assert!(selection.left_out.iter().any(|one| one.what == "2 files"));
        let all: Vec<Candidate> = (0..5).map(|number| file(&format!("{number}.py"), 500_000)).collect();
        assert_eq!(select(&all, Kind::Server, None).wanted.len(), 4, "2 MB");
    }

    #[test]
    fn a_skill_is_every_folder_of_its_name_or_the_root() {
        let files = [
            file("skills/pdf/SKILL.md", 1),
            file("skills/pdf/scripts/a.py", 1),
            file(".claude/skills/PDF/SKILL.md", 1),
            file("skills/other/SKILL.md", 1),
        ];
        let selection = select(&files, Kind::Skill, Some("pdf"));
        assert_eq!(selection.wanted.len(), 3);
        assert!(select(&files, Kind::Skill, Some("none")).wanted.is_empty());
        let root = [file("SKILL.md", 1), file("run.sh", 1)];
        assert_eq!(select(&root, Kind::Skill, Some("kit")).wanted, ["SKILL.md", "run.sh"]);
    }
}
