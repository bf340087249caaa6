//! Plain requests: a POST over HTTP/1.1 with one `Content-Length` and nothing else that affects parsing. Batch senders
//! send little else, and a connection that is read here holds no memory between its requests. At the first request of any
//! other form the connection is passed to hyper.

mod body;
mod head;
mod response;

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use http_body_util::Full;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use self::head::{Head, Reading};
use super::ListenConfig;
use super::activity::Activity;
use super::stream::Stream;
use crate::shutdown::{Shutdown, Stage};

pub use body::PlainBody;

/// Bytes read at once where a head is expected: a head and a small body take one system call.
const FIRST_READ_BYTES: usize = 16 * 1024;

/// Handler of plain requests.
pub trait PlainHandler: Send + Sync + 'static {
    /// Whether it handles requests with this path.
    fn takes(&self, path: &str) -> bool;

    /// Answers one request. If the body is not read to its end, the connection is closed after the response.
    fn answer<'a>(&'a self, request: Request<PlainBody<'a>>) -> Answering<'a>;
}

/// A future response. Lives no longer than its request, so that idle connections hold none.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Response<Full<Bytes>>> + Send + 'a>>;

/// Outcome of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is closed, in order.
    Ended,
    /// The next request, or its part received so far, is not a plain one.
    NotPlain,
}

/// Reason why no further request is waited for.
enum Enough {
    Idle,
    Draining,
}

/// Next step of a connection.
enum Next {
    Request(Box<Head>),
    /// Input other than a plain request.
    Other,
    Nothing,
}

/// Handler and settings of a connection.
pub(super) struct Plain<'a> {
    pub(super) handler: &'a dyn PlainHandler,
    pub(super) config: &'a ListenConfig,
    pub(super) shutdown: &'a Shutdown,
    pub(super) activity: &'a Arc<Activity>,
}

impl Plain<'_> {
    /// Answers requests for as long as they are plain. `crowded` is as for [`Activity::idle`].
    pub(super) async fn serve<T>(
        &self,
        stream: &mut Stream<T>,
        crowded: impl Fn() -> bool,
    ) -> io::Result<Outcome>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let mut enough = pin!(async {
            tokio::select! {
                () = self.activity.idle(self.config.first_request, self.config.idle, crowded) => Enough::Idle,
                () = self.shutdown.reached(Stage::Draining) => Enough::Draining,
            }
        });
        let mut seen = BytesMut::new();
        loop {
            let goes_on = match self.next(stream, &mut seen, enough.as_mut()).await? {
                Next::Request(head) => self.answer(stream, &mut seen, *head).await?,
                Next::Nothing => false,
                Next::Other => {
                    stream.give_back(&seen);
                    return Ok(Outcome::NotPlain);
                }
            };
            if !goes_on {
                stream.shutdown().await?;
                return Ok(Outcome::Ended);
            }
        }
    }

    /// Waits for the next request, which may be buffered already. Once there is enough, for no other, but a head that
    /// has begun when the process drains may be completed, which hyper handles.
    async fn next<T>(
        &self,
        stream: &mut Stream<T>,
        seen: &mut BytesMut,
        mut enough: Pin<&mut impl Future<Output = Enough>>,
    ) -> io::Result<Next>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send,
    {
        loop {
            match head::read(seen, self.config, |path| self.handler.takes(path)) {
                Reading::Plain(head) => return Ok(Next::Request(head)),
                Reading::Other => return Ok(Next::Other),
                Reading::Partial => {}
            }
            tokio::select! {
                biased;
                read = more_of_a_head(stream, seen) => match read {
                    Ok(0) | Err(_) if seen.is_empty() => return Ok(Next::Nothing),
                    Ok(0) => return Ok(Next::Other),
                    Ok(_) => {}
                    Err(error) => return Err(error),
                },
                reason = enough.as_mut() => match reason {
                    Enough::Draining if !seen.is_empty() => return Ok(Next::Other),
                    Enough::Draining | Enough::Idle => return Ok(Next::Nothing),
                },
            }
        }
    }

    /// Has a request answered; returns whether the connection continues.
    async fn answer<T>(
        &self,
        stream: &mut Stream<T>,
        seen: &mut BytesMut,
        Head { parts, length: mut left }: Head,
    ) -> io::Result<bool>
    where
        T: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let in_progress = self.activity.begin();
        let body = PlainBody::new(&mut *stream, seen, &mut left);
        let response = self.handler.answer(Request::from_parts(parts, body)).await;
        body::skip(seen, &mut left);
        let may_go_on = left == 0 && self.shutdown.stage() < Stage::Draining;
        let (bytes, goes_on) = response::bytes(response, may_go_on).await;
        let sending = async {
            stream.write_all(&bytes).await?;
            stream.flush().await
        };
        // A peer that reads byte by byte keeps it no longer than one that reads nothing.
        tokio::time::timeout(self.config.write_stall, sending).await??;
        drop(in_progress);
        Ok(goes_on)
    }
}

/// Reads until parsing the head again is useful: a line has ended, or it is too long. Returns the bytes of the last
/// read, 0 at the end. May be dropped at any time: bytes read are in the buffer.
async fn more_of_a_head<T: AsyncRead + Unpin>(stream: &mut T, seen: &mut BytesMut) -> io::Result<usize> {
    loop {
        let before = seen.len();
        let read = more(stream, seen).await?;
        if read == 0 || seen.len() >= head::MAX_HEAD_BYTES || seen[before..].contains(&b'\n') {
            return Ok(read);
        }
    }
}

/// Reads the available bytes, after those buffered. While there are none, no memory is held for them.
async fn more<T: AsyncRead + Unpin>(stream: &mut T, seen: &mut BytesMut) -> io::Result<usize> {
    // The rest of a larger piece keeps all of its memory.
    *seen = BytesMut::from(&seen[..]);
    std::future::poll_fn(|context| {
        let mut room = BytesMut::with_capacity(seen.len() + FIRST_READ_BYTES);
        room.extend_from_slice(seen);
        let read = pin!(stream.read_buf(&mut room)).poll(context);
        if read.is_ready() {
            *seen = room;
        }
        read
    })
    .await
}

#[cfg(test)]
mod tests;
