//! Plain requests: a POST over HTTP/1.1 with one `Content-Length` and nothing else that changes how it is read. Senders of
//! batches make little else, and a connection that is read here holds no memory between its requests. At the first
//! request that is anything else the connection is hyper's, as all others are.

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

/// Read at once where a head is expected: a head and a small body take one call of the system.
const FIRST_READ_BYTES: usize = 16 * 1024;

/// What answers plain requests.
pub trait PlainHandler: Send + Sync + 'static {
    /// Whether requests with this path are for it.
    fn takes(&self, path: &str) -> bool;

    /// Answers one request. If the body is not read to its end, the connection is closed behind the answer.
    fn answer<'a>(&'a self, request: Request<PlainBody<'a>>) -> Answering<'a>;
}

/// An answer to come. Lives no longer than its request, so that idle connections hold none.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Response<Full<Bytes>>> + Send + 'a>>;

/// What becomes of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is closed, in order.
    Ended,
    /// The next request, or what there is of it, is not a plain one.
    NotPlain,
}

/// Why no further request is waited for.
enum Enough {
    Idle,
    Draining,
}

/// What comes next on a connection.
enum Next {
    Request(Box<Head>),
    /// Something that is not a plain request.
    Other,
    Nothing,
}

/// What a connection is served with.
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

    /// Waits for the next request, which may be among what was seen. Once there is enough, for no other, but a head that
    /// has begun when the process drains may come to its end, which hyper sees to.
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

    /// Has a request answered; says whether the connection goes on.
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
        // A peer that takes it byte by byte keeps it no longer than one that takes nothing.
        tokio::time::timeout(self.config.write_stall, sending).await??;
        drop(in_progress);
        Ok(goes_on)
    }
}

/// Reads up to where another look at the head can tell more: a line has ended, or it is too long. How many bytes came
/// last, 0 at the end. May be dropped at any time: what was read has been seen.
async fn more_of_a_head<T: AsyncRead + Unpin>(stream: &mut T, seen: &mut BytesMut) -> io::Result<usize> {
    loop {
        let before = seen.len();
        let read = more(stream, seen).await?;
        if read == 0 || seen.len() >= head::MAX_HEAD_BYTES || seen[before..].contains(&b'\n') {
            return Ok(read);
        }
    }
}

/// Reads what there is, behind what was seen. While there is nothing, no room is kept for it.
async fn more<T: AsyncRead + Unpin>(stream: &mut T, seen: &mut BytesMut) -> io::Result<usize> {
    // What is left of a larger piece holds on to all of it.
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
