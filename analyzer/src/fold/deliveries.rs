//! Which deliveries were folded already: 24 hours back and a bounded number per source, kept with the
//! rest of the state. Beyond that horizon nothing is promised.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use common::ids::SourceId;
use common::timestamp::Timestamp;

use crate::identity::DeliveryId;

/// How long a delivery is remembered, by the time of its acceptance.
pub(crate) const HORIZON: Duration = Duration::from_secs(24 * 60 * 60);
/// Deliveries remembered per source: at 32 bytes, 2 MiB; more than two batches a second for 8 hours.
pub(crate) const MOST_PER_SOURCE: usize = 65_536;
/// Deliveries in one row: 10 KiB, what a flush rewrites at most.
const CHUNK_DELIVERIES: usize = 256;
/// Bytes of one delivery in a row: source, delivery, time.
const ENTRY_BYTES: usize = 16 + 16 + 8;

/// The remembered deliveries of a partition.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    of_source: HashMap<SourceId, Remembered>,
    chunks: BTreeMap<u64, Vec<Entry>>,
    changed: bool,
    emptied: Vec<u64>,
}

#[derive(Debug, Default)]
struct Remembered {
    known: HashSet<DeliveryId>,
    order: VecDeque<DeliveryId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    source: SourceId,
    delivery: DeliveryId,
    received_at: Timestamp,
}

impl Deliveries {
    /// Whether a delivery was folded already.
    pub(crate) fn contains(&self, source: SourceId, delivery: &DeliveryId) -> bool {
        self.of_source.get(&source).is_some_and(|remembered| remembered.known.contains(delivery))
    }

    /// Remembers a delivery.
    pub(crate) fn insert(&mut self, source: SourceId, delivery: DeliveryId, received_at: Timestamp) {
        if !self.remember(source, delivery) {
            return;
        }
        let entry = Entry { source, delivery, received_at };
        let current = self.chunks.last_key_value().map_or(0, |(number, _)| *number);
        let full = self.chunks.get(&current).is_some_and(|chunk| chunk.len() >= CHUNK_DELIVERIES);
        let number = if full { current + 1 } else { current };
        self.chunks.entry(number).or_default().push(entry);
        self.changed = true;
    }

    /// Forgets what is older than the horizon. Called at fixed places in the log only.
    pub(crate) fn forget_before(&mut self, received_through: Timestamp) {
        let oldest = received_through.minus(HORIZON);
        let newest = self.chunks.last_key_value().map(|(number, _)| *number);
        while let Some(entry) = self.chunks.first_entry() {
            // The newest row stays, so that the numbers go on rising.
            let expired = entry.get().iter().all(|delivery| delivery.received_at < oldest);
            if !expired || Some(*entry.key()) == newest {
                break;
            }
            let (number, chunk) = entry.remove_entry();
            self.emptied.push(number);
            for delivery in chunk {
                self.forget(delivery.source, &delivery.delivery);
            }
        }
    }

    /// Rows to delete, and the row to write, since the last call.
    pub(crate) fn take_changes(&mut self) -> (Vec<u64>, Option<(u64, Vec<u8>)>) {
        let emptied = std::mem::take(&mut self.emptied);
        let changed = std::mem::take(&mut self.changed);
        let row =
            self.chunks.last_key_value().filter(|_| changed).map(|(number, chunk)| (*number, encode(chunk)));
        (emptied, row)
    }

    /// Whether the row being filled is full, so that it must be committed before another is begun.
    pub(crate) fn chunk_is_full(&self) -> bool {
        self.changed && self.chunks.last_key_value().is_some_and(|(_, chunk)| chunk.len() >= CHUNK_DELIVERIES)
    }

    /// Reads a row back. Rows are read in the order of their numbers.
    pub(crate) fn restore(&mut self, number: u64, body: &[u8]) {
        let entries: Vec<Entry> = decode(body).collect();
        for entry in &entries {
            self.remember(entry.source, entry.delivery);
        }
        self.chunks.insert(number, entries);
    }

    fn remember(&mut self, source: SourceId, delivery: DeliveryId) -> bool {
        let remembered = self.of_source.entry(source).or_default();
        if !remembered.known.insert(delivery) {
            return false;
        }
        remembered.order.push_back(delivery);
        if remembered.order.len() > MOST_PER_SOURCE
            && let Some(oldest) = remembered.order.pop_front()
        {
            remembered.known.remove(&oldest);
        }
        true
    }

    fn forget(&mut self, source: SourceId, delivery: &DeliveryId) {
        let Some(remembered) = self.of_source.get_mut(&source) else { return };
        if remembered.order.front() == Some(delivery) {
            remembered.order.pop_front();
            remembered.known.remove(delivery);
        }
        if remembered.order.is_empty() {
            self.of_source.remove(&source);
        }
    }
}

fn encode(chunk: &[Entry]) -> Vec<u8> {
    let mut body = Vec::with_capacity(1 + chunk.len() * ENTRY_BYTES);
    body.push(common::row::SCHEMA_VERSION);
    for entry in chunk {
        body.extend_from_slice(entry.source.as_bytes());
        body.extend_from_slice(&entry.delivery);
        body.extend_from_slice(&entry.received_at.0.to_be_bytes());
    }
    body
}

fn decode(body: &[u8]) -> impl Iterator<Item = Entry> {
    body.get(1..).unwrap_or_default().as_chunks::<ENTRY_BYTES>().0.iter().filter_map(|bytes| {
        let (source, rest) = bytes.split_first_chunk::<16>()?;
        let (delivery, rest) = rest.split_first_chunk::<16>()?;
        let received_at = i64::from_be_bytes(*rest.first_chunk::<8>()?);
        Some(Entry {
            source: SourceId::from_bytes(*source),
            delivery: *delivery,
            received_at: Timestamp(received_at),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: [u8; 16] = [1; 16];

    fn delivery(number: u64) -> DeliveryId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        id
    }

    fn hour(hours: u64) -> Timestamp {
        Timestamp(0).plus(Duration::from_secs(hours * 3_600))
    }

    #[test]
    fn rows_bring_back_what_was_remembered() {
        let source = SourceId::from_bytes(SOURCE);
        let mut deliveries = Deliveries::default();
        let mut rows = BTreeMap::new();
        for number in 0..CHUNK_DELIVERIES as u64 * 2 + 3 {
            deliveries.insert(source, delivery(number), hour(number % 7));
            if number % 10 == 0 || deliveries.chunk_is_full() {
                rows.extend(deliveries.take_changes().1);
            }
        }
        rows.extend(deliveries.take_changes().1);
        let mut restored = Deliveries::default();
        for (number, body) in &rows {
            restored.restore(*number, body);
        }
        assert!(
            (0..CHUNK_DELIVERIES as u64 * 2 + 3).all(|number| restored.contains(source, &delivery(number)))
        );
        assert!(!restored.contains(SourceId::from_bytes([2; 16]), &delivery(0)));
        assert_eq!(restored.chunks, deliveries.chunks);
    }

    #[test]
    fn old_rows_go_and_their_deliveries_with_them() {
        let source = SourceId::from_bytes(SOURCE);
        let mut deliveries = Deliveries::default();
        for number in 0..CHUNK_DELIVERIES as u64 + 1 {
            deliveries.insert(
                source,
                delivery(number),
                hour(if number == CHUNK_DELIVERIES as u64 { 30 } else { 0 }),
            );
        }
        deliveries.forget_before(hour(30));
        assert_eq!(deliveries.take_changes().0, [0]);
        assert!(!deliveries.contains(source, &delivery(0)));
        assert!(deliveries.contains(source, &delivery(CHUNK_DELIVERIES as u64)));
    }

    #[test]
    fn a_source_remembers_a_bounded_number() {
        let source = SourceId::from_bytes(SOURCE);
        let mut deliveries = Deliveries::default();
        for number in 0..=MOST_PER_SOURCE as u64 {
            deliveries.insert(source, delivery(number), hour(0));
        }
        assert!(!deliveries.contains(source, &delivery(0)));
        assert!(deliveries.contains(source, &delivery(1)));
    }
}
