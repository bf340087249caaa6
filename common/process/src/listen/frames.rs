//! Frames of HTTP/2 that oblige the server to answer and ask for nothing, counted as they arrive: it forbids
//! none of them, so that without a bound one peer could keep a core busy with them. What frames mean is
//! hyper's business.

use thiserror::Error;

/// Frames of that kind that a peer may send from one request to the next. Clients send their settings once
/// or twice, and a ping every few seconds; the most an answer costs is some microseconds, so that this many
/// cost no more than a request does.
const MOST_BETWEEN_REQUESTS: u32 = 1000;
/// Length, kind, flags and stream (RFC 9113 section 4.1).
const HEAD_BYTES: usize = 9;

const HEADERS: u8 = 1;
/// The last kind that RFC 9113 section 6 defines; later ones are read and dropped.
const CONTINUATION: u8 = 9;

/// A peer sends too much that is no request.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{MOST_BETWEEN_REQUESTS} frames without a request: a flood")]
pub(super) struct Flood;

/// Reads along with a connection, from behind the preface.
#[derive(Debug)]
pub(super) struct FrameCount {
    /// Bytes of the next frame's head that have arrived.
    head: [u8; HEAD_BYTES],
    arrived: usize,
    /// Bytes to the next head.
    skip: usize,
    counted: u32,
}

impl FrameCount {
    /// Begins at the preface, of so many bytes.
    pub(super) fn new(preface_bytes: usize) -> Self {
        Self { head: [0; HEAD_BYTES], arrived: 0, skip: preface_bytes, counted: 0 }
    }

    /// Looks at what has arrived.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) -> Result<(), Flood> {
        while !bytes.is_empty() {
            let skipped = self.skip.min(bytes.len());
            self.skip -= skipped;
            bytes = &bytes[skipped..];
            let taken = bytes.len().min(HEAD_BYTES - self.arrived);
            self.head[self.arrived..self.arrived + taken].copy_from_slice(&bytes[..taken]);
            self.arrived += taken;
            bytes = &bytes[taken..];
            if self.arrived == HEAD_BYTES {
                self.count()?;
            }
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Flood> {
        let [high, middle, low, kind, ..] = self.head;
        self.arrived = 0;
        self.skip = u32::from_be_bytes([0, high, middle, low]) as usize;
        match kind {
            HEADERS => self.counted = 0,
            // PRIORITY, SETTINGS, PING, and kinds that nobody has defined. hyper bounds resets; data and
            // windows belong to a request and are bounded by its length.
            2 | 4 | 6 => self.counted += 1,
            kind if kind > CONTINUATION => self.counted += 1,
            _ => {}
        }
        if self.counted > MOST_BETWEEN_REQUESTS { Err(Flood) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    fn frame(kind: u8, payload_bytes: u16) -> Vec<u8> {
        let [high, low] = payload_bytes.to_be_bytes();
        // A payload that looks like heads of pings.
        let payload = [0, 0, 0, 6].into_iter().cycle().take(payload_bytes.into());
        [0, high, low, kind, 0, 0, 0, 0, 0].into_iter().chain(payload).collect()
    }

    fn outcome(frames: &[Vec<u8>], piece_bytes: usize) -> Result<(), Flood> {
        let bytes = [PREFACE, &frames.concat()].concat();
        let mut count = FrameCount::new(PREFACE.len());
        bytes.chunks(piece_bytes).try_for_each(|piece| count.pass(piece))
    }

    #[test]
    fn a_flood_is_seen_however_it_is_cut() {
        for kind in [2, 4, 6, 200] {
            let bearable = vec![frame(kind, 8); 1000];
            let flood = vec![frame(kind, 8); 1001];
            for piece_bytes in [1, 7, 9, 1000, usize::MAX] {
                assert_eq!(outcome(&bearable, piece_bytes), Ok(()), "{kind} in {piece_bytes}");
                assert_eq!(outcome(&flood, piece_bytes), Err(Flood), "{kind} in {piece_bytes}");
            }
        }
    }

    #[test]
    fn requests_and_their_bodies_are_no_flood() {
        let request = [vec![frame(HEADERS, 30)], vec![frame(6, 8); 999], vec![frame(0, 16_384)]].concat();
        assert_eq!(outcome(&[request.clone(), request.clone(), request].concat(), 4096), Ok(()));
        assert_eq!(outcome(&vec![frame(8, 4); 5000], 4096), Ok(()), "windows");
    }
}
