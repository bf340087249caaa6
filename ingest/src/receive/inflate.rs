//! Gzip (RFC 1952), every check sum checked: the whole body in one shot if its stated size is plausible,
//! otherwise piece by piece. Both give the same bytes; the second one gives the reasons.

use std::io::{self, Read};

use bytes::BytesMut;
use durable_log::payload_room;
use flate2::bufread::MultiGzDecoder;
use libdeflater::Decompressor;
use memchr::memmem;
use thiserror::Error;

use crate::limits::Limits;

/// Minimum initial size of an inflated buffer.
const LEAST_INFLATED_BYTES: usize = 64 * 1024;
/// Usual ratio of log bodies to their gzip form: the initial size of the buffer.
const USUAL_RATIO: usize = 6;
/// Start of every member: two bytes of magic and the only compression method there is.
const MEMBER_START: [u8; 3] = [0x1f, 0x8b, 8];
/// Flags of a member's head that mean a check sum of the head, which one shot would not check, and those
/// that must not be set.
const FLAGS_TO_CHECK: u8 = 0b1110_0010;
/// Maximum ratio of deflate: a match of 258 bytes takes two bits at least.
const MOST_RATIO: usize = 1032;

/// Reason why a body could not be inflated.
#[derive(Debug, Error)]
pub enum InflateError<E> {
    /// It has more bytes than the limits allow.
    #[error("the body has more than {allowed} bytes after decompression")]
    TooLarge {
        /// The most bytes.
        allowed: usize,
    },
    /// It is not gzip, or damaged.
    #[error("the body is not gzip: {0}")]
    Gzip(#[source] io::Error),
    /// There is no room for it.
    #[error(transparent)]
    NoRoom(E),
}

/// Inflates a body of any number of members. Other data after the last member is refused. `hold` is called
/// with the total number of bytes before they are allocated.
///
/// # Errors
/// [`InflateError`], with the error of `hold` where it refuses.
pub fn inflate<E>(
    wire: &[u8],
    limits: &Limits,
    mut hold: impl FnMut(usize) -> Result<(), E>,
) -> Result<BytesMut, InflateError<E>> {
    if let Some(length) = told_length(wire, limits) {
        hold(length).map_err(InflateError::NoRoom)?;
        if let Some(inflated) = in_one_shot(wire, length) {
            return Ok(inflated);
        }
    }
    piece_by_piece(wire, limits, hold)
}

/// Inflates a body whose stated size is at most this many bytes, and true; `None` for every other.
pub(crate) fn inflate_up_to<E>(
    wire: &[u8],
    most: usize,
    limits: &Limits,
    hold: impl FnOnce(usize) -> Result<(), E>,
) -> Result<Option<BytesMut>, E> {
    let Some(length) = told_length(wire, limits).filter(|length| *length <= most) else { return Ok(None) };
    hold(length)?;
    Ok(in_one_shot(wire, length))
}

/// The length in the trailer, if it is possible and within the limit, and no member with that length
/// ends before the body does.
fn told_length(wire: &[u8], limits: &Limits) -> Option<usize> {
    let rest = wire.strip_prefix(&MEMBER_START)?;
    let flags = *rest.first()?;
    let told = rest.last_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*told)).ok()?;
    let possible = (1..=limits.inflated_bytes).contains(&length) && length / MOST_RATIO <= wire.len();
    // A member that ends before the body does, whatever follows it, states its length there: one with the same
    // length must not be mistaken for the whole. The four bytes may occur in compressed data too, in one body
    // of forty thousand of 100 KB.
    let (_, before) = rest.split_last()?;
    let single = memmem::find(before, told).is_none();
    (flags & FLAGS_TO_CHECK == 0 && possible && single).then_some(length)
}

/// The body, if its first member has this length. As the length is at the end of a member and in the body only
/// at its end, the first member is all of it.
fn in_one_shot(wire: &[u8], length: usize) -> Option<BytesMut> {
    let mut inflated = payload_room(length);
    inflated.resize(length, 0);
    let written = Decompressor::new().gzip_decompress(wire, &mut inflated).ok()?;
    (written == length).then_some(inflated)
}

fn piece_by_piece<E>(
    wire: &[u8],
    limits: &Limits,
    mut hold: impl FnMut(usize) -> Result<(), E>,
) -> Result<BytesMut, InflateError<E>> {
    let allowed = limits.inflated_bytes;
    // One byte more than is allowed: the buffer that this one reaches belongs to a body too large.
    let most = allowed.saturating_add(1);
    let first =
        wire.len().saturating_mul(USUAL_RATIO).clamp(LEAST_INFLATED_BYTES, most.max(LEAST_INFLATED_BYTES));
    hold(first).map_err(InflateError::NoRoom)?;
    let mut inflated = BytesMut::zeroed(first.min(most));
    let mut filled = 0;
    let mut decoder = MultiGzDecoder::new(wire);
    loop {
        if filled == inflated.len() {
            if filled == most {
                return Err(InflateError::TooLarge { allowed });
            }
            let next = filled.saturating_mul(2).min(most);
            hold(next).map_err(InflateError::NoRoom)?;
            inflated.resize(next, 0);
        }
        let read = decoder.read(&mut inflated[filled..]).map_err(InflateError::Gzip)?;
        if read == 0 {
            break;
        }
        filled += read;
    }
    inflated.truncate(filled);
    Ok(inflated)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn told(wire: &[u8]) -> Option<usize> {
        told_length(wire, &Limits { inflated_bytes: 100_000, ..Limits::default() })
    }

    #[test]
    fn only_a_single_member_of_a_possible_length_is_inflated_in_one_shot() {
        let one = gzip(b"some log lines");
        assert_eq!(told(&one), Some(14));
        assert_eq!(in_one_shot(&one, 14).unwrap(), "some log lines");
        assert_eq!(told(&[one.clone(), one.clone()].concat()), None, "the same twice is not once");
        let mut damaged = [one.clone(), one.clone()].concat();
        damaged[one.len()] ^= 1;
        assert_eq!(told(&damaged), None, "what follows a member is not passed over");
        let inflated = inflate::<Infallible>(&damaged, &Limits::default(), |_| Ok(()));
        assert!(matches!(inflated, Err(InflateError::Gzip(_))), "{inflated:?}");
        assert_eq!(told(&gzip(b"")), None, "zeros may follow an empty member unseen");
        assert_eq!(told(&gzip(&vec![0; 100_000])), Some(100_000));
        assert_eq!(told(&gzip(&vec![0; 100_001])), None);
        let mut lie = one.clone();
        *lie.last_chunk_mut().unwrap() = 99_999_u32.to_le_bytes();
        assert_eq!(told(&lie), None, "34 bytes cannot become 99,999");
        let mut with_head_check = one;
        with_head_check[3] = 2;
        assert_eq!(told(&with_head_check), None);
    }

    #[test]
    fn a_short_body_is_inflated_at_once_and_one_that_lies_is_not() {
        let limits = Limits::default();
        let up_to = |wire: &[u8]| inflate_up_to(wire, 1000, &limits, |_| Ok::<_, ()>(()));
        let plain = vec![b'a'; 1000];
        assert_eq!(up_to(&gzip(&plain)).ok().flatten().unwrap(), plain);
        let larger = gzip(&[b'a'; 1001]);
        assert_eq!(up_to(&larger).ok(), Some(None));
        let mut lie = gzip(&vec![b'a'; 1 << 20]);
        *lie.last_chunk_mut().unwrap() = 999_u32.to_le_bytes();
        assert_eq!(up_to(&lie).ok(), Some(None));
        assert_eq!(up_to(&[gzip(b"a"), gzip(b"b")].concat()).ok(), Some(None), "members");
    }

    proptest! {
        #[test]
        fn both_ways_give_the_same(
            plain in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..2000),
                prop::collection::vec(b'a'..b'd', 0..20_000),
            ],
            trailing in prop::collection::vec(any::<u8>(), 0..12),
            damage in prop::option::of((any::<prop::sample::Index>(), 1_u8..)),
        ) {
            let mut wire = [gzip(&plain), trailing].concat();
            if let Some((at, bits)) = damage {
                let at = at.index(wire.len());
                wire[at] ^= bits;
            }
            let mut decoder = MultiGzDecoder::new(wire.as_slice());
            let mut expected = Vec::new();
            let expected = decoder.read_to_end(&mut expected).ok().map(|_| expected);
            if let Some(length) = told(&wire)
                && let Some(inflated) = in_one_shot(&wire, length)
            {
                prop_assert_eq!(Some(inflated.to_vec()), expected);
            }
        }
    }
}
