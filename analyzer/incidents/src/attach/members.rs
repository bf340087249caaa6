//! Records that are members of an incident: an exact set up to a bound, then a count by position. Kept in the ledger as chunks
//! that are appended to, so that a member costs its 16 bytes once.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::identity::RecordId;

/// Number of members that are distinguished exactly (contracts, Incidents: exact to at least 10,000).
pub(crate) const EXACT_MEMBERS: usize = 10_000;
/// Members in one chunk: 8 KiB of ids.
pub(crate) const CHUNK_MEMBERS: usize = 512;

/// The members of one incident.
#[derive(Debug, Default)]
pub(crate) struct Members {
    known: HashSet<RecordId>,
    order: Vec<RecordId>,
    stored: usize,
    beyond: Beyond,
}

/// Members after the exact ones: each record is folded once, so that only the rules of one record
/// must be kept from counting it twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beyond {
    /// Number of members.
    pub count: u64,
    /// The last one.
    pub last: Option<RecordId>,
}

impl Members {
    /// The members whose ids were read back, in order of joining.
    pub(crate) fn restored(order: Vec<RecordId>, beyond: Beyond) -> Self {
        Self { known: order.iter().copied().collect(), stored: order.len(), order, beyond }
    }

    /// Adds a member; returns whether it is new.
    pub(crate) fn insert(&mut self, record: RecordId) -> bool {
        if self.order.len() < EXACT_MEMBERS {
            let new = self.known.insert(record);
            if new {
                self.order.push(record);
            }
            return new;
        }
        if self.known.contains(&record) || self.beyond.last == Some(record) {
            return false;
        }
        self.beyond = Beyond { count: self.beyond.count + 1, last: Some(record) };
        true
    }

    /// Number of members.
    pub(crate) fn count(&self) -> u64 {
        self.order.len() as u64 + self.beyond.count
    }

    /// Those beyond the exact ones.
    pub(crate) fn beyond(&self) -> Beyond {
        self.beyond
    }

    /// Bytes of memory, about.
    pub(crate) fn cost(&self) -> usize {
        self.order.len() * 48
    }

    /// The chunks that changed since they were last stored: number and bytes.
    pub(crate) fn unstored_chunks(&self) -> impl Iterator<Item = (u32, Vec<u8>)> {
        let first = self.stored / CHUNK_MEMBERS;
        let changed = if self.stored < self.order.len() { first } else { usize::MAX };
        self.order.chunks(CHUNK_MEMBERS).enumerate().skip(changed).map(|(number, members)| {
            let mut body = vec![common::row::SCHEMA_VERSION];
            body.extend(members.iter().flat_map(|member| member.0));
            (u32::try_from(number).unwrap_or(u32::MAX), body)
        })
    }

    /// Chunks, and bytes of them, in a commit of the changes.
    pub(crate) fn unstored_cost(&self) -> (usize, usize) {
        if self.stored == self.order.len() {
            return (0, 0);
        }
        let first = self.stored / CHUNK_MEMBERS;
        let changed = self.order.len() - first * CHUNK_MEMBERS;
        (changed.div_ceil(CHUNK_MEMBERS), changed * 16)
    }

    /// Everything is in the ledger now.
    pub(crate) fn stored(&mut self) {
        self.stored = self.order.len();
    }

    /// Reads the ids of a chunk; an incomplete one at its end is left out.
    pub(crate) fn read_chunk(body: &[u8]) -> impl Iterator<Item = RecordId> {
        body.get(1..).unwrap_or_default().as_chunks::<16>().0.iter().map(|id| RecordId(*id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u64) -> RecordId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        RecordId(id)
    }

    #[test]
    fn counts_exactly_then_by_position() {
        let mut members = Members::default();
        for number in 0..EXACT_MEMBERS as u64 + 5 {
            assert!(members.insert(record(number)));
            assert!(!members.insert(record(number)), "a second rule on the same record counts nothing");
        }
        assert_eq!(members.count(), EXACT_MEMBERS as u64 + 5);
    }

    #[test]
    fn chunks_are_appended_and_read_back() {
        let mut members = Members::default();
        for number in 0..CHUNK_MEMBERS as u64 + 1 {
            members.insert(record(number));
        }
        let chunks: Vec<_> = members.unstored_chunks().collect();
        assert_eq!(chunks.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1]);
        members.stored();
        assert_eq!(members.unstored_chunks().count(), 0);
        members.insert(record(9_999));
        assert_eq!(members.unstored_chunks().map(|(number, _)| number).collect::<Vec<_>>(), [1]);
        let order = chunks.iter().flat_map(|(_, body)| Members::read_chunk(body)).collect();
        let restored = Members::restored(order, Beyond::default());
        assert_eq!(restored.count(), CHUNK_MEMBERS as u64 + 1);
    }
}
