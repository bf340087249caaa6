//! Memory for payloads that the embedded log writes from where they lie, without copying them first.

use bytes::BytesMut;

use crate::disk::aligned::{AlignedBuffer, aligned_bytes, begins_aligned};

/// What is shorter is copied together with what is written beside it: that costs less than the half a block, on the
/// average, by which a payload is padded that is written from where it lies.
const LEAST_UNCOPIED_BYTES: usize = 16 * 1024;

/// Empty, with room for a payload of `capacity` bytes, where the embedded log need not copy it. One that has moved, or
/// comes from elsewhere, is as good but for that copy.
#[must_use]
pub fn payload_room(capacity: usize) -> BytesMut {
    if capacity < LEAST_UNCOPIED_BYTES { BytesMut::with_capacity(capacity) } else { aligned_bytes(capacity) }
}

/// As [`payload_room`], to be written by those who need a vector.
#[must_use]
pub fn payload_buffer(capacity: usize) -> AlignedBuffer {
    if capacity < LEAST_UNCOPIED_BYTES {
        return AlignedBuffer::unaligned(capacity);
    }
    let mut buffer = AlignedBuffer::default();
    buffer.reset(capacity);
    buffer
}

/// Whether a payload is long, and begins where a direct write may.
pub(crate) fn is_uncopied(payload: &[u8]) -> bool {
    payload.len() >= LEAST_UNCOPIED_BYTES && begins_aligned(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_not_copied() {
        for (length, expected) in [(0, false), (16_383, false), (16_384, true), (700_000, true)] {
            let mut payload = payload_room(length);
            payload.resize(length, 7);
            let mut buffer = payload_buffer(length);
            buffer.tail().extend_from_slice(&payload);
            assert_eq!(buffer.content(), &payload[..]);
            assert_eq!(is_uncopied(&payload.freeze()), expected, "{length} bytes");
            assert_eq!(is_uncopied(&buffer.into_bytes()), expected, "{length} bytes");
        }
    }
}
