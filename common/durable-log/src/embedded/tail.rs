//! The batches that became durable last, in memory until the follower of their partition has read them, so that batches
//! just written are not read from the disk. The files are authoritative; this may discard anything at any time.

use std::collections::VecDeque;

use bytes::Bytes;
use common::batch::Batch;
use common::partition::Offset;

use super::queue::Pending;
use crate::Entry;

/// Most bytes of batches, of all partitions together: some fifty milliseconds of the fastest ingestion. A reader further
/// behind reads files, which costs little beside its backlog. Bytes are counted as they are in the log; their memory may
/// be larger, within the bounds of the appending callers.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Overhead of a batch in addition to its bytes.
const BATCH_BYTES: usize = 256;

/// Batches in memory of each partition.
pub(super) struct Tail {
    partitions: Vec<Followed>,
    bytes: usize,
}

/// Batches in memory of one partition.
struct Followed {
    /// Offset of the last durable batch.
    end: u64,
    /// Every batch after this offset is here; `None` while no reader follows closely.
    behind: Option<u64>,
    batches: VecDeque<Recent>,
    bytes: usize,
}

/// A batch as it was appended.
#[derive(Clone)]
pub(super) struct Recent {
    offset: u64,
    headers: Bytes,
    payload: Bytes,
}

impl Tail {
    /// An empty tail of partitions with these ends.
    pub(super) fn new(ends: &[u64]) -> Self {
        let nothing = |end: &u64| Followed { end: *end, behind: None, batches: VecDeque::new(), bytes: 0 };
        Self { partitions: ends.iter().map(nothing).collect(), bytes: 0 }
    }

    /// Keeps a batch that became durable, if its partition is followed closely. Where that is too much, the
    /// partition with the most waiting is read from the files until it is followed closely again.
    pub(super) fn keep(&mut self, pending: &Pending, offset: u64) {
        let Some(followed) = self.partitions.get_mut(usize::from(pending.partition)) else { return };
        followed.end = offset;
        // It may have been read from the files meanwhile.
        if followed.behind.is_none_or(|behind| offset <= behind) {
            return;
        }
        let headers = Bytes::copy_from_slice(&pending.headers);
        let recent = Recent { offset, headers, payload: pending.payload.clone() };
        self.bytes += recent.bytes();
        followed.bytes += recent.bytes();
        followed.batches.push_back(recent);
        while self.bytes > MOST_BYTES {
            let Some(last) = self.partitions.iter_mut().max_by_key(|followed| followed.bytes) else { return };
            self.bytes -= last.give_up();
        }
    }

    /// Batches of a partition from the first at or after `from`, as many as fit into `max_bytes` and at least one; none
    /// where they are to be read from the files. Earlier ones are discarded.
    pub(super) fn read(&mut self, partition: u16, from: u64, max_bytes: u64) -> Vec<Recent> {
        let Some(followed) = self.partitions.get_mut(usize::from(partition)) else { return Vec::new() };
        if followed.behind.is_none_or(|behind| from <= behind) {
            return Vec::new();
        }
        self.bytes -= followed.forget(|offset| offset < from);
        let mut total = 0;
        let fits = |recent: &&Recent| {
            let is_first = total == 0;
            total += recent.bytes() as u64;
            is_first || total <= max_bytes
        };
        followed.batches.iter().take_while(fits).cloned().collect()
    }

    /// A partition is being read from the files up to this offset. From its end on it is followed closely.
    pub(super) fn is_read(&mut self, partition: u16, through: u64) {
        let Some(followed) = self.partitions.get_mut(usize::from(partition)) else { return };
        if followed.behind.is_none() && through >= followed.end {
            followed.behind = Some(through);
        }
    }

    /// Forgets the batches of a partition up to and including `through`.
    pub(super) fn release(&mut self, partition: u16, through: u64) {
        let Some(followed) = self.partitions.get_mut(usize::from(partition)) else { return };
        self.bytes -= followed.forget(|offset| offset <= through);
    }
}

impl Followed {
    /// Discards the indicated batches in front; returns their bytes.
    fn forget(&mut self, is_meant: impl Fn(u64) -> bool) -> usize {
        let mut bytes = 0;
        while let Some(forgotten) = self.batches.pop_front_if(|recent| is_meant(recent.offset)) {
            bytes += forgotten.bytes();
            self.behind = Some(forgotten.offset);
        }
        self.bytes -= bytes;
        bytes
    }

    /// Discards everything; returns the number of bytes.
    fn give_up(&mut self) -> usize {
        self.behind = None;
        self.batches = VecDeque::new();
        std::mem::take(&mut self.bytes)
    }
}

impl Recent {
    fn bytes(&self) -> usize {
        BATCH_BYTES + self.headers.len() + self.payload.len()
    }

    /// Decoded batch; `None` where it cannot be decoded, for which the files give the error.
    pub(super) fn entry(self) -> Option<Entry> {
        let (headers, _) = crate::headers::decode(&self.headers).ok()?;
        Some(Entry { offset: Offset(self.offset), batch: Batch { headers, payload: self.payload } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::batch;
    use crate::embedded::answer;

    fn pending(partition: u16, number: u32, size: usize) -> Pending {
        let batch = batch(number, size);
        let mut headers = Vec::new();
        crate::headers::encode(&batch.headers, &mut headers);
        Pending { partition, headers, payload: batch.payload, answer: answer::channel().0 }
    }

    fn offsets(found: Vec<Recent>) -> Vec<u64> {
        found.into_iter().map(|recent| recent.entry().unwrap().offset.0).collect()
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let mut tail = Tail::new(&[0, 0]);
        tail.keep(&pending(0, 1, 10), 1);
        assert_eq!((tail.bytes, offsets(tail.read(0, 1, 1000))), (0, vec![]));
        tail.is_read(0, 1);
        tail.keep(&pending(1, 2, 10), 2);
        tail.keep(&pending(0, 3, 10), 3);
        assert_eq!(offsets(tail.read(0, 2, 1000)), [3]);
        assert_eq!(offsets(tail.read(0, 1, 1000)), [0; 0], "who goes back reads the files");
        assert_eq!(offsets(tail.read(0, 3, 0)), [3], "one is always given, and again");
        assert_eq!(offsets(tail.read(1, 1, 1000)), [0; 0]);
        tail.release(0, 3);
        assert_eq!((tail.bytes, offsets(tail.read(0, 3, 1000))), (0, vec![]));
    }

    #[test]
    fn who_is_furthest_behind_is_given_up_when_it_is_too_much() {
        let mut tail = Tail::new(&[0, 0]);
        tail.is_read(0, 0);
        tail.is_read(1, 0);
        let size = MOST_BYTES / 8;
        tail.keep(&pending(1, 0, size), 1);
        (2..9).for_each(|offset| tail.keep(&pending(0, 0, size), offset));
        assert!(tail.bytes < 2 * size, "{}", tail.bytes);
        assert_eq!(offsets(tail.read(0, 1, u64::MAX)), [0; 0]);
        assert_eq!(offsets(tail.read(1, 1, u64::MAX)), [1]);
        // It catches up: not yet, when another batch has arrived meanwhile.
        tail.is_read(0, 7);
        tail.keep(&pending(0, 0, 10), 9);
        assert_eq!(offsets(tail.read(0, 8, u64::MAX)), [0; 0]);
        tail.is_read(0, 9);
        tail.keep(&pending(0, 0, 10), 10);
        assert_eq!(offsets(tail.read(0, 10, u64::MAX)), [10]);
    }
}
