//! Start and end of a partition, queried from Kafka: which offsets can be read, were deleted, or
//! never existed.

use std::sync::Arc;
use std::time::Duration;

use common::partition::{Offset, Partition};
use rdkafka::consumer::Consumer as _;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use threads::{Threads, ThreadsError};
use tokio::time::Instant;

use super::client::Consumer;
use super::position::KafkaOffset;
use crate::FetchError;
use crate::kafka_config::Config;

/// Time after which the leader of a partition is queried again: the time a broker needs to learn it.
const ASK_AGAIN: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub(super) struct Extent {
    consumer: Arc<Consumer>,
    topic: Arc<str>,
    request_timeout: Duration,
    threads: Arc<Threads<()>>,
}

impl Extent {
    /// Queries on `threads`, since the client's queries block.
    pub(super) fn new(consumer: Arc<Consumer>, config: &Config, threads: Arc<Threads<()>>) -> Self {
        let topic = Arc::from(config.topic.as_str());
        Self { consumer, topic, request_timeout: config.request_timeout(), threads }
    }

    /// The first place kept and the place after the last. Blocks.
    pub(super) fn ask(&self, partition: Partition) -> KafkaResult<(KafkaOffset, KafkaOffset)> {
        let index = partition.0.into();
        let (low, high) = self.consumer.fetch_watermarks(&self.topic, index, self.request_timeout)?;
        Ok((KafkaOffset(low), KafkaOffset(high)))
    }

    /// The same where it delays nothing else. The leader of a partition may have changed, or be new:
    /// then the query is repeated, within the time limit of any query.
    pub(super) async fn watermarks(
        &self,
        partition: Partition,
    ) -> Result<(KafkaOffset, KafkaOffset), FetchError> {
        let begun = Instant::now();
        loop {
            let extent = self.clone();
            let asked = self.threads.run(move |()| extent.ask(partition)).await;
            let failed = |error: ThreadsError| FetchError::Unavailable { cause: error.to_string() };
            let error = match asked.map_err(failed)? {
                Ok(found) => return Ok(found),
                Err(error) => error,
            };
            if !is_about_leaders(&error) || begun.elapsed() >= self.request_timeout {
                return Err(FetchError::Unavailable { cause: error.to_string() });
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
    }

    /// The position after the last batch, when an offset is within the kept range; otherwise the error.
    pub(super) async fn end_from(
        &self,
        partition: Partition,
        from: Offset,
    ) -> Result<KafkaOffset, FetchError> {
        let (low, high) = self.watermarks(partition).await?;
        let place = KafkaOffset::of(from);
        if place < low {
            let oldest = low.offset().0;
            return Err(FetchError::Trimmed { partition: partition.0, from: from.0, oldest });
        }
        if place > high {
            let cause = format!(
                "partition {}: offset {} was asked for, but the log ends at {}: it is not the one that was \
                 read before",
                partition.0,
                from.0,
                high.before().0
            );
            return Err(FetchError::Unavailable { cause });
        }
        Ok(high)
    }

    /// Whether there is no batch at or after an offset.
    pub(super) async fn has_none(&self, partition: Partition, from: Offset) -> Result<bool, FetchError> {
        Ok(KafkaOffset::of(from) >= self.end_from(partition, from).await?)
    }
}

fn is_about_leaders(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::NotLeaderForPartition
                | RDKafkaErrorCode::LeaderNotAvailable
                | RDKafkaErrorCode::UnknownTopicOrPartition
        )
    )
}
