//! Appending: a batch waits in a bounded queue until every in-sync replica has it, and its sender
//! gets the outcome. A producer that broke is replaced.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use common::batch::Batch;
use common::partition::{Offset, Partition};
use rdkafka::config::{FromClientConfigAndContext, RDKafkaLogLevel};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer as _, ProducerContext, ThreadedProducer};
use rdkafka::{ClientConfig, ClientContext, Message, Statistics};
use tokio::sync::{oneshot, watch};

use super::client::{Reporting, report};
use super::error::OpenError;
use super::measure;
use super::position::KafkaOffset;
use super::record::{self, OVERHEAD_BYTES};
use crate::AppendError;
use crate::kafka_config::Config;

/// Number of times that an append replaces a broken producer before it gives up: one that breaks at
/// once will break again.
const REPLACEMENTS: u32 = 1;

pub(super) struct Producer {
    client: ClientConfig,
    topic: String,
    max_batch_bytes: u64,
    queue_bytes: u64,
    delivery_timeout: Duration,
    live: RwLock<Arc<Live>>,
    queue: watch::Sender<Queue>,
}

type Live = ThreadedProducer<Deliveries>;

#[derive(Clone, Copy, Default)]
struct Queue {
    bytes: u64,
    closed: bool,
}

impl Producer {
    pub(super) fn new(client: ClientConfig, config: &Config) -> Result<Self, OpenError> {
        let live = connect(&client).map_err(OpenError::kafka("start the producer"))?;
        Ok(Self {
            client,
            topic: config.topic.clone(),
            max_batch_bytes: config.max_batch_bytes,
            queue_bytes: config.queue_bytes,
            delivery_timeout: Duration::from_millis(config.delivery_timeout_milliseconds.into()),
            live: RwLock::new(live),
            queue: watch::Sender::new(Queue::default()),
        })
    }

    pub(super) async fn append(&self, partition: Partition, batch: &Batch) -> Result<Offset, AppendError> {
        let queued = self.admit(batch.payload.len() as u64 + OVERHEAD_BYTES)?;
        let (reply, outcome) = oneshot::channel();
        self.send(partition, batch, Box::new(Pending { reply, _queued: queued }))?;
        // Every message is reported within the delivery timeout, so this needs none of its own.
        let lost = || AppendError::Unknown { cause: "its producer is gone".to_owned() };
        let outcome = outcome.await.unwrap_or_else(|_| Err(Failure::Lost));
        outcome.map_err(|failure| match failure {
            Failure::Lost => lost(),
            Failure::Kafka(error) => self.refused(&error, batch),
            Failure::NoOffset => {
                AppendError::Unknown { cause: "Kafka acknowledged it without an offset".to_owned() }
            }
        })
    }

    /// Bytes that wait, and whether more are taken.
    pub(super) fn queued(&self) -> (u64, bool) {
        let Queue { bytes, closed } = *self.queue.borrow();
        (bytes, !closed)
    }

    pub(super) fn queue_bytes(&self) -> u64 {
        self.queue_bytes
    }

    /// Takes nothing more and waits until all waiting batches are answered, which the delivery
    /// timeout bounds.
    pub(super) async fn close(&self) {
        self.queue.send_modify(|queue| queue.closed = true);
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.queue.subscribe().wait_for(|queue| queue.bytes == 0).await;
    }

    /// Admits a batch; it counts as waiting until the returned place is dropped.
    fn admit(&self, bytes: u64) -> Result<Queued, AppendError> {
        if bytes > self.max_batch_bytes {
            return Err(AppendError::TooLarge { found: bytes, limit: self.max_batch_bytes });
        }
        let mut refused = None;
        self.queue.send_if_modified(|queue| {
            if queue.closed {
                refused = Some(AppendError::Closed);
            } else if queue.bytes > 0 && queue.bytes + bytes > self.queue_bytes {
                refused = Some(AppendError::QueueFull { queued: queue.bytes, capacity: self.queue_bytes });
            } else {
                queue.bytes += bytes;
            }
            refused.is_none()
        });
        refused.map_or_else(|| Ok(Queued { queue: self.queue.clone(), bytes }), Err)
    }

    fn send(&self, partition: Partition, batch: &Batch, pending: Box<Pending>) -> Result<(), AppendError> {
        let mut pending = pending;
        let mut replacements = 0;
        loop {
            let live = self.live(&mut replacements)?;
            let record = BaseRecord::with_opaque_to(&self.topic, pending)
                .partition(partition.0.into())
                .key(batch.headers.source.as_bytes())
                .payload(&batch.payload[..])
                .headers(record::headers(&batch.headers));
            let Err((error, record)) = live.send(record) else { return Ok(()) };
            let broken = error.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal);
            if !broken || replacements >= REPLACEMENTS {
                return Err(self.refused(&error, batch));
            }
            pending = record.delivery_opaque;
        }
    }

    /// The current producer; a broken one is replaced, and `replacements` counts that.
    fn live(&self, replacements: &mut u32) -> Result<Arc<Live>, AppendError> {
        let live = Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner));
        let Some((code, cause)) = live.client().fatal_error() else { return Ok(live) };
        let mut current = self.live.write().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&live, &current) {
            return Ok(Arc::clone(&current));
        }
        *replacements += 1;
        tracing::error!(?code, cause, "the Kafka producer failed and is replaced");
        metrics::counter!("palisade_log_producers_replaced_total").increment(1);
        let fresh = connect(&self.client).map_err(|error| AppendError::Unknown {
            cause: format!("the producer broke and could not be replaced: {error}"),
        })?;
        let broken = std::mem::replace(&mut *current, Arc::clone(&fresh));
        drop(current);
        // Dropping it waits for its thread and answers all that still wait for it.
        drop(live);
        tokio::task::spawn_blocking(move || drop(broken));
        Ok(fresh)
    }

    fn refused(&self, error: &KafkaError, batch: &Batch) -> AppendError {
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::QueueFull) => {
                AppendError::QueueFull { queued: self.queue.borrow().bytes, capacity: self.queue_bytes }
            }
            Some(RDKafkaErrorCode::MessageSizeTooLarge) => AppendError::TooLarge {
                found: batch.payload.len() as u64 + OVERHEAD_BYTES,
                limit: self.max_batch_bytes,
            },
            Some(RDKafkaErrorCode::MessageTimedOut) => AppendError::Unknown {
                cause: format!("Kafka did not acknowledge it within {:?}", self.delivery_timeout),
            },
            _ => AppendError::Unknown { cause: error.to_string() },
        }
    }
}

fn connect(client: &ClientConfig) -> Result<Arc<Live>, KafkaError> {
    Live::from_config_and_context(client, Deliveries).map(Arc::new)
}

/// A batch on its way, and its waiting sender.
struct Pending {
    reply: oneshot::Sender<Result<Offset, Failure>>,
    _queued: Queued,
}

/// Reason why a batch was not acknowledged.
enum Failure {
    Kafka(KafkaError),
    /// A batch that was sent twice, acknowledged by a broker that no longer knew its first place.
    NoOffset,
    Lost,
}

/// A place in the queue, held until the batch's outcome is known, even after its sender gave up.
struct Queued {
    queue: watch::Sender<Queue>,
    bytes: u64,
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.queue.send_modify(|queue| queue.bytes -= self.bytes);
    }
}

struct Deliveries;

impl ClientContext for Deliveries {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        report(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        Reporting.error(error, reason);
    }

    fn stats(&self, statistics: Statistics) {
        measure::producer(&statistics);
    }
}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = Box<Pending>;

    fn delivery(&self, result: &DeliveryResult<'_>, pending: Box<Pending>) {
        let outcome = match result {
            Ok(message) if message.offset() < 0 => Err(Failure::NoOffset),
            Ok(message) => Ok(KafkaOffset(message.offset()).offset()),
            Err((error, _)) => Err(Failure::Kafka(error.clone())),
        };
        let Pending { reply, _queued: queued } = *pending;
        drop(queued);
        // The sender may have given up; the batch stays in the log.
        let _ = reply.send(outcome);
    }
}
