//! The judge: knows the appended batches and the answers to their senders, and checks the log against them.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::ids::{OrganizationId, SourceId};
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use uuid::Uuid;

use super::super::shared::Shared;
use crate::{Entry, FetchError};

/// Known fate of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The sender got no answer.
    Waiting,
    /// Certainly not in the log.
    Refused,
    /// May be in the log.
    Unknown,
    /// In the log for good: acknowledged, or read once.
    Durable(u64),
}

struct Offered {
    partition: Partition,
    batch: Batch,
    fate: Fate,
}

pub(super) struct Model {
    offered: Vec<Offered>,
    by_offset: BTreeMap<u64, u64>,
    released: Vec<u64>,
}

/// Findings of reading a partition.
#[derive(Default)]
pub(super) struct Seen {
    /// Batches there whose senders got no answer.
    pub(super) unknown: u64,
    /// Whether released batches were missing.
    pub(super) trimmed: bool,
}

impl Model {
    pub(super) fn new(partitions: u16) -> Self {
        Self { offered: Vec::new(), by_offset: BTreeMap::new(), released: vec![0; usize::from(partitions)] }
    }

    /// Makes a batch that differs from all others.
    pub(super) fn offer(&mut self, partition: Partition, size: usize) -> (u64, Batch) {
        let id = self.offered.len() as u64;
        let mut payload = id.to_le_bytes().repeat(size / 8 + 2);
        payload.truncate(size + 8);
        let headers = BatchHeaders {
            organization: OrganizationId(Uuid::from_u128(1)),
            source: SourceId(Uuid::from_u128(u128::from(id))),
            application_group: "shop".to_owned(),
            environment: "production".to_owned(),
            received_at: Timestamp(3),
            digest: [4; 32],
            idempotency: id.is_multiple_of(2).then_some([5; 32]),
            every_record_timed: true,
            record_count: 1,
            tick: false,
            fingerprints: common::fingerprint::Fingerprints::default(),
        };
        let batch = Batch { headers, payload: Bytes::from(payload) };
        self.offered.push(Offered { partition, batch: batch.clone(), fate: Fate::Waiting });
        (id, batch)
    }

    pub(super) fn refused(&mut self, id: u64) {
        self.offered[id as usize].fate = Fate::Refused;
    }

    pub(super) fn unknown(&mut self, id: u64) {
        self.offered[id as usize].fate = Fate::Unknown;
    }

    pub(super) fn acknowledged(&mut self, id: u64, offset: u64) -> Result<(), String> {
        match self.by_offset.insert(offset, id) {
            None => {}
            Some(other) => return Err(format!("batches {other} and {id} were both given offset {offset}")),
        }
        self.offered[id as usize].fate = Fate::Durable(offset);
        Ok(())
    }

    pub(super) fn release(&mut self, partition: Partition, through: u64) {
        let released = &mut self.released[usize::from(partition.0)];
        *released = through.max(*released);
    }

    /// Offset of the last batch of a partition known to be durable.
    pub(super) fn end(&self, partition: Partition) -> u64 {
        let of_partition = |id: &&u64| self.offered[**id as usize].partition == partition;
        let last = self.by_offset.iter().rfind(|(_, id)| of_partition(id));
        last.map_or(0, |(offset, _)| *offset)
    }

    /// Reads a partition and compares. Where the disk is `sound`, reading must succeed.
    pub(super) fn check_partition(
        &mut self,
        log: &Shared,
        partition: Partition,
        sound: bool,
    ) -> Result<Seen, String> {
        let released = self.released[usize::from(partition.0)];
        let mut seen = Seen::default();
        let entries = match read_all(log, partition, 1) {
            Err(FetchError::Trimmed { oldest, .. })
                if oldest <= released + 1 || self.end(partition) < oldest =>
            {
                seen.trimmed = true;
                read_all(log, partition, released + 1)
            }
            Err(FetchError::Trimmed { oldest, .. }) => {
                let unreleased = self.unreleased(partition);
                if unreleased.first().is_some_and(|first| *first < oldest) {
                    return Err(format!(
                        "{partition:?} has only {oldest}.., {unreleased:?} were not released"
                    ));
                }
                seen.trimmed = true;
                read_all(log, partition, oldest)
            }
            other => other,
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(FetchError::Unavailable { .. }) if !sound => return Ok(seen),
            Err(error) => return Err(format!("{partition:?} cannot be read: {error}")),
        };
        self.compare(partition, &entries, &mut seen)?;
        let (end, expected) = (log.end(partition).map(|end| *end.borrow()), self.end(partition));
        if end != Ok(expected) {
            return Err(format!("{partition:?} ends at {end:?}, expected {expected}"));
        }
        Ok(seen)
    }

    fn compare(&mut self, partition: Partition, entries: &[Entry], seen: &mut Seen) -> Result<(), String> {
        let mut before = None;
        let mut found = BTreeSet::new();
        for entry in entries {
            let id = entry.batch.headers.source.0.as_u128() as u64;
            if before.is_some_and(|before| (entry.offset.0, id) <= before || id <= before.1) {
                return Err(format!("offset {} with batch {id} follows {before:?}", entry.offset.0));
            }
            before = Some((entry.offset.0, id));
            found.insert(entry.offset.0);
            self.compare_one(partition, entry, id, seen)?;
        }
        let missing: Vec<_> = self.unreleased(partition).difference(&found).copied().collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("{partition:?} has lost {missing:?}")) }
    }

    fn compare_one(
        &mut self,
        partition: Partition,
        entry: &Entry,
        id: u64,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let offset = entry.offset.0;
        let offered = self.offered.get(id as usize).ok_or_else(|| format!("nobody offered batch {id}"))?;
        if (offered.partition, &offered.batch) != (partition, &entry.batch) {
            return Err(format!("batch {id} at {offset} is not what was offered"));
        }
        match offered.fate {
            Fate::Durable(expected) if expected == offset => Ok(()),
            Fate::Unknown => {
                seen.unknown += 1;
                self.acknowledged(id, offset)
            }
            fate => Err(format!("batch {id} is at {offset}, but its fate is {fate:?}")),
        }
    }

    fn unreleased(&self, partition: Partition) -> BTreeSet<u64> {
        let released = self.released[usize::from(partition.0)];
        let after = self.by_offset.range(released + 1..);
        after
            .filter(|(_, id)| self.offered[**id as usize].partition == partition)
            .map(|(offset, _)| *offset)
            .collect()
    }
}

fn read_all(log: &Shared, partition: Partition, from: u64) -> Result<Vec<Entry>, FetchError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut from = Offset(from);
    loop {
        let more = log.read(partition, from, 5_000)?;
        let Some(last) = more.last() else { return Ok(entries) };
        from = last.offset.next();
        entries.extend(more);
    }
}
