//! A matched record, which the four steps take from detection.

use std::sync::Arc;

use common::incident::Entity;

use crate::carried::Carried;
use crate::identity::RecordId;
use crate::note::Note;

/// A record that rules matched.
#[derive(Debug)]
pub struct Matched {
    /// Its identity.
    pub record: RecordId,
    /// Number of events it stands for: senders fold equal lines into one (`event.repeated`).
    pub times: u32,
    /// Its note.
    pub note: Arc<Note>,
    /// Whether it could be read only in part.
    pub partial: bool,
    /// Rules whose match is a finding of its own, with the entity it is about, in the order of the rules.
    pub findings: Vec<(usize, Entity)>,
    /// Rules whose match is only counted by correlations.
    pub silent: Vec<usize>,
    /// Rules for which it is undecided whether they match.
    pub inconclusive: Vec<usize>,
    /// Matches that a filter suppresses.
    pub suppressed: Vec<Suppressed>,
    /// Correlations that count it.
    pub counts: Vec<Count>,
    /// Matches that have no value for a field their correlation groups by.
    pub ungrouped: u32,
    /// Matches that have no value for the field whose values their correlation counts.
    pub without_value: u32,
}

/// A match that a filter suppresses.
#[derive(Clone, Copy, Debug)]
pub struct Suppressed {
    /// The rule that matched.
    pub rule: usize,
    /// The filter.
    pub filter: usize,
}

/// A correlation that counts a record.
#[derive(Clone, Debug)]
pub struct Count {
    /// The correlation.
    pub correlation: usize,
    /// The reference through which it counts the record.
    pub step: u16,
    /// The group.
    pub group: Vec<String>,
    /// Hash of the counted value, or the number that is measured.
    pub value: u64,
    /// Fields that outer correlations will read.
    pub carried: Option<Arc<Carried>>,
}
