//! Frames of HTTP/2 as they are counted along a connection: however a stream is cut, it is judged as a reading of the
//! whole judges it. The first two bytes say how often the rest is repeated, because a flood takes a thousand frames, and
//! the third one how long the pieces and the preface are.

#![no_main]

use libfuzzer_sys::fuzz_target;
use process::listen::{Flood, FrameCount};

/// Enough for the longest flood there is without data, of frames of nine bytes.
const LONGEST_STREAM: usize = 128 * 1024;

/// Frames of a peer between two requests: frames that are answered, and windows and resets.
const MOST_ANSWERED: u64 = 1000;
const MOST_WINDOWS_AND_RESETS: u64 = 10_000;

fuzz_target!(|input: &[u8]| {
    let Some(([low, high, piece], frames)) = input.split_first_chunk::<3>() else { return };
    let times = usize::from(u16::from_le_bytes([*low, *high])) + 1;
    let stream = frames.repeat(times.min(LONGEST_STREAM / frames.len().max(1)));
    let preface = usize::from(*piece) % 25;
    let expected = judge(stream.get(preface..).unwrap_or_default());
    for piece_bytes in [usize::from(*piece) + 1, stream.len().max(1)] {
        let mut count = FrameCount::new(preface);
        let found = stream.chunks(piece_bytes).try_for_each(|bytes| count.pass(bytes));
        assert_eq!(found.err(), expected, "in pieces of {piece_bytes} bytes");
    }
});

/// RFC 9113 section 4.1, of a stream that is there as a whole: a head of nine bytes, then as many as it states.
fn judge(mut stream: &[u8]) -> Option<Flood> {
    let (mut answered, mut windows_and_resets) = (0, 0);
    while let Some(([high, middle, low, kind, ..], rest)) = stream.split_first_chunk::<9>() {
        match kind {
            1 => (answered, windows_and_resets) = (0, 0),
            3 | 8 => windows_and_resets += 1,
            2 | 4 | 6 | 7 | 10.. => answered += 1,
            0 | 5 | 9 => {}
        }
        let most = [(answered, MOST_ANSWERED), (windows_and_resets, MOST_WINDOWS_AND_RESETS)];
        if let Some((found, _)) = most.into_iter().find(|(found, most)| found > most) {
            return Some(Flood::Frames(found));
        }
        let length = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
        stream = rest.get(length..).unwrap_or_default();
    }
    None
}
