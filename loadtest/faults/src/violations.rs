//! Violations, collected by kind and bounded.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use thiserror::Error;

use crate::account::Review;
use crate::chaos::input::SourceRef;

/// Violations kept of each kind; the rest is counted. One defect of a server may affect
/// every answer, and must not hide another defect.
pub(crate) const MOST_OF_A_KIND: usize = 10;

/// A violation, found by any mode.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Violation {
    #[error("{address} at source {source_id} has no incident, {acknowledged} records were acknowledged")]
    Missing { source_id: String, address: String, acknowledged: u64 },
    #[error("{address} at source {source_id} counts {found} records, {acknowledged} were acknowledged")]
    TooFew { source_id: String, address: String, found: u64, acknowledged: u64 },
    #[error("{address} at source {source_id} counts {found} records, allowed are {allowed:?}")]
    TooMany { source_id: String, address: String, found: u64, allowed: Vec<u64> },
    #[error("{address} at source {source_id} has {} incidents: {}", incidents.len(), incidents.join(", "))]
    Twice { source_id: String, address: String, incidents: Vec<String> },
    #[error("{incident} is there more than once")]
    Doubled { incident: String },
    #[error("incident {incident} about {kind} {entity} at source {source_id}: nothing of the kind was sent")]
    Foreign { incident: String, source_id: String, kind: String, entity: String },
    #[error(
        "{place}: {kind} {entity} should have one incident of family {family} with {expected} records, found {found:?}"
    )]
    Count {
        place: SourceRef,
        family: &'static str,
        kind: &'static str,
        entity: String,
        expected: u64,
        found: Vec<u64>,
    },
    #[error("{incident}: {field} is {found} under faults and {expected} without")]
    Different { incident: String, field: String, found: String, expected: String },
    #[error("{incident} is there under faults only")]
    OnlyUnderFaults { incident: String },
    #[error("{incident} is there without faults only")]
    OnlyWithout { incident: String },
    #[error("organization {organization}: {what}")]
    Tenant { organization: usize, what: String },
    #[error("incident {incident} has {found:?}, expected one of {possible:?}")]
    Review { incident: String, found: Review, possible: Vec<Review> },
    #[error("incident {incident} is at version {version} with {history:?} reviews in its history")]
    History { incident: String, version: u64, history: Option<u64> },
    #[error("incident {incident} was reviewed and is not there")]
    ReviewLost { incident: String },
    #[error("{incident}: {what}")]
    Reviewing { incident: String, what: String },
    #[error("{name:?} exists {} times: {found:?}, expected {}", found.len(), id.as_deref().unwrap_or("at most one"))]
    Source { name: String, id: Option<String>, found: Vec<String> },
    #[error("after another kill, with nothing sent, incident {incident}: {what}")]
    Changed { incident: String, what: String },
    #[error("{what} was answered {status}, expected {expected} or 503 with Retry-After: {body}")]
    Answer { what: String, status: u16, expected: u16, body: String },
    #[error("{what}: {cause}")]
    Silence { what: String, cause: String },
    #[error("{what} was refused with 503, without Retry-After")]
    Impolite { what: String },
    #[error("{what}")]
    Contradiction { what: String },
    #[error("the last records of source {source_id} were not analysed within {seconds} s")]
    Stuck { source_id: String, seconds: u64 },
    #[error("{what}")]
    Server { what: String },
    #[error("{what}")]
    Process { what: String },
    #[error("{what}")]
    Run { what: String },
}

impl Violation {
    /// Name of its kind.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Missing { .. } | Self::TooFew { .. } => "LOST",
            Self::TooMany { .. } | Self::Twice { .. } | Self::Doubled { .. } => "DOUBLED",
            Self::Foreign { .. } => "FOREIGN",
            Self::Count { .. } => "COUNT",
            Self::Different { .. } => "DIFFERENT",
            Self::OnlyUnderFaults { .. } => "EXTRA",
            Self::OnlyWithout { .. } => "MISSING",
            Self::Tenant { .. } => "TENANT",
            Self::Review { .. } | Self::History { .. } | Self::ReviewLost { .. } | Self::Reviewing { .. } => {
                "REVIEW"
            }
            Self::Source { .. } => "SOURCE",
            Self::Changed { .. } => "CHANGED",
            Self::Answer { .. } | Self::Silence { .. } => "ANSWER",
            Self::Impolite { .. } => "IMPOLITE",
            Self::Contradiction { .. } => "CONTRADICTION",
            Self::Stuck { .. } => "STUCK",
            Self::Server { .. } => "SERVER",
            Self::Process { .. } => "PROCESS",
            Self::Run { .. } => "RUN",
        }
    }
}

/// Violations by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Violations(BTreeMap<&'static str, OfAKind>);

/// Violations of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfAKind {
    /// Their total number.
    pub(crate) count: u64,
    /// The first of them.
    pub(crate) first: Vec<Violation>,
}

impl Violations {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Kind by kind.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &OfAKind)> {
        self.0.iter().map(|(kind, of_a_kind)| (*kind, of_a_kind))
    }

    /// Counts one more, and keeps it if it is among the first; returns whether it is.
    pub(crate) fn add(&mut self, violation: Violation) -> bool {
        let of_a_kind = self.0.entry(violation.kind()).or_default();
        of_a_kind.count += 1;
        let is_kept = of_a_kind.first.len() < MOST_OF_A_KIND;
        if is_kept {
            of_a_kind.first.push(violation);
        }
        is_kept
    }

    /// Writes the end of a report: the directory that is kept, if one is, and the violations, or that there are `none`.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, kept: Option<&Path>, none: &str) -> fmt::Result {
        if let Some(kept) = kept {
            writeln!(f, "kept         {}", kept.display())?;
        }
        if self.is_empty() {
            return writeln!(f, "violations   {none}");
        }
        let count: u64 = self.0.values().map(|of_a_kind| of_a_kind.count).sum();
        write!(f, "violations   {count}\n{self}")
    }
}

impl fmt::Display for Violations {
    /// A line for each that is kept, and one for the rest of its kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, of_a_kind) in self.iter() {
            for violation in &of_a_kind.first {
                writeln!(f, "  {kind}: {violation}")?;
            }
            let further = of_a_kind.count - of_a_kind.first.len() as u64;
            if further > 0 {
                writeln!(f, "  {kind}: {further} more")?;
            }
        }
        Ok(())
    }
}
