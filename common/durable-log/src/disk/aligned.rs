//! Buffers aligned for the direct writes of [`super::file`]. Any other buffer may be written too, but
//! then goes through the page cache.

use bytes::{Buf, Bytes, BytesMut};

/// Alignment of the memory, the position and the length of a direct write: the page, and no less
/// than the sector of any disk (open(2), O_DIRECT).
pub const ALIGNMENT: usize = 4096;

/// Bytes to be written, the first of them aligned to [`ALIGNMENT`] in memory.
#[derive(Debug, Default)]
pub struct AlignedBuffer {
    bytes: Vec<u8>,
    /// Start of the content; the bytes before it only pad to the alignment.
    start: usize,
}

impl AlignedBuffer {
    /// One that is not to be written directly: without padding before its content.
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

    /// The content.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Number of bytes that have been put in.
    #[must_use]
    pub fn length(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// The buffer, for appending; existing content must stay.
    #[inline]
    pub fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Takes out the content.
    pub fn clear(&mut self) {
        self.bytes.truncate(self.start);
    }

    /// The content, in place.
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

    /// Frees the memory where it is more than `most` bytes.
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

/// Number of bytes that pad an empty buffer to the alignment of its memory.
fn filler(empty: &[u8]) -> usize {
    // None where the offset is unknown, which never happens outside constants.
    Some(empty.as_ptr().align_offset(ALIGNMENT)).filter(|at| *at < ALIGNMENT).unwrap_or(0)
}

/// Whether the address of `bytes` is aligned for a direct write.
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
