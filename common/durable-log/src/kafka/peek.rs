//! One message of each of several partitions, read beside the readers: the acceptance times of the batches that wait to be
//! analysed. A client of its own, because seeking in a partition would cost its reader the messages that it has read ahead.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::consumer::Consumer as _;
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::message::BorrowedMessage;
use rdkafka::{ClientConfig, Message, Offset as Asked, TopicPartitionList};
use tokio::time::Instant;

use super::client::{Consumer, Reporting};
use super::position::KafkaOffset;
use super::record;
use crate::FetchError;
use crate::kafka_config::Config;

/// Bytes of each partition that one request asks for: one batch of messages is returned whole, and no more is needed.
const FETCHED_AT_ONCE: &str = "1024";
/// KiB that are read ahead of all partitions together: one message of each is taken.
const READ_AHEAD: &str = "1024";
/// Longest single wait for a message.
const TURN: Duration = Duration::from_millis(50);

pub(super) struct Peek {
    settings: ClientConfig,
    topic: String,
    request_timeout: Duration,
    /// Made when it is first needed: it keeps a connection to each broker.
    consumer: Mutex<Option<Consumer>>,
}

impl Peek {
    pub(super) fn new(mut settings: ClientConfig, config: &Config) -> Self {
        settings
            .set("fetch.message.max.bytes", FETCHED_AT_ONCE)
            .set("queued.min.messages", "1")
            .set("queued.max.messages.kbytes", READ_AHEAD);
        let (topic, request_timeout) = (config.topic.clone(), config.request_timeout());
        Self { settings, topic, request_timeout, consumer: Mutex::new(None) }
    }

    /// See [`DurableLog::accepted_at`](crate::DurableLog::accepted_at). One question at a time. Blocks for the duration
    /// of three requests at most.
    pub(super) fn ask(
        &self,
        from: &BTreeMap<Partition, Offset>,
    ) -> Result<BTreeMap<Partition, Timestamp>, FetchError> {
        let mut consumer = self.consumer.lock().unwrap_or_else(PoisonError::into_inner);
        let consumer = match consumer.take() {
            Some(made) => consumer.insert(made),
            None => {
                let made =
                    Consumer::from_config_and_context(&self.settings, Reporting).map_err(unavailable)?;
                consumer.insert(made)
            }
        };
        let waiting = self.waiting(consumer, from).map_err(unavailable)?;
        if waiting.count() == 0 {
            return Ok(BTreeMap::new());
        }
        let accepted = self.read(consumer, &waiting);
        // Nothing is read ahead between two queries.
        consumer.unassign().map_err(unavailable)?;
        accepted
    }

    /// The partitions that have a batch at or after the offset, each with the place of the first.
    fn waiting(
        &self,
        consumer: &Consumer,
        from: &BTreeMap<Partition, Offset>,
    ) -> KafkaResult<TopicPartitionList> {
        let ends = self.places(consumer, from, Asked::End)?;
        let beginnings = self.places(consumer, from, Asked::Beginning)?;
        let mut waiting = TopicPartitionList::new();
        for (partition, offset) in from {
            let (Some(end), Some(beginning)) = (ends.get(partition), beginnings.get(partition)) else {
                continue;
            };
            let place = KafkaOffset::of(*offset).max(*beginning);
            if place < *end {
                let index = partition.0.into();
                waiting.add_partition_offset(&self.topic, index, Asked::Offset(place.0))?;
            }
        }
        Ok(waiting)
    }

    fn places(
        &self,
        consumer: &Consumer,
        of: &BTreeMap<Partition, Offset>,
        moment: Asked,
    ) -> KafkaResult<BTreeMap<Partition, KafkaOffset>> {
        let mut list = TopicPartitionList::with_capacity(of.len());
        for partition in of.keys() {
            list.add_partition_offset(&self.topic, partition.0.into(), moment)?;
        }
        let found = consumer.offsets_for_times(list, self.request_timeout)?;
        let mut places = BTreeMap::new();
        for element in found.elements() {
            element.error()?;
            if let (Ok(partition), Asked::Offset(place)) = (element.partition().try_into(), element.offset())
            {
                places.insert(Partition(partition), KafkaOffset(place));
            }
        }
        Ok(places)
    }

    /// Reads one message of each.
    fn read(
        &self,
        consumer: &Consumer,
        waiting: &TopicPartitionList,
    ) -> Result<BTreeMap<Partition, Timestamp>, FetchError> {
        consumer.assign(waiting).map_err(unavailable)?;
        // Partitions that an earlier query paused are paused still.
        consumer.resume(waiting).map_err(unavailable)?;
        let mut accepted = BTreeMap::new();
        let begun = Instant::now();
        while accepted.len() < waiting.count() {
            if begun.elapsed() >= self.request_timeout {
                let (found, asked) = (accepted.len(), waiting.count());
                let cause = format!("Kafka delivered a batch of {found} of {asked} partitions that have one");
                return Err(FetchError::Unavailable { cause });
            }
            let Some(message) = consumer.poll(TURN) else { continue };
            let message = message.map_err(unavailable)?;
            let Ok(partition) = message.partition().try_into() else { continue };
            let received_at = received_at(&message);
            if accepted.insert(Partition(partition), received_at).is_none() {
                let mut read = TopicPartitionList::new();
                read.add_partition(&self.topic, partition.into());
                consumer.pause(&read).map_err(unavailable)?;
            }
        }
        Ok(accepted)
    }
}

/// From the batch's header; of a message that is no batch, Kafka's own time.
fn received_at(message: &BorrowedMessage<'_>) -> Timestamp {
    let kafkas = || Timestamp(message.timestamp().to_millis().unwrap_or(0).saturating_mul(1_000_000));
    record::batch_headers(message).map_or_else(|_| kafkas(), |headers| headers.received_at)
}

#[expect(clippy::needless_pass_by_value, reason = "maps errors")]
fn unavailable(error: KafkaError) -> FetchError {
    FetchError::Unavailable { cause: error.to_string() }
}
