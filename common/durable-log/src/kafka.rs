//! The log in Kafka: one topic, one message per batch, acknowledged by all in-sync replicas.
//!
//! Kafka counts a partition's offsets from 0, the contract from 1: a batch at Kafka's offset `n` has
//! offset `n + 1` here. Kafka keeps batches for the topic's retention, regardless of releases:
//! releasing commits the group's offset, from which every process sees the lag of analysis, and
//! refuses to append where it is too large. The analyzer keeps its position elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::batch::Batch;
use common::clock::SharedClock;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;

use crate::{AppendError, DurableLog, Entry, FetchError, Usage};

mod error;
// Steps of opening.
mod client;
mod shape;
mod topic;
// The path of a batch.
mod producer;
mod record;
// ... and back.
mod extent;
mod position;
mod prefetch;
mod reader;
// Released and unreleased batches.
mod lag;
mod peek;
mod release;
// Background work.
mod measure;
mod service;

#[cfg(test)]
mod tests;

use crate::kafka_config::Config;
pub use error::OpenError;

use lag::Lag;
use peek::Peek;
use producer::Producer;
use reader::Reader;
use service::Service;

/// A log in a topic of Kafka.
///
/// Reading is designed for one reader per partition, as partitions are owned: several that read the
/// same partition at different positions are served, but slowly, since each has to go back.
pub struct KafkaLog {
    partitions: u16,
    producer: Producer,
    reader: Arc<Reader>,
    lag: Arc<Lag>,
    peek: Arc<Peek>,
    /// Ends with the log.
    _service: Service,
}

/// Opens the log: creates the topic where it does not exist and that is allowed, and checks it otherwise.
///
/// # Errors
/// [`OpenError`] when a setting is out of its bounds, when Kafka cannot be reached or does not let us
/// in, and when acknowledged batches would not be safe in the topic.
pub async fn open(config: &Config, clock: SharedClock) -> Result<KafkaLog, OpenError> {
    config.check()?;
    let clients = client::Clients::new(config)?;
    let kept = topic::ensure(&clients.common(), config).await?;
    start(&clients, config, kept, clock)
}

/// All but the topic, which must exist. `kept` is the retention, `None` for ever.
fn start(
    clients: &client::Clients,
    config: &Config,
    kept: Option<Duration>,
    clock: SharedClock,
) -> Result<KafkaLog, OpenError> {
    measure::describe();
    let producer = Producer::new(clients.producer(config), config)?;
    let reader = Arc::new(Reader::new(&clients.consumer(config), config, Arc::clone(&clock))?);
    let lag = Arc::new(Lag::new(reader.consumer(), config, kept, Arc::clone(&clock)));
    let peek = Arc::new(Peek::new(clients.consumer(config), config));
    let service = Service::start(Arc::clone(&reader), Arc::clone(&lag), clock)?;
    Ok(KafkaLog { partitions: config.partitions, producer, reader, lag, peek, _service: service })
}

impl KafkaLog {
    fn exists(&self, partition: Partition) -> Result<(), FetchError> {
        if partition.0 < self.partitions {
            return Ok(());
        }
        Err(FetchError::NoSuchPartition { partition: partition.0, partitions: self.partitions })
    }
}

#[async_trait]
impl DurableLog for KafkaLog {
    fn partitions(&self) -> u16 {
        self.partitions
    }

    async fn append(&self, partition: Partition, batch: Batch) -> Result<Offset, AppendError> {
        if partition.0 >= self.partitions {
            let partitions = self.partitions;
            return Err(AppendError::NoSuchPartition { partition: partition.0, partitions });
        }
        self.lag.admit(partition)?;
        let offset = self.producer.append(partition, &batch).await?;
        self.reader.releases().note_seen(partition, offset);
        Ok(offset)
    }

    fn takes(&self, partition: Partition) -> Result<(), AppendError> {
        self.lag.admit(partition)
    }

    async fn fetch(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        self.exists(partition)?;
        self.reader.fetch(partition, from, max_bytes, max_wait).await
    }

    async fn end(&self, partition: Partition) -> Result<Offset, FetchError> {
        self.exists(partition)?;
        let (_, end) = self.reader.extent().watermarks(partition).await?;
        Ok(end.before())
    }

    async fn accepted_at(
        &self,
        from: &BTreeMap<Partition, Offset>,
    ) -> Result<BTreeMap<Partition, Timestamp>, FetchError> {
        from.keys().try_for_each(|partition| self.exists(*partition))?;
        let (peek, from) = (Arc::clone(&self.peek), from.clone());
        let asked = self.reader.threads().run(move |()| peek.ask(&from)).await;
        asked.map_err(|error| FetchError::Unavailable { cause: error.to_string() })?
    }

    fn release(&self, partition: Partition, through: Offset) {
        self.reader.releases().release(partition, through);
    }

    /// Batches that wait for Kafka are counted exactly; Kafka bounds those that it holds itself, so
    /// that nothing is counted against an unlimited capacity.
    fn usage(&self) -> Usage {
        let (queued_bytes, writable) = self.producer.queued();
        Usage {
            unreleased_bytes: 0,
            capacity_bytes: u64::MAX,
            unreleased_batches: 0,
            capacity_batches: u64::MAX,
            queued_bytes,
            queue_capacity_bytes: self.producer.queue_bytes(),
            writable,
            partitions_behind: self.lag.partitions_behind(),
            disk_low: false,
        }
    }

    async fn close(&self) {
        self.producer.close().await;
    }
}
