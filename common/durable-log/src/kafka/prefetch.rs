//! Read-ahead of one partition: a queue that Kafka's client fills, and the batches taken from it,
//! which may be requested again. Never waits and never queries Kafka.

use std::collections::VecDeque;
use std::time::Duration;

use common::partition::Offset;
use rdkafka::Message;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::BorrowedMessage;

use super::client::Reporting;
use super::position::KafkaOffset;
use super::record;
use crate::{Entry, FetchError};

pub(super) struct Prefetch {
    queue: PartitionQueue<Reporting>,
    /// Next position of the queue; none while the partition is not being read.
    next: Option<KafkaOffset>,
    /// Batches taken from the queue that may be requested again, with no gap up to `next`.
    recent: VecDeque<Entry>,
    /// Start of `recent`.
    recent_from: KafkaOffset,
}

/// Outcome of a lookup.
pub(super) enum Look {
    Found(Vec<Entry>),
    Nothing,
    /// The queue is at another place.
    Elsewhere,
    /// Kafka does not have the position that the queue was set to.
    OutOfRange,
}

impl Prefetch {
    pub(super) fn new(queue: PartitionQueue<Reporting>) -> Self {
        Self { queue, next: None, recent: VecDeque::new(), recent_from: KafkaOffset(0) }
    }

    /// Next position of the queue; none while the partition is not being read.
    pub(super) fn next(&self) -> Option<KafkaOffset> {
        self.next
    }

    /// The queue was set to begin at a position.
    pub(super) fn begin(&mut self, place: KafkaOffset) {
        self.forget();
        self.next = Some(place);
        self.recent_from = place;
    }

    /// Gives up the position of the queue and the batches taken from it.
    pub(super) fn forget(&mut self) {
        self.next = None;
        self.recent = VecDeque::new();
    }

    /// Batches from a place on, at most `max_bytes` unless it is one, as far as they are here.
    pub(super) fn look(
        &mut self,
        topic: &str,
        place: KafkaOffset,
        max_bytes: usize,
    ) -> Result<Look, FetchError> {
        let Some(next) = self.next else { return Ok(Look::Elsewhere) };
        if place < self.recent_from || place > next {
            return Ok(Look::Elsewhere);
        }
        let from = place.offset();
        while self.recent.front().is_some_and(|entry| entry.offset < from) {
            self.recent.pop_front();
        }
        self.recent_from = place;
        let mut bytes: usize = self.recent.iter().map(|entry| entry.batch.payload.len()).sum();
        while bytes <= max_bytes || self.recent.is_empty() {
            match self.take(topic) {
                Ok(Some(size)) => bytes += size,
                Ok(None) => break,
                // Batches found are returned first; the rest is found again when requested.
                Err(_) if !self.recent.is_empty() => {
                    let found = self.up_to(max_bytes);
                    self.forget();
                    return Ok(Look::Found(found));
                }
                Err(TakeError::OutOfRange) => {
                    self.forget();
                    return Ok(Look::OutOfRange);
                }
                Err(TakeError::Failed(error)) => {
                    self.forget();
                    return Err(error);
                }
            }
        }
        let found = self.up_to(max_bytes);
        Ok(if found.is_empty() { Look::Nothing } else { Look::Found(found) })
    }

    /// The first of the batches taken, in at most `max_bytes` unless it is one.
    fn up_to(&self, max_bytes: usize) -> Vec<Entry> {
        let mut bytes = 0;
        let fits = |entry: &&Entry| {
            let first = bytes == 0;
            bytes += entry.batch.payload.len().max(1);
            first || bytes <= max_bytes
        };
        self.recent.iter().take_while(fits).cloned().collect()
    }

    /// Moves the next batch from the queue to the batches taken, and returns its size.
    fn take(&mut self, topic: &str) -> Result<Option<usize>, TakeError> {
        let Some(next) = self.next else { return Ok(None) };
        let Some(polled) = self.queue.poll(Duration::ZERO) else { return Ok(None) };
        let message = match polled {
            Ok(message) => message,
            Err(error) => return Err(TakeError::of(topic, next, &error)),
        };
        let place = KafkaOffset(message.offset());
        if place < next {
            return Ok(Some(0));
        }
        let entry = entry(topic, &message)?;
        drop(message);
        let size = entry.batch.payload.len();
        self.recent.push_back(entry);
        self.next = Some(place.next());
        Ok(Some(size))
    }
}

/// Reason why the next batch could not be taken.
enum TakeError {
    OutOfRange,
    Failed(FetchError),
}

impl TakeError {
    fn of(topic: &str, next: KafkaOffset, error: &KafkaError) -> Self {
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::AutoOffsetReset | RDKafkaErrorCode::OffsetOutOfRange) => Self::OutOfRange,
            Some(RDKafkaErrorCode::BadMessage) => Self::Failed(corrupt(topic, next.offset(), error)),
            _ => Self::Failed(FetchError::Unavailable { cause: error.to_string() }),
        }
    }
}

fn entry(topic: &str, message: &BorrowedMessage<'_>) -> Result<Entry, TakeError> {
    let offset = KafkaOffset(message.offset()).offset();
    let batch = record::batch(message).map_err(|error| TakeError::Failed(corrupt(topic, offset, &error)))?;
    Ok(Entry { offset, batch })
}

fn corrupt(topic: &str, offset: Offset, cause: &dyn std::error::Error) -> FetchError {
    FetchError::Corrupt { segment: topic.to_owned(), offset: offset.0, cause: cause.to_string() }
}
