//! Checks of the diff of a pull request. Pure; the patches are read here and kept nowhere.

use code_host::PullRequestFile;
use code_signals::{AddedLines, Severity, analyze_added};

use crate::artifact::PullVerdict;

/// Outcome of the checks of a diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiffChecks {
    /// Capabilities in added lines form a chain of high or critical severity.
    pub(crate) has_chain: bool,
    /// Added lines have hidden characters.
    pub(crate) has_hidden_characters: bool,
    /// A workflow, or a hook that runs on installation or build, was changed.
    pub(crate) has_hook: bool,
    /// An executable or archive was added or changed.
    pub(crate) has_binary: bool,
    /// All added lines were read.
    pub(crate) is_complete: bool,
}

impl DiffChecks {
    /// The verdict of the pull request.
    pub(crate) fn verdict(self) -> PullVerdict {
        let failed = self.has_chain || self.has_hidden_characters || self.has_hook || self.has_binary;
        match (failed, self.is_complete) {
            (true, _) => PullVerdict::Review,
            (false, false) => PullVerdict::Inconclusive,
            (false, true) => PullVerdict::Clean,
        }
    }
}

/// Checks the files of a pull request; `is_complete` says whether these are all.
pub(crate) fn check(files: &[PullRequestFile], is_complete: bool) -> DiffChecks {
    let mut checks = DiffChecks { is_complete, ..DiffChecks::default() };
    let mut fragments = Vec::new();
    for file in files.iter().filter(|file| file.status != "removed" && file.status != "unchanged") {
        let Some(patch) = &file.patch else {
            match content_of(file) {
                Unshown::Binary => checks.has_binary = true,
                Unshown::Nothing => {}
                Unshown::Unknown => checks.is_complete = false,
            }
            checks.has_hook |= is_hook_file(&file.path);
            continue;
        };
        let added = AddedLines::parse(&file.path, patch);
        checks.has_hidden_characters |= added.has_hidden_characters();
        checks.has_hook |= is_hook_file(&file.path) || adds_script(&file.path, &added);
        // A host may cut off a long patch.
        checks.is_complete &= u64::try_from(added.texts().count()).is_ok_and(|shown| shown >= file.additions);
        fragments.push(added);
    }
    let report = analyze_added(&fragments);
    checks.has_chain = report.worst() >= Some(Severity::High);
    checks.is_complete &= report.unread.is_empty();
    checks
}

/// Content of a file whose patch the host does not show.
enum Unshown {
    Binary,
    Nothing,
    Unknown,
}

/// Formats that execute, or contain files.
const BINARIES: [&str; 34] = [
    "7z", "a", "apk", "bin", "bz2", "class", "com", "deb", "dex", "dll", "dylib", "egg", "elf", "exe", "gz",
    "iso", "jar", "ko", "lib", "msi", "node", "o", "obj", "pyc", "pyd", "rar", "rpm", "so", "tar", "tgz",
    "war", "wasm", "whl", "xz",
];
/// Further ones, which are mostly data.
const CONTAINERS: [&str; 6] = ["dat", "docm", "pdf", "pkl", "xlsm", "zip"];
/// Pictures, sounds and fonts, which ordinary changes of documentation and pages have.
const MEDIA: [&str; 18] = [
    "avif", "bmp", "eot", "gif", "icns", "ico", "jpeg", "jpg", "mp3", "mp4", "ogg", "otf", "png", "ttf",
    "webm", "webp", "woff", "woff2",
];
/// Files that are empty on purpose.
const EMPTY: [&str; 4] = ["__init__.py", ".gitkeep", ".keep", "py.typed"];

fn content_of(file: &PullRequestFile) -> Unshown {
    if file.additions > 0 {
        // Too large for the host.
        return Unshown::Unknown;
    }
    let name = file_name(&file.path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let is_one_of = |list: &[&str]| extension.as_deref().is_some_and(|extension| list.contains(&extension));
    if file.status != "renamed" && (is_one_of(&BINARIES) || is_one_of(&CONTAINERS)) {
        return Unshown::Binary;
    }
    let is_unchanged = file.status == "renamed" || file.deletions > 0;
    if is_unchanged || is_one_of(&MEDIA) || EMPTY.contains(&name) {
        return Unshown::Nothing;
    }
    Unshown::Unknown
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Files that run without being called: in continuous integration, on installation, on build or on a commit.
fn is_hook_file(path: &str) -> bool {
    let name = file_name(path);
    let path = path.to_ascii_lowercase();
    let is_below = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    path.starts_with(".github/workflows/")
        || path.starts_with(".github/actions/")
        || is_below(".husky/")
        || is_below(".git-hooks/")
        || is_below(".githooks/")
        || matches!(
            name,
            "action.yml" | "action.yaml" | ".gitlab-ci.yml" | "setup.py" | "build.rs" | "extconf.rb"
        )
        || matches!(name, "binding.gyp" | ".pre-commit-config.yaml" | ".envrc")
        || path.ends_with(".pth")
        || path.ends_with(".vscode/tasks.json")
        || path.ends_with(".devcontainer/devcontainer.json")
}

/// Scripts of npm that run on installation (npm documentation, Life Cycle Scripts).
const INSTALL_SCRIPTS: [&str; 7] =
    ["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare", "prepublish"];

fn adds_script(path: &str, added: &AddedLines) -> bool {
    file_name(path) == "package.json" && {
        let lines: Vec<&[u8]> = added.texts().collect();
        has_install_script(&lines.join(&b'\n'))
    }
}

/// Whether JSON has a key of a script that runs on installation, wherever it stands in its line. A string ends with its line at the
/// latest, so that the fragment of a file is read correctly from its next line on.
fn has_install_script(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(quote) = rest.iter().position(|byte| *byte == b'"') {
        let from = rest.get(quote + 1..).unwrap_or_default();
        let mut is_escaped = false;
        let end = from.iter().position(|byte| {
            let ends = *byte == b'\n' || (*byte == b'"' && !is_escaped);
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        });
        let Some((name, behind)) = end.and_then(|end| from.split_at_checked(end)) else { return false };
        let Some((mark, behind)) = behind.split_first() else { return false };
        if *mark == b'"' && behind.trim_ascii_start().starts_with(b":") && is_install_script(name) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Whether the inside of a JSON string, which may have escapes, is the name of such a script.
fn is_install_script(name: &[u8]) -> bool {
    let string = [b"\"".as_slice(), name, b"\""].concat();
    serde_json::from_slice::<String>(&string).is_ok_and(|name| INSTALL_SCRIPTS.contains(&name.as_str()))
}

#[cfg(test)]
mod tests;
