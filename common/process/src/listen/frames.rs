//! HTTP/2 frames without a request, and data of closed streams, counted as they arrive: HTTP/2 allows any number of them, so
//! that one peer could otherwise keep a core busy. The meaning of frames is left to hyper.

use thiserror::Error;

/// Frames that oblige the server to answer which a peer may send from one request to the next. Clients send
/// their settings once or twice, and a ping every few seconds; the most an answer costs is some microseconds,
/// so that this many cost no more than a request does.
const MOST_BETWEEN_REQUESTS: u32 = 1000;
/// Windows and resets that a peer may send from one request to the next, beside those for data sent to it:
/// they cost a tenth as much, since nothing is answered, and a client that resets all of its streams and
/// opens the windows of each needs hundreds.
const MOST_WINDOWS_AND_RESETS: u64 = 10_000;
/// Bytes sent for which a peer may send one more: the most eager clients open two windows, that of the stream
/// and that of the connection, for every 4 KiB that they have read. Twice as often is tolerated.
const BYTES_A_WINDOW: u64 = 1024;
/// Bytes of bodies that a peer may send from one request to the next: more than the streams that may be open
/// together hold of bodies of 4 MiB, which ingestion takes. Data for a stream that was reset is read and dropped for half a
/// minute, without end.
const MOST_DATA_BYTES: u64 = 512 * 1024 * 1024;
/// Length, kind, flags and stream (RFC 9113 section 4.1).
const HEAD_BYTES: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
/// The last kind that RFC 9113 section 6 defines; later ones are read and dropped.
const CONTINUATION: u8 = 9;

/// A peer sends too much that is no request.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Flood {
    /// Number of frames without a request.
    #[error("{0} frames without a request: a flood")]
    Frames(u64),
    /// Number of bytes of data.
    #[error("{0} bytes of data without a request: a flood")]
    Data(u64),
}

/// Reads along with a connection of HTTP/2 (RFC 9113 section 4.1). Each connection needs its own.
#[derive(Debug)]
pub struct FrameCount {
    /// Bytes of the next frame's head that have arrived.
    head: [u8; HEAD_BYTES],
    arrived: usize,
    /// Bytes to the next head.
    skip: usize,
    /// Since the last request, as are the three below.
    counted: u32,
    windows_and_resets: u64,
    sent_bytes: u64,
    data_bytes: u64,
}

impl FrameCount {
    /// Begins at the preface, of this length.
    #[must_use]
    pub fn new(preface_bytes: usize) -> Self {
        Self {
            head: [0; HEAD_BYTES],
            arrived: 0,
            skip: preface_bytes,
            counted: 0,
            windows_and_resets: 0,
            sent_bytes: 0,
            data_bytes: 0,
        }
    }

    /// Counts bytes sent to the peer.
    pub fn sent(&mut self, bytes: usize) {
        self.sent_bytes += bytes as u64;
    }

    /// Counts the frames that have arrived.
    ///
    /// # Errors
    /// [`Flood`] when the peer exceeds a bound with them.
    pub fn pass(&mut self, mut bytes: &[u8]) -> Result<(), Flood> {
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
            HEADERS => {
                (self.counted, self.windows_and_resets, self.sent_bytes, self.data_bytes) = (0, 0, 0, 0);
            }
            DATA => self.data_bytes += self.skip as u64,
            PRIORITY | SETTINGS | PING | GOAWAY => self.counted += 1,
            // Those of a request are bounded by it. Those of the connection, and of streams that are closed,
            // belong to none: they are ignored, without end.
            WINDOW_UPDATE | RST_STREAM => self.windows_and_resets += 1,
            kind if kind > CONTINUATION => self.counted += 1,
            // Hyper bounds the parts of a head, and answers frames of no request with an error, of which it tolerates
            // a few.
            _ => {}
        }
        if self.counted > MOST_BETWEEN_REQUESTS {
            return Err(Flood::Frames(self.counted.into()));
        }
        let windows_and_resets = MOST_WINDOWS_AND_RESETS + self.sent_bytes / BYTES_A_WINDOW;
        if self.windows_and_resets > windows_and_resets {
            return Err(Flood::Frames(self.windows_and_resets));
        }
        if self.data_bytes > MOST_DATA_BYTES {
            return Err(Flood::Data(self.data_bytes));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    fn frame(kind: u8, payload_bytes: u16) -> Vec<u8> {
        let [high, low] = payload_bytes.to_be_bytes();
        // A payload that resembles heads of pings.
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
        for (kind, most) in
            [(2, 1000), (4, 1000), (6, 1000), (7, 1000), (200, 1000), (3, 10_000), (8, 10_000)]
        {
            let bearable = vec![frame(kind, 8); most];
            let flood = vec![frame(kind, 8); most + 1];
            for piece_bytes in [1, 7, 9, 1000, usize::MAX] {
                assert_eq!(outcome(&bearable, piece_bytes), Ok(()), "{kind} in {piece_bytes}");
                let seen = Err(Flood::Frames(most as u64 + 1));
                assert_eq!(outcome(&flood, piece_bytes), seen, "{kind} in {piece_bytes}");
            }
        }
    }

    #[test]
    fn requests_and_their_bodies_are_no_flood() {
        let request = [vec![frame(HEADERS, 30)], vec![frame(6, 8); 999], vec![frame(0, 16_384)]].concat();
        assert_eq!(outcome(&[request.clone(), request.clone(), request].concat(), 4096), Ok(()));
    }

    #[test]
    fn data_without_end_is_a_flood() {
        let mut count = FrameCount::new(0);
        // Of each piece only the head is looked at; empty ones are hyper's.
        let piece = frame(DATA, 16_384);
        let pieces = MOST_DATA_BYTES / 16_384;
        for _ in 0..2 {
            assert_eq!(count.pass(&frame(HEADERS, 30)), Ok(()));
            assert_eq!((0..pieces).try_for_each(|_| count.pass(&piece)), Ok(()));
        }
        assert_eq!(count.pass(&piece), Err(Flood::Data(MOST_DATA_BYTES + 16_384)));
    }

    #[test]
    fn windows_for_what_is_sent_are_no_flood() {
        let mut count = FrameCount::new(0);
        let both_windows = [frame(WINDOW_UPDATE, 4), frame(WINDOW_UPDATE, 4)].concat();
        let read = |count: &mut FrameCount| {
            count.sent(4096);
            count.pass(&both_windows)
        };
        // A hundred mebibytes on one request.
        assert_eq!((0..25_600).try_for_each(|_| read(&mut count)), Ok(()));
        // Frames sent for one request do not count for the next.
        assert_eq!(count.pass(&frame(HEADERS, 30)), Ok(()));
        assert_eq!(count.pass(&frame(WINDOW_UPDATE, 4).repeat(10_001)), Err(Flood::Frames(10_001)));
    }
}
