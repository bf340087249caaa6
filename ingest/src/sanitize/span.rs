//! Positions of the fields of a message in a payload.

use std::ops::Range;

use crate::validate::schema::{Key, LENGTH};
use crate::validate::wire::Fields;

/// Position of one field's value in the payload.
pub(super) struct Span {
    pub(super) key: Key,
    pub(super) place: Range<usize>,
}

impl Span {
    /// The field that begins at `at` in a message that ends where `payload` does; `None` at the end. The
    /// payload is valid, so nothing else ends the walk.
    #[inline]
    pub(super) fn next(payload: &[u8], at: usize) -> Option<Self> {
        let mut fields = Fields::of(payload.get(at..)?);
        let key = fields.next_key().ok()??;
        let mut start = payload.len() - fields.remaining();
        let length = if key & 7 == LENGTH { Some(fields.bytes().ok()?.len()) } else { None };
        if length.is_none() {
            fields.skip(key).ok()?;
        }
        let end = payload.len() - fields.remaining();
        if let Some(length) = length {
            start = end - length;
        }
        Some(Self { key, place: start..end })
    }

    /// The fields of the message at `message`.
    pub(super) fn all(payload: &[u8], message: Range<usize>) -> impl Iterator<Item = Self> {
        let mut at = message.start;
        std::iter::from_fn(move || {
            let span = Self::next(payload.get(..message.end)?, at)?;
            at = span.place.end;
            Some(span)
        })
    }

    /// The places of the fields with this key in the message at `message`.
    pub(super) fn with_key(
        payload: &[u8],
        message: Range<usize>,
        key: Key,
    ) -> impl Iterator<Item = Range<usize>> {
        Self::all(payload, message).filter(move |span| span.key == key).map(|span| span.place)
    }
}
