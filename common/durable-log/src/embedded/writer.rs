//! The writer: encodes a group of batches, writes it with one call and syncs it with one. Owns the
//! segment that is being filled; answers nobody and publishes nothing.
//!
//! The frames are copied together, because a direct write takes one aligned piece of memory; the copy
//! is what the checksum has to read anyway.

use std::io;
use std::sync::Arc;

use common::timestamp::Timestamp;

use super::frame::{self, FrameHead};
use super::queue::Pending;
use super::segment::{BLOCK, Place, Segment, SegmentHeader, align};
use crate::disk::aligned::AlignedBuffer;

/// A buffer that a very large batch has blown up is not kept.
const KEPT_BUFFER_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct Writer {
    segment: Arc<Segment>,
    /// Where the next group goes: 0 as long as the segment has no header.
    position: u64,
    next_offset: u64,
    /// Last offset of each partition, as written.
    ends: Vec<u64>,
    buffer: AlignedBuffer,
}

/// A group that is durable.
pub(super) struct Written {
    /// The segment it is in and that segment's first offset, when it begins one.
    pub(super) begun: Option<(Arc<Segment>, u64)>,
    /// Where each batch of the group stands, in the order given.
    pub(super) places: Vec<Place>,
    /// Bytes written, padding included.
    pub(super) bytes: u64,
}

impl Writer {
    /// A writer that goes on behind what recovery left.
    pub(super) fn new(segment: Arc<Segment>, position: u64, next_offset: u64, ends: Vec<u64>) -> Self {
        Self { segment, position, next_offset, ends, buffer: AlignedBuffer::default() }
    }

    /// Bytes of frames that still fit into the segment.
    pub(super) fn room(&self) -> u64 {
        self.segment.length.saturating_sub(self.position.max(BLOCK))
    }

    /// Goes on in an empty segment. Nothing is written to it before the next group.
    pub(super) fn rotate(&mut self, segment: Segment) {
        self.segment = Arc::new(segment);
        self.position = 0;
    }

    /// Writes a group and syncs it. The caller has made sure that it fits.
    ///
    /// After an error it is not known what of the group is on the disk, and this writer must not be
    /// used again: the next write could hide the failure of this one.
    pub(super) fn write(&mut self, group: &[Pending], now: Timestamp) -> io::Result<Written> {
        let first_offset = self.next_offset;
        let begins = self.position == 0;
        let frames: u64 = group.iter().map(Pending::frame_bytes).sum();
        self.buffer.reset(align(BLOCK + frames) as usize);
        if begins {
            let header = SegmentHeader { first_offset, ends: self.ends.clone() };
            header.encode(self.segment.seed, self.buffer.tail());
        }
        let places = self.encode(group, now)?;
        self.buffer.fill_up(align(self.buffer.length() as u64) as usize);
        self.segment.file.write_at(self.buffer.content(), self.position)?;
        self.segment.file.sync_data()?;

        let bytes = self.buffer.length() as u64;
        self.position += bytes;
        self.buffer.shrink_above(KEPT_BUFFER_BYTES);
        let begun = begins.then(|| (Arc::clone(&self.segment), first_offset));
        Ok(Written { begun, places, bytes })
    }

    fn encode(&mut self, group: &[Pending], now: Timestamp) -> io::Result<Vec<Place>> {
        let synced_through = self.next_offset - 1;
        let mut places = Vec::with_capacity(group.len());
        for (index, pending) in group.iter().enumerate() {
            let head = FrameHead {
                offset: self.next_offset,
                partition: pending.partition,
                ends_group: index + 1 == group.len(),
                appended_at: now.0,
                synced_through,
            };
            let start = self.buffer.length();
            let parts: [&[u8]; 2] = [&pending.headers, &pending.payload];
            frame::encode(self.segment.seed, &head, &parts, self.buffer.tail());
            let position = self.position + start as u64;
            places.push(Place {
                offset: self.next_offset,
                position: u32::try_from(position).map_err(io::Error::other)?,
                length: u32::try_from(self.buffer.length() - start).map_err(io::Error::other)?,
            });
            if let Some(end) = self.ends.get_mut(usize::from(pending.partition)) {
                *end = self.next_offset;
            }
            self.next_offset += 1;
        }
        Ok(places)
    }
}
