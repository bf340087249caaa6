//! One weakness that an engine, or another tool, observed.

use serde::{Deserialize, Serialize};

use crate::level::Level;

/// An observed weakness. Text fields are cut to [`Limits`] by the engine that makes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Id of the check: `engine.family.variant`, or `tool/rule` of another tool.
    pub check: String,
    /// Version of the check or tool; empty when it states none.
    pub check_version: String,
    /// Parts that identify the weakness beside organization, target and check, in a fixed order.
    pub identity: Vec<String>,
    /// One line that names the weakness.
    pub title: String,
    /// Explanation: cause and effect.
    pub description: String,
    /// Severity; `None` when the tool states none.
    pub severity: Option<Level>,
    /// Severity, moved by facts about the target.
    pub risk: Level,
    /// CWE numbers, the most specific first.
    pub cwes: Vec<u32>,
    /// CVSS vector; empty when there is none.
    pub cvss_vector: String,
    /// Address of the advisory that it follows from.
    pub advisory_url: Option<String>,
    /// Locations, the primary one first.
    pub locations: Vec<Location>,
    /// Locations beyond [`Limits::LOCATIONS`], which are only counted.
    pub further_locations: u64,
    /// Data flow from source to sink, in order.
    pub trace: Vec<Location>,
    /// Proof: requests, replies, matched text.
    pub evidence: Vec<Evidence>,
    /// Recommended remedy; empty when there is none.
    pub remedy: String,
    /// Addresses of further reading.
    pub references: Vec<String>,
}

impl Observation {
    /// Joins another observation of the same identity. The higher severity is kept, and the explanation and the trace of this
    /// one; locations, weaknesses and evidence are those of both, within their bounds.
    pub fn join(&mut self, other: Self) {
        self.severity = self.severity.max(other.severity);
        self.risk = self.risk.max(other.risk);
        let is_new = |location: &Location| !self.locations.contains(location);
        let locations = other.locations.into_iter().filter(is_new).collect();
        self.place(locations);
        self.further_locations = self.further_locations.saturating_add(other.further_locations);
        extend(&mut self.cwes, other.cwes, Limits::CWES);
        extend(&mut self.evidence, other.evidence, Limits::EVIDENCE);
        if self.trace.is_empty() {
            self.trace = other.trace;
        }
    }

    /// Adds locations; those beyond the bound are counted.
    pub(crate) fn place(&mut self, locations: Vec<Location>) {
        for location in locations {
            if self.locations.len() < Limits::LOCATIONS {
                self.locations.push(location);
            } else {
                self.further_locations = self.further_locations.saturating_add(1);
            }
        }
    }
}

/// Adds values that are not there yet, up to a bound.
fn extend<T: PartialEq>(values: &mut Vec<T>, others: Vec<T>, most: usize) {
    for value in others {
        if values.len() < most && !values.contains(&value) {
            values.push(value);
        }
    }
}

/// A location in the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Path within a repository, or address of a resource.
    pub path: String,
    /// Lines and columns; `None` when the location is the whole file.
    pub region: Option<Region>,
    /// Text at the location; empty when it is not known.
    pub snippet: String,
    /// Explanation of this location; empty when there is none.
    pub message: String,
}

/// Lines and columns, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// First line.
    pub start_line: u32,
    /// Last line, at least the first.
    pub end_line: u32,
    /// First column; `None` for the whole line.
    pub start_column: Option<u32>,
    /// Column behind the last character.
    pub end_column: Option<u32>,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the evidence, for example `request`.
    pub label: String,
    /// Its text.
    pub text: String,
}

/// Bounds of an observation. Together they keep the rows of a finding within their limits (16 KiB for the summary, 256 KiB for
/// the detail) and its events within 256 KiB, even where each character has four bytes; control characters, which JSON writes
/// with six, are not part of texts.
#[derive(Debug)]
pub enum Limits {}

impl Limits {
    /// Most characters of a title.
    pub const TITLE: usize = 200;
    /// Most characters of a description, which each list entry contains.
    pub const DESCRIPTION: usize = 1_500;
    /// Most characters of a check id, a part of the identity, a path, an address or a label.
    pub const NAME: usize = 500;
    /// Most parts of an identity.
    pub const IDENTITY: usize = 8;
    /// Most CWE numbers.
    pub const CWES: usize = 10;
    /// Most locations that are kept, and most steps of a trace.
    pub const LOCATIONS: usize = 20;
    /// Most characters of a snippet or message.
    pub const SNIPPET: usize = 240;
    /// Most pieces of evidence.
    pub const EVIDENCE: usize = 5;
    /// Most characters of a piece of evidence and of the remedy.
    pub const EVIDENCE_TEXT: usize = 2_000;
    /// Most references.
    pub const REFERENCES: usize = 10;
}
