//! Inflation against flate2: the same bytes, or a refusal where flate2 refuses or there are too many.
//! The first byte chooses the use of the rest: gzip as it is, the inside of a member with check
//! sums that fit, or plain text in several members, damaged in one place.

#![no_main]

use std::convert::Infallible;
use std::io::{Read, Write};

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc, Decompress, FlushDecompress, GzBuilder};
use ingest::limits::Limits;
use ingest::{InflateError, inflate};
use libfuzzer_sys::fuzz_target;

/// The most that may come out: more than the buffer that inflation begins with, so that it has to grow.
const ALLOWED: usize = 100_000;

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let wire = match choice % 3 {
        0 => bytes.to_vec(),
        1 => with_check_sums(bytes),
        _ => in_members(bytes, usize::from(choice / 3 % 4)),
    };
    let limits = Limits { inflated_bytes: ALLOWED, ..Limits::default() };
    let mut held = 0;
    let found = inflate::<Infallible>(&wire, &limits, |bytes| {
        held = bytes.max(held);
        Ok(())
    });
    let mut expected = Vec::new();
    let read = MultiGzDecoder::new(&wire[..]).take(ALLOWED as u64 + 1).read_to_end(&mut expected);
    let is_sound = read.is_ok();
    match found {
        Ok(found) => {
            assert!(is_sound, "flate2 refuses it: {read:?}");
            assert!(found == expected, "flate2 makes {} bytes of it, we {}", expected.len(), found.len());
            assert!(found.len() <= held, "{} bytes were taken, {held} asked for", found.len());
        }
        Err(InflateError::TooLarge { allowed }) => {
            assert_eq!(allowed, ALLOWED);
            assert!(!is_sound || expected.len() > ALLOWED, "{} bytes are within the limit", expected.len());
        }
        // Damage may lie behind the limit.
        Err(InflateError::Gzip(error)) => {
            assert!(!is_sound || expected.len() > ALLOWED, "flate2 accepts it: {error}");
        }
        Err(InflateError::NoRoom(never)) => match never {},
    }
});

/// A member around compressed data, which may be anything; the rest of it stands behind the member.
fn with_check_sums(data: &[u8]) -> Vec<u8> {
    let mut decompress = Decompress::new(false);
    let mut plain = vec![0; ALLOWED + 1];
    let _ = decompress.decompress(data, &mut plain, FlushDecompress::Finish);
    let taken = usize::try_from(decompress.total_in()).unwrap_or(data.len());
    let made = usize::try_from(decompress.total_out()).unwrap_or(plain.len());
    let mut sum = Crc::new();
    sum.update(&plain[..made]);
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let trailer = [sum.sum().to_le_bytes(), sum.amount().to_le_bytes()].concat();
    [&head[..], &data[..taken], &trailer[..], &data[taken..]].concat()
}

/// The text in members of the same size, one more than `cuts`. The last three bytes say where one byte
/// becomes another.
fn in_members(bytes: &[u8], cuts: usize) -> Vec<u8> {
    let Some((text, [low, high, mask])) = bytes.split_last_chunk::<3>() else { return Vec::new() };
    let mut wire = Vec::new();
    for part in text.chunks(text.len().div_ceil(cuts + 1).max(1)) {
        let named = GzBuilder::new().filename("log").comment("lines");
        let plain = GzBuilder::new();
        let builder = if part.len() % 2 == 0 { named } else { plain };
        let mut encoder: GzEncoder<Vec<u8>> = builder.write(Vec::new(), Compression::fast());
        let member = encoder.write_all(part).and_then(|()| encoder.finish());
        wire.extend(member.expect("memory takes everything"));
    }
    let place = wire.get_mut(usize::from(u16::from_le_bytes([*low, *high])));
    place.into_iter().for_each(|byte| *byte ^= mask);
    wire
}
