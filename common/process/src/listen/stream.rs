//! The stream under a connection: returns the bytes that protocol detection read again, fails when the peer
//! reads nothing for too long or sends a flood of frames, and closes so that the peer can read the last
//! answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::frames::FrameCount;

/// Most bytes read and dropped while closing: a whole batch that was refused unread.
const LINGER_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct Stream<T> {
    inner: T,
    /// Read before, still to be returned.
    replay: Bytes,
    /// Set for HTTP/2.
    frames: Option<FrameCount>,
    write_stall: Duration,
    linger: Duration,
    /// Runs while the peer reads nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    closing: Closing,
}

enum Closing {
    /// No close was requested.
    Not,
    /// The write side is closed; further input is dropped.
    Lingering { until: Pin<Box<Sleep>>, budget: usize },
}

impl<T> Stream<T> {
    pub(super) fn new(
        inner: T,
        replay: Bytes,
        frames: Option<FrameCount>,
        write_stall: Duration,
        linger: Duration,
    ) -> Self {
        Self { inner, replay, frames, write_stall, linger, stalled: None, closing: Closing::Not }
    }

    /// Puts back unused bytes: they are read again.
    pub(super) fn give_back(&mut self, read: &[u8]) {
        self.replay = [read, &self.replay].concat().into();
    }

    /// Counts bytes written, within the time limit.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let (Some(frames), Poll::Ready(Ok(bytes))) = (&mut self.frames, &outcome) {
            frames.sent(*bytes);
        }
        self.bound(context, outcome)
    }

    /// Passes a write's outcome on, or fails when it has been pending for too long.
    fn bound<R>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let limit = self.write_stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer does not read the data that is sent",
        )))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Stream<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        if this.replay.is_empty() {
            ready!(Pin::new(&mut this.inner).poll_read(context, buffer))?;
        } else {
            let length = this.replay.len().min(buffer.remaining());
            buffer.put_slice(&this.replay[..length]);
            this.replay.advance(length);
            if this.replay.is_empty() {
                // A buffer that was read to its end still holds its memory.
                this.replay = Bytes::new();
            }
        }
        let frames = this.frames.as_mut();
        let counted = frames.map_or(Ok(()), |frames| frames.pass(&buffer.filled()[before..]));
        Poll::Ready(counted.map_err(io::Error::other))
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.written(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.written(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(context);
        self.bound(context, outcome)
    }

    /// Closes the write side, then reads and drops until the peer has closed too: a socket closed
    /// over unread bytes is reset, and a reset can overtake the answer (RFC 9112 section 9.6).
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Closing::Not = this.closing {
            let outcome = Pin::new(&mut this.inner).poll_shutdown(context);
            ready!(this.bound(context, outcome))?;
            let until = Box::pin(tokio::time::sleep(this.linger));
            this.closing = Closing::Lingering { until, budget: LINGER_BYTES };
        }
        let Closing::Lingering { until, budget } = &mut this.closing else { return Poll::Ready(Ok(())) };
        let mut scratch = [0; 4096];
        while *budget > 0 && until.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = ready!(Pin::new(&mut this.inner).poll_read(context, &mut buffer));
            let length = buffer.filled().len();
            if read.is_err() || length == 0 {
                break;
            }
            *budget = budget.saturating_sub(length);
        }
        Poll::Ready(Ok(()))
    }
}
