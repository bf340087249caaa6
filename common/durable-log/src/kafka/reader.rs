//! Reading: each partition that is asked for has a queue that Kafka's client fills ahead, within
//! bounds; a fetch takes from it. Positions come from whoever reads, never from Kafka.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::partition::{Offset, Partition};
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::BorrowedMessage;
use rdkafka::{ClientConfig, Message, TopicPartitionList};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::client::Reporting;
use super::config::Config;
use super::error::OpenError;
use super::position::Place;
use super::record;
use crate::{Entry, FetchError};

/// How often a fetch that waits looks by itself, should a wake-up have gone to another.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Looks of the service, one a second, after which a partition that nobody fetches is read ahead no
/// longer: its owner is gone, and its memory is wanted back.
const IDLE_LOOKS: u32 = 30;

pub(super) struct Reader {
    consumer: Arc<BaseConsumer<Reporting>>,
    topic: String,
    request_timeout: Duration,
    slots: Vec<Slot>,
}

/// What is known about one partition.
struct Slot {
    state: Mutex<State>,
    arrived: Arc<Notify>,
    /// Looks of the service since the last fetch.
    idle: AtomicU32,
    /// The last offset known to be there, and the one released, and the one whose release Kafka was told.
    seen: AtomicU64,
    released: AtomicU64,
    committed: AtomicU64,
}

struct State {
    queue: PartitionQueue<Reporting>,
    /// Where the queue goes on; none while the partition is not being read.
    next: Option<Place>,
    /// What was taken from the queue and may be asked for again, with no gap up to `next`.
    recent: VecDeque<Entry>,
    /// Where `recent` begins.
    recent_from: Place,
}

/// What a look into a queue found.
enum Look {
    Found(Vec<Entry>),
    Nothing,
    /// The queue is at another place.
    Elsewhere,
    /// Kafka does not have the place the queue was told.
    OutOfRange,
}

impl Reader {
    pub(super) fn new(client: &ClientConfig, config: &Config) -> Result<Self, OpenError> {
        let consumer = BaseConsumer::from_config_and_context(client, Reporting)
            .map_err(OpenError::kafka("start the consumer"))?;
        let consumer = Arc::new(consumer);
        let mut slots = Vec::with_capacity(config.partitions.into());
        for partition in 0..config.partitions {
            slots.push(Slot::new(&consumer, &config.topic, partition)?);
        }
        let request_timeout = Duration::from_millis(config.request_timeout_milliseconds.into());
        Ok(Self { consumer, topic: config.topic.clone(), request_timeout, slots })
    }

    /// Reads as the contract says. Takes from the queue only without waiting, so that whoever drops
    /// it loses nothing.
    pub(super) async fn fetch(
        self: &Arc<Self>,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        let slot = self.slot(partition)?;
        let start = Instant::now();
        let place = Place::of(from);
        loop {
            slot.idle.store(0, Ordering::Relaxed);
            let arrived = slot.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            match slot.look(&self.topic, place, max_bytes)? {
                Look::Found(entries) => {
                    slot.note_seen(&entries);
                    return Ok(entries);
                }
                Look::Elsewhere => {
                    self.go_to(partition, place).await?;
                    continue;
                }
                Look::OutOfRange => {
                    self.end_from(partition, from).await?;
                }
                Look::Nothing => {}
            }
            let waited = start.elapsed();
            if waited >= max_wait && self.has_none(partition, from).await? {
                return Ok(Vec::new());
            }
            // It is there: it comes, or Kafka is not well.
            if waited >= max_wait.saturating_add(self.request_timeout) {
                let cause = format!("Kafka delivered nothing from {} for {waited:?}", from.0);
                return Err(FetchError::Unavailable { cause });
            }
            let left = max_wait.checked_sub(waited).filter(|left| !left.is_zero());
            let wait = left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN);
            // Either way it is looked again.
            let _ = tokio::time::timeout(wait, arrived).await;
        }
    }

    /// The first place kept and the place after the last.
    pub(super) async fn watermarks(
        self: &Arc<Self>,
        partition: Partition,
    ) -> Result<(Place, Place), FetchError> {
        let reader = Arc::clone(self);
        let asking = move || {
            reader.consumer.fetch_watermarks(&reader.topic, partition.0.into(), reader.request_timeout)
        };
        let (low, high) = run_blocking(asking).await?.map_err(|error| unavailable(&error))?;
        Ok((Place(low), Place(high)))
    }

    /// Notes that a batch of a partition is there.
    pub(super) fn seen(&self, partition: Partition, offset: Offset) {
        if let Ok(slot) = self.slot(partition) {
            slot.seen.fetch_max(offset.0, Ordering::Relaxed);
        }
    }

    /// Notes what was analysed; the service tells Kafka. What was never seen cannot be released.
    pub(super) fn release(&self, partition: Partition, through: Offset) {
        if let Ok(slot) = self.slot(partition) {
            let through = through.0.min(slot.seen.load(Ordering::Relaxed));
            slot.released.fetch_max(through, Ordering::Relaxed);
        }
    }

    /// Serves what the client reports beside messages. Blocks up to `wait`.
    pub(super) fn serve(&self, wait: Duration) {
        match self.consumer.poll(wait) {
            None => {}
            Some(Err(error)) => tracing::warn!(%error, "reading the log from Kafka has a problem"),
            Some(Ok(message)) => {
                // Each partition has a queue of its own; what comes here all the same would be
                // missing there, so the partition is read again from where its reader stands.
                let index = usize::try_from(message.partition()).unwrap_or(usize::MAX);
                if let Some(slot) = self.slots.get(index) {
                    slot.lock().forget();
                }
            }
        }
    }

    /// Tells Kafka what was released since it was last told. It only shows the lag, so that what
    /// fails is not repeated before something else is released.
    pub(super) fn commit_released(&self) {
        let mut list = TopicPartitionList::new();
        for (partition, slot) in (0..).zip(&self.slots) {
            let released = slot.released.load(Ordering::Relaxed);
            if slot.committed.fetch_max(released, Ordering::Relaxed) >= released {
                continue;
            }
            // Kafka wants the place of the next batch, which is the offset of the last.
            let next = rdkafka::Offset::Offset(i64::try_from(released).unwrap_or(i64::MAX));
            if let Err(error) = list.add_partition_offset(&self.topic, partition, next) {
                tracing::warn!(%error, partition, "the offset of a release cannot be told to Kafka");
            }
        }
        if list.count() == 0 {
            return;
        }
        if let Err(error) = self.consumer.commit(&list, CommitMode::Async) {
            tracing::warn!(%error, "what was released could not be told to Kafka");
        }
    }

    /// Reads partitions ahead no longer that nobody has fetched for some looks.
    pub(super) fn leave_idle(&self) {
        for (partition, slot) in (0..).zip(&self.slots) {
            if slot.idle.fetch_add(1, Ordering::Relaxed) < IDLE_LOOKS {
                continue;
            }
            let mut state = slot.lock();
            if state.next.is_none() {
                continue;
            }
            state.forget();
            if let Err(error) = self.leave(partition) {
                tracing::warn!(%error, partition, "an idle partition could not be left");
            }
        }
    }

    fn slot(&self, partition: Partition) -> Result<&Slot, FetchError> {
        let partitions = u16::try_from(self.slots.len()).unwrap_or(u16::MAX);
        let missing = FetchError::NoSuchPartition { partition: partition.0, partitions };
        self.slots.get(usize::from(partition.0)).ok_or(missing)
    }

    /// Lets the queue of a partition begin at a place.
    async fn go_to(self: &Arc<Self>, partition: Partition, place: Place) -> Result<(), FetchError> {
        let reader = Arc::clone(self);
        run_blocking(move || {
            let slot = reader.slot(partition)?;
            let mut state = slot.lock();
            if state.next == Some(place) {
                return Ok(());
            }
            state.forget();
            let index = partition.0.into();
            reader.leave(index).map_err(|error| unavailable(&error))?;
            let mut list = TopicPartitionList::new();
            list.add_partition_offset(&reader.topic, index, rdkafka::Offset::Offset(place.0))
                .and_then(|()| reader.consumer.incremental_assign(&list))
                .map_err(|error| unavailable(&error))?;
            state.next = Some(place);
            state.recent_from = place;
            Ok(())
        })
        .await?
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

    /// The place after the last batch, when an offset lies in what is kept; says why not otherwise.
    async fn end_from(self: &Arc<Self>, partition: Partition, from: Offset) -> Result<Place, FetchError> {
        let (low, high) = self.watermarks(partition).await?;
        let place = Place::of(from);
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
    async fn has_none(self: &Arc<Self>, partition: Partition, from: Offset) -> Result<bool, FetchError> {
        Ok(Place::of(from) >= self.end_from(partition, from).await?)
    }
}

impl Slot {
    fn new(consumer: &Arc<BaseConsumer<Reporting>>, topic: &str, partition: u16) -> Result<Self, OpenError> {
        let no_queue = || OpenError::NoTopic { topic: topic.to_owned() };
        let mut queue = consumer.split_partition_queue(topic, partition.into()).ok_or_else(no_queue)?;
        let arrived = Arc::new(Notify::new());
        let waking = Arc::clone(&arrived);
        queue.set_nonempty_callback(move || waking.notify_waiters());
        let state = State { queue, next: None, recent: VecDeque::new(), recent_from: Place(0) };
        Ok(Self {
            state: Mutex::new(state),
            arrived,
            idle: AtomicU32::new(0),
            seen: AtomicU64::new(0),
            released: AtomicU64::new(0),
            committed: AtomicU64::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, topic: &str, place: Place, max_bytes: usize) -> Result<Look, FetchError> {
        let look = self.lock().look(topic, place, max_bytes);
        // What one took, others who wait for the same must look for among what was taken.
        if matches!(look, Ok(Look::Found(_))) {
            self.arrived.notify_waiters();
        }
        look
    }

    fn note_seen(&self, entries: &[Entry]) {
        if let Some(last) = entries.last() {
            self.seen.fetch_max(last.offset.0, Ordering::Relaxed);
        }
    }
}

impl State {
    /// Gives up the place of the queue and what was taken from it.
    fn forget(&mut self) {
        self.next = None;
        self.recent = VecDeque::new();
    }

    fn look(&mut self, topic: &str, place: Place, max_bytes: usize) -> Result<Look, FetchError> {
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
                // What was found comes first; the rest is found again where it is asked for.
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

    /// The first of what was taken, in at most `max_bytes` unless it is one.
    fn up_to(&self, max_bytes: usize) -> Vec<Entry> {
        let mut bytes = 0;
        let fits = |entry: &&Entry| {
            let first = bytes == 0;
            bytes += entry.batch.payload.len().max(1);
            first || bytes <= max_bytes
        };
        self.recent.iter().take_while(fits).cloned().collect()
    }

    /// Moves the next batch from the queue to what was taken, and says how large it is.
    fn take(&mut self, topic: &str) -> Result<Option<usize>, TakeError> {
        let Some(next) = self.next else { return Ok(None) };
        let Some(polled) = self.queue.poll(Duration::ZERO) else { return Ok(None) };
        let message = match polled {
            Ok(message) => message,
            Err(error) => return Err(TakeError::of(topic, next, &error)),
        };
        let place = Place(message.offset());
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

/// Why the next batch could not be taken.
enum TakeError {
    OutOfRange,
    Failed(FetchError),
}

impl TakeError {
    fn of(topic: &str, next: Place, error: &KafkaError) -> Self {
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::AutoOffsetReset | RDKafkaErrorCode::OffsetOutOfRange) => Self::OutOfRange,
            Some(RDKafkaErrorCode::BadMessage) => Self::Failed(corrupt(topic, next, error)),
            _ => Self::Failed(unavailable(error)),
        }
    }
}

fn entry(topic: &str, message: &BorrowedMessage<'_>) -> Result<Entry, TakeError> {
    let place = Place(message.offset());
    let batch = record::batch(message).map_err(|error| TakeError::Failed(corrupt(topic, place, &error)))?;
    Ok(Entry { offset: place.offset(), batch })
}

fn corrupt(topic: &str, place: Place, cause: &dyn std::error::Error) -> FetchError {
    FetchError::Corrupt { segment: topic.to_owned(), offset: place.offset().0, cause: cause.to_string() }
}

fn unavailable(error: &KafkaError) -> FetchError {
    FetchError::Unavailable { cause: error.to_string() }
}

/// Runs what asks Kafka and waits for the answer where it holds up nothing else.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, FetchError> {
    let failed = |error: tokio::task::JoinError| FetchError::Unavailable { cause: error.to_string() };
    tokio::task::spawn_blocking(work).await.map_err(failed)
}
