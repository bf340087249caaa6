//! Reading: each requested partition is read ahead, within bounds; a fetch takes from that.
//! Positions come from the caller, never from Kafka.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::{Offset, Partition};
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::consumer::Consumer as _;
use rdkafka::error::KafkaError;
use rdkafka::{ClientConfig, Message, TopicPartitionList};
use threads::{Limits, Threads};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::client::{Consumer, Reporting};
use super::error::OpenError;
use super::extent::Extent;
use super::position::KafkaOffset;
use super::prefetch::{Look, Prefetch};
use super::release::Releases;
use crate::kafka_config::{Config, MAX_PARTITIONS};
use crate::{Entry, FetchError};

/// Interval at which a waiting fetch checks by itself, should a wake-up have gone to another.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Time after which read-ahead of a partition that is not fetched stops: its owner has left, and its
/// memory is needed.
const IDLE: Duration = Duration::from_secs(30);
/// Concurrent queries to Kafka. Each takes a round trip, or the time of a request while Kafka is not well.
const THREADS: usize = 8;
/// Queries that wait: one for each of the most partitions there can be, which has one reader, and others for observers.
const MAX_WAITING: usize = 2 * MAX_PARTITIONS as usize;

pub(super) struct Reader {
    consumer: Arc<Consumer>,
    topic: String,
    request_timeout: Duration,
    clock: SharedClock,
    releases: Releases,
    extent: Extent,
    /// For questions to Kafka's client, which block.
    threads: Arc<Threads<()>>,
    slots: Vec<Slot>,
}

/// State of reading one partition.
struct Slot {
    prefetch: Mutex<Prefetch>,
    arrived: Arc<Notify>,
    /// When it was last fetched: nanoseconds of the clock's monotonic time.
    fetched_at: AtomicU64,
}

impl Reader {
    pub(super) fn new(client: &ClientConfig, config: &Config, clock: SharedClock) -> Result<Self, OpenError> {
        let consumer = Consumer::from_config_and_context(client, Reporting)
            .map_err(OpenError::kafka("start the consumer"))?;
        let consumer = Arc::new(consumer);
        let mut slots = Vec::with_capacity(config.partitions.into());
        for partition in 0..config.partitions {
            slots.push(Slot::new(&consumer, &config.topic, partition)?);
        }
        let request_timeout = config.request_timeout();
        let limits = Limits { waiting: MAX_WAITING, patience: request_timeout };
        let threads = Threads::start("log-kafka-ask", vec![(); THREADS], limits);
        let threads = Arc::new(threads.map_err(|source| OpenError::Thread { source })?);
        let extent = Extent::new(Arc::clone(&consumer), config, Arc::clone(&threads));
        let (topic, releases) = (config.topic.clone(), Releases::new(config.partitions));
        Ok(Self { consumer, topic, request_timeout, clock, releases, extent, threads, slots })
    }

    /// The client that reads, for queries other than reads.
    pub(super) fn consumer(&self) -> Arc<Consumer> {
        Arc::clone(&self.consumer)
    }

    /// Threads for questions to Kafka's client, which block.
    pub(super) fn threads(&self) -> &Threads<()> {
        &self.threads
    }

    /// Start and end of partitions.
    pub(super) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// Seen and released offsets of each partition.
    pub(super) fn releases(&self) -> &Releases {
        &self.releases
    }

    /// Reads as the contract states. Takes from the queue only without waiting, so that a dropped
    /// call loses nothing.
    pub(super) async fn fetch(
        self: &Arc<Self>,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        let slot = self.slot(partition)?;
        let start = Instant::now();
        let place = KafkaOffset::of(from);
        loop {
            slot.fetched(self.clock.monotonic());
            let arrived = slot.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            match slot.look(&self.topic, place, max_bytes)? {
                Look::Found(entries) => {
                    self.note_seen(partition, &entries);
                    return Ok(entries);
                }
                Look::Elsewhere => {
                    self.go_to(partition, place).await?;
                    continue;
                }
                Look::OutOfRange => {
                    self.extent.end_from(partition, from).await?;
                }
                Look::Nothing => {}
            }
            let waited = start.elapsed();
            if waited >= max_wait && self.extent.has_none(partition, from).await? {
                return Ok(Vec::new());
            }
            // It exists: it will arrive, or Kafka is not well.
            if waited >= max_wait.saturating_add(self.request_timeout) {
                let cause = format!("Kafka delivered nothing from {} for {waited:?}", from.0);
                return Err(FetchError::Unavailable { cause });
            }
            let left = max_wait.checked_sub(waited).filter(|left| !left.is_zero());
            let wait = left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN);
            // In both cases it is checked again.
            let _ = tokio::time::timeout(wait, arrived).await;
        }
    }

    /// Serves reports of the client other than messages. Blocks up to `wait`.
    pub(super) fn serve(&self, wait: Duration) {
        match self.consumer.poll(wait) {
            None => {}
            Some(Err(error)) => tracing::warn!(%error, "error while reading from Kafka"),
            Some(Ok(message)) => {
                // Each partition has a queue of its own; messages that arrive here instead would be
                // missing there, so the partition is read again from the position of its reader.
                let index = usize::try_from(message.partition()).unwrap_or(usize::MAX);
                if let Some(slot) = self.slots.get(index) {
                    slot.lock().forget();
                }
            }
        }
    }

    /// Commits the released offsets to Kafka. Blocks.
    pub(super) fn tell_released(&self) {
        for partition in self.releases.beyond_seen().collect::<Vec<_>>() {
            // Repeated in a second; a call that needs Kafka now reports that it does not answer.
            let Ok((_, end)) = self.extent.ask(partition) else { break };
            self.releases.ends_at(partition, end.before());
        }
        self.releases.tell(&self.consumer, &self.topic);
    }

    /// Commits the released offsets of the partitions that are being read here once more. For others
    /// another process may have newer ones.
    pub(super) fn tell_released_again(&self) {
        for (partition, slot) in (0..).map(Partition).zip(&self.slots) {
            if !slot.is_idle(self.clock.monotonic()) {
                self.releases.tell_again(partition);
            }
        }
    }

    /// Stops the read-ahead of partitions that have not been fetched for some time.
    pub(super) fn leave_idle(&self) {
        let now = self.clock.monotonic();
        for (partition, slot) in (0..).zip(&self.slots) {
            if !slot.is_idle(now) {
                continue;
            }
            let mut prefetch = slot.lock();
            if prefetch.next().is_none() {
                continue;
            }
            prefetch.forget();
            if let Err(error) = self.leave(partition) {
                tracing::warn!(%error, partition, "an idle partition could not be left");
            }
        }
    }

    fn note_seen(&self, partition: Partition, entries: &[Entry]) {
        if let Some(last) = entries.last() {
            self.releases.note_seen(partition, last.offset);
        }
    }

    fn slot(&self, partition: Partition) -> Result<&Slot, FetchError> {
        let partitions = u16::try_from(self.slots.len()).unwrap_or(u16::MAX);
        let missing = FetchError::NoSuchPartition { partition: partition.0, partitions };
        self.slots.get(usize::from(partition.0)).ok_or(missing)
    }

    /// Sets the queue of a partition to begin at a position.
    async fn go_to(self: &Arc<Self>, partition: Partition, place: KafkaOffset) -> Result<(), FetchError> {
        let reader = Arc::clone(self);
        let begun = self.threads.run(move |()| {
            let slot = reader.slot(partition)?;
            let mut prefetch = slot.lock();
            if prefetch.next() == Some(place) {
                return Ok(());
            }
            prefetch.forget();
            let index = partition.0.into();
            reader.leave(index).map_err(|error| unavailable(&error))?;
            let mut list = TopicPartitionList::new();
            list.add_partition_offset(&reader.topic, index, rdkafka::Offset::Offset(place.0))
                .and_then(|()| reader.consumer.incremental_assign(&list))
                .map_err(|error| unavailable(&error))?;
            prefetch.begin(place);
            Ok(())
        });
        begun.await.map_err(|error| FetchError::Unavailable { cause: error.to_string() })?
    }

    /// Reads a partition no longer, if it was.
    fn leave(&self, partition: i32) -> Result<(), KafkaError> {
        let assigned = self.consumer.assignment()?;
        if assigned.find_partition(&self.topic, partition).is_none() {
            return Ok(());
        }
        let mut list = TopicPartitionList::new();
        list.add_partition(&self.topic, partition);
        self.consumer.incremental_unassign(&list)
    }
}

impl Slot {
    fn new(consumer: &Arc<Consumer>, topic: &str, partition: u16) -> Result<Self, OpenError> {
        let no_queue = || OpenError::NoTopic { topic: topic.to_owned() };
        let mut queue = consumer.split_partition_queue(topic, partition.into()).ok_or_else(no_queue)?;
        let arrived = Arc::new(Notify::new());
        let waking = Arc::clone(&arrived);
        queue.set_nonempty_callback(move || waking.notify_waiters());
        Ok(Self { prefetch: Mutex::new(Prefetch::new(queue)), arrived, fetched_at: AtomicU64::new(0) })
    }

    fn lock(&self) -> MutexGuard<'_, Prefetch> {
        self.prefetch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, topic: &str, place: KafkaOffset, max_bytes: usize) -> Result<Look, FetchError> {
        let look = self.lock().look(topic, place, max_bytes);
        // A batch that one call took is found by others that wait for it among those taken.
        if matches!(look, Ok(Look::Found(_))) {
            self.arrived.notify_waiters();
        }
        look
    }

    fn fetched(&self, now: Duration) {
        let nanoseconds = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.fetched_at.store(nanoseconds, Ordering::Relaxed);
    }

    fn is_idle(&self, now: Duration) -> bool {
        let fetched_at = Duration::from_nanos(self.fetched_at.load(Ordering::Relaxed));
        now.saturating_sub(fetched_at) >= IDLE
    }
}

fn unavailable(error: &KafkaError) -> FetchError {
    FetchError::Unavailable { cause: error.to_string() }
}
