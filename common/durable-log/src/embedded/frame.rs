//! The frame: one batch as stored in a segment. Little-endian throughout:
//!
//! `length u32 | crc32c u32 | offset u64 | partition u16 | flags u16 | appended_at i64 |
//! synced_through u64 | payload`
//!
//! `length` counts the payload: the batch's headers, as many zeros as the upper twelve bits of the flags state, then its OTLP
//! bytes, that those zeros align to a block where they are written without a copy. The checksum covers everything after itself
//! and, before that, a seed that belongs to this use of the segment's file and the length; data of an earlier use of a recycled
//! file does not match it.

use bytes::{Buf, Bytes};
use common::batch::Batch;
use thiserror::Error;

use crate::headers::{self, HeadersError};

/// Most bytes a frame may have.
pub const MAX_FRAME_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a frame before its payload.
pub(super) const HEAD_BYTES: usize = 36;

/// The frame ends a group: the next one begins at the next block.
const FLAG_ENDS_GROUP: u16 = 1;
/// The bits above the flags hold the padding, less than a block.
const PADDING_SHIFT: u32 = 4;
const CHECKED_FROM: usize = 8;

/// Description of the payload in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    /// Offset of the batch.
    pub(super) offset: u64,
    /// The partition it belongs to.
    pub(super) partition: u16,
    /// Whether it is the last frame of its group.
    pub(super) ends_group: bool,
    /// Time of writing, nanoseconds since 1970; for people who inspect a log.
    pub(super) appended_at: i64,
    /// Everything up to this offset was known to be synced when the frame was written.
    pub(super) synced_through: u64,
    /// Zeros between the batch's headers and its OTLP bytes, less than 4096.
    pub(super) padding: u16,
}

/// Reason why bytes are not a frame.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum FrameError {
    #[error("{found} bytes are left, the frame needs {expected}")]
    Short { expected: usize, found: usize },
    #[error("its length is {found}, the limit is {MAX_FRAME_BYTES}")]
    TooLong { found: u64 },
    #[error("its checksum is {found:08x}, {expected:08x} was expected")]
    Checksum { expected: u32, found: u32 },
}

/// Seed of the checksums of one use of a segment's file.
pub(super) fn checksum_seed(identity: u64, sequence: u64) -> u32 {
    let seed = crc32c::crc32c(&identity.to_le_bytes());
    crc32c::crc32c_append(seed, &sequence.to_le_bytes())
}

/// Appends a frame; the parts, one after the other, are its payload. The caller has made sure that
/// they stay below [`MAX_FRAME_BYTES`].
pub(super) fn encode(seed: u32, head: &FrameHead, parts: &[&[u8]], out: &mut Vec<u8>) {
    encode_without(seed, head, parts, &[], out);
}

/// Appends a frame up to `rest`, the end of its payload, which is to follow.
pub(super) fn encode_without(seed: u32, head: &FrameHead, parts: &[&[u8]], rest: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let parts_bytes: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(parts_bytes + rest.len()).unwrap_or(u32::MAX);
    let ends_group = if head.ends_group { FLAG_ENDS_GROUP } else { 0 };
    let flags = head.padding << PADDING_SHIFT | ends_group;
    out.reserve(HEAD_BYTES + parts_bytes);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&head.offset.to_le_bytes());
    out.extend_from_slice(&head.partition.to_le_bytes());
    out.extend_from_slice(&flags.to_le_bytes());
    out.extend_from_slice(&head.appended_at.to_le_bytes());
    out.extend_from_slice(&head.synced_through.to_le_bytes());
    for part in parts {
        out.extend_from_slice(part);
    }
    let sum = checksum(seed, length, &out[start + CHECKED_FROM..]);
    let sum = crc32c::crc32c_append(sum, rest);
    out[start + 4..start + CHECKED_FROM].copy_from_slice(&sum.to_le_bytes());
}

/// Length in bytes that the frame at the front of `bytes` states.
pub(super) fn announced_bytes(bytes: &[u8]) -> Result<usize, FrameError> {
    let length = read::<4>(bytes, 0).map(u32::from_le_bytes)?;
    let total = u64::from(length) + HEAD_BYTES as u64;
    if total > MAX_FRAME_BYTES {
        return Err(FrameError::TooLong { found: total });
    }
    usize::try_from(total).map_err(|_| FrameError::TooLong { found: total })
}

/// Contents of the frame at the front of `bytes`, unchecked.
pub(super) fn peek(bytes: &[u8]) -> Result<FrameHead, FrameError> {
    let flags = u16::from_le_bytes(read(bytes, 18)?);
    Ok(FrameHead {
        offset: u64::from_le_bytes(read(bytes, 8)?),
        partition: u16::from_le_bytes(read(bytes, 16)?),
        ends_group: flags & FLAG_ENDS_GROUP != 0,
        appended_at: i64::from_le_bytes(read(bytes, 20)?),
        synced_through: u64::from_le_bytes(read(bytes, 28)?),
        padding: flags >> PADDING_SHIFT,
    })
}

/// Reads and checks the frame at the front of `bytes`; returns its payload beside its head.
pub(super) fn decode(seed: u32, bytes: &[u8]) -> Result<(FrameHead, &[u8]), FrameError> {
    let total = announced_bytes(bytes)?;
    let frame = bytes.get(..total).ok_or(FrameError::Short { expected: total, found: bytes.len() })?;
    let length = u32::from_le_bytes(read(frame, 0)?);
    let found = u32::from_le_bytes(read(frame, 4)?);
    let expected = checksum(seed, length, &frame[CHECKED_FROM..]);
    if found != expected {
        return Err(FrameError::Checksum { expected, found });
    }
    Ok((peek(frame)?, &frame[HEAD_BYTES..]))
}

/// Reason why a good frame holds no batch.
#[derive(Debug, Error)]
pub(super) enum BatchError {
    #[error(transparent)]
    Headers(#[from] HeadersError),
    #[error("{found} bytes follow its headers, of which {padding} were padding")]
    Padding { padding: u16, found: usize },
}

/// The batch in a frame that was decoded; its OTLP bytes are a slice of it, not a copy.
pub(super) fn batch(frame: &Bytes, head: &FrameHead) -> Result<Batch, BatchError> {
    let mut payload = frame.slice(HEAD_BYTES.min(frame.len())..);
    let (headers, taken) = headers::decode(&payload)?;
    payload.advance(taken);
    let padding = head.padding;
    if usize::from(padding) > payload.len() {
        return Err(BatchError::Padding { padding, found: payload.len() });
    }
    payload.advance(padding.into());
    Ok(Batch { headers, payload })
}

fn checksum(seed: u32, length: u32, rest: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c_append(seed, &length.to_le_bytes()), rest)
}

fn read<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], FrameError> {
    let short = || FrameError::Short { expected: at + N, found: bytes.len() };
    bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().ok_or_else(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: FrameHead = FrameHead {
        offset: 7,
        partition: 3,
        ends_group: true,
        appended_at: -1,
        synced_through: 5,
        padding: 4_095,
    };

    fn encoded(seed: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(seed, &HEAD, &[b"head", b"ers and payload"], &mut bytes);
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = encoded(1);
        assert_eq!(announced_bytes(&bytes), Ok(bytes.len()));
        bytes.extend_from_slice(b"behind");
        assert_eq!(decode(1, &bytes), Ok((HEAD, b"headers and payload".as_slice())));
    }

    #[test]
    fn what_follows_is_part_of_the_frame() {
        for at in 0..=b"payload".len() {
            let (parts, rest) = b"payload".split_at(at);
            let mut bytes = Vec::new();
            encode_without(1, &HEAD, &[b"headers and ", parts], rest, &mut bytes);
            bytes.extend_from_slice(rest);
            assert_eq!(decode(1, &bytes), Ok((HEAD, b"headers and payload".as_slice())));
        }
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let bytes = encoded(1);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(1, &flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn padding_is_taken_off_and_told_where_it_does_not_fit() {
        let headers = crate::conformance::batch(1, 0).headers;
        let mut encoded = Vec::new();
        headers::encode(&headers, &mut encoded);
        let framed = |behind: &[u8]| {
            let mut bytes = Vec::new();
            encode(1, &HEAD, &[&encoded, behind], &mut bytes);
            Bytes::from(bytes)
        };
        let padding = [0; 4_095];
        let whole = batch(&framed(&[&padding[..], b"payload"].concat()), &HEAD).unwrap();
        assert_eq!((whole.headers, &whole.payload[..]), (headers, &b"payload"[..]));
        let short = batch(&framed(&padding[1..]), &HEAD).unwrap_err();
        assert!(matches!(short, BatchError::Padding { padding: 4_095, found: 4_094 }), "{short}");
    }

    #[test]
    fn every_truncation_is_short() {
        let bytes = encoded(1);
        for length in 0..bytes.len() {
            assert!(matches!(decode(1, &bytes[..length]), Err(FrameError::Short { .. })), "{length} bytes");
        }
    }

    #[test]
    fn a_frame_of_another_use_of_the_file_does_not_check() {
        assert!(matches!(decode(2, &encoded(1)), Err(FrameError::Checksum { .. })));
        assert_ne!(checksum_seed(1, 2), checksum_seed(1, 3));
        assert_ne!(checksum_seed(1, 2), checksum_seed(2, 2));
    }

    #[test]
    fn a_length_above_the_bound_is_not_believed() {
        let mut bytes = encoded(1);
        bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(decode(1, &bytes), Err(FrameError::TooLong { .. })));
    }

    #[test]
    fn zeros_are_not_a_frame() {
        assert!(decode(checksum_seed(1, 1), &[0; 4096]).is_err());
    }
}
