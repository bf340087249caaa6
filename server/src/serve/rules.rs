//! The rules in force: the built-in pack and the operator's own directories, compiled together.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use analyzer::documents::{AgentRules, Documents, rules_for_agents};
use common::clock::Clock;
use metrics::{Unit, describe_gauge, gauge};
use sigma::{Document, Refusal, RuleSet};
use thiserror::Error;

use crate::settings::{Refused, RuleSettings};

/// Maximum nesting of directories: deeper ones are not rule packs.
const MAX_DEPTH: usize = 16;
/// Largest file that is read as rules.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Reason why the rules cannot be used.
#[derive(Debug, Error)]
pub(crate) enum RulesError {
    /// A file or directory cannot be read.
    #[error("rules at {} cannot be read", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Rules were refused; starting without them would silently weaken the pack.
    #[error("{} rules were refused, the first: {first}", count)]
    Refused {
        /// Number of refused rules.
        count: usize,
        /// The first of them.
        first: Box<Refusal>,
    },
}

/// Result of reading and compiling.
pub(crate) struct Compiled {
    /// The usable rules.
    pub rules: RuleSet,
    /// The unusable rules, with reasons.
    pub refusals: Vec<Refusal>,
    /// Files that were read.
    pub files: usize,
    /// Rules for actions of AI agents, which clients get.
    pub for_agents: AgentRules,
}

impl Compiled {
    /// Number of usable documents.
    pub(crate) fn usable(&self) -> usize {
        let rules = &self.rules;
        rules.rules().len() + rules.correlations().len() + rules.filters().len()
    }
}

/// Reads and compiles the rules in force. Every one of them must be usable, unless the settings allow
/// starting without.
///
/// # Errors
/// [`RulesError`].
pub(crate) fn load(settings: &RuleSettings, clock: &dyn Clock) -> Result<Documents, RulesError> {
    let (began, resident) = (clock.monotonic(), resident_kilobytes());
    let compiled = compile(settings.built_in, settings)?;
    let took = clock.monotonic().saturating_sub(began);
    let grown = resident_kilobytes().zip(resident).map(|(after, before)| after.saturating_sub(before));
    check(settings, &compiled.refusals)?;
    measure(&compiled, took);
    tracing::info!(
        rules = compiled.rules.rules().len(),
        correlations = compiled.rules.correlations().len(),
        filters = compiled.rules.filters().len(),
        for_agents = compiled.for_agents.len(),
        refused = compiled.refusals.len(),
        version = compiled.rules.version(),
        milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        resident_kilobytes = grown,
        "rules"
    );
    let documents = Documents::new(Arc::new(compiled.rules), settings.placeholders());
    Ok(documents.with_agent_rules(compiled.for_agents))
}

fn check(settings: &RuleSettings, refusals: &[Refusal]) -> Result<(), RulesError> {
    let Some(first) = refusals.first() else { return Ok(()) };
    if settings.refused == Refused::Stop {
        return Err(RulesError::Refused { count: refusals.len(), first: Box::new(first.clone()) });
    }
    for refusal in refusals {
        tracing::warn!(%refusal, "a rule is left out");
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn measure(compiled: &Compiled, took: Duration) {
    describe_gauge!(
        "palisade_rules_compiled",
        Unit::Count,
        "Shared rules, correlations and filters: built-in ones and those of the operator."
    );
    describe_gauge!("palisade_rules_refused", Unit::Count, "Rule documents left out at startup.");
    describe_gauge!(
        "palisade_rules_compile_seconds",
        Unit::Seconds,
        "Duration of compiling the rules at startup."
    );
    gauge!("palisade_rules_compiled").set(compiled.usable() as f64);
    gauge!("palisade_rules_refused").set(compiled.refusals.len() as f64);
    gauge!("palisade_rules_compile_seconds").set(took.as_secs_f64());
}

/// Memory of the process, if the operating system reports it.
fn resident_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Reads and compiles rules, and reports the refused ones.
///
/// # Errors
/// [`RulesError::Read`].
pub(crate) fn compile(built_in: bool, settings: &RuleSettings) -> Result<Compiled, RulesError> {
    let Parsed { documents, refusals, files } = parse(built_in, settings)?;
    Ok(compiled(documents, refusals, files, settings))
}

/// The same with the parsed documents in their original text.
///
/// # Errors
/// [`RulesError::Read`].
pub(crate) fn compile_with_documents(
    built_in: bool,
    settings: &RuleSettings,
) -> Result<(Compiled, Vec<Document>), RulesError> {
    let Parsed { documents, refusals, files } = parse(built_in, settings)?;
    Ok((compiled(documents.clone(), refusals, files, settings), documents))
}

fn compiled(
    documents: Vec<Document>,
    mut refusals: Vec<Refusal>,
    files: usize,
    settings: &RuleSettings,
) -> Compiled {
    let (for_agents, unusable) = rules_for_agents(&documents);
    let (rules, refused) = analyzer::pack::compile(documents, &settings.placeholders());
    refusals.extend(unusable.into_iter().chain(refused));
    Compiled { rules, refusals, files, for_agents: Arc::new(for_agents) }
}

/// Result of reading.
struct Parsed {
    documents: Vec<Document>,
    refusals: Vec<Refusal>,
    files: usize,
}

fn parse(built_in: bool, settings: &RuleSettings) -> Result<Parsed, RulesError> {
    let mut documents: Vec<Document> = Vec::new();
    let mut refusals = Vec::new();
    let mut files = 0;
    if built_in {
        sort(analyzer::pack::documents(), &mut documents, &mut refusals);
    }
    for directory in &settings.directories {
        let mut paths = Vec::new();
        collect(directory, 0, &mut paths)?;
        paths.sort();
        for path in paths {
            let text = read(&path)?;
            sort(sigma::parse(&path.display().to_string(), &text), &mut documents, &mut refusals);
            files += 1;
        }
    }
    Ok(Parsed { documents, refusals, files })
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
