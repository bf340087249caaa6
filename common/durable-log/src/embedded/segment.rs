//! One segment: a file that begins with a header block and continues with groups of frames, each
//! group at a block of its own, so that no write touches a block that holds acknowledged bytes.

use std::io;
use std::sync::Arc;

use super::error::OpenError;
use super::frame;
use crate::disk::DiskFile;

/// Alignment of writes: the page of the file system, and more than any sector.
pub(super) const BLOCK: u64 = 4096;

const MAGIC: &[u8; 8] = b"PALISEG\x01";
const CHECKED_FROM: usize = 12;
const SEGMENT_PREFIX: &str = "segment-";
const SPARE_PREFIX: &str = "spare-";

/// The first multiple of [`BLOCK`] at or after a position.
pub(super) fn align(position: u64) -> u64 {
    position.next_multiple_of(BLOCK)
}

/// Name of the file of a segment. The number grows with every use of a file.
pub(super) fn segment_name(sequence: u64) -> String {
    format!("{SEGMENT_PREFIX}{sequence:020}")
}

/// Name of a file that waits to become a segment; its number is that of its last use, so that the
/// highest number ever used is known from the names alone.
pub(super) fn spare_name(sequence: u64) -> String {
    format!("{SPARE_PREFIX}{sequence:020}")
}

/// Kind of a file of the log's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Segment(u64),
    Spare(u64),
}

/// Reads a file's name; `None` when it is none of ours.
pub(super) fn parse_name(name: &str) -> Option<Named> {
    let (_, digits) = name.split_once('-')?;
    let sequence = digits.parse().ok()?;
    if name == segment_name(sequence) {
        return Some(Named::Segment(sequence));
    }
    (name == spare_name(sequence)).then_some(Named::Spare(sequence))
}

/// Numbers are never used twice, so that one too high would leave none for those that
/// follow. A million segments a second would take more than a hundred thousand years to get here.
const MAX_SEQUENCE: u64 = 1 << 63;

/// The number after all that were used.
pub(super) fn next_sequence(used: impl Iterator<Item = u64>) -> Result<u64, OpenError> {
    let highest = used.max().unwrap_or(0);
    if highest >= MAX_SEQUENCE {
        return Err(OpenError::Misnumbered { sequence: highest });
    }
    Ok(highest + 1)
}

/// An open segment.
pub(super) struct Segment {
    /// The number of this use of the file.
    pub(super) sequence: u64,
    /// The file, open as long as it has readers.
    pub(super) file: Arc<dyn DiskFile>,
    /// Bytes that are allocated to it.
    pub(super) length: u64,
    /// Seed of its checksums.
    pub(super) seed: u32,
}

impl Segment {
    pub(super) fn new(identity: u64, sequence: u64, file: Arc<dyn DiskFile>, length: u64) -> Self {
        Self { sequence, file, length, seed: frame::checksum_seed(identity, sequence) }
    }

    pub(super) fn name(&self) -> String {
        segment_name(self.sequence)
    }

    /// Bytes of a frame; fewer than requested where the file ends.
    pub(super) fn read(&self, place: FrameLocation) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; place.length as usize];
        let found = self.file.read_at(&mut bytes, u64::from(place.position))?;
        bytes.truncate(found);
        Ok(bytes)
    }
}

/// Place of a frame in its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameLocation {
    pub(super) offset: u64,
    pub(super) position: u32,
    pub(super) length: u32,
}

/// Contents of the first block of a segment: the state of the log when the segment was begun, all
/// of it synced by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SegmentHeader {
    /// Offset of the first frame; the segment before ends where this one begins.
    pub(super) first_offset: u64,
    /// Last offset of each partition before this segment, 0 where there was none. Keeps the ends of
    /// partitions known after all their frames are deleted.
    pub(super) ends: Vec<u64>,
}

impl SegmentHeader {
    /// Appends one block: `magic | crc32c u32 | seed u32 | first_offset u64 | count u16 | ends u64…`.
    pub(super) fn encode(&self, seed: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&seed.to_le_bytes());
        out.extend_from_slice(&self.first_offset.to_le_bytes());
        out.extend_from_slice(&u16::try_from(self.ends.len()).unwrap_or(u16::MAX).to_le_bytes());
        for end in &self.ends {
            out.extend_from_slice(&end.to_le_bytes());
        }
        out.resize(start + BLOCK as usize, 0);
        let sum = crc32c::crc32c(&out[start + CHECKED_FROM..]);
        out[start + 8..start + CHECKED_FROM].copy_from_slice(&sum.to_le_bytes());
    }

    /// Reads a block; `None` when it is not the header of this use of the file.
    pub(super) fn decode(seed: u32, block: &[u8]) -> Option<Self> {
        let block = block.get(..BLOCK as usize)?;
        let (magic, rest) = block.split_first_chunk::<8>()?;
        let (sum, checked) = rest.split_first_chunk::<4>()?;
        if magic != MAGIC || u32::from_le_bytes(*sum) != crc32c::crc32c(checked) {
            return None;
        }
        let (found_seed, rest) = checked.split_first_chunk::<4>()?;
        let (first_offset, rest) = rest.split_first_chunk::<8>()?;
        let (count, rest) = rest.split_first_chunk::<2>()?;
        if u32::from_le_bytes(*found_seed) != seed {
            return None;
        }
        let bytes = rest.get(..usize::from(u16::from_le_bytes(*count)) * 8)?;
        let (ends, _) = bytes.as_chunks::<8>();
        Some(Self {
            first_offset: u64::from_le_bytes(*first_offset),
            ends: ends.iter().map(|end| u64::from_le_bytes(*end)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::config::MAX_PARTITIONS;

    #[test]
    fn names_are_read_back_and_sort_by_number() {
        assert_eq!(parse_name(&segment_name(12)), Some(Named::Segment(12)));
        assert_eq!(parse_name(&spare_name(12)), Some(Named::Spare(12)));
        assert_eq!(parse_name("manifest"), None);
        assert_eq!(parse_name("segment-12"), None, "not as we write it");
        assert!(segment_name(9) < segment_name(10));
    }

    #[test]
    fn a_header_is_read_back_by_its_own_use_of_the_file_only() {
        let ends = (0..u64::from(MAX_PARTITIONS)).collect();
        let header = SegmentHeader { first_offset: 300, ends };
        let mut block = Vec::new();
        header.encode(5, &mut block);
        assert_eq!(block.len() as u64, BLOCK);
        assert_eq!(SegmentHeader::decode(5, &block), Some(header));
        assert_eq!(SegmentHeader::decode(6, &block), None);
        for byte in 0..block.len() {
            let mut damaged = block.clone();
            damaged[byte] ^= 1;
            assert_eq!(SegmentHeader::decode(5, &damaged), None, "byte {byte}");
        }
    }
}
