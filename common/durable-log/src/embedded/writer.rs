//! The writer: encodes a group of batches, writes it with one call and syncs it with one. Owns the
//! segment that is being filled; neither answers nor publishes.
//!
//! Short frames are copied together, because direct writes take aligned memory. The long payloads that begin aligned
//! are written in place, each at a block of its own, and only their ends are copied.

use std::io;
use std::sync::Arc;

use common::timestamp::Timestamp;

use super::frame::{self, FrameHead, HEAD_BYTES};
use super::queue::Pending;
use super::segment::{BLOCK, FrameLocation, Segment, SegmentHeader, align};
use crate::disk::aligned::AlignedBuffer;

/// A buffer that a very large batch has blown up is not kept.
const KEPT_BUFFER_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct Writer {
    segment: Arc<Segment>,
    /// Position of the next group: 0 as long as the segment has no header.
    position: u64,
    next_offset: u64,
    /// Last offset of each partition, as written.
    ends: Vec<u64>,
    /// All copied data, in the order of the file.
    buffer: AlignedBuffer,
}

/// The blocks of a payload that are written in place.
struct Uncopied {
    /// Their position in the buffer.
    at: usize,
    /// Which batch of the group has them.
    batch: usize,
    bytes: usize,
}

/// A group that is durable.
pub(super) struct Written {
    /// The segment it is in and that segment's first offset, when it begins one.
    pub(super) begun: Option<(Arc<Segment>, u64)>,
    /// Place of each batch of the group, in the order given.
    pub(super) places: Vec<FrameLocation>,
    /// Bytes written, padding included.
    pub(super) bytes: u64,
}

impl Writer {
    /// A writer that continues after the data that recovery left.
    pub(super) fn new(segment: Arc<Segment>, position: u64, next_offset: u64, ends: Vec<u64>) -> Self {
        Self { segment, position, next_offset, ends, buffer: AlignedBuffer::default() }
    }

    /// Bytes of frames that still fit into the segment.
    pub(super) fn room(&self) -> u64 {
        self.segment.length.saturating_sub(self.position.max(BLOCK))
    }

    /// Continues in an empty segment. Nothing is written to it before the next group.
    pub(super) fn rotate(&mut self, segment: Segment) {
        self.segment = Arc::new(segment);
        self.position = 0;
    }

    /// Writes a group and syncs it. The caller has made sure that it fits.
    ///
    /// After an error the state of the group on the disk is unknown, and this writer must not be
    /// used again: the next write could hide the failure of this one.
    pub(super) fn write(&mut self, group: &[Pending], now: Timestamp) -> io::Result<Written> {
        let first_offset = self.next_offset;
        let begins = self.position == 0;
        let copied: u64 = group.iter().map(Pending::copied_bytes).sum();
        self.buffer.reset(align(BLOCK + copied) as usize);
        if begins {
            let header = SegmentHeader { first_offset, ends: self.ends.clone() };
            header.encode(self.segment.seed, self.buffer.tail());
        }
        let (places, uncopied) = self.encode(group, now)?;
        self.buffer.fill_up(align(self.buffer.length() as u64) as usize);
        let parts = parts(self.buffer.content(), group, &uncopied);
        self.segment.file.write_parts_at(&parts, self.position)?;
        self.segment.file.sync_data()?;

        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        self.position += bytes;
        self.buffer.shrink_above(KEPT_BUFFER_BYTES);
        let begun = begins.then(|| (Arc::clone(&self.segment), first_offset));
        Ok(Written { begun, places, bytes })
    }

    fn encode(
        &mut self,
        group: &[Pending],
        now: Timestamp,
    ) -> io::Result<(Vec<FrameLocation>, Vec<Uncopied>)> {
        let synced_through = self.next_offset - 1;
        let mut places = Vec::with_capacity(group.len());
        let mut uncopied = Vec::new();
        let mut uncopied_bytes = 0;
        for (index, pending) in group.iter().enumerate() {
            let mut head = FrameHead {
                offset: self.next_offset,
                partition: pending.partition,
                ends_group: index + 1 == group.len(),
                appended_at: now.0,
                synced_through,
                padding: 0,
            };
            let start = self.buffer.length() + uncopied_bytes;
            if pending.is_uncopied() {
                let bytes = self.encode_beside(&mut head, pending);
                uncopied.push(Uncopied { at: self.buffer.length(), batch: index, bytes });
                uncopied_bytes += bytes;
                self.buffer.tail().extend_from_slice(&pending.payload[bytes..]);
            } else {
                let parts: [&[u8]; 2] = [&pending.headers, &pending.payload];
                frame::encode(self.segment.seed, &head, &parts, self.buffer.tail());
            }
            let position = self.position + start as u64;
            let length = self.buffer.length() + uncopied_bytes - start;
            places.push(FrameLocation {
                offset: self.next_offset,
                position: u32::try_from(position).map_err(io::Error::other)?,
                length: u32::try_from(length).map_err(io::Error::other)?,
            });
            if let Some(end) = self.ends.get_mut(usize::from(pending.partition)) {
                *end = self.next_offset;
            }
            self.next_offset += 1;
        }
        Ok((places, uncopied))
    }

    /// Encodes a frame up to its payload, which then begins at a block; returns the number of its bytes that are whole blocks.
    fn encode_beside(&mut self, head: &mut FrameHead, pending: &Pending) -> usize {
        let before = (self.buffer.length() + HEAD_BYTES + pending.headers.len()) as u64;
        let padding = (align(before) - before) as u16;
        head.padding = padding;
        let zeros = [0; BLOCK as usize];
        let parts: [&[u8]; 2] = [&pending.headers, &zeros[..usize::from(padding)]];
        frame::encode_without(self.segment.seed, head, &parts, &pending.payload, self.buffer.tail());
        pending.payload.len() / BLOCK as usize * BLOCK as usize
    }
}

/// The data to write, in the order of the file: copied data, with the other payloads between.
fn parts<'p>(copied: &'p [u8], group: &'p [Pending], uncopied: &[Uncopied]) -> Vec<&'p [u8]> {
    let mut parts = Vec::with_capacity(2 * uncopied.len() + 1);
    let mut from = 0;
    for Uncopied { at, batch, bytes } in uncopied {
        parts.push(&copied[from..*at]);
        parts.push(&group[*batch].payload[..*bytes]);
        from = *at;
    }
    parts.push(&copied[from..]);
    parts.retain(|part| !part.is_empty());
    parts
}
