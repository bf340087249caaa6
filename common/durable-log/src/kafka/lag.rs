//! Lag of analysis, and the guard that follows from it: Kafka deletes a batch when its retention ends,
//! analysed or not, so that a partition in which batches have waited for half of that time takes no
//! more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::Partition;
use rdkafka::consumer::Consumer as _;
use rdkafka::error::KafkaResult;
use rdkafka::{Offset as Asked, TopicPartitionList};

use super::client::Consumer;
use super::measure;
use super::position::KafkaOffset;
use crate::AppendError;
use crate::kafka_config::Config;

/// Lag of analysis in each partition, as last reported by Kafka.
pub(super) struct Lag {
    consumer: Arc<Consumer>,
    topic: String,
    request_timeout: Duration,
    /// Time that Kafka keeps a batch; none where it keeps them for ever.
    kept: Option<Duration>,
    clock: SharedClock,
    partitions: Vec<PartitionLag>,
    /// Whether the last check failed.
    blind: AtomicBool,
}

struct PartitionLag {
    /// The position up to which it is known to be released: the value in Kafka may go back, when it
    /// was last committed by a process that no longer reads the partition, or has expired.
    released: AtomicI64,
    behind: AtomicBool,
}

/// Kafka's data of one partition.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// The first that is kept.
    first: KafkaOffset,
    /// The one after the last.
    end: KafkaOffset,
    /// The first that was not released.
    released: KafkaOffset,
    /// The first that has not waited too long; none where all have waited too long.
    fresh: Option<KafkaOffset>,
}

impl Places {
    fn waiting_from(self) -> KafkaOffset {
        self.released.max(self.first)
    }

    /// Number of batches that wait to be analysed.
    fn waiting(self) -> u64 {
        u64::try_from(self.end.0.saturating_sub(self.waiting_from().0)).unwrap_or(0)
    }

    /// Whether an unreleased batch has waited too long.
    fn is_behind(self) -> bool {
        self.waiting_from() < self.fresh.unwrap_or(self.end)
    }
}

impl Lag {
    /// Nothing counts as behind before the first check.
    pub(super) fn new(
        consumer: Arc<Consumer>,
        config: &Config,
        kept: Option<Duration>,
        clock: SharedClock,
    ) -> Self {
        let unknown = || PartitionLag { released: AtomicI64::new(0), behind: AtomicBool::new(false) };
        Self {
            consumer,
            topic: config.topic.clone(),
            request_timeout: config.request_timeout(),
            kept,
            clock,
            partitions: (0..config.partitions).map(|_| unknown()).collect(),
            blind: AtomicBool::new(false),
        }
    }

    /// Refuses batches that could be deleted before they are analysed.
    pub(super) fn admit(&self, partition: Partition) -> Result<(), AppendError> {
        let known = self.partitions.get(usize::from(partition.0));
        match (known, self.kept) {
            (Some(lag), Some(kept)) if lag.behind.load(Ordering::Relaxed) => {
                Err(AppendError::Behind { partition: partition.0, kept })
            }
            _ => Ok(()),
        }
    }

    /// Number of partitions that take no appends.
    pub(super) fn partitions_behind(&self) -> u16 {
        let behind = self.partitions.iter().filter(|lag| lag.behind.load(Ordering::Relaxed));
        u16::try_from(behind.count()).unwrap_or(u16::MAX)
    }

    /// Queries Kafka again. Values that it does not return stay as they were. Blocks.
    pub(super) fn look(&self) {
        let found = match self.ask() {
            Ok(found) => found,
            Err(error) => {
                if !self.blind.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "the consumer lag cannot be read from Kafka");
                }
                return;
            }
        };
        self.blind.store(false, Ordering::Relaxed);
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        for ((partition, lag), places) in (0_u16..).zip(&self.partitions).zip(found) {
            let Some(mut places) = places else { continue };
            let before = lag.released.fetch_max(places.released.0, Ordering::Relaxed);
            places.released = places.released.max(KafkaOffset(before));
            measure::waiting(partition, places.waiting());
            let behind = places.is_behind();
            match (lag.behind.swap(behind, Ordering::Relaxed), behind) {
                (false, true) => begun.push(partition),
                (true, false) => ended.push(partition),
                (false, false) | (true, true) => {}
            }
        }
        measure::partitions_behind(self.partitions_behind());
        let kept = self.kept.unwrap_or_default();
        if !begun.is_empty() {
            tracing::error!(
                partitions = ?begun,
                ?kept,
                "analysis lags by more than half of the retention of \
                 Kafka: these partitions reject batches until it has caught up"
            );
        }
        if !ended.is_empty() {
            tracing::info!(partitions = ?ended, "analysis has caught up: these partitions accept batches again");
        }
    }

    /// Kafka's data of each partition; none where it has none. Queried in an order in which no
    /// concurrent change looks like lag: appends are after the end, and deletions and releases are
    /// queried last.
    fn ask(&self) -> KafkaResult<Vec<Option<Places>>> {
        let end = self.offsets(Asked::End)?;
        let fresh = self.kept.map(|kept| self.offsets(Asked::Offset(self.half_ago(kept)))).transpose()?;
        let first = self.offsets(Asked::Beginning)?;
        let list = self.list(Asked::Invalid)?;
        let released = self.consumer.committed_offsets(list, self.request_timeout)?;
        let places = |partition: u16| {
            let first = place(self.found(&first, partition)?)?;
            // Where batches are kept for ever none has waited too long.
            let fresh = match &fresh {
                Some(fresh) => place(self.found(fresh, partition)?),
                None => Some(first),
            };
            let end = place(self.found(&end, partition)?)?;
            let released = place(self.found(&released, partition)?).unwrap_or(first);
            Some(Places { first, end, released, fresh })
        };
        Ok((0..).zip(&self.partitions).map(|(partition, _)| places(partition)).collect())
    }

    /// The moment half of the time ago that batches are kept, in milliseconds since 1970.
    fn half_ago(&self, kept: Duration) -> i64 {
        let half = i64::try_from(kept.as_millis() / 2).unwrap_or(i64::MAX);
        (self.clock.now().0 / 1_000_000).saturating_sub(half).max(0)
    }

    /// The first offset of each partition at or after a moment, which may also be its beginning or end.
    fn offsets(&self, moment: Asked) -> KafkaResult<TopicPartitionList> {
        self.consumer.offsets_for_times(self.list(moment)?, self.request_timeout)
    }

    fn list(&self, asked: Asked) -> KafkaResult<TopicPartitionList> {
        let mut list = TopicPartitionList::with_capacity(self.partitions.len());
        for (partition, _) in (0..).zip(&self.partitions) {
            list.add_partition_offset(&self.topic, partition, asked)?;
        }
        Ok(list)
    }

    fn found(&self, list: &TopicPartitionList, partition: u16) -> Option<Asked> {
        let element = list.find_partition(&self.topic, partition.into())?;
        element.error().is_ok().then(|| element.offset())
    }
}

fn place(offset: Asked) -> Option<KafkaOffset> {
    match offset {
        Asked::Offset(place) => Some(KafkaOffset(place)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(first: i64, end: i64, released: i64, fresh: Option<i64>) -> (bool, u64) {
        let [first, end, released] = [first, end, released].map(KafkaOffset);
        let places = Places { first, end, released, fresh: fresh.map(KafkaOffset) };
        (places.is_behind(), places.waiting())
    }

    #[test]
    fn a_partition_is_behind_where_something_old_is_not_released() {
        assert_eq!(behind(0, 10, 4, Some(5)), (true, 6), "place 4 is old");
        assert_eq!(behind(0, 10, 5, Some(5)), (false, 5), "all that is old is released");
        assert_eq!(behind(0, 10, 9, None), (true, 1), "everything is old");
        assert_eq!(behind(0, 10, 0, Some(0)), (false, 10), "everything is fresh");
    }

    #[test]
    fn an_empty_or_released_partition_is_never_behind() {
        assert_eq!(behind(0, 0, 0, None), (false, 0));
        assert_eq!(behind(7, 7, 0, None), (false, 0), "all of it was forgotten");
        assert_eq!(behind(0, 10, 10, None), (false, 0));
        assert_eq!(behind(0, 10, 12, None), (false, 0), "released meanwhile");
    }

    #[test]
    fn what_was_forgotten_does_not_wait() {
        assert_eq!(behind(6, 10, 2, Some(6)), (false, 4));
        assert_eq!(behind(6, 10, 2, Some(8)), (true, 4));
    }
}
