//! The body of a plain request: the bytes read with the head, then the stream, up to its length.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{BufMut, Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::listen::READ_BUFFER_BYTES;

/// The body of a plain request. Holds no memory of its own between two reads.
pub struct PlainBody<'a> {
    stream: &'a mut (dyn AsyncRead + Unpin + Send),
    /// Read with the head; bytes after the body belong to the next request.
    seen: &'a mut BytesMut,
    /// Bytes that are still to come.
    left: &'a mut u64,
}

impl<'a> PlainBody<'a> {
    pub(super) fn new(
        stream: &'a mut (dyn AsyncRead + Unpin + Send),
        seen: &'a mut BytesMut,
        left: &'a mut u64,
    ) -> Self {
        Self { stream, seen, left }
    }

    /// Reads some of it into the free space after the content of `place`, of which there must be some.
    pub fn poll_read_into(
        &mut self,
        context: &mut Context<'_>,
        place: &mut BytesMut,
    ) -> Poll<io::Result<()>> {
        let room = self.at_most(place.capacity() - place.len());
        let length = if self.seen.is_empty() {
            ready!(self.poll_stream(context, place, room))?
        } else {
            let seen = self.take_seen(room);
            place.extend_from_slice(&seen);
            seen.len()
        };
        *self.left -= length as u64;
        Poll::Ready(Ok(()))
    }

    /// At most this many bytes of the rest.
    fn at_most(&self, bytes: usize) -> usize {
        usize::try_from(*self.left).map_or(bytes, |left| left.min(bytes))
    }

    /// Some of the bytes read with the head. Once all are taken, their memory is the caller's.
    fn take_seen(&mut self, most: usize) -> BytesMut {
        if self.seen.len() <= most { std::mem::take(self.seen) } else { self.seen.split_to(most) }
    }

    fn poll_stream(
        &mut self,
        context: &mut Context<'_>,
        place: &mut BytesMut,
        most: usize,
    ) -> Poll<io::Result<usize>> {
        let read = ready!(pin!(self.stream.read_buf(&mut place.limit(most))).poll(context))?;
        if read > 0 || most == 0 {
            return Poll::Ready(Ok(read));
        }
        let message = format!("the connection ends {} bytes before the body does", self.left);
        Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, message)))
    }
}

/// Drops the rest of a body that a handler did not read, where all of it was read with the head: the connection can continue.
pub(super) fn skip(seen: &mut BytesMut, left: &mut u64) {
    if let Some(rest) = usize::try_from(*left).ok().filter(|rest| *rest <= seen.len()) {
        let _dropped = seen.split_to(rest);
        *left = 0;
    }
}

impl Body for PlainBody<'_> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if *self.left == 0 {
            return Poll::Ready(None);
        }
        let mut frame = BytesMut::with_capacity(self.at_most(READ_BUFFER_BYTES));
        ready!(self.poll_read_into(context, &mut frame))?;
        Poll::Ready(Some(Ok(Frame::data(frame.freeze()))))
    }

    fn is_end_stream(&self) -> bool {
        *self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(*self.left)
    }
}

impl std::fmt::Debug for PlainBody<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainBody").field("left", &self.left).finish_non_exhaustive()
    }
}
