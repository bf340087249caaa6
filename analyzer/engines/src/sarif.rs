//! Reads the results of other tools in SARIF 2.1.0 (OASIS standard, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>) as
//! observations. Sections named in this module are those of the standard.
//!
//! Steps, in the order of the path of a result: `document` and `result` are the objects of a log, read with `lenient` bounds;
//! `rules` finds the rule of a result and its `known` facts, among them `severity` and `cwe` numbers; `message` is its text;
//! `locate` its locations, with `paths` from the addresses of files (`address`); `web` its evidence; `identity` the parts that
//! identify it; `observe` puts them together; `merge` joins observations of one identity.
//!
//! Paths are relative to the repository where the caller states its directory (`root`) or the log does, by `mappedTo` of the
//! repository, the base `SRCROOT`, the base of the address or the working directory, in this order. Otherwise an absolute address
//! stays an absolute path, which is part of the identity.
//!
//! Snippets and evidence are text of the analysed program and may contain secrets, which this crate does not look for.

mod address;
mod cwe;
mod document;
mod identity;
mod known;
mod lenient;
mod locate;
mod merge;
mod message;
mod observe;
mod paths;
mod result;
mod root;
mod rules;
mod severity;
mod web;

use serde_json::value::RawValue;
use thiserror::Error;

use crate::Observation;
use crate::text::cut;
use address::is_absolute;
use document::{Document, Run};
use merge::Merged;
use observe::Observer;
pub use root::{Root, RootError};

/// Most bytes of a log. GitHub accepts 10 MiB after compression; the results of a large repository have a few MiB.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;
/// Most runs of a log: tools write one for each language or project.
pub const MAX_RUNS: usize = 100;
/// Most results of a log, so that an import is a few dozen commits of the ledger.
pub const MAX_RESULTS: usize = 5_000;
/// Most bytes of text in the observations of a log, four times the log: results may share a text, which each observation
/// contains, so that a small log could otherwise become hundreds of MiB.
pub const MAX_TEXT: usize = 4 * MAX_BYTES;

/// Most characters of the log that an error quotes.
const MAX_QUOTE: usize = 200;

/// The results of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Observations in the order of their first result; no two have the same check and identity.
    pub observations: Vec<ToolObservation>,
    /// The outcome of each result, in the order of the log: its runs one after the other.
    pub results: Vec<ResultOutcome>,
}

/// An observation of another tool. Its `check` is `tool/rule`, its `check_version` the version of the tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolObservation {
    /// Name of the tool.
    pub tool: String,
    /// The observation.
    pub observation: Observation,
}

/// The outcome of one result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultOutcome {
    /// It is part of the observation at this position of [`Log::observations`].
    Observation(usize),
    /// It is not part of any.
    Rejected(Rejection),
}

/// The reason why a result is no observation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected {expected}, found {found}")]
pub struct Rejection {
    /// Expected content.
    pub expected: &'static str,
    /// Content of the log in its place.
    pub found: String,
}

impl Rejection {
    fn new(expected: &'static str, found: String) -> Self {
        Self { expected, found: cut(&found, MAX_QUOTE) }
    }

    fn missing(expected: &'static str) -> Self {
        Self::new(expected, "none".to_owned())
    }

    fn malformed(expected: &'static str, error: &serde_json::Error) -> Self {
        Self::new(expected, without_place(error))
    }
}

/// The reason why a log cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SarifError {
    /// The log is longer than [`MAX_BYTES`].
    #[error("expected at most {MAX_BYTES} bytes, found {found}")]
    TooLarge {
        /// Bytes of the log.
        found: usize,
    },
    /// The log is not UTF-8.
    #[error("expected UTF-8, found another byte at offset {offset}")]
    Encoding {
        /// Offset of the first byte that is not part of a character.
        offset: usize,
    },
    /// The log is not JSON, or an object that all results share has another form than the standard defines.
    #[error("expected SARIF 2.1.0 in JSON, found {found}")]
    Malformed {
        /// The error of the JSON reader, with line and column.
        found: String,
    },
    /// Another version of SARIF, or none.
    #[error("expected version \"2.1.0\", found {found}")]
    Version {
        /// The version as written.
        found: String,
    },
    /// The log has no array of runs.
    #[error("expected an array `runs`, found none")]
    NoRuns,
    /// The log has more than [`MAX_RUNS`] runs.
    #[error("expected at most {MAX_RUNS} runs, found {found}")]
    TooManyRuns {
        /// Number of runs.
        found: usize,
    },
    /// The log has more than [`MAX_RESULTS`] results.
    #[error("expected at most {MAX_RESULTS} results, found {found}")]
    TooManyResults {
        /// Number of results in all runs.
        found: usize,
    },
    /// The caller states a root, and every file of the log lies outside of it.
    #[error("expected files below the stated root, found {found:?}")]
    OutsideOfRoot {
        /// Path of one of the files.
        found: String,
    },
}

/// Reads a log. The same bytes and root give the same observations.
///
/// # Errors
/// When the log as a whole is not SARIF 2.1.0 within the bounds, or none of its files is below the stated root.
pub fn read(bytes: &[u8], root: Option<&Root>) -> Result<Log, SarifError> {
    if bytes.len() > MAX_BYTES {
        return Err(SarifError::TooLarge { found: bytes.len() });
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| SarifError::Encoding { offset: error.valid_up_to() })?;
    // RFC 8259, section 8.1: a reader may ignore a byte order mark. Tools on Windows write it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: Document<'_> = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    check_version(document.version)?;
    let runs = document.runs.ok_or(SarifError::NoRuns)?;
    if runs.count > MAX_RUNS {
        return Err(SarifError::TooManyRuns { found: runs.count });
    }
    let runs = runs.items.iter().map(|raw| serde_json::from_str(raw.get()));
    let runs: Vec<Run<'_>> = runs.collect::<Result<_, _>>().map_err(|error| in_run(&error))?;
    let found = runs.iter().map(|run| run.results.count).sum();
    if found > MAX_RESULTS {
        return Err(SarifError::TooManyResults { found });
    }
    let mut merged = Merged::default();
    let results = runs.iter().flat_map(|run| outcomes(run, root, &mut merged)).collect();
    let observations = merged.observations;
    match root.and_then(|_| outside(&observations)) {
        Some(found) => Err(SarifError::OutsideOfRoot { found: cut(found, MAX_QUOTE) }),
        None => Ok(Log { observations, results }),
    }
}

fn outcomes(run: &Run<'_>, root: Option<&Root>, merged: &mut Merged) -> Vec<ResultOutcome> {
    let mut observer = Observer::of(run, root);
    let mut outcome = |raw: &&RawValue| {
        let observed = observer.as_mut().map_err(|rejection| rejection.clone())?.observe(raw)?;
        merged.add(observed)
    };
    run.results.items.iter().map(|raw| outcome(raw).unwrap_or_else(ResultOutcome::Rejected)).collect()
}

/// An absolute path, if all paths are: then the stated root is not that of the files. Some may be, as those of the libraries of
/// a machine are.
fn outside(observations: &[ToolObservation]) -> Option<&str> {
    let mut paths =
        observations.iter().flat_map(|one| &one.observation.locations).map(|location| location.path.as_str());
    let first = paths.next()?;
    (is_absolute(first) && paths.all(is_absolute)).then_some(first)
}

fn check_version(version: Option<&RawValue>) -> Result<(), SarifError> {
    match version.map(RawValue::get) {
        Some("\"2.1.0\"") => Ok(()),
        Some(other) => Err(SarifError::Version { found: cut(other, MAX_QUOTE) }),
        None => Err(SarifError::Version { found: "none".to_owned() }),
    }
}

fn malformed(error: &serde_json::Error) -> SarifError {
    SarifError::Malformed { found: cut(&error.to_string(), MAX_QUOTE) }
}

/// An error within a run, whose line and column would be those within the run.
fn in_run(error: &serde_json::Error) -> SarifError {
    SarifError::Malformed { found: cut(&format!("a run with {}", without_place(error)), MAX_QUOTE) }
}

/// An error without line and column, which are relative to the part that was read.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(reason, _)| reason.to_owned())
}
