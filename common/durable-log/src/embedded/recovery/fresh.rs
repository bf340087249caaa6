//! A fresh segment, with the frames that may not be on the disk: rewritten and synced before they can be read.

use std::io;
use std::sync::Arc;

use super::super::error::OpenError;
use super::super::frame::{self, FrameHead};
use super::super::scan::Found;
use super::super::segment::{self, BLOCK, Segment, SegmentHeader, align, segment_name};
use super::super::supply::{Supply, SupplyError};

/// The segment the log continues in, with the frames that were moved into it.
pub(super) struct Fresh {
    pub(super) segment: Arc<Segment>,
    pub(super) frames: Vec<Found>,
    /// Behind them.
    pub(super) position: u64,
}

/// Writes and syncs the frames first and the header after them: the header makes this segment
/// replace the end of the one before.
pub(super) fn begin(
    supply: &Supply,
    tail: Option<(Arc<Segment>, Vec<Found>)>,
    first_offset: u64,
    ends: Vec<u64>,
) -> Result<Fresh, OpenError> {
    let (source, moved) = tail.map_or((None, Vec::new()), |(source, moved)| (Some(source), moved));
    let bytes = moved.iter().map(|found| u64::from(found.place.length)).sum();
    let segment = supply.take_smallest(bytes).map_err(|error| match error {
        SupplyError::Disk(error) => OpenError::disk("begin a fresh segment", error),
        full @ SupplyError::NoSpace { .. } => {
            OpenError::disk("begin a fresh segment", io::Error::new(io::ErrorKind::StorageFull, full))
        }
    })?;
    let mut buffer = Vec::new();
    let mut frames = Vec::new();
    if let Some(source) = source {
        frames = copy_frames(&source, &moved, &segment, &mut buffer)?;
    }
    buffer.resize(align(buffer.len() as u64) as usize, 0);
    let writing = |error| OpenError::disk("write to a fresh segment", error);
    segment.file.write_at(&buffer, BLOCK).map_err(writing)?;
    segment.file.sync_data().map_err(writing)?;
    let position = BLOCK + buffer.len() as u64;

    let mut block = Vec::new();
    SegmentHeader { first_offset, ends }.encode(segment.seed, &mut block);
    segment.file.write_at(&block, 0).map_err(writing)?;
    segment.file.sync_data().map_err(writing)?;
    Ok(Fresh { segment: Arc::new(segment), frames, position })
}

/// Encodes frames of one segment again for another, as one group.
fn copy_frames(
    source: &Segment,
    moved: &[Found],
    target: &Segment,
    buffer: &mut Vec<u8>,
) -> Result<Vec<Found>, OpenError> {
    let reading = |error| OpenError::disk("read a segment", error);
    let synced_through = moved.first().map_or(0, |found| found.place.offset - 1);
    let mut copied = Vec::with_capacity(moved.len());
    for (at, found) in moved.iter().enumerate() {
        let bytes = source.read(found.place).map_err(reading)?;
        let (head, payload) = frame::decode(source.seed, &bytes).map_err(|error| OpenError::Corrupt {
            segment: segment_name(source.sequence),
            offset: found.place.offset,
            cause: format!("{error}, though it was good a moment ago"),
        })?;
        let head = FrameHead { ends_group: at + 1 == moved.len(), synced_through, ..head };
        let position = BLOCK + buffer.len() as u64;
        frame::encode(target.seed, &head, &[payload], buffer);
        let position = u32::try_from(position).map_err(io::Error::other).map_err(reading)?;
        copied.push(Found { place: segment::FrameLocation { position, ..found.place }, ..*found });
    }
    Ok(copied)
}
