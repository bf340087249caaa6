//! Files of a snapshot → a reading: texts with their roles and facts about code. Pure, bounded, for hostile input.

use super::reading::{Opaque, Reading, Role, SnapshotFile, Text};
use super::select::Selection;
use super::skill::FrontMatter;
use super::{Kind, data, markdown};
use crate::content::Content;
use crate::score::Skipped;
use crate::text::is_text;
use code_signals::{SourceFile, Subject};
use documents::{Format, FormatGroup, Html, decode_text};

/// Extensions of texts for people and models, of languages whose syntax is read, and of languages that are read as text.
const PROSE: [&str; 9] = ["md", "mdx", "markdown", "txt", "rst", "prompt", "j2", "adoc", "mdc"];
const READ_LANGUAGES: [&str; 18] = [
    "py", "pyw", "pth", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "rb", "rake", "gemspec",
    "sh", "bash", "zsh",
];
const UNREAD_LANGUAGES: [&str; 17] = [
    "rs", "java", "kt", "cs", "php", "swift", "c", "cc", "cpp", "lua", "pl", "ps1", "bat", "cmd", "vbs",
    "dart", "scala",
];
/// Bytes of a literal that may be the name of a file.
const LONGEST_NAME: usize = 200;
/// Bytes of all texts.
const MOST_TEXT_BYTES: usize = 6 * 1024 * 1024;

/// Reads the files of a snapshot.
pub(crate) fn read(files: &[SnapshotFile], selection: Selection, kind: Kind) -> Reading {
    let Selection { wanted, skipped, left_out, opaque, folders } = selection;
    let mut reading = Reading { skipped, left_out, ..Reading::default() };
    let missing = wanted.iter().filter(|path| !files.iter().any(|file| file.path == **path));
    let unread = |path: &String| Skipped { what: path.clone(), reason: "is not in the archive".to_owned() };
    reading.skipped.extend(missing.map(unread));
    for path in opaque {
        let (what, is_program) = by_name(&path);
        let has_source = is_cache(&path, &wanted);
        reading.opaque.push(Opaque { path, what: what.to_owned(), is_program, has_source });
    }
    let mut sources = Vec::new();
    for file in files {
        reading.files += 1;
        let source = SourceFile { path: &file.path, content: &file.content };
        match text_of(file) {
            Ok(text) => {
                add_file(&mut reading, file, &text, (kind, &folders));
                sources.push(source);
            }
            Err(opaque) => {
                reading.opaque.push(opaque);
                // Interpreters go by the name, whatever format the beginning resembles.
                sources.extend(is_code(&file.path).then_some(source));
            }
        }
    }
    let subject = if kind == Kind::Skill { Subject::Skill } else { Subject::Repository };
    let (report, declarations) = code_signals::analyze_with_declarations(&sources, subject);
    super::code::add_code(&mut reading, &report, &declarations, &folders);
    promote(&mut reading);
    bound(&mut reading);
    reading
}

/// Documentation whose file the code names is text for the model, for example a description in a file of its own.
fn promote(reading: &mut Reading) {
    let is_code =
        |text: &&Text| matches!(text.role, Role::Declared | Role::Literal) && text.text.len() < LONGEST_NAME;
    let named: Vec<String> = reading
        .texts
        .iter()
        .filter(is_code)
        .filter(|text| text.text.contains('.'))
        .map(|text| text.text.clone())
        .collect();
    let is_named = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let lower = name.to_ascii_lowercase();
        let is_for_people =
            ["readme", "changelog", "contributing", "license"].iter().any(|start| lower.starts_with(start));
        !is_for_people && named.iter().any(|text| text.ends_with(name))
    };
    // A pattern or a directive of Go puts a folder of texts into the server.
    let folders: Vec<String> = reading
        .texts
        .iter()
        .filter(|text| matches!(text.role, Role::Literal | Role::Comment) && text.text.len() < LONGEST_NAME)
        .filter_map(|text| {
            let pattern = text.text.trim();
            let embedded = pattern.strip_prefix("go:embed ");
            let files = embedded.or_else(|| Some(pattern).filter(|pattern| pattern.ends_with(".md")))?;
            let (folder, name) = files.rsplit_once('/')?;
            (name.contains('*') || embedded.is_some()).then(|| folder.trim_start_matches("./").to_owned())
        })
        .filter(|folder| !folder.is_empty() && !folder.contains('*'))
        .collect();
    let is_within = |path: &str| {
        let parent = path.rsplit_once('/').map(|(parent, _)| parent).unwrap_or_default();
        folders.iter().any(|folder| parent == folder || parent.ends_with(&format!("/{folder}")))
    };
    for text in &mut reading.texts {
        if text.role == Role::Docs && (is_named(&text.path) || is_within(&text.path)) {
            text.role = Role::Instructions;
        }
    }
}

/// The text of a file, or the file as one that is no text.
fn text_of(file: &SnapshotFile) -> Result<String, Opaque> {
    let opaque = |what: &str, is_program| Opaque {
        path: file.path.clone(),
        what: what.to_owned(),
        is_program,
        has_source: false,
    };
    // Text is text, also where it begins with the letters of another format.
    let format = documents::recognize(&file.content).filter(|_| !is_text(&file.content));
    match format.map(Format::group) {
        Some(FormatGroup::Executable) if format != Some(Format::Script) => {
            return Err(opaque("a program", true));
        }
        Some(FormatGroup::Archive) => return Err(opaque("an archive", false)),
        Some(FormatGroup::Media | FormatGroup::Binary) => {
            return Err(opaque("bytes that are no text", false));
        }
        _ => {}
    }
    // A text in UTF-16 has zero bytes, and none as characters.
    let text = decode_text(&file.content, None);
    if text.contains('\0') { Err(opaque("bytes that are no text", false)) } else { Ok(text.into_owned()) }
}

/// Whether the name of a file is that of code whose syntax is read.
fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| READ_LANGUAGES.contains(&extension))
}

/// What a name says about a file that is not read.
fn by_name(path: &str) -> (&'static str, bool) {
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "pyc" | "pyo" | "class" | "jar" | "war" | "wasm" => ("bytecode", true),
        "zip" | "tar" | "gz" | "tgz" | "bz2" | "xz" | "7z" | "rar" | "zst" | "whl" | "egg" => {
            ("an archive", false)
        }
        "pkl" => ("a serialized object, which executes code when it is read", true),
        _ => ("a program", true),
    }
}

/// Whether a file is the cache of a source that is read: `__pycache__/a.cpython-312.pyc` of `a.py`.
fn is_cache(path: &str, wanted: &[String]) -> bool {
    let Some((folder, name)) = path.split_once("__pycache__/") else { return false };
    let source = format!("{folder}{}.py", name.split('.').next().unwrap_or_default());
    wanted.contains(&source)
}

/// Whether a path is that of a test, below the folder of the skill that it is in: the name of a skill, and the place that its author
/// chose for it, make no test of it.
pub(super) fn is_aside(path: &str, roots: &[String]) -> bool {
    let path = super::select::below(path, roots);
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| {
        matches!(
            folder,
            "test" | "tests" | "__tests__" | "spec" | "testdata" | "fixtures" | "__mocks__" | "e2e"
        )
    })
}

/// Adds the texts of a file that is no code, and what the manifest of a skill says.
fn add_file(reading: &mut Reading, file: &SnapshotFile, text: &str, (kind, folders): (Kind, &[String])) {
    let lower = file.path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let role = role_of_prose(kind, (&file.path, folders), name);
    let data = if role == Role::Aside { Role::Aside } else { Role::Literal };
    let mut add = |role, tool: String, text: &str, hidden| {
        let (path, text) = (file.path.clone(), text.to_owned());
        reading.texts.push(Text { role, path, line: 1, tool, text, hidden });
    };
    match extension {
        "json" => {
            let declared = if role == Role::Aside { Role::Aside } else { Role::Declared };
            for (name, text) in data::descriptions(text.as_bytes()) {
                add(declared, name, &text, Vec::new());
            }
            add(data, String::new(), text, Vec::new());
        }
        "html" | "htm" | "svg" => {
            let mut content = Content::default();
            content.add_page(&file.path, &Html::read(text.as_bytes(), Some("utf-8")), None);
            content.passages.into_iter().for_each(|one| add(role, String::new(), &one.text, one.hidden));
            reading.skipped.extend(content.skipped);
        }
        "yaml" | "yml" | "toml" | "csv" | "xml" | "env" | "ini" | "cfg" => {
            add(data, String::new(), text, Vec::new());
        }
        _ if PROSE.contains(&extension) => add(role, String::new(), text, markdown::hidden(text)),
        _ if is_read_as_code(extension, text) => {}
        _ if UNREAD_LANGUAGES.contains(&extension) => {
            add(data, String::new(), text, Vec::new());
            let reason = "is in a language whose behaviour is not analysed; its text is read".to_owned();
            reading.skipped.push(Skipped { what: file.path.clone(), reason });
        }
        _ => add(role, String::new(), text, Vec::new()),
    }
    if kind == Kind::Skill && role != Role::Aside {
        reading.chains.extend(super::outsiders::chains(&file.path, text));
    }
    if kind == Kind::Skill && PROSE.contains(&extension) {
        add_manifest(reading, file, text, folders);
    }
}

/// The role of a text that is no code.
fn role_of_prose(kind: Kind, (path, folders): (&str, &[String]), name: &str) -> Role {
    let is_for_agents = path.to_ascii_lowercase().contains("prompt")
        || matches!(name, "agents.md" | "claude.md" | "skill.md");
    match kind {
        _ if is_aside(path, folders) => Role::Aside,
        Kind::Server if !is_for_agents => Role::Docs,
        Kind::Skill | Kind::Server => Role::Instructions,
    }
}

/// Front matter and references of a text of a skill.
fn add_manifest(reading: &mut Reading, file: &SnapshotFile, text: &str, folders: &[String]) {
    let reason = "is outside of the folder of the skill".to_owned();
    let outside = super::skill::outside(&file.path, text, folders);
    reading.skipped.extend(outside.into_iter().map(|what| Skipped { what, reason: reason.clone() }));
    let is_manifest = folders.iter().any(|folder| {
        file.path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.eq_ignore_ascii_case("skill.md"))
    });
    if is_manifest && reading.front_matter.is_none() {
        reading.front_matter = FrontMatter::of(text);
    }
}

/// Whether the texts of a file are read by its syntax.
fn is_read_as_code(extension: &str, text: &str) -> bool {
    READ_LANGUAGES.contains(&extension) || text.starts_with("#!")
}

/// Descriptions first, each text once, within the bound.
fn bound(reading: &mut Reading) {
    reading
        .texts
        .sort_by(|one, other| (one.role, &one.path, one.line).cmp(&(other.role, &other.path, other.line)));
    let mut seen = std::collections::BTreeSet::new();
    reading.texts.retain(|text| seen.insert((text.path.clone(), text.line, text.text.clone())));
    let mut bytes = 0;
    let kept = reading.texts.iter().take_while(|text| {
        bytes += text.text.len();
        bytes <= MOST_TEXT_BYTES
    });
    let kept = kept.count();
    if kept < reading.texts.len() {
        reading.texts.truncate(kept);
        reading
            .skipped
            .push(Skipped { what: "texts".to_owned(), reason: "are more than the bound".to_owned() });
    }
}
