//! Memory for payloads that the embedded log writes without copying them first.

use bytes::BytesMut;

use crate::disk::aligned::{AlignedBuffer, aligned_bytes, begins_aligned};

/// Shorter payloads are copied together with the data written beside them: that costs less than the half a block,
/// on average, of padding that a payload written in place needs.
const LEAST_UNCOPIED_BYTES: usize = 16 * 1024;

/// Empty, with room for a payload of `capacity` bytes, which the embedded log need not copy. One that has moved, or
/// was allocated elsewhere, only costs that copy.
#[must_use]
pub fn payload_room(capacity: usize) -> BytesMut {
    if capacity < LEAST_UNCOPIED_BYTES { BytesMut::with_capacity(capacity) } else { aligned_bytes(capacity) }
}

/// As [`payload_room`], for callers that need a vector.
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
