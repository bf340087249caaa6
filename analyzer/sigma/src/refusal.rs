//! Reasons why a document is not used: its place, the field, and the fault. Nothing here decides refusals; parsing and
//! compiling do, and they never use a part of a refused document.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// File and position of a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file, as the caller named it.
    pub file: Arc<str>,
    /// Number of the document in its file, from 1.
    pub document: u32,
    /// First line of the document, from 1; in a refusal, the line of the field where it was found.
    pub line: u32,
}

/// A document that is not used, and why.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}:{}: {}{}{cause}", origin.file, origin.line, Titled(rule.as_deref()), Placed(field))]
pub struct Refusal {
    /// File and position of the document.
    pub origin: Origin,
    /// Its id, else its title, where one was read.
    pub rule: Option<Box<str>>,
    /// Path of the field, for example `detection.selection.Image|windash`; empty for the whole document.
    pub field: Box<str>,
    /// The fault.
    pub cause: Cause,
}

struct Titled<'a>(Option<&'a str>);

impl fmt::Display for Titled<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |rule| write!(formatter, "rule \"{rule}\": "))
    }
}

struct Placed<'a>(&'a str);

impl fmt::Display for Placed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, "{}: ", self.0) }
    }
}

/// Reason why a field is refused. The words are for people; [`Cause::kind`] is for counting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// Not YAML, or YAML that is not read here.
    #[error("not readable as YAML: {0}")]
    Yaml(Box<str>),
    /// More than is read.
    #[error("{what}: more than {limit}")]
    TooLarge {
        /// Name of the exceeded quantity.
        what: &'static str,
        /// Its limit.
        limit: usize,
    },
    /// A required field is not there.
    #[error("is required")]
    Missing,
    /// A value of another type, or outside what its type may hold.
    #[error("expected {expected}, found {found}")]
    Invalid {
        /// The accepted values.
        expected: &'static str,
        /// The value found.
        found: Box<str>,
    },
    /// A key that would change the meaning, in a place where all keys are known.
    #[error("unknown key")]
    UnknownKey,
    /// No modifier of the language.
    #[error("unknown modifier `{0}`")]
    UnknownModifier(Box<str>),
    /// A placeholder that the caller has not defined.
    #[error("placeholder `%{0}%` is not defined")]
    UndefinedPlaceholder(Box<str>),
    /// Modifiers, or a modifier and a value, that have no meaning together.
    #[error("{0}")]
    Modifiers(Box<str>),
    /// A regular expression that does not compile within the size limit. Look-around and
    /// back-references are not supported.
    #[error("regular expression: {0}")]
    Regex(Box<str>),
    /// Not a network in CIDR notation.
    #[error("network `{0}`: expected an IPv4 or IPv6 network in CIDR notation without host bits")]
    Network(Box<str>),
    /// A condition that does not follow the grammar.
    #[error("condition: {0}")]
    Condition(Box<str>),
    /// The aggregation expressions of old rules.
    #[error("aggregation after a pipe is the legacy form; write a correlation document instead")]
    LegacyAggregation,
    /// A condition names a selection that is not there.
    #[error("no selection is named or matches `{0}`")]
    UnknownSelection(Box<str>),
    /// A part of the language that is not supported here.
    #[error("{0} is not supported")]
    Unsupported(Box<str>),
    /// A reference to a rule that is not loaded.
    #[error("refers to `{0}`, which is not loaded or was refused")]
    UnknownReference(Box<str>),
    /// A correlation that refers to itself, directly or through others, or through more others than
    /// events are passed on.
    #[error("refers to itself, or through too many other correlations, by `{0}`")]
    Cycle(Box<str>),
    /// An id, a name or a reference is used twice.
    #[error("`{what}` is already used by {by}")]
    Duplicate {
        /// The id or name.
        what: Box<str>,
        /// The document that used it first.
        by: Box<str>,
    },
    /// All documents of an organization together take too much memory once they are compiled.
    #[error(
        "expected at most {limit} bytes of compiled rules and suppressions of the organization, found {found} with \
         this one; shorten lists of values, use fewer expressions, or delete others"
    )]
    CompiledBytes {
        /// Amount at which compiling stopped.
        found: usize,
        /// Most that is allowed.
        limit: usize,
    },
    /// Compiling was given up, as the caller wanted.
    #[error("compiling took too long")]
    GivenUp,
    /// A filter names a rule of another log source, to which it could never apply.
    #[error("rule `{0}` has a log source that the filter does not apply to")]
    LogSource(Box<str>),
    /// An attribute beyond the language without the form that its users need.
    #[error("{0}")]
    Attribute(Box<str>),
}

impl Cause {
    /// A short stable word for counting refusals by cause.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Yaml(_) => "yaml",
            Self::TooLarge { .. } => "too_large",
            Self::Missing => "missing",
            Self::Invalid { .. } => "invalid",
            Self::UnknownKey => "unknown_key",
            Self::UnknownModifier(_) => "unknown_modifier",
            Self::UndefinedPlaceholder(_) => "undefined_placeholder",
            Self::Modifiers(_) => "modifiers",
            Self::Regex(_) => "regex",
            Self::Network(_) => "network",
            Self::Condition(_) => "condition",
            Self::LegacyAggregation => "legacy_aggregation",
            Self::UnknownSelection(_) => "unknown_selection",
            Self::Unsupported(_) => "unsupported",
            Self::UnknownReference(_) => "unknown_reference",
            Self::Cycle(_) => "cycle",
            Self::Duplicate { .. } => "duplicate",
            Self::LogSource(_) => "log_source",
            Self::Attribute(_) => "attribute",
            Self::CompiledBytes { .. } => "compiled_bytes",
            Self::GivenUp => "given_up",
        }
    }

    pub(crate) fn invalid(expected: &'static str, found: impl Into<Box<str>>) -> Self {
        Self::Invalid { expected, found: found.into() }
    }
}

/// A cause on its way up to the document: the path grows outwards, one segment a level.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Innermost segment first.
    path: Vec<String>,
    /// Line of the document, from 1, where that is known better than by the path.
    line: Option<u32>,
    cause: Cause,
}

impl From<Cause> for Fault {
    fn from(cause: Cause) -> Self {
        Self { path: Vec::new(), line: None, cause }
    }
}

impl Fault {
    /// The same fault, seen from the field that holds it.
    pub(crate) fn within(mut self, segment: impl Into<String>) -> Self {
        self.path.push(segment.into());
        self
    }

    /// The same fault, on a line of the document, from 1.
    pub(crate) fn on_line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// The line of the document, from 1, where it is known.
    pub(crate) fn line(&self) -> Option<u32> {
        self.line
    }

    /// The path from the outside in.
    pub(crate) fn path(&self) -> Vec<&str> {
        self.path.iter().rev().map(String::as_str).collect()
    }

    /// The refusal of the document this fault was found in.
    pub(crate) fn refuse(self, origin: Origin, rule: Option<&str>) -> Refusal {
        let field = self.path().join(".").into_boxed_str();
        Refusal { origin, rule: rule.map(Box::from), field, cause: self.cause }
    }
}
