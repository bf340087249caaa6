//! Contents of the log, in memory: the place of each unreleased frame, by partition, and the
//! segments that are still needed. Independent of files.
//!
//! Segments are freed from the oldest on, never out of the middle: the ones that are left always
//! number without a gap, so that a missing file is noticed when the log is opened.

use std::collections::VecDeque;
use std::sync::Arc;

use super::segment::{BLOCK, FrameLocation, Segment};

pub(super) struct Index {
    partitions: Vec<PartitionIndex>,
    segments: VecDeque<Used>,
    batches: u64,
    /// Bytes of all segments but the last.
    sealed_bytes: u64,
}

#[derive(Default)]
struct PartitionIndex {
    /// Unreleased frames, oldest first.
    places: VecDeque<FrameLocation>,
    /// Offset of the last durable frame.
    end: u64,
    /// Offset of the last frame that was released.
    forgotten: u64,
}

struct Used {
    segment: Arc<Segment>,
    first_offset: u64,
    unreleased: u32,
    /// Bytes written so far.
    written: u64,
}

/// A frame and the open segment it is in.
pub(super) struct Located {
    pub(super) segment: Arc<Segment>,
    pub(super) place: FrameLocation,
}

/// The partition has forgotten frames at or after the requested offset.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Forgotten {
    /// The oldest offset that is still there, or would be.
    pub(super) oldest: u64,
}

impl Index {
    /// An empty index, in which each partition ends at one of `ends`.
    pub(super) fn new(ends: &[u64]) -> Self {
        let partition = |end: &u64| PartitionIndex { end: *end, forgotten: *end, ..Default::default() };
        Self {
            partitions: ends.iter().map(partition).collect(),
            segments: VecDeque::new(),
            batches: 0,
            sealed_bytes: 0,
        }
    }

    /// Continues in another segment.
    pub(super) fn start_segment(&mut self, segment: Arc<Segment>, first_offset: u64) {
        if let Some(sealed) = self.segments.back() {
            self.sealed_bytes += sealed.segment.length;
        }
        self.segments.push_back(Used { segment, first_offset, unreleased: 0, written: BLOCK });
    }

    /// Notes that the last segment is shorter now.
    pub(super) fn shorten_last(&mut self, length: u64) {
        if let Some(used) = self.segments.back_mut() {
            let Segment { sequence, file, seed, .. } = used.segment.as_ref();
            let (sequence, file, seed) = (*sequence, Arc::clone(file), *seed);
            used.segment = Arc::new(Segment { sequence, file, length, seed });
        }
    }

    /// The last segment and its number of bytes written.
    pub(super) fn last_segment(&self) -> Option<(&Segment, u64)> {
        self.segments.back().map(|used| (used.segment.as_ref(), used.written))
    }

    /// Enters a durable frame of the last segment.
    pub(super) fn insert(&mut self, partition: u16, place: FrameLocation) {
        let (Some(index), Some(used)) =
            (self.partitions.get_mut(usize::from(partition)), self.segments.back_mut())
        else {
            return;
        };
        index.places.push_back(place);
        index.end = place.offset;
        used.unreleased += 1;
        used.written = u64::from(place.position) + u64::from(place.length);
        self.batches += 1;
    }

    /// Forgets the frames of a partition up to and including `through`.
    pub(super) fn release(&mut self, partition: u16, through: u64) {
        let Some(index) = self.partitions.get_mut(usize::from(partition)) else { return };
        while let Some(place) = index.places.pop_front_if(|place| place.offset <= through) {
            index.forgotten = place.offset;
            self.batches -= 1;
            let at = self.segments.partition_point(|used| used.first_offset <= place.offset);
            if let Some(used) = at.checked_sub(1).and_then(|at| self.segments.get_mut(at)) {
                used.unreleased -= 1;
            }
        }
    }

    /// Takes out the segments that are no longer needed, oldest first. The last one stays: its
    /// header records the ends of the log.
    pub(super) fn take_freed(&mut self) -> Vec<Arc<Segment>> {
        let mut freed = Vec::new();
        while self.segments.len() > 1 {
            let Some(used) = self.segments.pop_front_if(|used| used.unreleased == 0) else { break };
            self.sealed_bytes -= used.segment.length;
            freed.push(used.segment);
        }
        freed
    }

    /// Frames of a partition from the first at or after `from`: as many as fit into `max_bytes`,
    /// and at least one where there is one.
    pub(super) fn locate(
        &self,
        partition: u16,
        from: u64,
        max_bytes: u64,
    ) -> Result<Vec<Located>, Forgotten> {
        let Some(index) = self.partitions.get(usize::from(partition)) else { return Ok(Vec::new()) };
        // Offsets start at 1: 0 is equivalent to 1.
        if from.max(1) <= index.forgotten {
            let oldest = index.places.front().map_or(index.forgotten + 1, |place| place.offset);
            return Err(Forgotten { oldest });
        }
        let mut found = Vec::new();
        let mut total = 0;
        let start = index.places.partition_point(|place| place.offset < from);
        for place in index.places.range(start..) {
            total += u64::from(place.length);
            if total > max_bytes && !found.is_empty() {
                break;
            }
            let at = self.segments.partition_point(|used| used.first_offset <= place.offset);
            let used = at.checked_sub(1).and_then(|at| self.segments.get(at));
            found.extend(used.map(|used| Located { segment: Arc::clone(&used.segment), place: *place }));
        }
        Ok(found)
    }

    /// Whether a frame was released since it was located.
    pub(super) fn has_forgotten(&self, partition: u16, offset: u64) -> bool {
        self.partitions.get(usize::from(partition)).is_some_and(|index| offset <= index.forgotten)
    }

    /// Offset of the last durable frame of each partition.
    pub(super) fn ends(&self) -> Vec<u64> {
        self.partitions.iter().map(|index| index.end).collect()
    }

    /// Unreleased frames.
    pub(super) fn batches(&self) -> u64 {
        self.batches
    }

    /// Bytes of the disk that unreleased frames keep: whole segments, and the written part of the
    /// last one, unless all of that is released.
    pub(super) fn held_bytes(&self) -> u64 {
        let last = self.segments.back().filter(|used| used.unreleased > 0).map_or(0, |used| used.written);
        self.sealed_bytes + last
    }

    /// Segments in use.
    pub(super) fn segments(&self) -> usize {
        self.segments.len()
    }
}
