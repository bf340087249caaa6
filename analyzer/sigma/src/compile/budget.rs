//! Limits of the resources of documents, counted during compilation, so that it stops before exceeding them: bytes of memory,
//! and time. Bytes are an estimate from above of allocator sizes; `tests/own_rules_memory.rs` of the analyzer compares them
//! with the allocated bytes.

use crate::refusal::{Cause, Fault};

/// Bounds of all documents of an organization together.
#[derive(Clone, Copy)]
pub struct Limits<'l> {
    /// Most bytes of the compiled documents.
    pub compiled_bytes: usize,
    /// Called between parts of the work, some thousand times a second; once it returns true, nothing more is compiled.
    pub give_up: &'l dyn Fn() -> bool,
}

impl Limits<'static> {
    /// Bound on compiled bytes, without a time limit.
    #[must_use]
    pub fn of_bytes(compiled_bytes: usize) -> Self {
        Self { compiled_bytes, give_up: &|| false }
    }

    /// As much as there is: for documents of operators.
    #[must_use]
    pub fn none() -> Self {
        Self::of_bytes(usize::MAX)
    }
}

/// Cost of a document besides its parts: its description, its plan and its places in tables.
const DOCUMENT: usize = 3 << 10;
/// A test, and its entries in the index of candidates.
const TEST: usize = 448;
/// The texts of a test are stored in it, in an index, and in the index's keys.
const COPIES_OF_TEXT: usize = 3;
/// A part of a text between wildcards.
const TEXT_PART: usize = 96;
/// A regular expression besides its program.
const EXPRESSION: usize = 4 << 10;
/// Bytes that each thread may remember of the expressions of an organization: all deterministic states of some
/// seventy expressions like those of public rules. Searches for others are charged for the states of their programs.
const MOST_REMEMBERED: usize = 2 << 20;
/// A part of a condition.
const CONDITION_PART: usize = 64;
/// A field, with the names that events may have for it.
const FIELD: usize = 1 << 10;
/// A rule that a filter applies to, or that a correlation counts: the second may change its effects.
const FILTERED_RULE: usize = 24;
const COUNTED_RULE: usize = 768;
/// A name of a field that a correlation reads.
const NAME: usize = 64;

/// Resources used so far.
pub(super) struct Budget<'l> {
    limits: Limits<'l>,
    /// By documents that were compiled.
    taken: usize,
    /// By the document that is being compiled.
    taking: usize,
    /// By the states that threads cache for metered expressions.
    remembered: usize,
}

impl<'l> Budget<'l> {
    pub(super) fn of(limits: Limits<'l>) -> Self {
        Self { limits, taken: 0, taking: 0, remembered: 0 }
    }

    /// Begins with a document.
    pub(super) fn begin(&mut self, text: &str) -> Result<(), Fault> {
        self.taking = 0;
        self.spend(DOCUMENT + text.len())
    }

    /// Ends a document; one that is not kept takes nothing.
    pub(super) fn end(&mut self, is_kept: bool) {
        self.taken += if is_kept { self.taking } else { 0 };
        self.taking = 0;
    }

    /// Resources of all documents that were kept.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Memory of the texts of a test, by their bytes and number of parts.
    pub(super) fn text(&mut self, bytes: usize, parts: usize) -> Result<(), Fault> {
        self.spend(bytes.saturating_mul(COPIES_OF_TEXT).saturating_add(parts.saturating_mul(TEXT_PART)))
    }

    pub(super) fn tests(&mut self, count: usize) -> Result<(), Fault> {
        self.spend(count.saturating_mul(TEST))
    }

    pub(super) fn condition(&mut self, parts: usize) -> Result<(), Fault> {
        self.spend(parts.saturating_mul(CONDITION_PART))
    }

    pub(super) fn field(&mut self) -> Result<(), Fault> {
        self.spend(FIELD)
    }

    pub(super) fn filtered_rules(&mut self, count: usize) -> Result<(), Fault> {
        self.spend(count.saturating_mul(FILTERED_RULE))
    }

    pub(super) fn counted_rules(&mut self, count: usize) -> Result<(), Fault> {
        self.spend(count.saturating_mul(COUNTED_RULE))
    }

    pub(super) fn names(&mut self, names: &[String]) -> Result<(), Fault> {
        self.spend(names.iter().map(|name| NAME + 2 * name.len()).sum())
    }

    /// Memory of a regular expression, by the bytes of its program.
    pub(super) fn expression(&mut self, program_bytes: usize) -> Result<(), Fault> {
        self.spend(program_bytes.saturating_add(EXPRESSION))
    }

    /// Reserves bytes that each thread may remember; returns whether there was room. Documents reserve in their order, so
    /// that the same documents always get the same room.
    pub(super) fn remember(&mut self, bytes: usize) -> bool {
        let remembered = self.remembered + bytes;
        let has_room = remembered <= MOST_REMEMBERED;
        if has_room {
            self.remembered = remembered;
        }
        has_room
    }

    /// Bytes that each thread remembers at most.
    pub(super) fn remembered(&self) -> usize {
        self.remembered
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Fault> {
        if (self.limits.give_up)() {
            return Err(Cause::GivenUp.into());
        }
        self.taking = self.taking.saturating_add(bytes);
        let found = self.taken.saturating_add(self.taking);
        let limit = self.limits.compiled_bytes;
        if found > limit { Err(Cause::CompiledBytes { found, limit }.into()) } else { Ok(()) }
    }
}
