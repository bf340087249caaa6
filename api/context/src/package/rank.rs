//! Importance of the files of a package, by their names.

/// Endings and names of files of code.
const CODE: [&str; 19] = [
    "py", "pyw", "pth", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "rb", "gemspec", "rake",
    "sh", "bash", "zsh", "command",
];
const CODE_NAMES: [&str; 4] = ["Rakefile", "Gemfile", "extconf.rb", "configure"];
/// Files that decide about installation and entry points.
pub(super) const MANIFESTS: [&str; 14] = [
    "package.json",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "PKG-INFO",
    "METADATA",
    "entry_points.txt",
    "go.mod",
    "extconf.rb",
    "mkrf_conf.rb",
    "rubygems_plugin.rb",
    "binding.gyp",
    "action.yml",
    "action.yaml",
];
/// Texts that agents and people read.
const TEXTS: [&str; 6] = ["md", "markdown", "rst", "mdx", "mdc", "adoc"];
/// Texts of other names that agents read by themselves.
const AGENT_TEXTS: [&str; 5] = ["llms.txt", "llms-full.txt", ".cursorrules", ".windsurfrules", ".clinerules"];
const TEST_FOLDERS: [&str; 9] =
    ["test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "e2e"];

/// Importance of a file, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Decides about installation.
    Manifest,
    /// A text for people and agents, in the uppermost folder.
    Readme,
    /// Code.
    Code,
    /// Other texts.
    Text,
    /// Tests.
    Test,
    /// Anything else that is text, since code may load it. Without it the content is complete.
    Data,
}

/// Whether the name of a file is that of code.
pub(super) fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    CODE.contains(&extension.as_str()) || CODE_NAMES.contains(&name)
}

/// Importance of a file; none for lock files, unless they are code. Styles, maps and the like are data, since code may load them.
pub(super) fn rank(path: &str, content: &[u8]) -> Option<Rank> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let lower = name.to_ascii_lowercase();
    let is_lock = matches!(lower.as_str(), "package-lock.json" | "pnpm-lock.yaml" | "go.sum")
        || path.ends_with(".dist-info/RECORD");
    if is_lock {
        return None;
    }
    let is_code = is_code(path) || content.starts_with(b"#!");
    let is_text = TEXTS.contains(&extension.as_str())
        || lower.starts_with("readme")
        || AGENT_TEXTS.contains(&lower.as_str());
    if is_in_tests(path) {
        return Some(if is_code || is_text { Rank::Test } else { Rank::Data });
    }
    Some(if MANIFESTS.contains(&name) || extension == "gemspec" || extension == "pth" {
        Rank::Manifest
    } else if is_text && !path.contains('/') {
        Rank::Readme
    } else if is_code {
        Rank::Code
    } else if is_text {
        Rank::Text
    } else {
        Rank::Data
    })
}

/// Whether a path is that of a test.
pub(super) fn is_in_tests(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let by_name = name.ends_with("_test.go")
        || name.starts_with("test_")
        || name.ends_with("_spec.rb")
        || [".test.", ".spec."].iter().any(|part| name.contains(part));
    by_name || folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder.to_ascii_lowercase().as_str()))
}
