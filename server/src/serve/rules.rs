//! The rules in force: the built-in pack and the operator's own directories, compiled together.

use std::path::{Path, PathBuf};

use sigma::{Document, Refusal, RuleSet};
use thiserror::Error;

use crate::settings::RuleSettings;

/// Directories nested deeper than this are not rule packs.
const MAX_DEPTH: usize = 16;
/// Largest file that is read as rules.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Why the rules cannot be used.
#[derive(Debug, Error)]
pub(crate) enum RulesError {
    /// A file or directory cannot be read.
    #[error("rules at {} cannot be read", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// Rules were refused; starting without them would weaken the pack in silence.
    #[error("{} rules were refused, the first: {first}", count)]
    Refused {
        /// How many.
        count: usize,
        /// The first of them.
        first: Box<Refusal>,
    },
}

/// What reading and compiling a directory came to.
pub(crate) struct Compiled {
    /// The rules that can be used.
    pub rules: RuleSet,
    /// The rules that cannot, and why.
    pub refusals: Vec<Refusal>,
    /// Files that were read.
    pub files: usize,
}

/// Reads and compiles the rules in force; every one of them must be usable.
///
/// # Errors
/// [`RulesError`].
pub(crate) fn load(settings: &RuleSettings) -> Result<RuleSet, RulesError> {
    let compiled = compile(settings.built_in, &settings.directories)?;
    let count = compiled.refusals.len();
    match compiled.refusals.into_iter().next() {
        None => Ok(compiled.rules),
        Some(first) => Err(RulesError::Refused { count, first: Box::new(first) }),
    }
}

/// Reads and compiles rules, telling which were refused.
///
/// # Errors
/// [`RulesError::Read`].
pub(crate) fn compile(built_in: bool, directories: &[PathBuf]) -> Result<Compiled, RulesError> {
    let mut documents: Vec<Document> = Vec::new();
    let mut refusals = Vec::new();
    let mut files = 0;
    if built_in {
        sort(analyzer::pack::documents(), &mut documents, &mut refusals);
    }
    for directory in directories {
        let mut paths = Vec::new();
        collect(directory, 0, &mut paths)?;
        paths.sort();
        for path in paths {
            let text = read(&path)?;
            sort(sigma::parse(&path.display().to_string(), &text), &mut documents, &mut refusals);
            files += 1;
        }
    }
    let (rules, refused) = analyzer::pack::compile(documents, &sigma::Placeholders::default());
    refusals.extend(refused);
    Ok(Compiled { rules, refusals, files })
}

fn sort(parsed: Vec<Result<Document, Refusal>>, documents: &mut Vec<Document>, refusals: &mut Vec<Refusal>) {
    for document in parsed {
        match document {
            Ok(document) => documents.push(document),
            Err(refusal) => refusals.push(refusal),
        }
    }
}

fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), RulesError> {
    let failed = |source| RulesError::Read { path: directory.to_owned(), source };
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&path, depth + 1, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, RulesError> {
    let failed = |source| RulesError::Read { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > MAX_FILE_BYTES {
        let cause = format!("it has {size} bytes, expected at most {MAX_FILE_BYTES}");
        return Err(failed(std::io::Error::new(std::io::ErrorKind::FileTooLarge, cause)));
    }
    std::fs::read_to_string(path).map_err(failed)
}
