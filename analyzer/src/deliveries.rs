//! Deliveries that were folded already: 24 hours back and a bounded number per source, kept with the rest of the state. Beyond
//! that horizon nothing is promised.

mod remembered;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use common::ids::SourceId;
use common::timestamp::Timestamp;

use incidents::rows::{self, PendingDeletes};

use crate::identity::DeliveryId;
use remembered::Remembered;

/// Time that a delivery is remembered, in the log's time.
pub(crate) const HORIZON: Duration = Duration::from_secs(24 * 60 * 60);
/// Deliveries in one row: 10 KiB, which a flush rewrites at most.
const CHUNK_DELIVERIES: usize = 256;
/// Bytes of one delivery in a row: source, delivery, time.
const ENTRY_BYTES: usize = 16 + 16 + 8;

/// The remembered deliveries of a partition: by source, and the row of each.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    of_source: HashMap<SourceId, Remembered>,
    full: BTreeMap<u64, FullRow>,
    number: u64,
    filling: Vec<Entry>,
    unwritten: BTreeMap<u64, Vec<u8>>,
    changed: bool,
    emptied: Vec<u64>,
}

/// A row that takes in no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FullRow {
    newest: Timestamp,
    remembered: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    source: SourceId,
    delivery: DeliveryId,
    log_time: Timestamp,
}

/// The same, shared by the fold and the matching ahead of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedDeliveries(Arc<Mutex<Deliveries>>);

impl SharedDeliveries {
    /// Held for a look or a change, never while anything is awaited.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Deliveries> {
        // No change panics half-way; and after a panic of the fold the state is read again.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deliveries {
    /// Whether a delivery with one of these marks was folded already.
    pub(crate) fn contains_any(&self, source: SourceId, marks: &[DeliveryId]) -> bool {
        marks.iter().any(|mark| self.contains(source, mark))
    }

    /// Whether a delivery was folded already.
    pub(crate) fn contains(&self, source: SourceId, delivery: &DeliveryId) -> bool {
        self.of_source.get(&source).is_some_and(|remembered| remembered.contains(delivery))
    }

    /// Remembers a delivery.
    pub(crate) fn insert(&mut self, source: SourceId, delivery: DeliveryId, log_time: Timestamp) {
        if self.contains(source, &delivery) {
            return;
        }
        if self.filling.len() >= CHUNK_DELIVERIES {
            self.unwritten.insert(self.number, encode(&self.filling));
            self.begin_row(self.number + 1);
        }
        self.filling.push(Entry { source, delivery, log_time });
        self.changed = true;
        self.remember(source, delivery);
    }

    /// Forgets deliveries that are older than the horizon. Called at fixed places in the log only.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp) {
        let oldest = log_time.minus(HORIZON);
        // The row being filled stays, so that the numbers continue to rise.
        let expired = self.full.iter().take_while(|(_, row)| row.newest < oldest).last();
        let Some(last) = expired.map(|(number, _)| *number) else { return };
        self.of_source.retain(|_, remembered| {
            while remembered.pop_if(|number| number <= last).is_some() {}
            !remembered.is_empty()
        });
        let kept = self.full.split_off(&(last + 1));
        let expired = std::mem::replace(&mut self.full, kept);
        self.unwritten.retain(|number, _| *number > last);
        self.emptied.extend(expired.into_keys());
    }

    /// Rows and bytes, about, of the changes since the last [`Self::take_changes`].
    pub(crate) fn pending_cost(&self) -> (usize, usize) {
        let rows = self.unwritten.len() + usize::from(self.changed);
        (rows, rows * CHUNK_DELIVERIES * ENTRY_BYTES)
    }

    /// Rows to write since the last call.
    pub(crate) fn take_changes(&mut self, pending_deletes: &mut PendingDeletes) -> Vec<(Bytes, Vec<u8>)> {
        let mut rows = std::mem::take(&mut self.unwritten);
        if std::mem::take(&mut self.changed) {
            rows.insert(self.number, encode(&self.filling));
        }
        for number in std::mem::take(&mut self.emptied) {
            pending_deletes.push(row_key(number));
        }
        rows.into_iter().map(|(number, body)| (row_key(number), body)).collect()
    }

    /// Reads a row back. Rows are read in the order of their numbers.
    pub(crate) fn restore(&mut self, number: u64, body: &[u8]) {
        if !self.filling.is_empty() {
            self.begin_row(number);
        }
        self.number = number;
        self.filling = decode(body).collect();
        for entry in self.filling.clone() {
            self.remember(entry.source, entry.delivery);
        }
    }

    fn begin_row(&mut self, number: u64) {
        let filled = std::mem::take(&mut self.filling);
        let newest = filled.iter().map(|entry| entry.log_time).max().unwrap_or_default();
        self.full.insert(self.number, FullRow { newest, remembered: filled.len() });
        self.number = number;
    }

    fn remember(&mut self, source: SourceId, delivery: DeliveryId) {
        let forgotten = self.of_source.entry(source).or_default().push(delivery, self.number);
        let Some((_, number)) = forgotten else { return };
        // The source's bound is many rows long: the oldest is never in the row being filled.
        let Some(row) = self.full.get_mut(&number) else { return };
        row.remembered = row.remembered.saturating_sub(1);
        if row.remembered == 0 {
            self.full.remove(&number);
            self.unwritten.remove(&number);
            self.emptied.push(number);
        }
    }
}

fn row_key(number: u64) -> Bytes {
    rows::key(rows::DELIVERIES, &number.to_be_bytes())
}

fn encode(chunk: &[Entry]) -> Vec<u8> {
    let mut body = Vec::with_capacity(1 + chunk.len() * ENTRY_BYTES);
    body.push(common::row::SCHEMA_VERSION);
    for entry in chunk {
        body.extend_from_slice(entry.source.as_bytes());
        body.extend_from_slice(&entry.delivery);
        body.extend_from_slice(&entry.log_time.0.to_be_bytes());
    }
    body
}

fn decode(body: &[u8]) -> impl Iterator<Item = Entry> {
    body.get(1..).unwrap_or_default().as_chunks::<ENTRY_BYTES>().0.iter().filter_map(|bytes| {
        let (source, rest) = bytes.split_first_chunk::<16>()?;
        let (delivery, rest) = rest.split_first_chunk::<16>()?;
        let log_time = i64::from_be_bytes(*rest.first_chunk::<8>()?);
        Some(Entry {
            source: SourceId::from_bytes(*source),
            delivery: *delivery,
            log_time: Timestamp(log_time),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::remembered::MOST_PER_SOURCE;
    use super::remembered::tests::delivery;
    use super::*;

    const SOURCE: [u8; 16] = [1; 16];

    fn hour(hours: u64) -> Timestamp {
        Timestamp(0).plus(Duration::from_secs(hours * 3_600))
    }

    /// Rows as the ledger would hold them.
    fn store(deliveries: &mut Deliveries, rows: &mut BTreeMap<Bytes, Vec<u8>>) {
        let mut pending_deletes = PendingDeletes::default();
        rows.extend(deliveries.take_changes(&mut pending_deletes));
        for key in pending_deletes.take(0) {
            rows.remove(&key);
        }
    }

    fn restored(rows: &BTreeMap<Bytes, Vec<u8>>) -> Deliveries {
        let mut restored = Deliveries::default();
        for (key, body) in rows {
            let number = key[rows::DELIVERIES.len()..].first_chunk::<8>().unwrap();
            restored.restore(u64::from_be_bytes(*number), body);
        }
        restored
    }

    #[test]
    fn rows_bring_back_what_was_remembered() {
        let source = SourceId::from_bytes(SOURCE);
        let mut deliveries = Deliveries::default();
        let mut rows = BTreeMap::new();
        let count = CHUNK_DELIVERIES as u64 * 3 + 3;
        for number in 0..count {
            deliveries.insert(source, delivery(number), hour(number % 7));
            if number % 500 == 0 {
                store(&mut deliveries, &mut rows);
            }
        }
        store(&mut deliveries, &mut rows);
        let restored = restored(&rows);
        assert!((0..count).all(|number| restored.contains(source, &delivery(number))));
        assert!(!restored.contains(SourceId::from_bytes([2; 16]), &delivery(0)));
        assert_eq!((restored.full, restored.filling), (deliveries.full, deliveries.filling));
    }

    #[test]
    fn old_rows_go_and_their_deliveries_with_them() {
        let source = SourceId::from_bytes(SOURCE);
        let mut deliveries = Deliveries::default();
        let mut rows = BTreeMap::new();
        for number in 0..=CHUNK_DELIVERIES as u64 {
            deliveries.insert(source, delivery(number), hour(number / CHUNK_DELIVERIES as u64 * 30));
        }
        store(&mut deliveries, &mut rows);
        assert_eq!(rows.len(), 2);
        deliveries.forget_before(hour(30));
        store(&mut deliveries, &mut rows);
        assert_eq!(rows.len(), 1);
        assert!(!deliveries.contains(source, &delivery(0)));
        assert!(deliveries.contains(source, &delivery(CHUNK_DELIVERIES as u64)));
    }

    #[test]
    fn a_source_remembers_a_bounded_number_in_memory_and_in_rows() {
        let source = SourceId::from_bytes(SOURCE);
        let mut deliveries = Deliveries::default();
        let mut rows = BTreeMap::new();
        let count = MOST_PER_SOURCE as u64 + 2 * CHUNK_DELIVERIES as u64;
        for number in 0..count {
            deliveries.insert(source, delivery(number), hour(0));
        }
        store(&mut deliveries, &mut rows);
        assert!(!deliveries.contains(source, &delivery(511)));
        assert!(deliveries.contains(source, &delivery(512)));
        assert_eq!(rows.len(), MOST_PER_SOURCE / CHUNK_DELIVERIES);
        assert!(!restored(&rows).contains(source, &delivery(511)));
    }
}
