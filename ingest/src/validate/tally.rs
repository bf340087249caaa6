//! Counts of a batch's contents during the walk, compared with the limits. Syntax comes before
//! counts, so an exceeded limit is only noted and the walk continues to the end.

use super::rejection::{Fault, Reason, Rejection};
use crate::limits::Limits;

/// Counts of the batch being walked.
pub(super) struct Tally<'l> {
    limits: &'l Limits,
    resource_groups: u64,
    scopes: u64,
    records: u64,
    every_record_timed: bool,
    /// Index of the record being walked.
    current: Option<u32>,
    /// The first limit of a single item that was exceeded.
    exceeded: Option<Rejection>,
}

/// Contents of a whole batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) records: u32,
    pub(super) every_record_timed: bool,
}

impl<'l> Tally<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            resource_groups: 0,
            scopes: 0,
            records: 0,
            every_record_timed: true,
            current: None,
            exceeded: None,
        }
    }

    pub(super) fn resource_group(&mut self) {
        self.resource_groups += 1;
    }

    pub(super) fn scope(&mut self) {
        self.scopes += 1;
    }

    /// From here on, faults belong to the next record.
    pub(super) fn begin_record(&mut self) {
        self.current = Some(u32::try_from(self.records).unwrap_or(u32::MAX));
    }

    /// The record is complete: it took `bytes` as sent, and has a time of its own or not.
    pub(super) fn end_record(&mut self, bytes: usize, timed: bool) {
        if bytes > self.limits.record_bytes {
            self.exceed("record_bytes", self.limits.record_bytes as u64, bytes as u64);
        }
        self.every_record_timed &= timed;
        self.records += 1;
        self.current = None;
    }

    /// One resource, scope or record has this many attributes.
    pub(super) fn attributes(&mut self, found: u64) {
        if found > u64::from(self.limits.attributes) {
            self.exceed("attributes", u64::from(self.limits.attributes), found);
        }
    }

    /// The level below `depth`, unless that is too deep.
    #[inline]
    pub(super) fn deeper(&self, depth: u32) -> Result<u32, Fault> {
        if depth < self.limits.depth {
            return Ok(depth + 1);
        }
        Err(Reason::TooDeep { allowed: self.limits.depth }.into())
    }

    #[cold]
    fn exceed(&mut self, limit: &'static str, allowed: u64, found: u64) {
        let record = self.current;
        self.exceeded.get_or_insert(Rejection::LimitExceeded { limit, allowed, found, record });
    }

    /// A refusal that names the record being walked.
    pub(super) fn malformed(&self, reason: Reason) -> Rejection {
        Rejection::Malformed { record: self.current, reason }
    }

    /// The batch is whole: its counts, or the limit it passes.
    pub(super) fn finish(mut self) -> Result<Counted, Rejection> {
        self.current = None;
        let totals = [
            ("resource_groups", self.limits.resource_groups, self.resource_groups),
            ("scopes", self.limits.scopes, self.scopes),
            ("records", self.limits.records, self.records),
        ];
        for (limit, allowed, found) in totals {
            if found > u64::from(allowed) {
                self.exceed(limit, u64::from(allowed), found);
            }
        }
        if let Some(exceeded) = self.exceeded {
            return Err(exceeded);
        }
        let records = u32::try_from(self.records).unwrap_or(u32::MAX);
        Ok(Counted { records, every_record_timed: self.every_record_timed })
    }
}
