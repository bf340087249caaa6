//! Reading a segment from its front, when the log is opened: finds the good frames, their end, and
//! any proof after it that they should not end there.

use std::io;

use super::frame::{self, FrameError, HEAD_BYTES};
use super::segment::{BLOCK, FrameLocation, Segment, SegmentHeader, align};
use crate::disk::DiskFile;

/// Number of bytes read at once.
const READ_AHEAD_BYTES: usize = 1024 * 1024;

/// A good frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) partition: u16,
    pub(super) place: FrameLocation,
}

/// The good frames of a segment.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) frames: Vec<Found>,
    /// The first offset that is not among them.
    pub(super) next_offset: u64,
    /// Position of the first bad frame.
    pub(super) position: u64,
    /// Offset up to which the frames state that everything was synced.
    pub(super) synced_through: u64,
    /// Defect of the first bad frame; none where the scan was limited.
    pub(super) defect: Option<String>,
}

/// Reads the header; `None` when the segment has none of its own, because nothing was ever written
/// to it or not all of it arrived.
pub(super) fn header(segment: &Segment) -> io::Result<Option<SegmentHeader>> {
    let mut block = vec![0; BLOCK as usize];
    let found = segment.file.read_at(&mut block, 0)?;
    Ok(SegmentHeader::decode(segment.seed, block.get(..found).unwrap_or_default()))
}

/// Reads frames that follow each other from `first_offset` on, up to the first bad one, or up to
/// `stop_at`, which belongs to the next segment.
pub(super) fn frames(segment: &Segment, first_offset: u64, stop_at: Option<u64>) -> io::Result<Scan> {
    let mut window = Window::new(segment);
    let mut scan = Scan {
        frames: Vec::new(),
        next_offset: first_offset,
        position: BLOCK,
        synced_through: first_offset.saturating_sub(1),
        defect: None,
    };
    while stop_at != Some(scan.next_offset) {
        match next_frame(&mut window, segment.seed, &scan)? {
            Ok((found, head)) => {
                scan.frames.push(found);
                scan.next_offset += 1;
                scan.synced_through = scan.synced_through.max(head.synced_through);
                scan.position += u64::from(found.place.length);
                if head.ends_group {
                    scan.position = align(scan.position);
                }
            }
            Err(defect) => {
                scan.defect = Some(defect);
                break;
            }
        }
    }
    Ok(scan)
}

type NextFrame = Result<(Found, frame::FrameHead), String>;

fn next_frame(window: &mut Window<'_>, seed: u32, scan: &Scan) -> io::Result<NextFrame> {
    let length = match frame::announced_bytes(window.bytes(scan.position, HEAD_BYTES)?) {
        Ok(length) => length,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let head = match frame::decode(seed, window.bytes(scan.position, length)?) {
        Ok((head, _)) => head,
        Err(error) => return Ok(Err(error.to_string())),
    };
    if head.offset != scan.next_offset {
        return Ok(Err(format!("it says offset {}", head.offset)));
    }
    let position = u32::try_from(scan.position).map_err(io::Error::other)?;
    let length = u32::try_from(length).map_err(io::Error::other)?;
    let place = FrameLocation { offset: head.offset, position, length };
    Ok(Ok((Found { partition: head.partition, place }, head)))
}

/// Searches, from a block on, for a frame that proves that `offset` had been synced; returns that
/// frame's offset. Groups begin at blocks, and every frame of a later group is such a proof.
pub(super) fn proof_of_sync(segment: &Segment, from: u64, offset: u64) -> io::Result<Option<u64>> {
    let mut window = Window::new(segment);
    let mut position = align(from.max(BLOCK));
    while position < segment.length {
        let claimed = frame::peek(window.bytes(position, HEAD_BYTES)?);
        let claimed = claimed.is_ok_and(|head| (offset..head.offset).contains(&head.synced_through));
        if claimed && let Ok(head) = whole_frame(&mut window, segment.seed, position)? {
            return Ok(Some(head.offset));
        }
        position += BLOCK;
    }
    Ok(None)
}

/// The frame after the header, if it is good.
pub(super) fn first_frame(segment: &Segment) -> io::Result<Option<frame::FrameHead>> {
    Ok(whole_frame(&mut Window::new(segment), segment.seed, BLOCK)?.ok())
}

fn whole_frame(
    window: &mut Window<'_>,
    seed: u32,
    position: u64,
) -> io::Result<Result<frame::FrameHead, FrameError>> {
    let length = match frame::announced_bytes(window.bytes(position, HEAD_BYTES)?) {
        Ok(length) => length,
        Err(error) => return Ok(Err(error)),
    };
    Ok(frame::decode(seed, window.bytes(position, length)?).map(|(head, _)| head))
}

/// A piece of a file in memory, moved along as it is read.
struct Window<'a> {
    file: &'a dyn DiskFile,
    /// Length of the file: a bad length beyond it causes no read and no allocation.
    length: u64,
    start: u64,
    buffer: Vec<u8>,
}

impl<'a> Window<'a> {
    fn new(segment: &'a Segment) -> Self {
        Self { file: segment.file.as_ref(), length: segment.length, start: 0, buffer: Vec::new() }
    }

    /// Bytes of the file; fewer where it ends.
    fn bytes(&mut self, position: u64, length: usize) -> io::Result<&[u8]> {
        let end = position + length as u64;
        if position < self.start || end > self.start + self.buffer.len() as u64 {
            let rest = usize::try_from(self.length.saturating_sub(position)).unwrap_or(usize::MAX);
            self.buffer = vec![0; length.max(READ_AHEAD_BYTES).min(rest)];
            let found = self.file.read_at(&mut self.buffer, position)?;
            self.buffer.truncate(found);
            self.start = position;
        }
        let from = (position - self.start) as usize;
        let to = self.buffer.len().min(from + length);
        Ok(self.buffer.get(from..to).unwrap_or_default())
    }
}
