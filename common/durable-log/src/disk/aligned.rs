//! Buffers that begin where the direct writes of [`super::file`] need them to. Any other buffer may be
//! written too; it then takes the longer way through the page cache.

use bytes::{Buf, Bytes, BytesMut};

/// What the memory, the position and the length of a direct write are multiples of: the page, and no
/// less than the sector of any disk (open(2), O_DIRECT).
pub const ALIGNMENT: usize = 4096;

/// Bytes to be written, the first of them aligned to [`ALIGNMENT`] in memory.
#[derive(Debug, Default)]
pub struct AlignedBuffer {
    bytes: Vec<u8>,
    /// Where the content begins; what is before it only fills up to the alignment.
    start: usize,
}

impl AlignedBuffer {
    /// One that is not to be written directly: nothing is filled up before its content.
    pub(crate) fn unaligned(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), start: 0 }
    }

    /// Makes it empty, with room for `capacity` bytes. Content beyond that may move and lose its
    /// alignment, nothing else.
    pub fn reset(&mut self, capacity: usize) {
        self.bytes.clear();
        self.bytes.reserve(capacity.saturating_add(ALIGNMENT));
        self.start = filler(&self.bytes);
        self.bytes.resize(self.start, 0);
    }

    /// What has been put in.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Number of bytes that have been put in.
    #[must_use]
    pub fn length(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// To append to; what is there already must stay.
    #[inline]
    pub fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Takes out what has been put in.
    pub fn clear(&mut self) {
        self.bytes.truncate(self.start);
    }

    /// What has been put in, where it lies.
    #[must_use]
    pub fn into_bytes(self) -> BytesMut {
        let mut bytes = BytesMut::from(Bytes::from(self.bytes));
        bytes.advance(self.start);
        bytes
    }

    /// Fills up with zeros to `length` bytes.
    pub fn fill_up(&mut self, length: usize) {
        self.bytes.resize(self.start + length, 0);
    }

    /// Gives the memory back where it is more than `most` bytes.
    pub fn shrink_above(&mut self, most: usize) {
        if self.bytes.capacity() > most {
            *self = Self::default();
        }
    }
}

/// Empty, with room for `capacity` bytes of which the first is aligned to [`ALIGNMENT`] in memory. Content beyond
/// that may move and lose its alignment, nothing else.
#[must_use]
pub fn aligned_bytes(capacity: usize) -> BytesMut {
    let mut bytes = BytesMut::with_capacity(capacity.saturating_add(ALIGNMENT));
    let start = filler(&bytes);
    bytes.resize(start, 0);
    bytes.advance(start);
    bytes
}

/// How many bytes fill an empty buffer up to the alignment of its memory.
fn filler(empty: &[u8]) -> usize {
    // None where the offset cannot be told, which never happens outside constants.
    Some(empty.as_ptr().align_offset(ALIGNMENT)).filter(|at| *at < ALIGNMENT).unwrap_or(0)
}

/// Whether `bytes` begin where a direct write may.
pub(crate) fn begins_aligned(bytes: &[u8]) -> bool {
    bytes.as_ptr().align_offset(ALIGNMENT) == 0
}

/// Whether a write of `bytes` at `position` can go to the disk directly.
pub(super) fn is_aligned(bytes: &[u8], position: u64) -> bool {
    begins_aligned(bytes)
        && bytes.len().is_multiple_of(ALIGNMENT)
        && position.is_multiple_of(ALIGNMENT as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_aligned_and_stays_so_within_its_room() {
        let mut buffer = AlignedBuffer::default();
        for capacity in [1, 4096, 5000, 100_000, 10] {
            buffer.reset(capacity);
            assert!(buffer.content().is_empty());
            buffer.tail().extend(std::iter::repeat_n(7, capacity));
            assert_eq!((buffer.length(), buffer.content().len()), (capacity, capacity));
            buffer.fill_up(capacity.next_multiple_of(ALIGNMENT));
            assert!(is_aligned(buffer.content(), 8192) || capacity % ALIGNMENT != 0);
            assert!(!is_aligned(buffer.content(), 1));
        }
        buffer.clear();
        assert!(buffer.content().is_empty());
        buffer.tail().extend_from_slice(b"as it lies");
        let place = buffer.content().as_ptr();
        let bytes = std::mem::take(&mut buffer).into_bytes();
        assert_eq!((&bytes[..], bytes.as_ptr()), (&b"as it lies"[..], place));
        buffer.reset(3 * ALIGNMENT);
        buffer.fill_up(2 * ALIGNMENT);
        assert!(is_aligned(buffer.content(), 0));
        assert!(!is_aligned(&buffer.content()[1..], 0));
    }

    #[test]
    fn bytes_stay_aligned_until_they_are_shared() {
        for capacity in [0, 1, 4096, 70_000, 5_000_000] {
            let mut bytes = aligned_bytes(capacity);
            assert!(bytes.is_empty() && bytes.capacity() >= capacity);
            bytes.extend(std::iter::repeat_n(7, capacity));
            assert!(begins_aligned(&bytes));
            assert!(begins_aligned(&bytes.freeze()));
        }
    }
}
