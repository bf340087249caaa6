//! A response in transmission: it keeps its request in progress until the connection has written the last
//! byte, and reports its progress.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http::header::CONTENT_LENGTH;
use http::{Method, Response};
use http_body::{Body, Frame, SizeHint};

use super::activity::InProgress;

/// A response body that is watched while it is sent.
#[derive(Debug)]
pub(super) struct Tracked<B> {
    body: B,
    /// Whether the request was a HEAD, which is answered without the body.
    withheld: bool,
    in_progress: Arc<InProgress>,
}

/// A piece of a response body. It is held until written: hyper passes unwritten data to the queues of its
/// connection without a notification.
#[derive(Debug)]
pub(super) struct Piece {
    bytes: Bytes,
    in_progress: Arc<InProgress>,
}

impl<B: Body> Tracked<B> {
    /// The response as it is sent. A HEAD is answered with the head that a GET would get, length
    /// included, and no body (RFC 9110 section 9.3.2): the HTTP/1.1 encoder ensures that by itself,
    /// the HTTP/2 one does not.
    pub(super) fn response(
        response: Response<B>,
        method: &Method,
        in_progress: InProgress,
    ) -> Response<Self> {
        let withheld = *method == Method::HEAD;
        let (mut head, body) = response.into_parts();
        if let Some(length) = body.size_hint().exact().filter(|_| withheld) {
            head.headers.entry(CONTENT_LENGTH).or_insert_with(|| length.into());
        }
        Response::from_parts(head, Self { body, withheld, in_progress: Arc::new(in_progress) })
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Tracked<B> {
    type Data = Piece;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.withheld {
            return Poll::Ready(None);
        }
        let polled = Pin::new(&mut self.body).poll_frame(context);
        let piece = |bytes: Bytes| {
            self.in_progress.hand_over(bytes.len());
            Piece { bytes, in_progress: Arc::clone(&self.in_progress) }
        };
        polled.map_ok(|frame| frame.map_data(piece))
    }

    fn is_end_stream(&self) -> bool {
        self.withheld || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.withheld { SizeHint::with_exact(0) } else { self.body.size_hint() }
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.in_progress.take(count);
    }
}
