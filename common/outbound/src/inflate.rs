//! Content codings of reply bodies (RFC 9110 section 8.4.1): gzip and deflate, inflated piece by piece into bounded room.

use bytes::BytesMut;
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

use crate::request::SendError;

/// The codings that [`Inflater`] reads, as a request names them.
pub(crate) const ACCEPTED: &str = "gzip, deflate";
/// Most bits of a window, the only size of it that a reader has to have room for.
const WINDOW_BITS: u8 = 15;
/// Bytes that are inflated before the room that is left is looked at.
const PIECE_BYTES: usize = 16 * 1_024;
/// Members of a gzip body: empty ones cost time and make nothing.
const MAX_MEMBERS: usize = 1_024;

/// Room for a body.
pub(crate) struct Room {
    body: BytesMut,
    most: usize,
    /// Bytes that were taken out.
    passed: usize,
}

/// The room is used up, and there is more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Room {
    pub(crate) fn new(most: usize) -> Self {
        Self { body: BytesMut::new(), most, passed: 0 }
    }

    /// Bytes that were taken in.
    pub(crate) fn used(&self) -> usize {
        self.passed + self.body.len()
    }

    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Takes out everything that is in it, which still counts.
    pub(crate) fn pass(&mut self) -> BytesMut {
        self.passed += self.body.len();
        self.body.split()
    }

    /// # Errors
    /// [`Full`], once the part that fits is taken.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let room = self.most - self.used();
        self.body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if bytes.len() > room { Err(Full) } else { Ok(()) }
    }
}

/// Reads one content coding.
pub(crate) struct Inflater {
    format: Format,
    /// `None` between two members, and before the first byte.
    stream: Option<Decompress>,
    members: usize,
    /// The first byte of a deflate body, whose format the second one tells.
    held: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Gzip,
    /// `deflate` means the zlib format, but some servers send it without head and check sum.
    Deflate,
}

/// Reason why inflating stops.
#[derive(Debug)]
pub(crate) enum Stop {
    Full,
    Damaged(String),
}

impl Inflater {
    /// Decoder of a body by its headers; `None` for one without a coding.
    ///
    /// # Errors
    /// [`SendError::Coding`]: one coding at most is read, so that each byte sent costs a bounded time.
    pub(crate) fn for_headers(headers: &HeaderMap) -> Result<Option<Self>, SendError> {
        let values: Vec<_> = headers.get_all(CONTENT_ENCODING).iter().map(|value| value.as_bytes()).collect();
        let found = String::from_utf8_lossy(&values.join(&b", "[..])).trim().to_ascii_lowercase();
        let format = match found.as_str() {
            "" | "identity" => return Ok(None),
            "gzip" | "x-gzip" => Format::Gzip,
            "deflate" => Format::Deflate,
            _ => return Err(SendError::Coding { found }),
        };
        Ok(Some(Self { format, stream: None, members: 0, held: None }))
    }

    /// Inflates a piece of the body.
    ///
    /// # Errors
    /// [`Stop`].
    pub(crate) fn push(&mut self, input: &[u8], room: &mut Room) -> Result<(), Stop> {
        if self.format == Format::Deflate && self.members == 0 {
            let mut head: Vec<u8> = self.held.take().into_iter().collect();
            head.extend_from_slice(input);
            let [first, second, ..] = head[..] else {
                self.held = head.first().copied();
                return Ok(());
            };
            // RFC 1950 section 2.2.
            let is_zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31);
            self.begin(Decompress::new(is_zlib))?;
            return self.inflate(&head, room);
        }
        self.inflate(input, room)
    }

    fn begin(&mut self, stream: Decompress) -> Result<(), Stop> {
        self.members += 1;
        if self.members > MAX_MEMBERS {
            return Err(Stop::Damaged(format!("expected at most {MAX_MEMBERS} gzip members, found more")));
        }
        self.stream = Some(stream);
        Ok(())
    }

    fn inflate(&mut self, mut input: &[u8], room: &mut Room) -> Result<(), Stop> {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let Some(stream) = &mut self.stream else {
                match (input.is_empty(), self.format) {
                    (true, _) => return Ok(()),
                    (false, Format::Gzip) => self.begin(Decompress::new_gzip(WINDOW_BITS))?,
                    (false, Format::Deflate) => return Err(Stop::Damaged("data follow its end".to_owned())),
                }
                continue;
            };
            let before = (stream.total_in(), stream.total_out());
            let status = stream.decompress(input, &mut piece, FlushDecompress::None);
            let status = status.map_err(|error| Stop::Damaged(error.to_string()))?;
            let used = usize::try_from(stream.total_in() - before.0).unwrap_or(usize::MAX);
            let made = usize::try_from(stream.total_out() - before.1).unwrap_or(usize::MAX);
            input = input.get(used..).unwrap_or_default();
            room.take(piece.get(..made).unwrap_or_default()).map_err(|Full| Stop::Full)?;
            if status == Status::StreamEnd {
                self.stream = None;
            } else if input.is_empty() && made < PIECE_BYTES {
                return Ok(());
            }
        }
    }

    /// Whether the body may end here: it is complete, or there was none.
    pub(crate) fn is_complete(&self) -> bool {
        self.stream.is_none() && self.held.is_none()
    }
}

#[cfg(test)]
mod tests;
