//! Source of a body: pieces made by the protocol below, or the stream, read straight into its place.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use process::listen::PlainBody;

/// Reason why a body breaks off.
pub(crate) type Broken = Box<dyn Error + Send + Sync>;

/// Some of a body.
pub(crate) enum Arrived {
    /// It was read into its place.
    InPlace,
    /// It has yet to be copied there.
    Piece(Bytes),
}

/// A body that is read once, to its end or up to where it is refused.
pub(crate) trait Intake {
    /// Number of bytes still to come, as far as known.
    fn size_hint(&self) -> SizeHint;

    /// Whether there are no more bytes.
    fn is_end(&self) -> bool;

    /// More of it, appended to `place` if there is room and it can be read there. `None` at the end.
    fn poll_more(
        &mut self,
        context: &mut Context<'_>,
        place: &mut BytesMut,
    ) -> Poll<Option<Result<Arrived, Broken>>>;
}

/// A body in pieces.
pub(crate) struct Pieces<'a, B>(pub(crate) Pin<&'a mut B>);

impl<B> Intake for Pieces<'_, B>
where
    B: Body<Data = Bytes, Error: Into<Broken>>,
{
    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }

    fn is_end(&self) -> bool {
        self.0.is_end_stream()
    }

    fn poll_more(
        &mut self,
        context: &mut Context<'_>,
        _place: &mut BytesMut,
    ) -> Poll<Option<Result<Arrived, Broken>>> {
        let frame = ready!(self.0.as_mut().poll_frame(context));
        Poll::Ready(frame.map(|frame| frame.map(piece).map_err(Into::into)))
    }
}

/// Trailers are not used.
fn piece(frame: Frame<Bytes>) -> Arrived {
    Arrived::Piece(frame.into_data().unwrap_or_default())
}

impl Intake for PlainBody<'_> {
    fn size_hint(&self) -> SizeHint {
        Body::size_hint(self)
    }

    fn is_end(&self) -> bool {
        self.is_end_stream()
    }

    fn poll_more(
        &mut self,
        context: &mut Context<'_>,
        place: &mut BytesMut,
    ) -> Poll<Option<Result<Arrived, Broken>>> {
        if self.is_end() {
            return Poll::Ready(None);
        }
        if place.capacity() == place.len() {
            let frame = ready!(Pin::new(self).poll_frame(context));
            return Poll::Ready(frame.map(|frame| frame.map(piece).map_err(Into::into)));
        }
        let read = ready!(self.poll_read_into(context, place));
        Poll::Ready(Some(read.map(|()| Arrived::InPlace).map_err(Into::into)))
    }
}
