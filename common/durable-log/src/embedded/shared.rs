//! State that the threads of one open log share: the queue, the index, the supply of segments, and
//! the watches that wake readers. Entry (enqueue), reading (read), deletion (release).

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use common::batch::Batch;
use common::partition::{Offset, Partition};
use tokio::sync::watch;
use tracing::{info, warn};

use super::answer;
use super::commit::{show_free, show_usage};
use super::frame::{self, FrameHead, MAX_FRAME_BYTES};
use super::index::{Index, Located};
use super::locked;
use super::queue::{Pending, Queue};
use super::supply::Supply;
use super::tail::{Recent, Tail};
use super::writer::Written;
use crate::{AppendError, Entry, FetchError, Usage};

pub(super) struct Shared {
    pub(super) queue: Queue,
    pub(super) supply: Supply,
    index: Mutex<Index>,
    tail: Mutex<Tail>,
    /// Offset of the last durable batch of each partition.
    ends: Vec<watch::Sender<u64>>,
    /// Whether the commit thread has ended.
    ended: watch::Sender<bool>,
}

impl Shared {
    pub(super) fn new(queue: Queue, supply: Supply, index: Index) -> Self {
        let ends = index.ends();
        let tail = Mutex::new(Tail::new(&ends));
        let ends = ends.into_iter().map(watch::Sender::new).collect();
        let ended = watch::Sender::new(false);
        let shared = Self { queue, supply, index: Mutex::new(index), tail, ends, ended };
        shared.note_usage(&locked(&shared.index));
        shared
    }

    pub(super) fn partitions(&self) -> u16 {
        u16::try_from(self.ends.len()).unwrap_or(u16::MAX)
    }

    /// Puts a batch into the queue. After an error it is certainly not appended.
    pub(super) fn enqueue(
        &self,
        partition: Partition,
        batch: Batch,
    ) -> Result<answer::Receiver, AppendError> {
        if partition.0 >= self.partitions() {
            return Err(AppendError::NoSuchPartition {
                partition: partition.0,
                partitions: self.partitions(),
            });
        }
        let mut headers = Vec::new();
        crate::headers::encode(&batch.headers, &mut headers);
        let (answer, answered) = answer::channel();
        let pending = Pending { partition: partition.0, headers, payload: batch.payload, answer };
        let found = pending.frame_bytes();
        if found > MAX_FRAME_BYTES {
            return Err(AppendError::TooLarge { found, limit: MAX_FRAME_BYTES });
        }
        self.queue.push(pending)?;
        Ok(answered)
    }

    /// Makes a durable group readable.
    pub(super) fn publish(&self, written: &Written, group: &[Pending]) {
        let mut index = locked(&self.index);
        if let Some((segment, first_offset)) = &written.begun {
            index.start_segment(segment.clone(), *first_offset);
        }
        for (pending, place) in group.iter().zip(&written.places) {
            index.insert(pending.partition, *place);
        }
        self.supply.give_back(index.take_freed());
        self.note_usage(&index);
        // Under the lock of the index: a batch cannot be released before it is kept.
        let mut tail = locked(&self.tail);
        group.iter().zip(&written.places).for_each(|(pending, place)| tail.keep(pending, place.offset));
        drop(tail);
        drop(index);
        // A follower of a partition is woken once, not for each batch of the group.
        let ends: BTreeMap<u16, u64> = group
            .iter()
            .zip(&written.places)
            .map(|(pending, place)| (pending.partition, place.offset))
            .collect();
        for (partition, offset) in ends {
            if let Some(end) = self.ends.get(usize::from(partition)) {
                end.send_replace(offset);
            }
        }
    }

    /// Checks the free space of the disk, and frees the log's own spare files where it is too little. Where the disk
    /// does not report it, the last value applies.
    pub(super) fn look_at_disk(&self) {
        let floor = self.queue.bounds().least_free_bytes;
        let look = || self.supply.disk.available_bytes();
        let Ok(mut free) = look() else { return };
        if free < floor && self.supply.give_up_spares() {
            free = look().unwrap_or(free);
        }
        show_free(free);
        if !self.queue.note_free(free) {
            return;
        }
        if free < floor {
            warn!(
                free,
                floor, "the free disk space is below the minimum: appends are rejected until it rises"
            );
        } else {
            info!(free, floor, "the disk has free space again: appends are accepted");
        }
    }

    /// Notes that the commit thread has answered all senders and ended.
    pub(super) fn announce_end(&self) {
        self.ended.send_replace(true);
    }

    /// Waits for the commit thread to end.
    pub(super) async fn ended(&self) {
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
    }

    /// Follows the end of a partition.
    pub(super) fn end(&self, partition: Partition) -> Result<watch::Receiver<u64>, FetchError> {
        let end = self.ends.get(usize::from(partition.0));
        end.map(watch::Sender::subscribe).ok_or_else(|| FetchError::NoSuchPartition {
            partition: partition.0,
            partitions: self.partitions(),
        })
    }

    /// Deletes batches, and returns the segments that are no longer needed.
    pub(super) fn release(&self, partition: Partition, through: Offset) {
        let mut index = locked(&self.index);
        index.release(partition.0, through.0);
        locked(&self.tail).release(partition.0, through.0);
        self.supply.give_back(index.take_freed());
        self.note_usage(&index);
    }

    fn note_usage(&self, index: &Index) {
        let held_bytes = index.held_bytes();
        self.queue.held().bytes.store(held_bytes, Ordering::SeqCst);
        self.queue.held().batches.store(index.batches(), Ordering::SeqCst);
        show_usage(held_bytes, index.segments());
    }

    pub(super) fn held_bytes(&self) -> u64 {
        self.queue.held().bytes.load(Ordering::SeqCst)
    }

    pub(super) fn usage(&self) -> Usage {
        let (queued_bytes, writable) = self.queue.usage();
        let bounds = self.queue.bounds();
        Usage {
            unreleased_bytes: self.held_bytes(),
            capacity_bytes: bounds.capacity_bytes,
            unreleased_batches: self.queue.held().batches.load(Ordering::SeqCst),
            capacity_batches: bounds.max_batches,
            queued_bytes,
            queue_capacity_bytes: bounds.queue_bytes,
            writable,
            partitions_behind: 0,
            disk_low: self.queue.disk_low().is_some(),
        }
    }

    /// Durable batches that are still in memory; `None` where they are to be read from the files.
    pub(super) fn recent(&self, partition: Partition, from: Offset, max_bytes: u64) -> Option<Vec<Entry>> {
        let recent = locked(&self.tail).read(partition.0, from.0, max_bytes);
        let entries: Option<Vec<Entry>> = recent.into_iter().map(Recent::entry).collect();
        entries.filter(|entries| !entries.is_empty())
    }

    /// Reads durable batches from the files; blocks for as long as the disk does.
    pub(super) fn read(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: u64,
    ) -> Result<Vec<Entry>, FetchError> {
        let located = self.locate(partition, from, max_bytes)?;
        // Before they are read: batches that become durable meanwhile are kept already.
        if let Some(last) = located.last() {
            locked(&self.tail).is_read(partition.0, last.place.offset);
        }
        let mut entries = Vec::with_capacity(located.len());
        for frame in located {
            match self.read_frame(partition, &frame) {
                Ok(batch) => entries.push(Entry { offset: Offset(frame.place.offset), batch }),
                // Good batches are returned first; the next call meets the bad one.
                Err(_) if !entries.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    pub(super) fn locate(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: u64,
    ) -> Result<Vec<Located>, FetchError> {
        let located = locked(&self.index).locate(partition.0, from.0, max_bytes);
        located.map_err(|forgotten| FetchError::Trimmed {
            partition: partition.0,
            from: from.0,
            oldest: forgotten.oldest,
        })
    }

    pub(super) fn read_frame(&self, partition: Partition, located: &Located) -> Result<Batch, FetchError> {
        let Located { segment, place } = located;
        let bytes =
            segment.read(*place).map_err(|error| FetchError::Unavailable { cause: error.to_string() })?;
        let cause = match check(segment.seed, partition, place.offset, &bytes) {
            Ok(head) => match frame::batch(&Bytes::from(bytes), &head) {
                Ok(batch) => return Ok(batch),
                Err(error) => error.to_string(),
            },
            Err(cause) => cause,
        };
        // Released meanwhile, and its file already reused.
        if locked(&self.index).has_forgotten(partition.0, place.offset) {
            let (from, oldest) = (place.offset, place.offset + 1);
            return Err(FetchError::Trimmed { partition: partition.0, from, oldest });
        }
        Err(FetchError::Corrupt { segment: segment.name(), offset: place.offset, cause })
    }
}

pub(super) fn check(seed: u32, partition: Partition, offset: u64, bytes: &[u8]) -> Result<FrameHead, String> {
    let (head, _) = frame::decode(seed, bytes).map_err(|error| error.to_string())?;
    if (head.offset, head.partition) == (offset, partition.0) {
        return Ok(head);
    }
    Err(format!("the frame says offset {} of partition {}", head.offset, head.partition))
}
