//! Input: files with their languages and contexts.

use crate::bounds::MOST_FILE_BYTES;

/// A file of the set.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// Path in the package, skill or repository, with `/`.
    pub path: &'a str,
    /// Content.
    pub content: &'a [u8],
}

/// Origin of the files, which decides about the time of execution of the top level of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A package of a registry: the top level executes on import, scripts of the manifest on installation.
    Package,
    /// A skill: an agent runs its scripts and the commands in fenced blocks of its Markdown.
    Skill,
    /// A repository, for example of an MCP server, or fragments of its files (`added.rs`).
    Repository,
}

/// Language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python 2 and 3.
    Python,
    /// JavaScript with JSX.
    JavaScript,
    /// TypeScript with JSX where the name says so.
    TypeScript,
    /// Go.
    Go,
    /// Ruby.
    Ruby,
    /// Bash and POSIX shells.
    Bash,
}

/// Context of a file, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    Code,
    /// Tests, examples and documentation: their top level forms no chain unless other code loads it.
    Test,
    /// Type stubs.
    Stub,
}

/// Recognizes the language by name, then by the interpreter in the first line.
#[must_use]
pub fn language(path: &str, content: &[u8]) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    Some(match extension {
        "py" | "pyw" | "pth" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" | "tsx" => Language::TypeScript,
        "go" => Language::Go,
        "rb" | "gemspec" | "rake" => Language::Ruby,
        "sh" | "bash" | "zsh" | "command" => Language::Bash,
        _ if matches!(name, "Rakefile" | "Gemfile" | "extconf.rb") => Language::Ruby,
        _ if matches!(name, ".bashrc" | ".profile" | ".zshrc" | ".envrc" | "PKGBUILD" | "configure") => {
            Language::Bash
        }
        _ => return interpreter(content),
    })
}

fn interpreter(content: &[u8]) -> Option<Language> {
    let line = content.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.get(..line.len().min(200))?).ok()?;
    let is = |name: &str| {
        line.split([' ', '/', '\t', '\r'])
            .any(|word| word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == name)
    };
    [
        ("python", Language::Python),
        ("node", Language::JavaScript),
        ("bun", Language::TypeScript),
        ("deno", Language::TypeScript),
        ("ruby", Language::Ruby),
        ("bash", Language::Bash),
        ("sh", Language::Bash),
        ("zsh", Language::Bash),
        ("dash", Language::Bash),
        ("ksh", Language::Bash),
    ]
    .into_iter()
    .find_map(|(name, language)| is(name).then_some(language))
}

/// Folders of tests, examples and documentation.
const TEST_FOLDERS: [&str; 20] = [
    "test",
    "tests",
    "testing",
    "__tests__",
    "spec",
    "specs",
    "testdata",
    "fixtures",
    "__mocks__",
    "e2e",
    "benchmark",
    "benchmarks",
    "bench",
    "example",
    "examples",
    "samples",
    "demo",
    "docs",
    "doc",
    "documentation",
];

pub(crate) fn context(path: &str) -> Context {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.ends_with(".d.ts")
        || name.ends_with(".d.mts")
        || name.ends_with(".d.cts")
        || name.ends_with(".pyi")
    {
        return Context::Stub;
    }
    let mut folders = path.split('/').rev().skip(1);
    let is_aside = |folder: &str| TEST_FOLDERS.contains(&folder.to_ascii_lowercase().as_str());
    let by_name = name.ends_with("_test.go")
        || name.starts_with("test_") && name.ends_with(".py")
        || name.ends_with("_test.py")
        || name.ends_with("_spec.rb")
        || name.ends_with("_test.rb")
        || [".test.", ".spec."].iter().any(|part| name.contains(part));
    if by_name || folders.any(is_aside) {
        return Context::Test;
    }
    Context::Code
}

/// Whether a path is one of code, not of tests, examples, documentation or type stubs.
#[must_use]
pub fn is_code(path: &str) -> bool {
    context(path) == Context::Code
}

/// The files in the order of their paths.
pub(crate) fn sorted<'a>(files: &[SourceFile<'a>]) -> Vec<SourceFile<'a>> {
    let mut sorted = files.to_vec();
    sorted.sort_by(|one, other| one.path.cmp(other.path));
    sorted
}

/// The text of a file that is read, without a mark of its encoding, and whether it is less than the whole.
pub(crate) fn readable_text(content: &[u8]) -> (&[u8], bool) {
    let text = content.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(content);
    text.get(..MOST_FILE_BYTES).map_or((text, false), |beginning| (beginning, text.len() > MOST_FILE_BYTES))
}

/// True if the first line names an interpreter, as commands have it.
pub(crate) fn is_command(content: &[u8]) -> bool {
    content.starts_with(b"#!")
}
